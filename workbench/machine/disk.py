"""Measures the free space on the data folder's disk, and refuses what does not fit.

Everything received is checked here before and with each written piece, so that database, queue and logs always have
their reserve, whatever way the bytes come in.
"""

from __future__ import annotations

import errno
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import SuspiciousOperation

from diagnostics.wording.phrase import size as size_text
from workbench.languages.sentences import say

FULL = (errno.ENOSPC, errno.EDQUOT)
FULL_TEXTS = ("no space left on device", "disk quota exceeded", "database or disk is full")
"""Texts of errors that Spark's workers, SQLite and PostgreSQL pass on as text."""
SHORT_SHARE = 0.1
"""Administrators are warned when less than this share of the disk is left for evidence. Our choice."""


class NoRoom(SuspiciousOperation):
    """The bytes would not fit on the disk; the text says how many are needed and how many are free, for the user.

    A SuspiciousOperation, because Django answers these through `handler400` wherever they are raised: the check of
    CSRF tokens reads a form, with the files in it, before any view.
    """

    def __init__(self, needed: int, free: int, why: str = "") -> None:
        self.needed, self.free = needed, max(free, 0)
        super().__init__(
            say(
                "{why}: {needed} are needed, {free} are free. Administrators can make room by deleting evidence of old "
                "cases.",
                why=why or say("The disk of the workbench has no room for this"),
                needed=size_text(self.needed),
                free=size_text(self.free),
            )
        )


@dataclass(frozen=True, slots=True)
class DiskRoom:
    """Bytes of the disk: total, used, reserved, and free for evidence, which may be negative."""

    total: int
    used: int
    reserve: int
    free: int

    @property
    def is_short(self) -> bool:
        """Whether space is short."""
        return self.free < self.total * SHORT_SHARE


def disk_room() -> DiskRoom:
    """How full the disk is now."""
    usage = shutil.disk_usage(settings.INCOMING_DIR)
    reserve = settings.RESERVE_BYTES
    return DiskRoom(usage.total, usage.used, reserve, usage.free - reserve)


def means_full_disk(error: BaseException | None) -> bool:
    """Whether an error, or one of its causes, means a full disk or quota."""
    while error is not None:
        if isinstance(error, NoRoom) or (isinstance(error, OSError) and error.errno in FULL):
            return True
        if any(text in str(error).lower() for text in FULL_TEXTS):
            return True
        error = error.__cause__ or error.__context__
    return False


def require_room(size: int) -> None:
    """Raises NoRoom unless `size` more bytes fit without using the reserve. Cheap enough for every piece of a file."""
    free = disk_room().free
    if size > free:
        raise NoRoom(size, free)


@contextmanager
def full_disk_refused(size: int) -> Iterator[None]:
    """Raises NoRoom when a write inside fails for a full disk or quota, because other programs write too."""
    try:
        yield
    except OSError as error:
        if means_full_disk(error):
            raise NoRoom(size, 0) from error
        raise
