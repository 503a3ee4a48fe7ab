"""Keeps the log book of an analysis beyond its run, and lets go of those that nobody can open any more."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.conf import settings

from diagnostics.log_book.reading import LogBook, open_log_book
from diagnostics.log_book.writing import write_log_book
from diagnostics.shared_folder import SharedFolder
from workbench.analyses.models import Analysis

logger = logging.getLogger(__name__)


def log_book_folder(analysis_id: int) -> Path:
    """Where the log book of an analysis is, or would be."""
    return Path(settings.LOG_BOOKS_DIR) / str(analysis_id)


def log_book_keep(analysis: Analysis, evidence: SharedFolder, inputs: Sequence[Mapping[str, Any]]) -> None:
    """Keeps the records that an analysis has read; the older ones of the same snapshot go.

    The diagnosis stands without them, so whatever fails is only logged: the page then offers to analyse again.
    """
    try:
        contents = write_log_book(evidence / "log_record", log_book_folder(analysis.pk), inputs)
    except Exception:
        logger.exception("the log records of analysis %s could not be kept", analysis.pk)
        return
    if not Analysis.objects.filter(pk=analysis.pk, files__deleted_at=None).exists():
        # The evidence was deleted while its records were being written.
        shutil.rmtree(log_book_folder(analysis.pk), ignore_errors=True)
        return
    if contents is not None:
        logger.info("analysis %s: %s log records kept", analysis.pk, f"{contents.records:,}")
    older = Analysis.objects.filter(case=analysis.case_id, snapshot=analysis.snapshot, pk__lt=analysis.pk)
    for number in older.values_list("pk", flat=True):
        shutil.rmtree(log_book_folder(number), ignore_errors=True)


def log_book_of(analysis: Analysis) -> LogBook | None:
    """The log book of an analysis, None when there is none."""
    return open_log_book(log_book_folder(analysis.pk))


def log_books_purge() -> int:
    """Deletes the log books of analyses that are gone, with their case. Gives how many that were."""
    folders = [each for each in Path(settings.LOG_BOOKS_DIR).iterdir() if each.name.lstrip(".").isdigit()]
    known = set(Analysis.objects.filter(pk__in=[int(each.name) for each in folders]).values_list("pk", flat=True))
    lost = [each for each in folders if int(each.name) not in known]
    for folder in lost:
        shutil.rmtree(folder, ignore_errors=True)
    return len(lost)
