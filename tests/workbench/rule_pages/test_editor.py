"""Drafts: written, tried while one types, saved, published and discarded; by rule editors and by nobody else."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from diagnostics.diagnosis.sample import shipped_samples
from diagnostics.errors import InvalidRule
from diagnostics.rules.shipped import shipped_rule_texts
from tests.workbench.diagnosed import SKEW_FIRES, SKEW_RULE, SKEW_SILENT, diagnosed_case, drafted, published
from tests.workbench.people import People, signed_in
from workbench.rule_pages.forms import NEW_FIRES, NEW_RULE, NEW_SILENT
from workbench.rule_pages.rewriting import form_of, with_value
from workbench.rules.models import Draft, EventKind, RuleEvent, RuleVersion
from workbench.rules.services import (
    DraftChanged,
    draft_discard,
    draft_publish,
    draft_save,
    rules_load,
    ruleset_published,
)

TEXTS = {"rule": SKEW_RULE, "fires": SKEW_FIRES, "silent": SKEW_SILENT}


@pytest.fixture
def rita(people: People) -> Client:
    return signed_in(people.rita)


def previewed(client: Client, **changed: Any) -> dict[str, Any]:
    answer = client.post("/rules/preview/", TEXTS | changed)
    assert answer.status_code == 200, answer.content
    return dict(answer.json())


def test_a_new_rule_begins_as_one_that_could_be_published(rita: Client) -> None:
    answer = previewed(rita, rule=NEW_RULE, fires=NEW_FIRES, silent=NEW_SILENT)
    assert (answer["problems"], answer["ready"]) == ([], True)
    assert rita.get("/rules/new/").status_code == 200


def test_every_shipped_rule_could_be_published_unchanged(rita: Client) -> None:
    wrong = []
    for rule_id, text in shipped_rule_texts().items():
        samples = shipped_samples()[rule_id]
        answer = previewed(rita, rule=text, fires=samples["fires"], silent=samples["silent"])
        if not answer["ready"]:
            wrong.append((rule_id, answer["problems"]))
    assert wrong == []


def test_all_errors_come_at_once_each_with_its_line(rita: Client) -> None:
    wrong = SKEW_RULE.replace("severity: critical", "severity: bad").replace("base: 0.9", "base: 7")
    answer = previewed(rita, rule=wrong, silent="signals:\n  - {key: nothing, facts: {}}\n")
    assert [(each["where"], each["line"]) for each in answer["problems"]] == [("rule", 6), ("rule", 11), ("silent", 2)]
    assert not answer["ready"]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SKEW_RULE + "x" * 30_000, "at most 20,000 are read"),
        (SKEW_RULE + "docs: " + "[" * 5_000, "nested more than 40 deep"),
        (SKEW_RULE + "docs: &a [x]\nexplains: *a\n", "aliases"),
        (SKEW_RULE.replace("load_balance.skew_ratio,", "load.skew_ratio,"), "unknown signal"),
        (SKEW_RULE.replace("value: 2,", "value: 2 times,"), "takes a number"),
        (
            SKEW_RULE.replace("  all:\n", '  all:\n    - {fact: load_balance.skew_ratio, op: "<", value: 1}\n'),
            "it can never hold",
        ),
        (SKEW_RULE.replace("id: skew.test", "id: drafts"), "is an address of the workbench"),
        ("- not\n- a rule\n", "a mapping is expected"),
        ("", "a mapping is expected"),
    ],
)
def test_a_hostile_rule_is_refused_with_the_reason(rita: Client, text: str, told: str) -> None:
    answer = previewed(rita, rule=text)
    assert told in "\n".join(f"line {each['line']}: {each['text']}" for each in answer["problems"])
    assert not answer["ready"]


def test_a_request_of_megabytes_is_refused(rita: Client) -> None:
    assert rita.post("/rules/preview/", TEXTS | {"rule": "x" * 3_000_000}).status_code in (400, 413)


def test_the_case_shows_the_margin_to_each_bound_and_both_verdicts(rita: Client, people: People) -> None:
    case = diagnosed_case(people.alice, 1.5).case
    told = previewed(rita, case=case.pk)["parts"]["case"]
    assert "0.5 below the bound" in told
    assert "with and without the draft" in told
    told = previewed(rita, case=case.pk, rule=SKEW_RULE.replace("value: 2", "value: 1.2"))["parts"]["case"]
    assert "becomes <strong>Data skew" in told


def test_a_case_of_strangers_cannot_be_tried(rita: Client, people: People) -> None:
    case = diagnosed_case(people.charlie).case
    assert rita.post("/rules/preview/", TEXTS | {"case": case.pk}).status_code == 404


def test_texts_of_a_case_are_shown_escaped(rita: Client, people: People) -> None:
    diagnosed_case(people.alice, title="<script>alert(1)</script>")
    page = rita.get("/rules/new/").content.decode()
    assert "<script>alert" not in page


def test_a_sample_that_does_not_do_what_it_must_keeps_the_rule_from_being_published(rita: Client) -> None:
    answer = previewed(rita, silent=SKEW_FIRES)
    assert not answer["ready"]
    assert "Must stay silent</strong> fails" in answer["parts"]["problems"]


def test_the_form_has_the_rules_fields_and_every_bound() -> None:
    form = form_of(SKEW_RULE)
    assert {field.name: field.value for field in form.fields}["severity"] == "critical"
    assert [(bound.name, bound.value, bound.line) for bound in form.bounds["Trigger"]] == [("when.all.0.value", "2", 9)]


@pytest.mark.parametrize(
    ("name", "value", "before", "after"),
    [
        ("title", "Skew: one, two", "title: One subtask takes most of the records", "title: 'Skew: one, two'"),
        ("severity", "info", "severity: critical", "severity: info"),
        ("when.all.0.value", "3.5", "value: 2,", "value: 3.5,"),
        ("when.all.0.value", "2 s", "value: 2,", "value: 2 s,"),
        ("confidence.base", "0.8", "base: 0.9", "base: 0.8"),
        ("status", "deprecated", "data_skew\n", "data_skew\nstatus: deprecated\n"),
        ("title_zh", "一个热点子任务", "the records\n", "the records\ntitle_zh: 一个热点子任务\n"),
    ],
)
def test_a_value_of_the_form_is_written_at_its_place_and_nothing_else_changes(
    name: str, value: str, before: str, after: str
) -> None:
    text = f"# why it is here\n{SKEW_RULE}# the end\n"
    assert with_value(text, name, value) == text.replace(before, after)


def values_of(text: str) -> list[str]:
    form = form_of(text)
    return [field.value for field in (*form.fields, *(each for bounds in form.bounds.values() for each in bounds))]


def test_bounds_that_are_written_are_read_back_as_they_were() -> None:
    for text in sorted(shipped_rule_texts().values(), key=len)[-3:]:
        written = text
        for bound in form_of(text).bounds["Trigger"]:
            written = with_value(written, bound.name, bound.value)
        assert values_of(written) == values_of(text)


def test_a_place_that_is_not_there_is_refused(rita: Client) -> None:
    with pytest.raises(InvalidRule, match="there is no entry"):
        with_value(SKEW_RULE, "when.all.7.value", "1")
    assert rita.post("/rules/preview/", TEXTS | {"name": "when.all.7.value", "value": "1"}).status_code == 400


def test_the_editor_writes_a_value_through_the_preview(rita: Client) -> None:
    answer = previewed(rita, name="when.all.0.value", value="10")
    assert "value: 10," in answer["text"]
    assert "fails" in answer["parts"]["problems"], "the firing sample has a skew of 9, which fires no longer"


def test_a_draft_may_be_wrong_and_goes_on_where_it_was_left(rita: Client, people: People) -> None:
    answer = rita.post("/rules/drafts/", TEXTS | {"rule": "id: half"}, headers={"Accept": "application/json"}).json()
    assert "id: half" in rita.get(answer["url"]).content.decode()
    assert Draft.objects.get().author == people.rita


def test_two_windows_do_not_overwrite_one_another(people: People) -> None:
    draft = drafted(SKEW_RULE, people.rita)
    read = draft.revision
    draft_save(user=people.rita, text="first", draft=draft, revision=read)
    with pytest.raises(DraftChanged):
        draft_save(user=people.ada, text="second", draft=draft, revision=read)
    draft.refresh_from_db()
    assert draft.text == "first"


def test_saving_again_and_again_is_one_entry_of_the_audit_log(people: People) -> None:
    draft = drafted(SKEW_RULE, people.rita)
    for number in range(3):
        draft_save(user=people.rita, text=f"{SKEW_RULE}# {number}\n", draft=draft)
    event = RuleEvent.objects.get(kind=EventKind.DRAFT_SAVED)
    assert event.after.endswith("# 2\n")


def test_editing_a_rule_begins_from_the_version_that_counts_and_finds_the_own_draft(
    rita: Client, people: People
) -> None:
    version = published(SKEW_RULE, people.rita)
    assert "skew.test" in rita.get("/rules/skew.test/edit/").content.decode()
    assert not Draft.objects.exists()
    draft = drafted(version.text, people.rita, version)
    assert rita.get("/rules/skew.test/edit/").headers["Location"] == f"/rules/drafts/{draft.pk}/"
    assert signed_in(people.ada).get("/rules/skew.test/edit/").status_code == 200


def test_publishing_needs_a_reason_and_makes_the_next_version(rita: Client, people: People) -> None:
    first = published(SKEW_RULE, people.rita)
    draft = drafted(first.text.replace("value: 2", "value: 3"), people.rita, first)
    rita.post(f"/rules/drafts/{draft.pk}/publish/", {})
    assert Draft.objects.exists()
    rita.post(f"/rules/drafts/{draft.pk}/publish/", {"reason": "2 was too loud"})
    second = ruleset_published().versions.get()
    assert (second.number, second.reason, second.author) == (2, "2 was too loud", people.rita)
    assert second.text == first.text.replace("version: 1", "version: 2").replace("value: 2", "value: 3")
    assert not Draft.objects.exists()
    first.refresh_from_db()
    assert "value: 2," in first.text


@pytest.mark.parametrize(
    ("text", "fires", "silent", "reason"),
    [
        (SKEW_RULE, "", SKEW_SILENT, "firing sample is missing"),
        (SKEW_RULE, SKEW_FIRES, "", "silent sample is missing"),
        (SKEW_RULE, SKEW_SILENT, SKEW_SILENT, "firing sample fails"),
        (SKEW_RULE, SKEW_FIRES, SKEW_FIRES, "silent sample fails"),
        (SKEW_RULE, "signals: []", SKEW_SILENT, "1 to 200 signals"),
        ("id: half", SKEW_FIRES, SKEW_SILENT, "`title` is missing"),
    ],
)
def test_what_does_not_pass_is_not_published(people: People, text: str, fires: str, silent: str, reason: str) -> None:
    draft = draft_save(user=people.rita, text=text, fires_sample=fires, silent_sample=silent)
    with pytest.raises(InvalidRule, match=reason):
        draft_publish(draft=draft, user=people.rita, reason="try")
    assert not RuleVersion.objects.exists()


def test_a_new_rule_cannot_take_the_id_of_another(people: People) -> None:
    published(SKEW_RULE, people.rita)
    with pytest.raises(InvalidRule, match=r"There is a rule 'skew\.test' already"):
        draft_publish(draft=drafted(SKEW_RULE, people.rita), user=people.rita, reason="try")


def test_a_rule_keeps_its_id(people: People) -> None:
    version = published(SKEW_RULE, people.rita)
    draft = drafted(SKEW_RULE.replace("skew.test", "skew.other"), people.rita, version)
    with pytest.raises(InvalidRule, match="a rule keeps its id"):
        draft_publish(draft=draft, user=people.rita, reason="try")


def test_a_draft_that_was_overtaken_says_so(rita: Client, people: People) -> None:
    first = published(SKEW_RULE, people.rita)
    draft = drafted(first.text, people.rita, first)
    published(first.text, people.ada, first)
    assert "counts since this draft began" in rita.get(f"/rules/drafts/{draft.pk}/").content.decode()


def test_a_discarded_draft_stays_readable_in_the_audit_log(people: People) -> None:
    draft = drafted(SKEW_RULE, people.rita)
    draft_discard(draft=draft, user=people.rita)
    event = RuleEvent.objects.get(kind=EventKind.DISCARDED)
    assert (event.before, event.by, Draft.objects.exists()) == (SKEW_RULE, people.rita, False)


def test_an_editor_learns_that_a_colleague_published_the_open_draft(people: People) -> None:
    draft = drafted(SKEW_RULE, people.rita)
    number = draft.pk
    draft_publish(draft=draft, user=people.ada, reason="read it and agrees")
    rita = signed_in(people.rita)
    page = rita.get(f"/rules/drafts/{number}/", follow=True)
    assert page.redirect_chain == [("/rules/log/?rule=skew.test", 302)]
    assert "was published or discarded" in page.content.decode()
    told = rita.post(f"/rules/drafts/{number}/save/", headers={"Accept": "application/json"})
    assert (told.status_code, "was published or discarded" in told.json()["detail"]) == (404, True)
    assert rita.get("/rules/drafts/999/").status_code == 404
    help_page = rita.get("/rules/skew.test/").content.decode()
    assert "ada, written by rita" in help_page


def test_a_shipped_rule_is_edited_and_its_shipped_version_stays(people: People) -> None:
    rules_load()
    shipped = RuleVersion.objects.get(rule__rule_id="sink.origin")
    draft = draft_save(
        user=people.rita,
        text=with_value(shipped.text, "confidence.base", "0.7"),
        fires_sample=shipped.fires_sample,
        silent_sample=shipped.silent_sample,
        base=shipped,
    )
    version = draft_publish(draft=draft, user=people.rita, reason="it was surer than that")
    assert version.number == shipped.number + 1
    assert "threads wait for an outside system" in version.text
    counting = ruleset_published().versions.filter(rule=shipped.rule)
    assert list(counting) == [version]


@pytest.mark.parametrize("name", ["vera", "alice"])
def test_readers_open_no_door_of_the_editor(people: People, name: str) -> None:
    version = published(SKEW_RULE, people.rita)
    draft = drafted(version.text, people.rita, version)
    reader = signed_in(getattr(people, name))
    for door in ("new/", "skew.test/edit/", f"drafts/{draft.pk}/"):
        assert reader.get(f"/rules/{door}").status_code == 403
    for door in ("preview/", "drafts/", *(f"drafts/{draft.pk}/{each}/" for each in ("save", "discard", "publish"))):
        assert reader.post(f"/rules/{door}", TEXTS | {"reason": "x"}).status_code == 403
    assert Draft.objects.get() == draft
    assert "by rita" not in reader.get("/rules/").content.decode()


def test_a_get_changes_nothing(rita: Client, people: People) -> None:
    draft = drafted(SKEW_RULE, people.rita)
    for door in ("save", "discard", "publish"):
        assert rita.get(f"/rules/drafts/{draft.pk}/{door}/").status_code == 405
