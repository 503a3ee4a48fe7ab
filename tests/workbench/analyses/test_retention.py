"""Evidence is deleted by case, by hand or after a time; what was found stays unless the whole case goes."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.apps import apps
from django.conf import LazySettings
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case, finish, stored_file, write_log_book
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis, AnalysisStatus, Citation
from workbench.analyses.retention import CannotDelete, case_delete, evidence_delete, evidence_expire
from workbench.analyses.services import analysis_request
from workbench.cases.follow_ups import follow_up_add
from workbench.cases.models import Case, CaseStatus
from workbench.cases.services import case_assign, note_add, snapshot_start
from workbench.history.merging import case_merge, case_unmerge
from workbench.logs.models import PinnedRecord
from workbench.uploads.models import UploadedFile
from workbench.uploads.services import text_add

pytestmark = pytest.mark.database


@pytest.fixture
def case(people: People) -> Case:
    return diagnosed_case(people.alice).case


def stored(settings: LazySettings) -> list[str]:
    return [path.name for path in settings.UPLOADS_DIR.rglob("*") if path.is_file()]


def test_the_files_go_and_the_diagnosis_stays(case: Case, people: People, settings: LazySettings) -> None:
    assert stored(settings)
    answer = signed_in(people.bob).post(f"/cases/{case.pk}/delete/", {"what": "evidence"})
    assert answer.status_code == 302
    assert stored(settings) == []
    assert Analysis.objects.filter(case=case).exists()
    assert signed_in(people.alice).get(f"/cases/{case.pk}/").status_code == 200
    assert case.notes.get().text == "The evidence was deleted: 1 file."


def test_a_cited_line_of_a_deleted_file_leads_nowhere(case: Case, people: People) -> None:
    cited = Citation.objects.filter(file__isnull=False).first()
    assert cited is not None
    url = cited.get_absolute_url()
    assert url is not None
    evidence_delete(case=case, user=people.alice)
    assert Citation.objects.get(pk=cited.pk).get_absolute_url() is None
    assert signed_in(people.alice).get(url).status_code == 404


def test_the_same_file_may_come_again(case: Case, people: People) -> None:
    name = case.files.get().name
    evidence_delete(case=case, user=people.alice)
    again = text_add(case=case, user=people.alice, text="another text", name=name)
    assert again.name != name


def test_an_administrator_deletes_a_case_with_all_of_it(case: Case, people: People, settings: LazySettings) -> None:
    signed_in(people.ada).post(f"/cases/{case.pk}/delete/", {"what": "case", "number": str(case.pk)})
    assert not Case.objects.filter(pk=case.pk).exists()
    assert not UploadedFile.objects.filter(case_id=case.pk).exists()
    assert stored(settings) == []


@pytest.mark.parametrize(
    ("name", "number", "status"), [("alice", "", 403), ("charlie", "", 404), ("vera", "", 403), ("ada", "7", 302)]
)
def test_only_the_owner_and_only_after_confirmation(
    case: Case, people: People, name: str, number: str, status: int
) -> None:
    asked = {"what": "case", "number": f"{case.pk}{number}"}
    assert signed_in(getattr(people, name)).post(f"/cases/{case.pk}/delete/", asked).status_code == status
    assert Case.objects.filter(pk=case.pk).exists()


def test_nothing_is_deleted_while_it_is_read(case: Case, people: People) -> None:
    Analysis.objects.filter(case=case).update(status=AnalysisStatus.RUNNING)
    with pytest.raises(CannotDelete):
        evidence_delete(case=case, user=people.alice)
    with pytest.raises(CannotDelete):
        case_delete(case=case)


@pytest.mark.parametrize(("days", "closed_for", "deleted"), [(30, 31, 1), (30, 29, 0), (0, 9999, 0)])
def test_closed_cases_lose_their_files_after_the_time_that_is_set(
    case: Case, settings: LazySettings, days: int, closed_for: int, deleted: int
) -> None:
    settings.KEEP_EVIDENCE_DAYS = days
    closed_at = timezone.now() - timedelta(days=closed_for)
    Case.objects.filter(pk=case.pk).update(status=CaseStatus.CLOSED, closed_at=closed_at)
    assert evidence_expire() == deleted
    assert evidence_expire() == 0


def test_an_open_case_keeps_its_files(case: Case, settings: LazySettings) -> None:
    settings.KEEP_EVIDENCE_DAYS = 1
    assert evidence_expire() == 0


LINE = "2026-11-21 01:02:03,004 INFO  org.apache.flink.runtime.taskexecutor.TaskManagerRunner [] - Starting\n"


def used_case(people: People, other: Case) -> Case:
    """A case that people worked on, with two snapshots, its log books and everything else that a case collects."""
    first = diagnosed_case(people.alice)
    case = first.case
    write_log_book(first, {"logs/jm.log": LINE})
    note_add(case=case, user=people.bob, text="Have a look, @alice")
    follow_up_add(case=case, user=people.alice, text="Write it down", owner=people.bob)
    PinnedRecord.objects.create(case=case, path="logs/jm.log", line=1, by=people.bob)
    case_assign(case=case, user=people.alice, owner=people.bob)
    snapshot_start(case=case, user=people.alice, change="A larger heap")
    stored_file(case, people.alice, "logs/later.log", snapshot=2)
    finish(analysis_request(case=case, user=people.alice), 1.0)
    case_merge(case=case, into=other, user=people.alice)
    case_unmerge(case=case, user=people.alice)
    signed_in(people.bob).get(case.get_absolute_url())
    return case


KEPT = {"sessions.Session", "audit.AuditEntry", "tallies.Tally"}
"""Sessions of people, who did what (also whoever deleted), and counters of `/metrics`, which only grow."""


def footprint(settings: LazySettings) -> tuple[dict[str, int], list[str]]:
    """The rows of every table but those of `KEPT`, and the files of all folders."""
    models = [each for each in apps.get_models(include_auto_created=True) if each._meta.label not in KEPT]
    folders = (settings.UPLOADS_DIR, settings.INCOMING_DIR, settings.WORKSPACES_DIR, settings.LOG_BOOKS_DIR)
    files = [str(path) for folder in folders for path in folder.rglob("*")]
    return {each._meta.label: each._default_manager.count() for each in models}, files


def test_deleted_cases_leave_no_row_and_no_file(people: People, settings: LazySettings) -> None:
    other = diagnosed_case(people.alice).case
    case_delete(case=used_case(people, other))
    before = footprint(settings)
    for case in [used_case(people, other) for _ in range(5)]:
        case_delete(case=case)
    assert footprint(settings) == before


def test_expired_evidence_leaves_no_file(people: People, settings: LazySettings) -> None:
    other = diagnosed_case(people.alice).case
    before = footprint(settings)[1]
    cases = [used_case(people, other) for _ in range(5)]
    assert len(footprint(settings)[1]) > len(before)
    settings.KEEP_EVIDENCE_DAYS = 30
    closed = Case.objects.filter(pk__in=[case.pk for case in cases])
    closed.update(status=CaseStatus.CLOSED, closed_at=timezone.now() - timedelta(days=31))
    evidence_expire()
    assert footprint(settings)[1] == before
