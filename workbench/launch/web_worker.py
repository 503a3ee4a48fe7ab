"""The web server's worker: a request gets a thread once it is complete, so that partial requests cannot occupy all of
them.

Gunicorn's threaded worker gives every connection a thread that waits for the rest of its request: a few dozen clients
that send half of one, or one byte per second, stop the site for everybody. Here the main loop waits for heads and short
bodies, and long bodies, which are uploads, take at most half of the threads.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import re
import selectors
import socket
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Any

from gunicorn.workers.gthread import TConn, ThreadWorker

HEAD_SECONDS = 10.0
"""Time limit for receiving a head and a short body. Our choice: a page's request is one packet."""
IDLE_SECONDS = 20.0
"""Time limit for the next byte of an upload, or of a client that reads an answer. Our choice: a slow connection
transfers some bytes in that time; a resumable upload continues after an interruption.
"""
END_SECONDS = 2.0
"""How long the rest of a request is read and discarded after the last answer. As in gunicorn."""
MOST_WAITED_BYTES = 32 * 1024
"""Bytes of a head, or of a head with a short body: as in nginx (`large_client_header_buffers`)."""

CONTENT_LENGTH = re.compile(rb"\r\ncontent-length:[ \t]*0*(\d+)[ \t]*\r\n", re.IGNORECASE)
CHUNKED = re.compile(rb"\r\ntransfer-encoding:", re.IGNORECASE)
TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"
MOST_LENGTH_DIGITS = 18
"""A number of more digits counts as unknown; gunicorn accepts it and waits for such a body."""
GONE = (errno.EAGAIN, errno.ECONNABORTED, errno.EWOULDBLOCK)


class PatientSocket(socket.socket):
    """A client's socket, on which nothing blocks for longer than IDLE_SECONDS."""

    def setblocking(self, flag: bool) -> None:
        self.settimeout(IDLE_SECONDS if flag else 0.0)


class Connection(TConn):  # type: ignore[misc]
    """A connection.

    is_upload  whether its request has a long body, for which a thread has to wait
    end        closes it after the last answer, without waiting for the client
    """

    is_upload = False
    end: Callable[[Connection], None]

    def close(self, graceful: bool = False) -> None:
        """Without gunicorn's wait of up to two seconds for each client."""
        if graceful:
            self.end(self)
        else:
            super().close()


class PatientWorker(ThreadWorker):  # type: ignore[misc]
    """See the module."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._uploads = 0
        self._waiting: deque[Connection] = deque()
        self._ending: deque[Connection] = deque()

    @property
    def _most_uploads(self) -> int:
        return max(int(self.cfg.threads) // 2, 1)

    def init_process(self) -> None:
        """Freezes objects loaded before the fork, which live for ever, so that garbage collections skip them."""
        gc.freeze()
        super().init_process()

    def accept(self, listener: socket.socket) -> None:
        """Accepts a connection without assigning a thread."""
        try:
            client, address = listener.accept()
        except OSError as error:
            if error.errno in GONE:
                return
            raise
        self.nr_conns += 1
        conn = Connection(self.cfg, PatientSocket(fileno=client.detach()), address, listener.getsockname())
        conn.end = self._end
        self._await_request(conn)

    def on_client_socket_readable(self, conn: Connection, client: socket.socket) -> None:
        """The next request of a kept-alive connection begins."""
        self.poller.unregister(client)
        self.keepalived_conns.remove(conn)
        self._await_request(conn)

    def _await_request(self, conn: Connection) -> None:
        conn.sock.setblocking(False)
        conn.timeout = time.monotonic() + HEAD_SECONDS
        self.pending_conns.append(conn)
        self.poller.register(conn.sock, selectors.EVENT_READ, partial(self.on_pending_socket_readable, conn))

    def on_pending_socket_readable(self, conn: Connection, client: socket.socket) -> None:
        """Peeks at the received bytes, and assigns a thread when they suffice."""
        try:
            here = client.recv(MOST_WAITED_BYTES, socket.MSG_PEEK)
        except BlockingIOError:
            return
        except OSError:
            here = b""
        awaited = client.getsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT)
        head, end, body = here.lstrip(b"\r\n").partition(b"\r\n\r\n")
        if end:
            length = _body_bytes(head)
            short = length is not None and len(here) - len(body) + length <= MOST_WAITED_BYTES
            if not short or len(body) >= (length or 0):
                conn.is_upload = not short
                client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, 1)
                super().on_pending_socket_readable(conn, client)
                return
        if len(here) < awaited:
            self._drop(conn)  # the client closed its side before sending the rest
        elif len(here) >= MOST_WAITED_BYTES:
            self._drop(conn, TOO_LARGE)
        else:
            # The poller wakes us again for more bytes than this.
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVLOWAT, len(here) + 1)

    def _drop(self, conn: Connection, answer: bytes = b"") -> None:
        self.poller.unregister(conn.sock)
        self.pending_conns.remove(conn)
        self.nr_conns -= 1
        if answer:
            with contextlib.suppress(OSError):  # the client is gone, or reads nothing
                conn.sock.recv(2 * MOST_WAITED_BYTES)  # unread bytes would reset the connection
                conn.sock.send(answer)
        conn.close()

    def _end(self, conn: Connection) -> None:
        """Closes our side and reads for a while, because unread bytes would reset the answer (RFC 9112, 9.6)."""
        try:
            conn.sock.shutdown(socket.SHUT_WR)
            conn.sock.setblocking(False)
            conn.timeout = time.monotonic() + END_SECONDS
            self.poller.register(conn.sock, selectors.EVENT_READ, partial(self._discard, conn))
        except OSError:
            conn.close()
            return
        self._ending.append(conn)
        if len(self._ending) > self.worker_connections:
            self._forget(self._ending.popleft())

    def _discard(self, conn: Connection, client: socket.socket) -> None:
        try:
            is_over = not client.recv(MOST_WAITED_BYTES)
        except BlockingIOError:
            return
        except OSError:
            is_over = True
        if is_over:
            self._ending.remove(conn)
            self._forget(conn)

    def _forget(self, conn: Connection) -> None:
        self.poller.unregister(conn.sock)
        conn.close()

    def murder_pending(self) -> None:
        """Ends connections that exceeded their time limit; called once a second by gunicorn's loop."""
        super().murder_pending()
        now = time.monotonic()
        while self._ending and self._ending[0].timeout <= now:
            self._forget(self._ending.popleft())

    def enqueue_req(self, conn: Connection) -> None:
        """Assigns a thread; an upload waits while half of the threads are used by uploads."""
        if conn.is_upload:
            if self._uploads >= self._most_uploads:
                self._waiting.append(conn)
                return
            self._uploads += 1
        super().enqueue_req(conn)

    def finish_request(self, conn: Connection, fs: Future[Any]) -> None:
        """Gives the thread of a finished upload to the next one.

        Bytes of a pipelined request cannot be waited for without a thread: the connection is closed, and the client (no
        browser does this) retries.
        """
        was_upload, conn.is_upload = conn.is_upload, False
        if conn.parser is not None and conn.parser.unreader.buf.getvalue():
            self.nr_conns -= 1
            conn.close(graceful=True)
        else:
            super().finish_request(conn, fs)
        if was_upload:
            self._uploads -= 1
            if self._waiting:
                self.enqueue_req(self._waiting.popleft())


def _body_bytes(head: bytes) -> int | None:
    """The length of the body in a head; None when there is a body of unknown length."""
    lines = head + b"\r\n"
    if CHUNKED.search(lines):
        return None
    stated = CONTENT_LENGTH.search(lines)
    if stated is None:
        return 0
    return int(stated.group(1)) if len(stated.group(1)) <= MOST_LENGTH_DIGITS else None
