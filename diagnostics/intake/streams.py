"""Byte streams that are read in pieces: a file, a decompressor's output, a file within an archive."""

from __future__ import annotations

import sys
import zlib
from collections.abc import Iterator
from typing import BinaryIO, Protocol

from diagnostics.errors import LimitExceeded
from diagnostics.intake.limits import Allowance, in_words
from diagnostics.language import say

PIECE_BYTES = 262_144
"""Bytes read at once. Our choice: Python's overhead is negligible, and so is the memory."""


class ByteStream(Protocol):
    """Anything with `read`: up to `size` bytes, none at the end."""

    def read(self, size: int, /) -> bytes:
        """The next bytes. Raises UnreadableInput."""
        ...


class Peekable:
    """A stream whose beginning can be examined before it is read."""

    def __init__(self, stream: ByteStream) -> None:
        self._stream = stream
        self._ahead = b""

    def head(self, size: int) -> bytes:
        """The next `size` bytes (fewer at the end), without consuming them."""
        while len(self._ahead) < size:
            piece = self._stream.read(size - len(self._ahead))
            if not piece:
                break
            self._ahead += piece
        return self._ahead[:size]

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        if self._ahead:
            piece, self._ahead = self._ahead[:size], self._ahead[size:]
            return piece
        return self._stream.read(size)

    def skip(self, size: int) -> None:
        """Skip bytes, by seeking when the stream is on disk."""
        ahead = min(size, len(self._ahead))
        self._ahead = self._ahead[ahead:]
        skip(self._stream, size - ahead)


class Region:
    """Part of a seekable file as a stream; `end` None reads to the end of the file."""

    def __init__(self, file: BinaryIO, start: int, end: int | None) -> None:
        self._file = file
        self._position = start
        self._end = end

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        if self._end is not None:
            size = min(size, self._end - self._position)
        if size <= 0:
            return b""
        self._file.seek(self._position)
        piece = self._file.read(size)
        self._position += len(piece)
        return piece

    def skip(self, size: int) -> None:
        """Skip bytes; an archive may state more of them than the file has."""
        self._position = min(self._position + size, sys.maxsize)


class Part:
    """The next `size` bytes of a stream; the rest of the stream follows them."""

    def __init__(self, stream: ByteStream, size: int, notes: list[str]) -> None:
        self._stream = stream
        self.size = self._left = size
        self._notes = notes
        self.cut = False

    def read(self, size: int, /) -> bytes:
        """The next bytes; a premature end of the stream becomes a note."""
        if self._left <= 0 or self.cut:
            return b""
        piece = self._stream.read(min(size, self._left))
        self._left -= len(piece)
        if not piece:
            self.cut = True
            self._notes.append(
                say("cut off: {left} of it are missing; what was there before is kept", left=in_words(self._left))
            )
        return piece

    def skip(self) -> None:
        """Skip the rest of the part."""
        if not self.cut:
            skip(self._stream, self._left)
            self._left = 0


class Checked:
    """A stream with a stated length and checksum; a mismatch becomes a note."""

    def __init__(self, stream: ByteStream, size: int | None, checksum: int | None, notes: list[str]) -> None:
        self._stream = stream
        self._size = size
        self._stated = checksum
        self._notes = notes
        self._notes_before = len(notes)
        self._read = 0
        self._checksum = 0
        self._ended = False

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        piece = self._stream.read(size)
        self._read += len(piece)
        self._checksum = zlib.crc32(piece, self._checksum)
        if not piece and not self._ended:
            self._ended = True
            if self._size is not None and self._read < self._size:
                self._notes.append(say("cut off: its end is missing; what was there before is kept"))
            elif self._stated is not None and self._checksum != self._stated and len(self._notes) == self._notes_before:
                self._notes.append(say("its check sum does not hold: some of its bytes are wrong"))
        return piece


class Metered:
    """A file's bytes, counted against the allowance while they are read."""

    def __init__(self, stream: ByteStream, allowance: Allowance) -> None:
        self._stream = stream
        self._allowance = allowance
        self.bytes = 0

    def read(self, size: int, /) -> bytes:
        """The next bytes. Raises LimitExceeded."""
        piece = self._stream.read(size)
        self.bytes += len(piece)
        if self.bytes > self._allowance.limits.file_bytes:
            raise LimitExceeded(
                say(
                    "larger than {size}, which is the bound for one file",
                    size=in_words(self._allowance.limits.file_bytes),
                )
            )
        self._allowance.spend(len(piece))
        return piece


def pieces(stream: ByteStream) -> Iterator[bytes]:
    """The stream in pieces."""
    while piece := stream.read(PIECE_BYTES):
        yield piece


def exactly(stream: ByteStream, size: int) -> bytes:
    """The next `size` bytes; fewer only at the end of the stream."""
    content = bytearray()
    while len(content) < size:
        piece = stream.read(size - len(content))
        if not piece:
            break
        content += piece
    return bytes(content)


def skip(stream: ByteStream, size: int) -> None:
    """Skip the next `size` bytes, or to the end."""
    if isinstance(stream, Peekable | Region):
        stream.skip(size)
        return
    while size > 0 and (piece := stream.read(min(size, PIECE_BYTES))):
        size -= len(piece)
