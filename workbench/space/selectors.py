"""Measures the disk usage of the data folder, in total and by case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum

from workbench.cases.models import Case
from workbench.machine.disk import DiskRoom, disk_room
from workbench.uploads.models import Arrival, UploadedFile

STORED = Q(files__deleted_at=None)


@dataclass(frozen=True, slots=True)
class SpaceUsed:
    """Bytes of the disk by what takes them.

    files      of cases, removed ones too as long as they can be brought back
    coming     of files on their way, as far as they are here
    log_books  the searchable records of logs, which another analysis writes anew
    database   None where it is on another machine and does not tell
    """

    room: DiskRoom
    files: int
    coming: int
    log_books: int
    database: int | None


def space_used() -> SpaceUsed:
    """What takes the disk now."""
    return SpaceUsed(
        room=disk_room(),
        files=UploadedFile.objects.filter(deleted_at=None).aggregate(bytes=Sum("bytes"))["bytes"] or 0,
        coming=Arrival.objects.unfinished().aggregate(bytes=Sum("offset"))["bytes"] or 0,
        log_books=sum(path.lstat().st_size for path in Path(settings.LOG_BOOKS_DIR).rglob("*")),
        database=_database_bytes(),
    )


def cases_by_space() -> QuerySet[Case]:
    """The cases that hold files, with `held` bytes and `count` of files; what is to be kept comes last."""
    held = Case.objects.annotate(held=Sum("files__bytes", filter=STORED), count=Count("files", filter=STORED))
    return held.filter(count__gt=0).select_related("team", "owner").order_by("keep_evidence", F("held").desc(), "pk")


def _database_bytes() -> int | None:
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_database_size(current_database())")
        elif connection.vendor == "sqlite":
            cursor.execute("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        else:
            return None
        return int(cursor.fetchone()[0])
