"""Checks the free disk space before a run, and returns a run to the queue when the disk is full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from diagnostics.wording.phrase import size as size_text
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.languages.sentences import say
from workbench.machine.disk import disk_room, means_full_disk
from workbench.uploads.models import UploadedFile

if TYPE_CHECKING:
    from workbench.analyses.watch import Watch

UNPACKED_RATIO = 8
"""Assumed expansion of an archive that was not completely examined. Measured on logs: 1:8."""
LEAST_ROOM = 64 * 1024**2
"""Minimum space for starting a run, so that it does not fail immediately. Our choice."""
MORE = 1.25
"""Multiple of a failed attempt's usage that the next one waits for. Our choice: when the need is unknown, it takes
three more attempts at most for twice as much.
"""


class OutOfRoom(Exception):
    """The disk was full during a run; the text is for the user."""


def room_needed(analysis: Analysis) -> int:
    """Estimated bytes that a run occupies, at least what an attempt has shown."""
    return max(unpacked_bytes(analysis.files.all()), analysis.room_needed, LEAST_ROOM)


def room_awaited(analysis: Analysis) -> str:
    """Why a queued analysis cannot start for lack of space, including what running ones need; empty when it can."""
    free = disk_room().free
    needed = room_needed(analysis)
    running = Analysis.objects.filter(status=AnalysisStatus.RUNNING).exclude(pk=analysis.pk)
    taken = sum(room_needed(each) for each in running.only("pk", "room_needed"))
    if needed + taken <= free:
        return ""
    sizes = {"needed": size_text(needed), "taken": size_text(taken), "free": size_text(max(free, 0))}
    if taken:
        return say(
            "The disk has too little room: {needed} are needed beside {taken} for what runs now, {free} are free. "
            "It starts when there is more.",
            **sizes,
        )
    return say(
        "The disk has too little room: {needed} are needed, {free} are free. It starts when there is more.", **sizes
    )


def room_missed(analysis: Analysis) -> str:
    """Why a run does not start or continue while the disk is full; empty otherwise.

    Computed for pages, because a worker cannot store it then.
    """
    free = disk_room().free
    if analysis.status == AnalysisStatus.QUEUED and free < LEAST_ROOM:
        return room_awaited(analysis)
    if analysis.status != AnalysisStatus.RUNNING or free >= 0:
        return ""
    return say(
        "The disk is full: the run waits for room, {needed} are needed. It continues by itself when there is some.",
        needed=size_text(room_needed(analysis)),
    )


@contextmanager
def out_of_room_raised(analysis: Analysis, watch: Watch, workspace: Path) -> Iterator[None]:
    """Raises OutOfRoom instead of any error from a full disk, and sets what the next attempt waits for."""
    try:
        yield
    except Exception as error:
        if not watch.out_of_room and not means_full_disk(error):
            raise
        taken = sum(path.lstat().st_size for path in workspace.rglob("*"))
        analysis.room_needed = round(MORE * max(taken, room_needed(analysis)))
        raise OutOfRoom(say("The disk was full while it ran.")) from error


def unpacked_bytes(files: Iterable[UploadedFile]) -> int:
    """Estimated bytes of the files once their archives are unpacked."""
    return sum(_unpacked_bytes(file) for file in files)


def _unpacked_bytes(file: UploadedFile) -> int:
    """Bytes of its members, when all were examined. An uncompressed file outside of an archive is read in place."""
    sizes = [member.get("bytes") for member in file.members]
    if not sizes or None in sizes:
        return file.bytes * UNPACKED_RATIO
    return sum(sizes)
