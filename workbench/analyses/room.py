"""Checks the room on the disk before a run, and returns a run to the queue when the disk is full."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from diagnostics.wording.phrase import size as size_text
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.machine.disk import disk_room, means_full_disk
from workbench.uploads.models import UploadedFile

if TYPE_CHECKING:
    from workbench.analyses.watch import Watch

UNPACKED_RATIO = 8
"""How many times an archive of which nobody looked into all members may grow. Measured on logs: 1:8."""
LEAST_ROOM = 64 * 1024**2
"""What a run waits for however small its files are, so that it does not end where it begins. Our choice."""
MORE = 1.25
"""How many times what an attempt took before the disk was full the next one waits for. Our choice: where the need is
not known, three more attempts find twice as much."""


class OutOfRoom(Exception):
    """The disk was full during a run; the text is for the user."""


def room_needed(analysis: Analysis) -> int:
    """Bytes that a run takes on the disk while it lasts, as far as is known: never less than an attempt showed."""
    unpacked = sum(_unpacked_bytes(file) for file in analysis.files.all())
    return max(unpacked, analysis.room_needed, LEAST_ROOM)


def room_awaited(analysis: Analysis) -> str:
    """Why a queued analysis cannot begin for want of room, counting what runs already; empty when it can."""
    free = disk_room().free
    needed = room_needed(analysis)
    running = Analysis.objects.filter(status=AnalysisStatus.RUNNING).exclude(pk=analysis.pk)
    taken = sum(room_needed(each) for each in running.only("pk", "room_needed"))
    if needed + taken <= free:
        return ""
    beside = f" beside {size_text(taken)} for what runs now" if taken else ""
    return (
        f"The disk has too little room: {size_text(needed)} are needed{beside}, {size_text(max(free, 0))} are free. "
        "It starts when there is more."
    )


def room_missed(analysis: Analysis) -> str:
    """Why a run does not begin or go on while the disk is full; empty when it is not.

    Pages ask for it, since a worker can store nothing of it then.
    """
    free = disk_room().free
    if analysis.status == AnalysisStatus.QUEUED and free < LEAST_ROOM:
        return room_awaited(analysis)
    if analysis.status != AnalysisStatus.RUNNING or free >= 0:
        return ""
    return (
        f"The disk is full: the run waits for room, {size_text(room_needed(analysis))} are needed. "
        "It goes on by itself when there is some."
    )


@contextmanager
def out_of_room_raised(analysis: Analysis, watch: Watch, workspace: Path) -> Iterator[None]:
    """Raises OutOfRoom instead of whatever a full disk made fail inside, and sets what the next attempt waits for."""
    try:
        yield
    except Exception as error:
        if not watch.out_of_room and not means_full_disk(error):
            raise
        taken = sum(path.lstat().st_size for path in workspace.rglob("*"))
        analysis.room_needed = round(MORE * max(taken, room_needed(analysis)))
        raise OutOfRoom("The disk was full while it ran.") from error


def _unpacked_bytes(file: UploadedFile) -> int:
    """Of its members, where all were looked at. A file that is no archive and not compressed is read where it lies."""
    sizes = [member.get("bytes") for member in file.members]
    if not sizes or None in sizes:
        return file.bytes * UNPACKED_RATIO
    return sum(sizes)
