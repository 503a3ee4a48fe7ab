"""Pages of one web process are made one after the other, so that they do not take Python's lock from each other.

A page gives the lock away with each row that it reads from the database, and while other threads compute it waits up
to 5 ms until it has it back (`sys.getswitchinterval`). Pages that are made at once are therefore all slow, and those
that ask the database most are slowest. Measured with 20 people on a busy machine: a case had p95 2.7 instead of 4.2 s.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

PATIENCE_SECONDS = 0.25
"""A page that waits so long is made beside the one before it, which must then be a slow one. Our choice: half of the
half second that a page may take, which is the most by which a slow page, whatever it does, holds another one up."""

READING = ("GET", "HEAD")
"""The others may wait for the bytes of an upload."""


class PacedPages:
    """What streams goes on after its page was made and holds nothing up."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response
        self._turn = threading.Semaphore()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.method not in READING:
            return self._get_response(request)
        has_turn = self._turn.acquire(timeout=PATIENCE_SECONDS)
        try:
            return self._get_response(request)
        finally:
            if has_turn:
                self._turn.release()
