"""A case can hold several snapshots: the incident, and what was seen after each change."""

from __future__ import annotations

import io

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case, finish, stored_file
from tests.workbench.people import People, case_of, signed_in, with_token
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.services import analysis_request, analysis_retry
from workbench.cases.models import Case
from workbench.cases.services import snapshot_start
from workbench.rule_pages.history import latest_diagnoses
from workbench.uploads.services import upload_add

LOG = b"2026-11-21 02:13:07,412 INFO  org.apache.flink.runtime.jobmaster.JobMaster [] - Starting execution of job.\n"


@pytest.fixture
def before(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """The diagnosis of an incident."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    return diagnosed_case(people.alice)


@pytest.fixture
def after(people: People, before: Analysis) -> Analysis:
    """The diagnosis of a second snapshot of the same case: no skew any more."""
    snapshot_start(case=before.case, user=people.alice, change="Key salted")
    stored_file(before.case, people.alice, snapshot=2)
    return finish(analysis_request(case=before.case, user=people.alice), skew_ratio=1.0)


def test_a_new_snapshot_is_diagnosed_without_the_earlier_files(before: Analysis, after: Analysis) -> None:
    assert [file.snapshot for file in after.files.all()] == [2]
    assert [file.snapshot for file in before.files.all()] == [1]


def test_more_evidence_without_a_change_stays_in_the_snapshot(people: People, before: Analysis) -> None:
    stored_file(before.case, people.alice, name="logs/jm.log")
    assert analysis_request(case=before.case, user=people.alice).files.count() == 2


def test_the_same_file_may_lie_in_two_snapshots_under_one_name(people: People, before: Analysis) -> None:
    case = case_of(people.alice)
    first = upload_add(case=case, user=people.alice, content=io.BytesIO(LOG), name="logs/jm.log")
    snapshot_start(case=case, user=people.alice, change="Restarted")
    second = upload_add(case=case, user=people.alice, content=io.BytesIO(LOG), name="logs/jm.log")
    assert (first.name, first.snapshot, second.name, second.snapshot) == ("logs/jm.log", 1, "logs/jm.log", 2)


def test_a_snapshot_without_files_is_named_anew(people: People, before: Analysis) -> None:
    for change in ("Key salted", "Key salted with 16"):
        snapshot_start(case=before.case, user=people.alice, change=change)
    assert [str(each) for each in before.case.snapshots.all()] == ["Snapshot 2: Key salted with 16"]


def test_the_case_shows_the_newest_snapshot_and_the_old_one_stays_readable(
    people: People, before: Analysis, after: Analysis
) -> None:
    bob, address = signed_in(people.bob), before.case.get_absolute_url()

    newest, oldest = (bob.get(f"{address}{asked}").content.decode() for asked in ("", "?snapshot=1"))

    assert "Key salted" in newest
    assert "One subtask takes most of the records" in oldest
    assert bob.get(f"{address}?snapshot=9").status_code == 404
    assert bob.get(f"{address}?snapshot=x").status_code == 404


def test_retrying_an_old_snapshot_does_not_become_the_case_s_diagnosis(
    people: People, before: Analysis, after: Analysis
) -> None:
    again = finish(analysis_retry(analysis=before, user=people.alice), skew_ratio=4.0)
    assert again.snapshot == 1
    assert before.case.analyses.done().first() == after


def test_two_snapshots_are_analysed_side_by_side(people: People, before: Analysis) -> None:
    first = analysis_request(case=before.case, user=people.alice)
    snapshot_start(case=before.case, user=people.alice, change="Key salted")
    stored_file(before.case, people.alice, snapshot=2)
    analysis_request(case=before.case, user=people.alice)
    first.refresh_from_db()
    assert first.status == AnalysisStatus.QUEUED


def test_a_rules_record_counts_the_incident_only(people: People, before: Analysis, after: Analysis) -> None:
    assert list(latest_diagnoses(people.alice)) == [before]


def test_a_snapshot_is_begun_from_the_page(people: People, before: Analysis) -> None:
    started = reverse("cases:snapshot", args=[before.case_id])
    alice = signed_in(people.alice)

    assert signed_in(people.charlie).post(started, {"change": "x"}).status_code == 404
    assert signed_in(people.vera).post(started, {"change": "x"}).status_code == 403
    page = alice.post(started, {"change": "Key <b>salted</b>"}, follow=True).content.decode()
    assert "Snapshot 2: Key &lt;b&gt;salted&lt;/b&gt;" in page


def test_the_api_begins_a_snapshot_when_a_change_is_named(people: People, before: Analysis) -> None:
    alice, files = with_token(people.alice), reverse("api:files", args=[before.case_id])
    for fields in ({}, {"change": "Key salted"}):
        answer = alice.post(files, {"files": SimpleUploadedFile("jm.log", LOG + str(fields).encode()), **fields})
        assert answer.status_code == 201
    case = Case.objects.get()
    assert list(case.files.order_by("pk").values_list("name", "snapshot")) == [
        ("logs/tm.log", 1),
        ("jm.log", 1),
        ("jm.log", 2),
    ]
