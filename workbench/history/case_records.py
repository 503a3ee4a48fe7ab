"""The rows of a case that its page shows in several places, with one query per table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.cases.models import Case, FollowUp, Note, Snapshot
from workbench.cases.selectors import relations_held, snapshots_of
from workbench.uploads.models import AwaitedFile, UploadedFile

SELDOM = ("snapshots", "follow_ups", "pinned_records", "steps", "notes", "merged", "alerts", "awaited")
"""Relations of a case that are empty more often than not."""
ALERTS_SHOWN = 20
"""Of a case, the earliest. Our choice: each is a line and a mark in every chart."""


@dataclass(frozen=True, slots=True)
class CaseRecords:
    """Everything that people added to a case, with its authors.

    analyses    newest first, as `with_verdict` reads them
    snapshots   in their order, never empty
    files       removed ones too, by uploader and time, without their members
    follow_ups  open ones first
    pins        the pinned log records (`workbench.logs.models.PinnedRecord`), by their own time
    steps       the records of runbook steps (`workbench.runbooks.models.StepRecord`), oldest first
    notes       oldest first
    merged      the cases that are parts of this one
    alerts      the earliest that are about it (`workbench.alerts.models.Alert`), with their source
    awaited     the chosen files that have not arrived
    """

    case: Case
    analyses: Sequence[Analysis]
    snapshots: Sequence[Snapshot]
    files: Sequence[UploadedFile]
    follow_ups: Sequence[FollowUp]
    pins: Sequence[Any]
    steps: Sequence[Any]
    notes: Sequence[Note]
    merged: Sequence[Case]
    alerts: Sequence[Any]
    awaited: Sequence[AwaitedFile]

    @property
    def diagnosed(self) -> Sequence[Analysis]:
        """The analyses with a diagnosis, those of the newest snapshot first."""
        done = (each for each in self.analyses if each.status == AnalysisStatus.DONE)
        return sorted(done, key=lambda each: (-each.snapshot, -each.pk))

    @property
    def newest_files(self) -> Sequence[UploadedFile]:
        """The files of the newest snapshot that are there."""
        present = (file for file in self.files if file.removed_at is None and file.deleted_at is None)
        return [file for file in present if file.snapshot == self.snapshots[-1].number]

    @property
    def newest_awaited(self) -> Sequence[AwaitedFile]:
        """The chosen files of the newest snapshot that have not arrived."""
        return [each for each in self.awaited if each.snapshot == self.snapshots[-1].number]

    @property
    def files_by_id(self) -> Mapping[int, UploadedFile]:
        return {file.pk: file for file in self.files}


def case_records(case: Case) -> CaseRecords:
    """Reads them, with one query for each kind that the case has."""
    held = relations_held(case, SELDOM)
    files = case.files.select_related("uploaded_by").order_by("uploaded_by", "uploaded_at")

    def read(name: str, rows: Callable[[], Iterable[Any]]) -> list[Any]:
        return list(rows()) if name in held else []

    return CaseRecords(
        case=case,
        analyses=list(case.analyses.with_verdict()),
        snapshots=snapshots_of(case, has_later="snapshots" in held),
        files=list(files.defer("members", "overrides", "clocks", "event_fields", "redacted")),
        follow_ups=read("follow_ups", lambda: case.follow_ups.select_related("added_by", "done_by", "owner")),
        pins=read("pinned_records", lambda: case.pinned_records.select_related("by")),
        steps=read("steps", lambda: case.steps.complete()),
        notes=read("notes", lambda: case.notes.select_related("author")),
        merged=read("merged", case.merged.all),
        alerts=read("alerts", lambda: case.alerts.select_related("source").order_by("pk")[:ALERTS_SHOWN]),
        awaited=read("awaited", case.awaited.all),
    )
