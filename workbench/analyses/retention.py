"""Deletes the evidence of a case, by request or by age, or the whole case."""

from __future__ import annotations

import shutil
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from workbench.accounts.models import User
from workbench.analyses.log_books import log_book_folder
from workbench.analyses.models import Analysis
from workbench.cases.holds import OnHold, kept_days, require_no_hold
from workbench.cases.models import Case
from workbench.cases.own_texts import FILE_DELETED, FILES_DELETED
from workbench.cases.services import note_add
from workbench.languages.sentences import say
from workbench.uploads.arrivals import arrival_discard
from workbench.uploads.models import UploadedFile


class CannotDelete(Exception):
    """The case cannot be deleted; the text is for the user."""


def evidence_delete(*, case: Case, user: User) -> int:
    """Deletes the bytes of all files of a case; findings and citations are kept. Gives how many files.

    Raises CannotDelete while an analysis reads them, and under legal hold.
    """
    _refuse_deletion(case)
    count = _evidence_delete(case)
    if count:
        text = (FILE_DELETED if count == 1 else FILES_DELETED).format(count=count)
        note_add(case=case, user=user, text=text, by_person=False)
    return count


def case_delete(*, case: Case) -> None:
    """Deletes a case: files, analyses, notes, history. Raises CannotDelete."""
    _refuse_deletion(case)
    merged = list(case.merged.values_list("pk", flat=True))
    if merged:
        raise CannotDelete(say("Case {merged} was merged into it; take them apart first.", merged=merged[0]))
    _evidence_delete(case)
    with transaction.atomic():
        case.analyses.all().delete()
        case.files.all().delete()
        case.delete()


def evidence_expire() -> int:
    """Deletes the evidence of cases that are closed for longer than their team keeps it.

    Gives how many files. Cases marked to keep their evidence, and teams under legal hold, are skipped.
    """
    count = 0
    for team, days in kept_days().items():
        if days:
            before = timezone.now() - timedelta(days=days)
            closed = Case.objects.closed().filter(team=team, closed_at__lt=before, keep_evidence=False)
            with_files = closed.filter(files__deleted_at=None, files__isnull=False)
            count += sum(_evidence_delete(case) for case in with_files.distinct())
    return count


def _evidence_delete(case: Case) -> int:
    files = list(UploadedFile.objects.filter(case=case, deleted_at=None))
    UploadedFile.objects.filter(pk__in=[file.pk for file in files]).update(deleted_at=timezone.now())
    for file in files:
        file.path.unlink(missing_ok=True)
    for arrival in case.arrivals.all():
        arrival_discard(arrival=arrival)
    shutil.rmtree(settings.UPLOADS_DIR / str(case.pk), ignore_errors=True)
    for analysis_id in case.analyses.values_list("pk", flat=True):
        shutil.rmtree(log_book_folder(analysis_id), ignore_errors=True)
    return len(files)


def _refuse_deletion(case: Case) -> None:
    try:
        require_no_hold(case.team_id)
    except OnHold as error:
        raise CannotDelete(str(error)) from None
    if Analysis.objects.filter(case=case).active().exists():
        raise CannotDelete(say("An analysis of the case is under way; cancel it or wait for its end."))
