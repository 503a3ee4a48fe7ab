"""The rows of a case that its page shows in several places, with one query per table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.cases.models import Case, FollowUp, Snapshot
from workbench.cases.selectors import snapshots_of
from workbench.uploads.models import UploadedFile


@dataclass(frozen=True, slots=True)
class CaseRecords:
    """Everything that people added to a case, with its authors.

    analyses    newest first, as `with_verdict` reads them
    snapshots   in their order, never empty
    files       removed ones too, by uploader and time, without their members
    follow_ups  open ones first
    pins        the pinned log records (`workbench.logs.models.PinnedRecord`), by their own time
    steps       the records of runbook steps (`workbench.runbooks.models.StepRecord`), oldest first
    """

    case: Case
    analyses: Sequence[Analysis]
    snapshots: Sequence[Snapshot]
    files: Sequence[UploadedFile]
    follow_ups: Sequence[FollowUp]
    pins: Sequence[Any]
    steps: Sequence[Any]

    @property
    def diagnosed(self) -> Sequence[Analysis]:
        """The analyses with a diagnosis, those of the newest snapshot first."""
        done = (each for each in self.analyses if each.status == AnalysisStatus.DONE)
        return sorted(done, key=lambda each: (-each.snapshot, -each.pk))

    @property
    def files_by_id(self) -> Mapping[int, UploadedFile]:
        return {file.pk: file for file in self.files}


def case_records(case: Case) -> CaseRecords:
    """Reads them, with one query for each kind."""
    files = case.files.select_related("uploaded_by").order_by("uploaded_by", "uploaded_at")
    return CaseRecords(
        case=case,
        analyses=list(case.analyses.with_verdict()),
        snapshots=snapshots_of(case),
        files=list(files.defer("members", "overrides", "clocks", "event_fields", "redacted")),
        follow_ups=list(case.follow_ups.select_related("added_by", "done_by", "owner")),
        pins=list(case.pinned_records.select_related("by")),
        steps=list(case.steps.complete()),
    )
