"""The audit log, rules as files, and closed cases kept as tests."""

from __future__ import annotations

import io
import re
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from diagnostics.errors import InvalidRule
from diagnostics.symptoms import FOLDER
from tests.workbench.diagnosed import SKEW_FIRES, SKEW_RULE, SKEW_SILENT, diagnosed_case, drafted, published
from tests.workbench.people import People, signed_in
from workbench.cases.models import Case
from workbench.cases.services import case_close
from workbench.rules.exchange import MOST_BYTES, ImportRefused, exported_rules, import_as_draft, offered
from workbench.rules.models import Draft, EventKind, RegressionSample, RuleEvent, RuleVersion
from workbench.rules.regression import case_keep, sample_remove
from workbench.rules.services import draft_discard, draft_publish, rule_roll_back, rule_switch, rules_load

FILES = {
    "data_skew/rules/test.yaml": SKEW_RULE,
    "data_skew/rules/test.fires.yaml": SKEW_FIRES,
    "data_skew/rules/test.silent.yaml": SKEW_SILENT,
}


@pytest.fixture
def rita(people: People) -> Client:
    return signed_in(people.rita)


@pytest.fixture
def skew(people: People) -> RuleVersion:
    return published(SKEW_RULE, people.rita)


def archive(files: dict[str, str]) -> io.BytesIO:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, text in files.items():
            opened.writestr(name, text)
    packed.seek(0)
    return packed


def unpacked(content: bytes) -> dict[str, str]:
    with zipfile.ZipFile(io.BytesIO(content)) as opened:
        return {name: opened.read(name).decode() for name in opened.namelist()}


def closed_case(people: People, skew_ratio: float = 4.0, confirmed_class: str = "data_skew") -> Case:
    case = diagnosed_case(people.alice, skew_ratio).case
    case_close(case=case, user=people.alice, confirmed_class=confirmed_class, what_fixed_it="")
    return case


# The log


def test_the_log_shows_everything_that_was_done_with_a_rule(people: People, skew: RuleVersion, rita: Client) -> None:
    second = published(skew.text, people.ada, skew)
    rule_roll_back(version=skew, user=people.rita, reason="it cried wolf")
    rule_switch(rule=skew.rule, enabled=False, user=people.ada, reason="while we look")
    draft_discard(draft=drafted(second.text, people.rita, second), user=people.rita)
    told = [(event.get_kind_display(), event.by.username) for event in reversed(RuleEvent.objects.order_by("-pk"))]
    assert told == [
        ("Draft saved", "rita"),
        ("Published", "rita"),
        ("Draft saved", "ada"),
        ("Published", "ada"),
        ("Rolled back", "rita"),
        ("Switched off", "ada"),
        ("Draft saved", "rita"),
        ("Draft discarded", "rita"),
    ]
    page = rita.get("/rules/log/").content.decode()
    assert "it cried wolf" in page
    assert "while we look" in page


def test_the_log_is_filtered_by_rule_and_kind(skew: RuleVersion, rita: Client) -> None:
    assert "1 entry" in rita.get("/rules/log/", {"kind": "published", "rule": "skew"}).content.decode()
    assert "No entry fits" in rita.get("/rules/log/", {"rule": "other"}).content.decode()


def test_an_entry_leads_to_what_changed(people: People, skew: RuleVersion, rita: Client) -> None:
    published(skew.text.replace("value: 2,", "value: 5,"), people.rita, skew)
    event = RuleEvent.objects.filter(kind=EventKind.PUBLISHED).first()
    assert event is not None
    page = rita.get(f"/rules/log/{event.pk}/").content.decode()
    assert 'class="removed"' in page
    assert "value: 5," in page


# Files


def test_the_export_of_the_shipped_rules_equals_the_repository(db: None) -> None:
    rules_load()
    files = unpacked(exported_rules())
    assert {name for name in files if (FOLDER / name).read_text("utf-8") != files[name]} == set()
    assert len(files) == sum(1 for _ in FOLDER.glob("*/rules/*.yaml"))


def test_everybody_who_is_signed_in_may_export(people: People, skew: RuleVersion) -> None:
    answer = signed_in(people.vera).get("/rules/export/")
    assert unpacked(answer.content)["data_skew/rules/test.yaml"] == SKEW_RULE


def test_the_same_rules_make_the_same_bytes(skew: RuleVersion) -> None:
    assert exported_rules() == exported_rules()


def test_what_was_exported_comes_back_as_the_same(skew: RuleVersion) -> None:
    assert [each.state for each in offered(io.BytesIO(exported_rules()))] == ["same"]


def test_an_archive_shows_what_is_new_and_what_changes(people: People, skew: RuleVersion) -> None:
    changed = SKEW_RULE.replace("value: 2,", "value: 3,")
    new = SKEW_RULE.replace("skew.test", "skew.new")
    found = offered(archive(FILES | {"data_skew/rules/test.yaml": changed, "in/a/data_skew/rules/new.yaml": new}))
    assert [(each.rule_id, each.state) for each in found] == [("skew.test", "changed"), ("skew.new", "new")]
    assert [line.text.strip()[-40:] for line in found[0].lines if line.kind == "added"]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({"data_skew/rules/test.yaml": "id: half"}, "`title` is missing"),
        ({"slow_sink/rules/test.yaml": SKEW_RULE}, "its class is 'data_skew'"),
        ({"data_skew/rules/test.fires.yaml": SKEW_SILENT}, "its firing sample fails"),
        ({"data_skew/rules/test.silent.yaml": "signals: 3"}, "1 to 200 signals"),
        ({"data_skew/rules/test.yaml": SKEW_RULE + "docs: [" + "x, " * 20_000 + "]"}, "are read"),
        ({"data_skew/rules/twin.yaml": SKEW_RULE}, "has the id 'skew.test' too"),
    ],
)
def test_a_bad_rule_of_an_archive_is_refused_with_the_reason(db: None, files: dict[str, str], reason: str) -> None:
    refused = [each for each in offered(archive(FILES | files)) if each.state == "refused"]
    assert [reason in " ".join(each.reasons) for each in refused] == [True]


@pytest.mark.parametrize(
    "content",
    [
        b"not a zip",
        archive({"readme.md": "no rule"}).getvalue(),
        archive({"data_skew/rules/bomb.yaml": "x" * (MOST_BYTES + 1)}).getvalue(),
        archive({f"{number}.txt": "" for number in range(2_001)} | FILES).getvalue(),
        archive(FILES).getvalue()[:-40],
    ],
)
def test_an_archive_that_cannot_be_read_or_is_too_large_is_refused(db: None, content: bytes) -> None:
    with pytest.raises(ImportRefused):
        offered(io.BytesIO(content))


def test_an_import_makes_drafts_only_of_what_was_ticked(people: People, rita: Client) -> None:
    packed = SimpleUploadedFile("rules.zip", archive(FILES).getvalue())
    page = rita.post("/rules/import/", {"archive": packed}).content.decode()
    assert "Make a draft of skew.test" in page
    assert not Draft.objects.exists()
    form = {"text-1": SKEW_RULE, "fires-1": SKEW_FIRES, "silent-1": SKEW_SILENT, "text-2": SKEW_RULE}
    rita.post("/rules/import/drafts/", form | {"take": "1"})
    assert Draft.objects.get().text == SKEW_RULE
    assert RuleEvent.objects.get().kind == EventKind.IMPORTED
    assert not RuleVersion.objects.exists()


def test_what_comes_back_with_the_form_is_checked_again(people: People, rita: Client) -> None:
    rita.post("/rules/import/drafts/", {"take": "1", "text-1": "id: half"})
    assert not Draft.objects.exists()


def test_an_imported_change_of_a_rule_publishes_as_its_next_version(people: People, skew: RuleVersion) -> None:
    text = SKEW_RULE.replace("value: 2,", "value: 3,")
    draft = import_as_draft(text=text, fires=SKEW_FIRES, silent=SKEW_SILENT, user=people.rita)
    assert draft_publish(draft=draft, user=people.rita, reason="from the repository").number == 2


# Closed cases kept as tests


def test_a_closed_case_is_kept_with_what_the_rule_reads_and_without_its_names(
    people: People, skew: RuleVersion
) -> None:
    assert case_keep(case=closed_case(people), user=people.alice) == ["skew.test"]
    text = RegressionSample.objects.get().text
    assert "skew_ratio: 4.0" in text
    for name in ("Window", "aaaa", "bbbb", "hot_subtask"):
        assert name not in text


def test_later_versions_must_fire_on_a_kept_case(people: People, skew: RuleVersion) -> None:
    case = closed_case(people)
    case_keep(case=case, user=people.alice)
    draft = drafted(SKEW_RULE.replace("value: 2,", "value: 8,"), people.rita, skew)
    with pytest.raises(InvalidRule, match=f"no longer fires on case {case.pk}"):
        draft_publish(draft=draft, user=people.rita, reason="stricter")
    sample_remove(sample=RegressionSample.objects.get(), user=people.rita, reason="the cause was another")
    assert draft_publish(draft=draft, user=people.rita, reason="stricter").number == 2


@pytest.mark.parametrize(("skew_ratio", "confirmed_class"), [(1.5, "data_skew"), (4.0, "slow_sink")])
def test_only_rules_of_the_confirmed_class_that_fire_are_concerned(
    people: People, skew: RuleVersion, skew_ratio: float, confirmed_class: str
) -> None:
    assert case_keep(case=closed_case(people, skew_ratio, confirmed_class), user=people.alice) == []


def test_closing_offers_to_keep_the_case(people: People, skew: RuleVersion) -> None:
    case, alice = diagnosed_case(people.alice).case, signed_in(people.alice)
    assert "Keep it as a regression sample" in alice.get(f"/cases/{case.pk}/close/").content.decode()
    alice.post(f"/cases/{case.pk}/close/", {"confirmed_class": "data_skew", "keep_as_sample": "1"})
    assert RegressionSample.objects.get().case == case
    assert RuleEvent.objects.filter(kind=EventKind.SAMPLE_KEPT, by=people.alice).exists()
    assert f"Case {case.pk}" in signed_in(people.rita).get("/rules/skew.test/").content.decode()


def test_a_case_is_kept_when_it_is_closed_without_anybody_asking_f196(people: People, skew: RuleVersion) -> None:
    case, alice = diagnosed_case(people.alice).case, signed_in(people.alice)
    form = alice.get(f"/cases/{case.pk}/close/").content.decode()
    boxes = re.findall(r'<input type="checkbox" name="(\w+)" value="(\w+)" checked>', form)

    alice.post(f"/cases/{case.pk}/close/", {"confirmed_class": "data_skew", **dict(boxes)})

    assert RegressionSample.objects.get().case == case


def test_closing_without_the_tick_keeps_nothing(people: People, skew: RuleVersion) -> None:
    case = diagnosed_case(people.alice).case
    signed_in(people.alice).post(f"/cases/{case.pk}/close/", {"confirmed_class": "data_skew"})
    assert not RegressionSample.objects.exists()


def test_taking_a_kept_case_away_needs_a_reason(people: People, skew: RuleVersion, rita: Client) -> None:
    case_keep(case=closed_case(people), user=people.alice)
    door = f"/rules/samples/{RegressionSample.objects.get().pk}/remove/"
    rita.post(door, {})
    assert RegressionSample.objects.exists()
    rita.post(door, {"reason": "the cause was another"})
    assert not RegressionSample.objects.exists()


def test_readers_open_none_of_these_doors(people: People, skew: RuleVersion) -> None:
    case_keep(case=closed_case(people), user=people.alice)
    alice, event = signed_in(people.alice), RuleEvent.objects.first()
    assert event is not None
    for door in ("log/", f"log/{event.pk}/", "import/"):
        assert alice.get(f"/rules/{door}").status_code == 403
    for door in ("import/", "import/drafts/", f"samples/{RegressionSample.objects.get().pk}/remove/"):
        assert alice.post(f"/rules/{door}", {"reason": "x"}).status_code == 403
    assert RegressionSample.objects.exists()
