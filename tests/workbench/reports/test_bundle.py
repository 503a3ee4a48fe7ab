"""A case leaves as a bundle and comes in elsewhere with the same files and the same rules."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Callable
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone

from diagnostics.language import CHINESE
from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case, published
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.languages.sentences import in_language
from workbench.reports.bundle import BundleRefused, bundle_import, bundle_pieces
from workbench.rules.models import Ruleset
from workbench.rules.selectors import rule_texts, rules_of
from workbench.rules.services import ruleset_published

LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.Some [] - Something\n" * 3


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


@pytest.fixture
def analysis(people: People) -> Analysis:
    """A case judged by a rule that was written here; its file holds what its hash says."""
    published(SKEW_RULE, people.rita)
    analysis = diagnosed_case(people.alice, title="Orders are late")
    file = analysis.files.get()
    file.path.write_bytes(LOG)
    file.sha256, file.bytes = hashlib.sha256(LOG).hexdigest(), len(LOG)
    file.save()
    return analysis


def packed(analysis: Analysis) -> bytes:
    return b"".join(bundle_pieces(analysis))


def imported(content: bytes, user: User) -> Case:
    return bundle_import(user=user, content=io.BytesIO(content))


def changed(content: bytes, change: Callable[[dict[str, Any], dict[str, bytes]], None]) -> bytes:
    """The bundle with its manifest or its entries changed."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    manifest = json.loads(entries["manifest.json"])
    change(manifest, entries)
    entries["manifest.json"] = json.dumps(manifest).encode()
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return written.getvalue()


def test_a_bundle_becomes_a_case_of_the_same_files_judged_by_the_same_rules(people: People, analysis: Analysis) -> None:
    case = imported(packed(analysis), people.charlie)

    again = case.analyses.get()
    assert (case.title, case.team) == ("Orders are late", people.charlie.teams.get())
    assert [(file.name, file.path.read_bytes()) for file in again.files.all()] == [("logs/tm.log", LOG)]
    assert texts(again.ruleset) == texts(analysis.ruleset)
    assert not again.ruleset.bundled_rules.exists()
    assert "There the verdict was: Data skew, 90 % sure" in case.notes.get().text


def test_who_imports_in_chinese_leaves_a_note_for_everybody(people: People, analysis: Analysis) -> None:
    with in_language(CHINESE):
        note = imported(packed(analysis), people.charlie).notes.get()
        assert "包中的诊断结论\uff1a数据倾斜\uff0c置信度 90 %" in note.read_text
    assert "There the verdict was: Data skew, 90 % sure" in note.read_text


def test_a_case_whose_evidence_was_deleted_has_no_bundle(people: People, analysis: Analysis) -> None:
    alice = signed_in(people.alice)
    analysis.files.update(deleted_at=timezone.now())
    assert alice.get(f"/reports/{analysis.case_id}/bundle.zip").status_code == 404
    assert "Bundle that runs again" not in alice.get(f"/reports/{analysis.case_id}/").content.decode()


def test_the_same_case_makes_the_same_bytes(analysis: Analysis) -> None:
    assert packed(analysis) == packed(analysis)


def test_rules_that_came_along_judge_that_case_and_no_other(people: People, analysis: Analysis) -> None:
    content = packed(analysis)
    before = ruleset_published()
    Analysis.objects.all().delete()
    Ruleset.objects.exclude(pk=before.pk).delete()

    def foreign(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
        entries["rules/skew.test.yaml"] = SKEW_RULE.replace("skew.test", "skew.theirs").encode()

    case = imported(changed(content, foreign), people.charlie)

    judged_by, _ = rules_of(case.analyses.get().ruleset)
    assert "skew.theirs" in {rule.id for rule in judged_by.rules}
    assert ruleset_published() == before


def other_kind(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    manifest["kind"] = "something else"


def missing_file(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    del entries["files/0001"]


def other_content(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    entries["files/0001"] = b"something else"


def broken_rule(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    entries["rules/skew.test.yaml"] = b"id: [unfinished"


def no_verdict(manifest: dict[str, Any], entries: dict[str, bytes]) -> None:
    manifest["verdict"] = ["data_skew"]


@pytest.mark.parametrize("change", [other_kind, missing_file, other_content, broken_rule, no_verdict])
def test_a_bundle_that_is_not_what_it_says_leaves_nothing_behind(
    people: People, analysis: Analysis, change: Callable[[dict[str, Any], dict[str, bytes]], None]
) -> None:
    with pytest.raises(BundleRefused):
        imported(changed(packed(analysis), change), people.charlie)
    assert not Case.objects.filter(team=people.charlie.teams.get()).exists()


def test_what_is_no_archive_is_refused_on_the_page(people: People) -> None:
    form = {"bundle": SimpleUploadedFile("x.zip", b"not a zip")}
    assert "It is no zip archive" in signed_in(people.alice).post("/reports/import/", form).content.decode()


def test_a_viewer_opens_no_case_from_a_bundle(people: People) -> None:
    assert signed_in(people.vera).get("/reports/import/").status_code == 403


def texts(ruleset: Ruleset) -> set[str]:
    return set(rule_texts(ruleset).values())


def test_an_archive_with_a_huge_directory_is_refused_before_it_is_held_in_memory(people: People) -> None:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for number in range(200):
            archive.writestr(f"{number}-{'x' * 60_000}", b"")
    with pytest.raises(BundleRefused, match="too many files"):
        imported(content.getvalue(), people.alice)
