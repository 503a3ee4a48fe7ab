"""Renders the pages of one web process in sequence, so that they do not compete for Python's lock.

A page releases the lock with each row that it reads from the database, and while other threads compute it waits up to 5
ms to get it back (`sys.getswitchinterval`). Concurrent pages are therefore all slow, those with most queries slowest.
Measured with 20 people on a busy machine: a case had p95 2.7 instead of 4.2 s.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

PATIENCE_SECONDS = 0.25
"""A page that waits this long is rendered concurrently with the one before, which must be a slow one. Our choice: half
of the half second that a page may take, which limits the delay by a slow page.
"""

READING = ("GET", "HEAD")
"""Methods that only read; others may wait for the bytes of an upload."""


class PacedPages:
    """Streaming answers continue after their page was rendered and delay nothing."""

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
