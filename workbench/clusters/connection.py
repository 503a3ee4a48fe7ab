"""The collector's HTTP client, restricted to one checked address and a time limit."""

from __future__ import annotations

import contextlib
import http.client
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.collect_flink import Cluster, Limits, Unanswered
from workbench.clusters.address import ClusterUrl
from workbench.languages.sentences import say

MOST_ANSWER_SECONDS = 60.0
"""Time limit of one answer, including the connection. Our choice: several times what Flink needs for a dump of a busy
process, and longer than connecting may take, twice.
"""
POST_WAIT = 5.0
MOST_POST_SECONDS = 10.0
"""Time limit of one message, which occupies a worker. Our choice: chats answer within a second."""
MOST_SAID_BYTES = 4_000


class PinnedCluster(Cluster):
    """The REST API at `address`, whatever the host's name resolves to; redirects are never followed.

    most_seconds  for one whole answer; the time between two of its bytes is limited by `limits.answer_seconds`
    """

    def __init__(
        self,
        url: ClusterUrl,
        address: str,
        limits: Limits,
        headers: dict[str, str] | None = None,
        *,
        most_seconds: float = MOST_ANSWER_SECONDS,
    ) -> None:
        context = ssl.create_default_context() if url.scheme == "https" else None
        super().__init__(str(url), limits, headers or {}, context)
        self._url, self._most_seconds = url, most_seconds
        self._line = Line(address)

    def pieces(self, path: str, most: int) -> Iterator[bytes]:
        """As in Cluster; a slow answer is aborted. Raises Unanswered, Stopped."""
        late = threading.Event()

        def cut_off() -> None:
            late.set()
            self._line.cut()

        # The time limit starts after the pause for the request rate.
        timer = threading.Timer(self._most_seconds + max(0.0, self._free_at - time.monotonic()), cut_off)
        timer.daemon = True
        timer.start()
        too_late = say("the answer took longer than {seconds:g} seconds", seconds=self._most_seconds)
        try:
            yield from super().pieces(path, most)
        except Unanswered:
            if late.is_set():
                raise Unanswered(too_late) from None
            raise
        finally:
            timer.cancel()
        if late.is_set():
            # Without a length, a truncated answer looks complete.
            self._close()
            raise Unanswered(too_late)

    def close(self) -> None:
        """Ends the connection."""
        self._close()
        self._line.close()

    def _connect(self) -> http.client.HTTPConnection:
        wait = self._limits.answer_seconds
        if self._context is not None:
            return _PinnedTls(self._url, self._line, wait, self._context)
        return _Pinned(self._url, self._line, wait)


@dataclass(frozen=True, slots=True)
class Answer:
    """A server's answer to a POST, with at most `MOST_SAID_BYTES` of its text."""

    status: int
    text: str


def posted(url: ClusterUrl, address: str, path: str, body: bytes, headers: dict[str, str]) -> Answer:
    """Posts JSON to one checked address, whatever the host's name resolves to. Redirects are not followed."""
    line = Line(address)
    context = ssl.create_default_context() if url.scheme == "https" else None
    connection = _PinnedTls(url, line, POST_WAIT, context) if context else _Pinned(url, line, POST_WAIT)
    # The socket's timeout is between two bytes: this ends a slow answer.
    timer = threading.Timer(MOST_POST_SECONDS, line.cut)
    timer.daemon = True
    timer.start()
    try:
        connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
        answer = connection.getresponse()
        return Answer(answer.status, answer.read(MOST_SAID_BYTES).decode("utf-8", "replace"))
    finally:
        timer.cancel()
        connection.close()
        line.close()


class Line:
    """The open connection to a checked address, which another thread can cut.

    A duplicate socket: an answer without a length detaches the socket from its connection.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self.taken: socket.socket | None = None

    def open(self, port: int, wait: float | None) -> socket.socket:
        self.close()
        opened = socket.create_connection((self._address, port), wait)
        self.taken = opened.dup()
        return opened

    def cut(self) -> None:
        """Ends the connection while another thread reads."""
        if self.taken is not None:
            with contextlib.suppress(OSError):
                self.taken.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        if self.taken is not None:
            self.taken.close()
            self.taken = None


class _Pinned(http.client.HTTPConnection):
    """Sends the host's name but connects to the address."""

    def __init__(self, url: ClusterUrl, line: Line, wait: float) -> None:
        super().__init__(url.host, url.port, timeout=wait)
        self._line = line

    def connect(self) -> None:
        self.sock = self._line.open(self.port, self.timeout)


class _PinnedTls(_Pinned):
    """Verifies the certificate for the host's name."""

    default_port = http.client.HTTPS_PORT

    def __init__(self, url: ClusterUrl, line: Line, wait: float, context: ssl.SSLContext) -> None:
        super().__init__(url, line, wait)
        self._context = context

    def connect(self) -> None:
        self.sock = self._context.wrap_socket(self._line.open(self.port, self.timeout), server_hostname=self.host)
