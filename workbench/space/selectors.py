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
    """Bytes of the disk by use.

    files      of cases, including removed ones that can be restored
    coming     received parts of uploads in progress
    log_books  the searchable records of logs, which another analysis writes again
    database   None when it is on another machine that does not report it
    """

    room: DiskRoom
    files: int
    coming: int
    log_books: int
    database: int | None


def space_used() -> SpaceUsed:
    """The present use of the disk."""
    return SpaceUsed(
        room=disk_room(),
        files=UploadedFile.objects.filter(deleted_at=None).aggregate(bytes=Sum("bytes"))["bytes"] or 0,
        coming=Arrival.objects.unfinished().aggregate(bytes=Sum("offset"))["bytes"] or 0,
        log_books=sum(path.lstat().st_size for path in Path(settings.LOG_BOOKS_DIR).rglob("*")),
        database=_database_bytes(),
    )


def cases_by_space() -> QuerySet[Case]:
    """The cases with files, with their `held` bytes and `count` of files; cases to keep come last."""
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
