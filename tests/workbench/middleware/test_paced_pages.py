"""Pages are made one after the other, but none waits long for a slow one, and uploads wait for none."""

from __future__ import annotations

import threading
import time
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.test import RequestFactory

from workbench.middleware.paced_pages import PATIENCE_SECONDS, PacedPages

MOMENT = PATIENCE_SECONDS / 5


class Pages:
    """Pages that each take a while, and the most of them that were made at once."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.most = 0
        self._now = 0
        self._lock = threading.Lock()
        self._paced = PacedPages(self._made)
        self._threads = ThreadPoolExecutor(8)

    def _made(self, request: HttpRequest) -> HttpResponse:
        with self._lock:
            self._now += 1
            self.most = max(self.most, self._now)
        time.sleep(self.seconds)
        with self._lock:
            self._now -= 1
        if "fails" in request.path:
            raise ZeroDivisionError
        return HttpResponse(request.path)

    def ask(self, method: str = "GET", path: str = "/") -> Future[HttpResponseBase]:
        request = RequestFactory().generic(method, path)
        return self._threads.submit(self._paced, request)


def test_pages_that_are_asked_for_at_once_are_made_one_after_the_other() -> None:
    pages = Pages(MOMENT / 4)
    answers = [pages.ask(path=f"/{number}/") for number in range(4)]
    assert [each.result().status_code for each in answers] == [200] * 4
    assert pages.most == 1


def test_a_slow_page_holds_others_up_for_a_moment_only() -> None:
    pages = Pages(4 * PATIENCE_SECONDS)
    began = time.monotonic()
    slow = pages.ask()
    time.sleep(MOMENT)
    pages.seconds = 0
    pages.ask().result()
    assert time.monotonic() - began < 3 * PATIENCE_SECONDS
    assert not slow.done()
    assert pages.most == 2


def test_an_upload_waits_for_no_page_and_no_page_for_an_upload() -> None:
    pages = Pages(PATIENCE_SECONDS / 2)
    answers = [pages.ask("POST"), pages.ask("PATCH"), pages.ask("GET")]
    for each in answers:
        each.result()
    assert pages.most == 3


def test_a_page_that_fails_lets_the_next_one_in() -> None:
    pages = Pages(0)
    with pytest.raises(ZeroDivisionError):
        pages.ask(path="/fails/").result()
    began = time.monotonic()
    pages.ask().result()
    assert time.monotonic() - began < PATIENCE_SECONDS
