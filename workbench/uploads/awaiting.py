"""Files that were chosen for a case and have not arrived: the rest of an upload that was cut."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from workbench.cases.models import Case
from workbench.limits.selectors import limits_now
from workbench.uploads.models import LONGEST_NAME, AwaitedFile


@dataclass(frozen=True, slots=True)
class CutUpload:
    """How many of the chosen files are there."""

    arrived: int
    chosen: int


def files_await(*, case: Case, names: Iterable[str]) -> None:
    """Remembers the paths of files that are about to be sent; those of an earlier upload that never arrived stay.

    A case awaits no more files than it may hold.
    """
    number, most = case.snapshot_number, limits_now().case_files
    known = set(case.awaited.filter(snapshot=number).values_list("name", flat=True))
    wanted = dict.fromkeys(name[-LONGEST_NAME:] for name in names if name)
    new = [name for name in wanted if name not in known][: max(most - len(known), 0)]
    AwaitedFile.objects.bulk_create(AwaitedFile(case=case, snapshot=number, name=name) for name in new)


def files_settle(*, case: Case, names: Collection[str] | None = None) -> None:
    """Forgets files that arrived, were refused with a reason or are given up; without names, all of them."""
    awaited = case.awaited.all()
    if names is not None:
        awaited = awaited.filter(name__in=[name[-LONGEST_NAME:] for name in names])
    awaited.delete()


def cut_upload(awaited: int, present: int) -> CutUpload | None:
    """How far the upload of a snapshot came; None when all of its files are there, and before the first of them."""
    return CutUpload(present, present + awaited) if awaited and present else None
