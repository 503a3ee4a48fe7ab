"""Output of `yarn logs`: the logs of all containers of an application in sequence, each below a header."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.intake.streams import PIECE_BYTES, ByteStream

LONGEST_HEAD_LINE = 4_096
LONGEST_MARK = 256
"""Bytes of a line that ends a log: enough to identify it."""

_CONTAINER = re.compile(rb"Container: (container_\w{1,100}) on ([^\s/]{1,300})")
_BEGINNING = re.compile(rb"(?:^|\n)Container: container_\w{1,100} on \S")
_TYPE = re.compile(rb"LogType: ?([^\r\n]{1,300})")
_CONTENTS = re.compile(rb"Log ?Contents:\s*$")
_MARKS = (b"\nEnd of LogType:", b"\nContainer: container_")


@dataclass(slots=True)
class ContainerLog:
    """One log of one container, as a file: `container_..._000002_on_host_45454/taskmanager.log`."""

    name: str
    content: ByteStream


def is_yarn_logs(head: bytes) -> bool:
    """Whether a file begins as YARN's `LogCLIHelpers` prints it."""
    return _BEGINNING.search(head) is not None


def container_logs(stream: ByteStream, entries: int) -> Iterator[ContainerLog]:
    """The logs in order, at most `entries`; each must be read before the next."""
    buffer = _Buffer(stream)
    container = "container"
    for _ in range(entries):
        kind = None
        while (line := buffer.line()) is not None:
            if found := _CONTAINER.match(line):
                container = f"{_text(found[1])}_on_{_text(found[2])}"
            elif found := _TYPE.match(line):
                kind = _text(found[1]).strip()
            elif kind is not None and _CONTENTS.match(line):
                break
        else:
            return
        content = _Content(buffer)
        yield ContainerLog(f"{container}/{kind}", content)
        content.skip()


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "replace").replace("/", "_")


class _Buffer:
    """A stream with look-ahead. Unread data begins at `start`; the byte before it is kept."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self.data = b""
        self.start = 0
        self.ended = False

    def fill(self) -> None:
        """Read another piece. The byte before `start` shows whether a line begins there."""
        piece = self._stream.read(PIECE_BYTES)
        self.ended = not piece
        kept = max(self.start - 1, 0)
        self.data = self.data[kept:] + piece
        self.start -= kept

    def line(self) -> bytes | None:
        """The next line without its end, truncated when longer than any header; None at the end of the stream."""
        while (end := self.data.find(b"\n", self.start)) < 0 and not self.ended:
            if len(self.data) - self.start > LONGEST_HEAD_LINE:
                self.start = len(self.data)
            self.fill()
        end = len(self.data) if end < 0 else end
        if self.start >= len(self.data):
            return None
        line, self.start = self.data[self.start : min(end, self.start + LONGEST_HEAD_LINE)], end + 1
        return line


class _Content:
    """The bytes of one log: up to its end mark, or up to the next header for older versions of YARN, which print no
    mark.
    """

    def __init__(self, buffer: _Buffer) -> None:
        self._buffer = buffer
        self._ended = False
        self._end, self._is_marked = self._seen()

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        buffer = self._buffer
        while not self._ended:
            if self._end > buffer.start:
                found = buffer.data[buffer.start : min(self._end, buffer.start + size)]
                buffer.start += len(found)
                return found
            if self._is_marked or buffer.ended:
                self._ended = True
            else:
                buffer.fill()
                self._end, self._is_marked = self._seen()
        return b""

    def _seen(self) -> tuple[int, bool]:
        """End of the log within the data read so far, and whether a mark ends it there."""
        before = max(self._buffer.start - 1, 0)
        found = [place + 1 for mark in _MARKS if (place := self._buffer.data.find(mark, before)) >= 0]
        return (min(found), True) if found else (self._certain(), False)

    def _certain(self) -> int:
        """Where certain content ends: the last line may be the beginning of a mark."""
        data = self._buffer.data
        if self._buffer.ended:
            return len(data)
        last = data.rfind(b"\n", max(len(data) - LONGEST_MARK, 0)) + 1
        is_short = len(data) < LONGEST_MARK
        return last if last else (0 if is_short else len(data))

    def skip(self) -> None:
        """Skip the unread rest."""
        while self.read(PIECE_BYTES):
            pass
