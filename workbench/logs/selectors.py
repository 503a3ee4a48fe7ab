"""Reads the log records of a case."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.http import Http404
from django.urls import reverse

from diagnostics.log_book.reading import LogBook
from workbench.accounts.models import User
from workbench.analyses.log_books import log_book_of
from workbench.analyses.models import Analysis, LogBookState
from workbench.cases.models import Case
from workbench.cases.selectors import case_visible
from workbench.languages.sentences import say
from workbench.logs.models import PinnedRecord
from workbench.uploads.models import UploadedFile


@dataclass(frozen=True, slots=True)
class CaseLog:
    """The log records of a case's newest diagnosis, or of that of one snapshot.

    analysis  None without a diagnosis
    kept      None when no records are kept
    """

    case: Case
    analysis: Analysis | None
    kept: LogBook | None

    @property
    def book(self) -> LogBook:
        """The records. Raises Http404 where none were kept."""
        if self.kept is None:
            raise Http404(say("No log records are kept for this case."))
        return self.kept

    @property
    def is_being_written(self) -> bool:
        """Whether the records will be searchable soon."""
        return self.kept is None and self.analysis is not None and self.analysis.log_book == LogBookState.WAITING

    @property
    def snapshot(self) -> int:
        return self.analysis.snapshot if self.analysis else 1

    @property
    def pins(self) -> QuerySet[PinnedRecord]:
        """The pinned records of the snapshot."""
        return self.case.pinned_records.filter(snapshot=self.snapshot)


def case_log(user: User, case_id: int, snapshot: str | None) -> CaseLog:
    """The log of a case. Raises Http404 for a stranger."""
    case = case_visible(user, case_id)
    done = case.analyses.done().light()
    if snapshot and snapshot.isdecimal() and len(snapshot) < 6:
        done = done.filter(snapshot=int(snapshot))
    diagnosed = done.first()
    return CaseLog(case, diagnosed, log_book_of(diagnosed) if diagnosed else None)


def file_of(log: CaseLog, path: str) -> UploadedFile | None:
    """The uploaded file that contains a path of the diagnosis; the longest matching name."""
    files = log.analysis.files.filter(deleted_at=None).defer("members") if log.analysis else ()
    holding = [each for each in files if each.holds(path)]
    return max(holding, key=lambda each: len(each.name), default=None)


def lines_address(log: CaseLog, path: str, line: int, last_line: int | None = None) -> str | None:
    """The viewer of the file at a line; None when the snapshot does not contain the file."""
    file = file_of(log, path)
    if file is None:
        return None
    asked = {"member": path} if path != file.name else {}
    if last_line and last_line != line:
        asked["to"] = str(last_line)
    query = f"?{urlencode(asked)}" if asked else ""
    return f"{reverse('uploads:lines', args=[file.pk, line])}{query}#L{line}"


def place_of(text: str) -> tuple[str, int] | None:
    """File and line of `path:line`."""
    path, _, line = text.rpartition(":")
    return (path, int(line)) if path and line.isascii() and line.isdigit() and len(line) <= 18 else None
