"""Stores the log book of an analysis, and deletes log books that are no longer reachable."""

from __future__ import annotations

import logging
import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.db.models import F

from diagnostics.log_book.gathering import gather_log_records
from diagnostics.log_book.reading import LogBook, open_log_book
from diagnostics.log_book.writing import OTHER_PATTERN, Contents, write_log_book
from workbench.analyses.case_evidence import case_evidence
from workbench.analyses.models import Analysis, LogBookState
from workbench.analyses.outcome import evidence_traits_save
from workbench.machine.disk import disk_room

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 3
"""A log book is abandoned after this many failed attempts. Our choice, as for analyses."""

TELLING_LEVELS = ("WARN", "ERROR", "FATAL")
MOST_TEMPLATES = 10
"""Templates of a case that are compared with those of others. Our choice: what happens most often."""


def log_book_folder(analysis_id: int) -> Path:
    """The folder of an analysis' log book, whether it exists or not."""
    return Path(settings.LOG_BOOKS_DIR) / str(analysis_id)


def log_book_write(analysis: Analysis) -> None:
    """Writes the log book of a diagnosed analysis from its files; deletes those of older analyses of the snapshot.

    The diagnosis does not depend on it, so errors are logged and retried up to MOST_ATTEMPTS times.
    """
    begun = Analysis.objects.filter(pk=analysis.pk, log_book=LogBookState.WAITING)
    if not begun.update(log_book_attempts=F("log_book_attempts") + 1):
        return
    try:
        contents = _written(analysis)
    except Exception:
        logger.exception("the log book of analysis %s could not be written", analysis.pk)
        Analysis.objects.filter(pk=analysis.pk, log_book_attempts__gte=MOST_ATTEMPTS).update(
            log_book=LogBookState.FAILED
        )
        return
    if not Analysis.objects.filter(pk=analysis.pk, files__deleted_at=None).exists():
        # The evidence was deleted meanwhile.
        shutil.rmtree(log_book_folder(analysis.pk), ignore_errors=True)
        contents = None
    Analysis.objects.filter(pk=analysis.pk).update(log_book=LogBookState.WRITTEN if contents else LogBookState.NONE)
    if contents is not None:
        if analysis.snapshot == 1:
            evidence_traits_save(analysis.case, "template", telling_templates(contents))
        logger.info("analysis %s: %s log records kept", analysis.pk, f"{contents.records:,}")
    older = Analysis.objects.filter(case=analysis.case_id, snapshot=analysis.snapshot, pk__lt=analysis.pk)
    for number in older.values_list("pk", flat=True):
        shutil.rmtree(log_book_folder(number), ignore_errors=True)


def telling_templates(contents: Contents) -> list[str]:
    """The most frequent templates of warnings and errors, by which cases are compared."""
    patterns = [each for each in contents.patterns if each["level"] in TELLING_LEVELS and each["text"] != OTHER_PATTERN]
    frequent = sorted(patterns, key=lambda each: (-each["records"], each["text"]))
    return [each["text"] for each in frequent[:MOST_TEMPLATES]]


def log_books_write() -> int:
    """Writes the pending log books, the oldest first, unless the disk is full. Gives how many were started."""
    if disk_room().free < 0:
        return 0
    waiting = Analysis.objects.filter(log_book=LogBookState.WAITING).order_by("pk").defer("document", "signals")
    begun = 0
    for begun, analysis in enumerate(waiting, 1):  # noqa: B007 - the count is what is returned
        log_book_write(analysis)
    return begun


def _written(analysis: Analysis) -> Contents | None:
    """Reads the files of an analysis again, with the same choices, and writes its book."""
    files = [each for each in analysis.files.order_by("name") if each.deleted_at is None]
    if not files:
        return None
    with TemporaryDirectory(prefix=f"log-book-{analysis.pk}-", dir=settings.WORKSPACES_DIR) as workspace:
        records = gather_log_records(case_evidence(files), Path(workspace))
        return write_log_book(records, log_book_folder(analysis.pk), analysis.inputs or [])


def log_book_of(analysis: Analysis) -> LogBook | None:
    """The log book of an analysis, None when there is none."""
    return open_log_book(log_book_folder(analysis.pk))


def log_books_purge() -> int:
    """Deletes the log books of deleted analyses and cases. Gives how many."""
    folders = [each for each in Path(settings.LOG_BOOKS_DIR).iterdir() if each.name.lstrip(".").isdigit()]
    known = set(Analysis.objects.filter(pk__in=[int(each.name) for each in folders]).values_list("pk", flat=True))
    lost = [each for each in folders if int(each.name) not in known]
    for folder in lost:
        shutil.rmtree(folder, ignore_errors=True)
    return len(lost)
