"""What the machine may lack while a request is answered, and how that is said: not as a failure of the program."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass

from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string

from workbench.machine.disk import NoRoom, disk_room, means_full_disk

READ_ONLY_TEXTS = ("read-only file system", "readonly database", "read-only transaction")
FILE_LIMIT = (errno.EMFILE, errno.ENFILE)
SQLITE_JOURNAL_BYTES = 64 * 1024
"""SQLite says "disk I/O error", or that it cannot open its file, where its journals find less room than this."""
RETRY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class MachineFault:
    """What is lacking: status of the answer, title of the page, and a sentence for the user."""

    status: int
    title: str
    detail: str


FULL = MachineFault(
    507,
    "The disk is full",
    "The disk of the workbench is full, so nothing can be stored. Administrators can make room.",
)
READ_ONLY = MachineFault(
    503,
    "Nothing can be stored now",
    "The data folder of the workbench can only be read. Whoever runs it finds the reason in the system's log.",
)
NO_FILES = MachineFault(
    503,
    "Too much at once",
    "The workbench has reached the number of files it may have open. Try again in a moment.",
)


def machine_fault(error: BaseException) -> MachineFault | None:
    """What the machine lacks, when that is what an error means."""
    if means_full_disk(error) or (isinstance(error, OperationalError) and _journals_lack_room(error)):
        return FULL
    cause: BaseException | None = error
    while cause is not None:
        number = cause.errno if isinstance(cause, OSError) else None
        if number == errno.EROFS or any(text in str(cause).lower() for text in READ_ONLY_TEXTS):
            return READ_ONLY
        if number in FILE_LIMIT:
            return NO_FILES
        cause = cause.__cause__ or cause.__context__
    return None


class MachineFaultAnswers:
    """Answers what failed in a view for want of room, of rights to write, or of open files.

    The pages are made at the start, without a request: a database or a template could not be opened any more.
    """

    def __init__(self, respond: Callable[[HttpRequest], HttpResponse]) -> None:
        self._respond = respond
        self._pages = {
            fault: render_to_string("machine_fault.html", {"fault": fault}) for fault in (FULL, READ_ONLY, NO_FILES)
        }

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._respond(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """None leaves the error to others, as NoRoom, which says more than a page made at the start."""
        fault = None if isinstance(error, NoRoom) else machine_fault(error)
        if fault is None:
            return None
        if request.path.startswith("/api/") or request.headers.get("Accept") == "application/json":
            response: HttpResponse = JsonResponse({"detail": fault.detail}, status=fault.status)
        else:
            response = HttpResponse(self._pages[fault], status=fault.status)
        if fault.status == 503:
            response.headers["Retry-After"] = str(RETRY_SECONDS)
        return response


def _journals_lack_room(error: OperationalError) -> bool:
    text = str(error).lower()
    if "disk i/o error" not in text and "unable to open database file" not in text:
        return False
    room = disk_room()
    return room.free + room.reserve < SQLITE_JOURNAL_BYTES
