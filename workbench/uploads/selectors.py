"""Reads the files, and uploads in progress, that a user may see."""

from __future__ import annotations

from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404

from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.languages.sentences import say
from workbench.uploads.models import Arrival, ArrivalQuerySet, UploadedFile


def file_visible(user: User, file_id: int) -> UploadedFile:
    """The file. Raises Http404 for users who may not see its case."""
    return get_object_or_404(UploadedFile.objects.visible_to(user).select_related("case"), pk=file_id)


def program_that_read(file: UploadedFile) -> str:
    """The version of the program by which the newest diagnosis read the file; empty without one."""
    done = file.analyses.filter(document__isnull=False).order_by("-pk")
    return str(done.values_list("document__program", flat=True).first() or "")


def file_to_change(user: User, file_id: int, *, removed: bool = False) -> UploadedFile:
    """The file, for a change (`removed`: also one that was removed). Raises Http404, PermissionDenied for a viewer."""
    files = UploadedFile.objects.select_related("case")
    visible = files.of_visible_cases(user) if removed else files.visible_to(user)
    file = get_object_or_404(visible, pk=file_id)
    if not file.case.may_be_changed_by(user):
        raise PermissionDenied(say("Your role may read this case, not change it."))
    return file


def arrival_to_continue(user: User, arrival_id: UUID) -> Arrival:
    """An upload started by the user. Raises Http404 for others, PermissionDenied when the role was revoked."""
    arrival = get_object_or_404(Arrival.objects.sent_by(user).select_related("case", "file"), pk=arrival_id)
    if not arrival.case.may_be_changed_by(user):
        raise PermissionDenied(say("Your role may read this case, not change it."))
    return arrival


def unfinished_arrivals(user: User, case: Case) -> ArrivalQuerySet:
    """The user's uploads to the case that can be resumed."""
    return Arrival.objects.sent_by(user).unfinished().filter(case=case)
