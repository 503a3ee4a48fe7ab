"""Answers requests that fail because the disk is full or read-only, or too many files are open."""

from __future__ import annotations

import errno
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import psycopg
from django.conf import settings
from django.db import OperationalError
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.template.loader import render_to_string
from django.utils.translation import get_language, override

from workbench.languages.sentences import say_later
from workbench.machine.disk import NoRoom, disk_room, means_full_disk

READ_ONLY_TEXTS = ("read-only file system", "readonly database", "read-only transaction")
FILE_LIMIT = (errno.EMFILE, errno.ENFILE)
SQLITE_JOURNAL_BYTES = 64 * 1024
"""SQLite reports "disk I/O error", or that it cannot open its file, when its journals have less space than this."""
RETRY_SECONDS = 30


@dataclass(frozen=True, slots=True)
class MachineFault:
    """The missing resource: status of the answer, title of the page, and sentences for the user.

    remains  what is possible nevertheless, on the page
    """

    status: int
    title: str
    detail: str
    remains: str = say_later("What is stored can be read as before.")


FULL = MachineFault(
    507,
    say_later("The disk is full"),
    say_later("The disk of the workbench is full, so nothing can be stored. Administrators can make room."),
)
READ_ONLY = MachineFault(
    503,
    say_later("Nothing can be stored now"),
    say_later(
        "The data folder of the workbench can only be read. Whoever runs it finds the reason in the system's log.",
    ),
)
NO_FILES = MachineFault(
    503,
    say_later("Too much at once"),
    say_later("The workbench has reached the number of files it may have open. Try again in a moment."),
)

NO_DATABASE = MachineFault(
    503,
    say_later("The database does not answer"),
    say_later(
        "The database of the workbench does not answer. Nothing that was stored is lost, and runs go on "
        "when it is back.",
    ),
    say_later("Try again in a moment."),
)
FAULTS = (FULL, READ_ONLY, NO_FILES, NO_DATABASE)
LOST_CONNECTION = ("08", "57P", "53300")
"""Prefixes of PostgreSQL's codes for shutdown, start-up and too many connections. Source: its documentation, appendix
A. A failed connection has no code.
"""


def machine_fault(error: BaseException) -> MachineFault | None:
    """The missing resource that an error indicates, else None."""
    if means_full_disk(error) or (isinstance(error, OperationalError) and _journals_lack_room(error)):
        return FULL
    cause: BaseException | None = error
    while cause is not None:
        number = cause.errno if isinstance(cause, OSError) else None
        if number == errno.EROFS or any(text in str(cause).lower() for text in READ_ONLY_TEXTS):
            return READ_ONLY
        if number in FILE_LIMIT:
            return NO_FILES
        if isinstance(cause, (psycopg.OperationalError, psycopg.InterfaceError)) and _is_lost(cause):
            return NO_DATABASE
        cause = cause.__cause__ or cause.__context__
    return None


class MachineFaultAnswers:
    """Answers views that failed for lack of space, write permission, open files, or the database."""

    def __init__(self, respond: Callable[[HttpRequest], HttpResponse]) -> None:
        self._respond = respond
        _pages()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._respond(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        """None leaves the error to others, such as NoRoom, which is more specific than a prepared page."""
        fault = None if isinstance(error, NoRoom) else machine_fault(error)
        return None if fault is None else fault_response(request, fault)


def fault_response(request: HttpRequest, fault: MachineFault) -> HttpResponse:
    """The answer for a missing resource: a page, or JSON for programs."""
    if request.path.startswith("/api/") or request.headers.get("Accept") == "application/json":
        response: HttpResponse = JsonResponse({"detail": str(fault.detail)}, status=fault.status)
    else:
        response = HttpResponse(_pages()[fault, get_language() or settings.LANGUAGE_CODE], status=fault.status)
    if fault.status == 503:
        response.headers["Retry-After"] = str(RETRY_SECONDS)
    return response


@cache
def _pages() -> dict[tuple[MachineFault, str], str]:
    """(fault, language) -> page, rendered at the start, without a request, because a database or a template may not be
    accessible later.
    """
    return {(fault, language): _page(fault, language) for fault in FAULTS for language, _ in settings.LANGUAGES}


def _page(fault: MachineFault, language: str) -> str:
    with override(language):
        return render_to_string("machine_fault.html", {"fault": fault})


def _is_lost(error: psycopg.Error) -> bool:
    return error.sqlstate is None or error.sqlstate.startswith(LOST_CONNECTION)


def _journals_lack_room(error: OperationalError) -> bool:
    text = str(error).lower()
    if "disk i/o error" not in text and "unable to open database file" not in text:
        return False
    room = disk_room()
    return room.free + room.reserve < SQLITE_JOURNAL_BYTES
