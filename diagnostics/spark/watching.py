"""Watches whether a Spark server still answers while work is running."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Self

from diagnostics.spark.client import answers, connection_lost

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KNOCK_SECONDS = 1.0
"""Interval of connecting to the server's port. Our choice."""

KNOCKS_LOST = 3
"""Unanswered connections in a row that mean that the server is gone. Our choice: one may fail under load."""

PING_SECONDS = 5.0
"""Interval of requesting a setting, which takes the server 2 ms. Our choice."""


def ping(session: SparkSession) -> bool:
    """Whether the server answers; an unknown session is an answer too."""
    try:
        session.conf.get("spark.sql.session.timeZone")
    except Exception as error:
        return not connection_lost(error)
    return True


class ServerWatch:
    """Watches a server in a thread during its block.

    A client of a killed server may wait for ever (observed: over 120 s), and the port of a hanging server still accepts
    connections.

    session    used for the requests
    most       seconds without an answer after which the server counts as lost
    when_lost  called once then
    """

    def __init__(self, remote: str, session: SparkSession, most: float, when_lost: Callable[[], None]) -> None:
        self._remote = remote
        self._session = session
        self._most = most
        self._when_lost = when_lost
        self._answered = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="spark-watch", daemon=True)
        self.lost = False

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()

    @property
    def silence(self) -> float:
        """Seconds without an answer from the server, not counting pauses between requests."""
        return max(0.0, time.monotonic() - self._answered - PING_SECONDS)

    def _watch(self) -> None:
        knocks_lost = 0
        while not self._ended.wait(KNOCK_SECONDS):
            knocks_lost = 0 if answers(self._remote) else knocks_lost + 1
            asked = time.monotonic()
            if asked - self._answered >= PING_SECONDS and not knocks_lost and ping(self._session):
                self._answered = time.monotonic()
            if knocks_lost >= KNOCKS_LOST or time.monotonic() - self._answered >= self._most:
                self.lost = True
                with contextlib.suppress(Exception):
                    self._when_lost()
                return
