"""Rules of a bundle are read outside of a transaction, judge its case only, and are visible to nobody else."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable
from importlib import import_module

import pytest
from django.apps import apps
from django.db import connection

from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, drafted, published
from tests.workbench.people import People, signed_in
from workbench.cases.models import Case
from workbench.reports import bundle
from workbench.reports.bundle import BundleRefused, bundle_import, bundle_pieces
from workbench.rules import bundles
from workbench.rules.bundles import ruleset_of_bundle
from workbench.rules.models import Rule, RuleEvent, Ruleset, RuleVersion
from workbench.rules.selectors import rules_of
from workbench.rules.services import draft_publish, rules_load

LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.Some [] - Something\n" * 3
THEIRS = SKEW_RULE.replace("skew.test", "skew.theirs").replace("One subtask takes", "Their secret, one subtask takes")


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.fixture
def content(people: People) -> bytes:
    """A bundle of a case of Alice's."""
    analysis = diagnosed_case(people.alice)
    file = analysis.files.get()
    file.path.write_bytes(LOG)
    file.sha256, file.bytes = hashlib.sha256(LOG).hexdigest(), len(LOG)
    file.save()
    return b"".join(bundle_pieces(analysis))


def with_entries(content: bytes, rules: dict[str, str]) -> bytes:
    """The bundle with these rules instead of its own."""
    written = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(written, "w") as changed:
        for name in archive.namelist():
            if not name.startswith("rules/"):
                changed.writestr(name, archive.read(name))
        for name, text in rules.items():
            changed.writestr(f"rules/{name}.yaml", text)
    return written.getvalue()


def imported(content: bytes, people: People, rules: dict[str, str]) -> Case:
    return bundle_import(user=people.charlie, content=io.BytesIO(with_entries(content, rules)))


def test_rules_of_a_bundle_judge_its_case(people: People, content: bytes) -> None:
    case = imported(content, people, {"theirs": THEIRS})
    rules, unreadable = rules_of(case.analyses.get().ruleset)
    assert ([rule.id for rule in rules.rules], unreadable) == (["skew.theirs"], [])


def test_rules_of_a_bundle_are_on_no_page_of_the_rules(people: People, content: bytes) -> None:
    imported(content, people, {"theirs": THEIRS})
    for person in (people.alice, people.charlie, people.rita, people.ada):
        browser = signed_in(person)
        assert "Their secret" not in browser.get("/rules/?text=secret").content.decode()
        assert browser.get("/rules/skew.theirs/").status_code == 404


def test_rules_of_a_bundle_take_no_id_from_a_rule_editor(people: People, content: bytes) -> None:
    imported(content, people, {"theirs": THEIRS})
    version = draft_publish(draft=drafted(THEIRS, people.rita), user=people.rita, reason="mine")
    assert (version.number, version.rule.enabled) == (1, True)


def test_a_rule_that_is_shipped_later_counts_although_a_bundle_had_its_id(people: People, content: bytes) -> None:
    Rule.objects.filter(rule_id="skew.hot-subtask").update(rule_id="not.shipped-yet")
    imported(content, people, {"theirs": THEIRS.replace("skew.theirs", "skew.hot-subtask")})
    ruleset = rules_load().ruleset
    assert ruleset.versions.filter(rule__rule_id="skew.hot-subtask", origin="shipped").exists()


def test_a_text_that_is_known_here_is_the_known_version(people: People, content: bytes) -> None:
    version = published(SKEW_RULE, people.rita)
    ruleset = imported(content, people, {"test": version.text}).analyses.get().ruleset
    assert list(ruleset.versions.all()) == [version]
    assert not ruleset.bundled_rules.exists()


def test_another_text_under_a_known_id_judges_only_its_case(people: People, content: bytes) -> None:
    version = published(SKEW_RULE, people.rita)
    other = version.text.replace("value: 2,", "value: 9,")
    ruleset = imported(content, people, {"test": other}).analyses.get().ruleset
    assert [rule.text for rule in ruleset.bundled_rules.all()] == [other]
    assert [each.text for each in version.rule.versions.all()] == [version.text]


def test_rules_are_read_outside_of_any_transaction(
    people: People, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    depths, read = [], bundles.checked_rule

    def watched(text: str) -> object:
        depths.append(len(connection.savepoint_ids))
        return read(text)

    monkeypatch.setattr(bundles, "checked_rule", watched)
    imported(content, people, {"a": THEIRS, "b": THEIRS.replace("skew.theirs", "skew.b")})
    assert depths == [0, 0]


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (lambda: {str(number): THEIRS for number in range(bundle.MOST_RULES + 1)}, "more than 500 rules"),
        (lambda: {"long": "#" * (bundle.MOST_RULE_BYTES + 1)}, "more than 500 rules or 2048 KiB"),
        (lambda: {"a": THEIRS, "b": THEIRS}, "two rules have the id 'skew.theirs'"),
        (lambda: {"a": "id: [unfinished"}, "A rule in it cannot be read"),
    ],
)
def test_too_many_too_long_and_unreadable_rules_are_refused_and_leave_nothing(
    people: People, content: bytes, rules: Callable[[], dict[str, str]], reason: str
) -> None:
    before = Ruleset.objects.count()
    with pytest.raises(BundleRefused, match=reason):
        imported(content, people, rules())
    assert not Case.objects.filter(team=people.charlie.teams.get()).exists()
    assert Ruleset.objects.count() == before


def test_rules_of_bundles_that_an_earlier_release_stored_as_rules_move_out_of_the_list(people: People) -> None:
    """The migration, on what the earlier release left behind."""
    move = import_module("workbench.rules.migrations.0008_rules_of_bundles_moved").move_rules_of_bundles
    ruleset = ruleset_of_bundle(rules=[], reason="test", user=people.charlie)
    unused, edited = (_stored_by_an_earlier_release(name, ruleset) for name in ("skew.unused", "skew.edited"))
    RuleEvent.objects.create(rule_id="skew.edited", kind="rolled_back", by=people.rita, version=edited)
    move(apps, None)
    assert [(rule.rule_id, rule.text) for rule in ruleset.bundled_rules.all()] == [("skew.unused", unused.text)]
    assert not Rule.objects.filter(rule_id="skew.unused").exists()
    edited.refresh_from_db()
    assert edited.origin == "local"


def _stored_by_an_earlier_release(rule_id: str, ruleset: Ruleset) -> RuleVersion:
    version = RuleVersion.objects.create(
        rule=Rule.objects.create(rule_id=rule_id, enabled=False),
        number=1,
        origin="bundle",
        state="retired",
        text=THEIRS.replace("skew.theirs", rule_id),
        sha256=rule_id,
        symptom_class="data_skew",
        title="x",
    )
    ruleset.versions.add(version)
    return version
