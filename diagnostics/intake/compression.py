"""Bounded decompression of gzip, bzip2, xz, Zstandard and raw DEFLATE: a bomb is detected before it has expanded."""

from __future__ import annotations

import bz2
import lzma
import struct
import zlib
from collections.abc import Callable
from typing import Protocol

from backports import zstd

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.intake.limits import MIB, STREAM_BYTES, Allowance, expands, several
from diagnostics.intake.signatures import Container, container_of
from diagnostics.intake.streams import ByteStream
from diagnostics.language import say

PACKED_PIECE_BYTES = 16_384
"""Bytes fed to a decompressor at once, which bounds the good bytes lost before a damaged place. Our choice."""

XZ_MEMORY_BYTES = 256 * MIB
"""Memory limit of xz: `xz -9` needs 65 MiB (xz(1)), its format allows 4 GiB."""

ZSTD_WINDOW_LOG = 27
"""128 MiB: the limit of `zstd` itself without `--long` (zstd(1), "Memory usage")."""

GZIP_HEADER_BYTES = 131_072
"""Limit for a gzip header, whose file name and comment have no length field (RFC 1952): two of the longest paths
fit.
"""

_FLAG_CHECK, _FLAG_EXTRA, _FLAG_NAME, _FLAG_COMMENT = 2, 4, 8, 16


class Decompressor(Protocol):
    """The interface of `bz2.BZ2Decompressor` and `lzma.LZMADecompressor`."""

    @property
    def eof(self) -> bool:
        """Whether the end mark was read."""
        ...

    @property
    def needs_input(self) -> bool:
        """Whether more input is needed for further output."""
        ...

    @property
    def unused_data(self) -> bytes:
        """Input after the end mark."""
        ...

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """The next bytes."""
        ...


class Inflate:
    """Raw DEFLATE (RFC 1951)."""

    def __init__(self) -> None:
        self._inflate = zlib.decompressobj(-zlib.MAX_WBITS)
        self.needs_input = True

    @property
    def eof(self) -> bool:
        """Whether the last block was read."""
        return self._inflate.eof

    @property
    def unused_data(self) -> bytes:
        """Input after the last block."""
        return self._inflate.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """The next bytes."""
        found = self._inflate.decompress(self._inflate.unconsumed_tail + data, max(max_length, 0))
        self.needs_input = not self.eof and not self._inflate.unconsumed_tail and len(found) != max_length
        return found


class Gunzip:
    """One member of a gzip (RFC 1952). zlib's own reader loses the text when only the checksum is wrong."""

    def __init__(self) -> None:
        self._inflate: Inflate | None = None
        self._ended = False
        self._waiting = b""
        self._checksum = 0
        self.eof = False
        self.needs_input = True
        self.unused_data = b""
        self.damage: str | None = None

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """The next bytes. Raises zlib.error."""
        if self._inflate is None:
            self._waiting += data
            end = _gzip_header_end(self._waiting)
            if end is None:
                return b""
            data, self._waiting, self._inflate = self._waiting[end:], b"", Inflate()
        if self._ended:
            self._finish(data)
            return b""
        content = self._inflate.decompress(data, max_length)
        self._checksum = zlib.crc32(content, self._checksum)
        self.needs_input = self._inflate.needs_input
        self._ended = self._inflate.eof
        if self._ended:
            self._finish(self._inflate.unused_data)
        return content

    def _finish(self, data: bytes) -> None:
        self._waiting += data
        self.needs_input = len(self._waiting) < 8
        if self.needs_input:
            return
        if struct.unpack_from("<I", self._waiting)[0] != self._checksum:
            self.damage = say("its check sum does not hold: some of its bytes are wrong")
        self.unused_data, self.eof = self._waiting[8:], True


def bunzip() -> Decompressor:
    """One bzip2 stream."""
    return bz2.BZ2Decompressor()


def unzstd() -> Decompressor:
    """One Zstandard frame."""
    return zstd.ZstdDecompressor(options={zstd.DecompressionParameter.window_log_max: ZSTD_WINDOW_LOG})


_DECOMPRESSORS: dict[Container, Callable[[], Decompressor]] = {
    Container.GZIP: Gunzip,
    Container.BZIP2: bunzip,
    Container.XZ: lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY_BYTES),
    Container.ZSTD: unzstd,
}


class Decompressed:
    """The decompressed bytes of a stream.

    A truncated or damaged stream ends where it is no longer readable, and the reason becomes a note. Reading raises
    LimitExceeded when the ratio of decompressed to compressed bytes is too high.
    """

    def __init__(
        self, packed: ByteStream, make: Callable[[], Decompressor], allowance: Allowance, notes: list[str]
    ) -> None:
        self._packed = packed
        self._make = make
        self._allowance = allowance
        self._notes = notes
        self._decompressor: Decompressor | None = make()
        self._input = b""
        self._taken = 0
        self._given = 0
        self._streams = 1
        self._failure: LimitExceeded | None = None
        self._several: Container | None = None

    @classmethod
    def of(cls, kind: Container, packed: ByteStream, allowance: Allowance, notes: list[str]) -> Decompressed:
        """A whole compressed file, which may consist of several streams."""
        stream = cls(packed, _DECOMPRESSORS[kind], allowance, notes)
        stream._several = kind
        return stream

    def read(self, size: int, /) -> bytes:
        """The next bytes."""
        if self._failure:
            raise self._failure
        while self._decompressor is not None:
            try:
                found = self._step(self._decompressor, size)
            except LimitExceeded as failure:
                self._failure = failure
                raise
            if found:
                return found
        return b""

    def _step(self, decompressor: Decompressor, size: int) -> bytes:
        if decompressor.needs_input and not self._input:
            self._input = self._take()
            if not self._input:
                return self._stop(say("cut off: its end is missing; what was there before is kept"))
        data, self._input = self._input, b""
        try:
            content = decompressor.decompress(data, size)
        except (zlib.error, OSError, EOFError, lzma.LZMAError, zstd.ZstdError, ValueError) as error:
            if "memory" in str(error).lower():
                raise LimitExceeded(say("asks for more memory to decompress than is allowed")) from error
            return self._stop(say("damaged ({error}): what could be read before that is kept", error=error))
        self._given += len(content)
        self._allowance.decompressed(len(content))
        limits = self._allowance.limits
        if self._given > limits.ratio_from_bytes and self._given > limits.ratio * self._taken:
            raise LimitExceeded(expands(limits))
        if decompressor.eof:
            self._next(decompressor)
        return content

    def _take(self) -> bytes:
        piece = self._packed.read(PACKED_PIECE_BYTES)
        self._taken += len(piece)
        return piece

    def _next(self, ended: Decompressor) -> None:
        """Continue after an end mark: another compressed stream, padding, or trailing data."""
        if isinstance(ended, Gunzip) and ended.damage:
            self._notes.append(ended.damage)
        self._decompressor = None
        if self._several is None:
            return
        rest = ended.unused_data.lstrip(b"\0")
        while len(rest) < 16 and (piece := self._take()):
            rest = (rest + piece).lstrip(b"\0")
        if container_of(rest) is self._several:
            self._streams += 1
            self._allowance.another_stream()
            most = self._allowance.limits.file_bytes // STREAM_BYTES
            if self._streams > most:
                self._notes.append(say("{bound}; what was there before is kept", bound=several(most)))
                return
            self._decompressor, self._input = self._make(), rest
        elif rest:
            self._notes.append(
                say("after the end of the {kind} come other bytes; they are left out", kind=say(self._several.value))
            )

    def _stop(self, reason: str) -> bytes:
        self._notes.append(reason)
        self._decompressor = None
        return b""


def _gzip_header_end(data: bytes) -> int | None:
    """End of the header; None when more input is needed. Raises UnreadableInput when it has no end."""
    if len(data) < 10:
        return None
    flags, end = data[3], 10
    if flags & _FLAG_EXTRA:
        if len(data) < end + 2:
            return None
        end += 2 + int(struct.unpack_from("<H", data, end)[0])
    for flag in (_FLAG_NAME, _FLAG_COMMENT):
        if flags & flag:
            found = data.find(b"\0", end)
            if found < 0:
                if len(data) > GZIP_HEADER_BYTES:
                    raise UnreadableInput(say("damaged: its gzip header has no end"))
                return None
            end = found + 1
    end += 2 if flags & _FLAG_CHECK else 0
    return end if len(data) >= end else None
