"""The audit log: what is recorded, who reads it, and how it leaves."""

from __future__ import annotations

import csv
import io
import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone

from diagnostics.language import CHINESE
from tests.security.routes import routes
from tests.security.test_routes import EVERYBODY, MAY, NO
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import ApiToken
from workbench.audit.models import AuditEntry
from workbench.audit.recording import EXPORTS, FIELDS, QUIET
from workbench.audit.retention import entries_expire
from workbench.audit.words import ACTIONS, value_words
from workbench.audit.words import FIELDS as WORDS_OF_FIELDS
from workbench.cases.holds import any_hold, hold_lift, hold_place
from workbench.languages.sentences import in_language


def recorded_routes() -> set[str]:
    """The routes that may have an entry; those of Django's administration are named after their tables.

    What everybody may post to are pages that change nothing, and the invitation.
    """
    change = {route for route, (_, may_post) in MAY.items() if may_post not in (NO, EVERYBODY)}
    return {route for route in change | EXPORTS if route not in QUIET and not route.startswith("admin:")}


def newest() -> AuditEntry:
    return AuditEntry.objects.latest("pk")


def exported(people: People, form: str, **asked: str) -> str:
    answer = signed_in(people.ada).get(f"/audit/export.{form}", asked)
    assert answer.status_code == 200
    return answer.getvalue().decode()  # type: ignore[no-any-return]


def test_a_page_that_is_only_read_asks_the_database_for_nobody(people: People, django_assert_num_queries: Any) -> None:
    """Health is answered while the database hangs."""
    client = signed_in(people.alice)
    with django_assert_num_queries(0):
        assert client.get("/healthz").status_code == 200


def test_a_change_is_recorded_with_person_address_and_its_few_fields(people: People) -> None:
    case = case_of(people.alice)
    browser = Client(REMOTE_ADDR="192.0.2.5")
    browser.force_login(people.bob)
    browser.post(f"/cases/{case.pk}/status/", {"status": "investigating", "note": "private"})
    entry = newest()
    assert (entry.user, entry.name, entry.via, entry.address) == (people.bob, "bob", "browser", "192.0.2.5")
    assert (entry.action, entry.target, entry.status) == ("cases:status", f"/cases/{case.pk}/status/", 302)
    assert entry.details == {"status": "investigating"}


def test_a_program_is_recorded_by_the_name_of_its_token(people: People) -> None:
    _, secret = ApiToken.objects.make(people.alice, "nightly")
    Client(headers={"Authorization": f"Token {secret}"}).post("/api/v1/cases/", {"title": "x"})
    entry = newest()
    assert (entry.name, entry.via, entry.action, entry.status) == ("alice", "token nightly", "api:cases", 400)
    assert secret not in str(entry.details) + entry.target


def test_a_refused_change_is_recorded_and_reading_is_not(people: People) -> None:
    case = case_of(people.alice)
    browser = signed_in(people.charlie)
    AuditEntry.objects.all().delete()
    browser.get(f"/cases/{case.pk}/")
    browser.get("/")
    assert not AuditEntry.objects.exists()
    browser.post(f"/cases/{case.pk}/status/", {"status": "closed"})
    assert (newest().action, newest().status) == ("cases:status", 404)


def test_what_leaves_the_workbench_is_recorded(people: People) -> None:
    signed_in(people.alice).get("/rules/export/")
    assert (newest().name, newest().action) == ("alice", "rules:export")


def test_sign_ins_their_failures_and_sign_outs_are_recorded_without_passwords(people: People) -> None:
    client = Client()
    client.post("/login/", {"username": "alice", "password": "a-guess"})
    assert (newest().user, newest().name, newest().action) == (None, "alice", "sign-in failed")
    client.post("/login/", {"username": "alice", "password": "alice-has-a-password"})
    assert (newest().user, newest().action) == (people.alice, "signed in")
    client.post("/logout/")
    assert newest().action == "signed out"
    told = json.dumps(list(AuditEntry.objects.values("details", "target", "name")))
    assert "a-guess" not in told
    assert "alice-has-a-password" not in told


def test_guessing_while_locked_fills_no_log(people: People) -> None:
    for _ in range(15):
        Client().post("/login/", {"username": "alice", "password": "a-guess"})
    assert AuditEntry.objects.filter(action="sign-in failed").count() <= 10


def test_the_page_names_actions_and_fields_in_words_and_finds_them_by_these(people: People) -> None:
    case = case_of(people.alice)
    signed_in(people.alice).post(f"/cases/{case.pk}/status/", {"status": "investigating"})
    for language, words in (("en", "changed the status of a case"), ("zh-hans", "修改了案例的状态")):
        page = signed_in(people.ada).get("/audit/", {"what": words}, headers={"Accept-Language": language})
        assert words in page.content.decode()
    assert "浏览器\uff0c来自 127.0.0.1" in page.content.decode()
    assert '状态\uff1a<span translate="no">调查中' in page.content.decode()


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("confirmed_class", "data_skew", "数据倾斜"),
        ("status", ["open", "closed"], ["open", "closed"]),
        ("role", "viewer", "查看者"),
        ("action", "owner", "转交"),
        ("enabled", "0", "否"),
        ("what", "let-go", "不再保留文件"),
        ("what", "written", "written"),
        ("reason", "closed", "closed"),
    ],
)
def test_a_value_that_was_chosen_has_words_and_what_was_written_has_not(name: str, value: Any, shown: Any) -> None:
    with in_language(CHINESE):
        words = value_words(name, value)
    assert str(words).startswith(str(shown))


@pytest.mark.parametrize("route", sorted(recorded_routes()))
def test_every_recorded_route_has_words(route: str) -> None:
    assert route in ACTIONS
    assert set(FIELDS.get(route, ())) <= WORDS_OF_FIELDS.keys()


def test_a_change_in_the_administration_is_told_in_the_language_of_each_reader(
    both_languages: None, people: People
) -> None:
    chinese, english = {"Accept-Language": "zh-CN"}, {"Accept-Language": "en"}
    ada = signed_in(people.ada)
    ada.post("/admin/accounts/team/add/", {"name": "New team", **MANAGEMENT}, headers=chinese)
    assert newest().action == "admin:accounts_team_add"
    page = ada.get("/audit/", headers=english).content.decode()
    assert "added in the administration: team" in page
    assert "Added “New team”." in page
    page = ada.get("/audit/", headers=chinese).content.decode()
    assert "在管理后台添加\uff1a团队" in page
    assert "添加了“New team”" in page


MANAGEMENT = {"membership_set-TOTAL_FORMS": "0", "membership_set-INITIAL_FORMS": "0"}


def test_the_log_is_exported_as_csv_and_json_lines_the_oldest_first(people: People) -> None:
    AuditEntry.objects.all().delete()
    AuditEntry.objects.create(name="=cmd()", action="cases:close", details={"a": "b"}, status=302)
    AuditEntry.objects.create(name="bob", action="rules:publish", target="/rules/1/", status=403)
    header, first, second, *_ = csv.reader(io.StringIO(exported(people, "csv")))
    assert header == ["at", "name", "via", "address", "action", "target", "status", "details"]
    assert (first[1], first[7], second[1]) == ("'=cmd()", '{"a": "b"}', "bob")
    lines = [json.loads(line) for line in exported(people, "jsonl").splitlines()]
    assert [line["name"] for line in lines[:2]] == ["=cmd()", "bob"]
    assert datetime.fromisoformat(lines[0]["at"]).tzinfo is not None


def test_the_log_is_filtered_by_person_action_and_days(people: People) -> None:
    AuditEntry.objects.all().delete()
    for name, action, day in (("bob", "cases:close", 3), ("bob", "rules:publish", 4), ("rita", "cases:close", 5)):
        AuditEntry.objects.create(name=name, action=action, at=datetime(2026, 3, day, 12, tzinfo=UTC))

    def names(**asked: str) -> list[str]:
        lines = exported(people, "jsonl", **asked).splitlines()
        return [f"{row['name']} {row['action']}" for row in map(json.loads, lines) if row["at"] < "2026-04"]

    assert names(who="BOB") == ["bob cases:close", "bob rules:publish"]
    assert names(what="close") == ["bob cases:close", "rita cases:close"]
    assert names(first="2026-03-04", last="2026-03-04") == ["bob rules:publish"]
    assert len(names(first="yesterday", last="2026-99-99", what="\x00")) == 3


def test_old_entries_are_deleted_and_an_entry_says_so(people: People, settings: LazySettings) -> None:
    AuditEntry.objects.all().delete()
    for days in (30, 399, 401, 800):
        AuditEntry.objects.create(name="bob", action="cases:close", at=timezone.now() - timedelta(days=days))
    assert settings.KEEP_AUDIT_DAYS == 400
    assert entries_expire(is_held=True) == 0
    assert entries_expire(is_held=False) == 2
    assert entries_expire(is_held=False) == 0
    assert AuditEntry.objects.filter(action="cases:close").count() == 2
    entry = newest()
    assert (entry.name, entry.action, entry.details["entries"]) == ("workbench", "entries expired", 2)
    settings.KEEP_AUDIT_DAYS = 0
    AuditEntry.objects.update(at=timezone.now() - timedelta(days=4_000))
    assert entries_expire(is_held=False) == 0
    assert "none is deleted" in signed_in(people.ada).get("/audit/").content.decode()


def test_a_team_under_legal_hold_keeps_the_whole_log(people: People) -> None:
    AuditEntry.objects.create(name="bob", action="cases:close", at=timezone.now() - timedelta(days=500))
    assert not any_hold()
    hold_place(team=people.team, user=people.ada, reason="Claim 7")
    assert entries_expire(is_held=any_hold()) == 0
    hold_lift(team=people.team, user=people.ada)
    assert entries_expire(is_held=any_hold()) == 1


@pytest.mark.parametrize("address", ["/audit/", "/audit/export.csv", "/audit/export.jsonl"])
def test_only_administrators_read_it(people: People, address: str) -> None:
    assert signed_in(people.rita).get(address).status_code == 403
    assert signed_in(people.ada).get(address).status_code == 200


def test_markup_in_an_entry_is_shown_as_text(people: People) -> None:
    AuditEntry.objects.create(name="<script>x</script>", action="<b>", target="<i>", details={"<u>": "<s>"})
    page = signed_in(people.ada).get("/audit/").content.decode()
    assert "&lt;script&gt;x&lt;/script&gt;" in page
    assert not any(tag in page for tag in ("<script>x", "<i>", "<u>", "<s>"))


def test_routes_that_are_named_exist() -> None:
    named = {*EXPORTS, *QUIET, *FIELDS}
    assert named - {route.name for route in routes()} == set()
