"""The entries of a zip, from its directory or, when it was truncated, from its local headers.

`zipfile` reads the directory; the content is read here, because `zipfile` trusts the sizes in the directory and gives
nothing of a truncated file. Layout: PKWARE's APPNOTE.TXT 6.3, the sections named below.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.intake.limits import MIB
from diagnostics.intake.sources import text_of_name
from diagnostics.language import say

DIRECTORY_BYTES = 8 * MIB
"""`zipfile` holds the directory in memory, about 600 bytes for each entry, and the smallest entry takes 47 bytes here:
100 MB at most. 20,000 entries with names of 300 characters fit. Our choice."""

SEARCHED_BYTES = 65_536
"""Bytes read at once when searching local headers: a hostile file may have one every 30 bytes. Our choice."""

_LOCAL = struct.Struct("<4sHHHHHIIIHH")
_LOCAL_SIGNATURE = b"PK\x03\x04"
_END = struct.Struct("<4sHHHHIIH")
_END_SIGNATURE = b"PK\x05\x06"
_END64 = struct.Struct("<4sQHHIIQQQQ")
_END64_SIGNATURE = b"PK\x06\x06"
_LOCATOR64_BYTES = 20
_END_SEARCH_BYTES = _END.size + 65_535 + _LOCATOR64_BYTES + _END64.size
_SIZES_FOLLOW, _UTF8 = 8, 0x800
_LARGE = 0xFFFFFFFF
_TYPE_MASK, _REGULAR, _FOLDER, _LINK = 0o170000, 0o100000, 0o040000, 0o120000
_METHODS = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2}
_UNREAD_METHODS = {
    1: "Shrink",
    6: "Implode",
    9: "Deflate64",
    14: "LZMA",
    93: "Zstandard",
    95: "XZ",
    98: "PPMd",
    99: "AES",
}
"""Compression methods that are not supported, by name (4.4.5), for the message."""


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """An archive's statements about one file; sizes are unverified, None when not stated. `start`: offset of the local
    header.
    """

    name: str
    flags: int
    method: int
    checksum: int | None
    stored_bytes: int | None
    file_bytes: int | None
    start: int
    unix_type: int = 0

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder."""
        return self.name.endswith(("/", "\\")) or self.unix_type == _FOLDER

    def refusal(self) -> str | None:
        """Why its content cannot be read, from the entry's statements."""
        if self.unix_type == _LINK:
            return say("a symbolic link: links are not followed")
        if self.unix_type not in (0, _REGULAR):
            return say("a device or pipe, not a file")
        if self.flags & 1:
            return say("encrypted: send it without a password")
        if self.method not in _METHODS:
            name = _UNREAD_METHODS.get(self.method, "unknown")
            return say(
                "compressed with method {method} ({name}), which is not read; pack it with Deflate",
                method=self.method,
                name=name,
            )
        return None


def zip_directory(file: BinaryIO) -> list[ZipEntry] | None:
    """The directory's entries; None when there is no readable directory. Raises LimitExceeded."""
    size = file.seek(0, 2)
    file.seek(max(size - _END_SEARCH_BYTES, 0))
    tail = file.read(_END_SEARCH_BYTES)
    stated = max(_directory_bytes(tail, len(tail) - _END.size), _directory_bytes(tail, tail.rfind(_END_SIGNATURE)))
    if stated > DIRECTORY_BYTES:
        raise LimitExceeded(
            say(
                "its directory has {stated:,} bytes; {directory:,} is the bound",
                stated=stated,
                directory=DIRECTORY_BYTES,
            )
        )
    try:
        with zipfile.ZipFile(file) as archive:
            return [_entry(info) for info in archive.infolist()]
    except (zipfile.BadZipFile, NotImplementedError, ValueError, OverflowError, struct.error, OSError):
        return None


def zip_remains(file: BinaryIO, most: int) -> Iterator[ZipEntry]:
    """The entries of an archive without directory, from at most `most` local headers (4.3.7)."""
    position = _find_local(file, 0)
    for _ in range(most):
        if position is None:
            return
        file.seek(position)
        header = file.read(_LOCAL.size)
        if len(header) < _LOCAL.size:
            return
        _, _, flags, method, _, _, checksum, stored, full, name_bytes, extra_bytes = _LOCAL.unpack(header)
        name = file.read(name_bytes)
        known = not flags & _SIZES_FOLLOW and stored != _LARGE
        if name:
            yield ZipEntry(
                text_of_name(name),
                flags,
                method,
                checksum if known else None,
                stored if known else None,
                full if known else None,
                position,
            )
        content = position + _LOCAL.size + name_bytes + extra_bytes
        position = _find_local(file, content + (stored if known else 0))


def content_start(file: BinaryIO, entry: ZipEntry) -> int:
    """Offset of the content. Raises UnreadableInput when there is no local header."""
    size = file.seek(0, 2)
    file.seek(entry.start if 0 <= entry.start <= size else size)
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size or not header.startswith(_LOCAL_SIGNATURE):
        raise UnreadableInput(say("damaged: the archive's directory leads to no file"))
    *_, name_bytes, extra_bytes = _LOCAL.unpack(header)
    return entry.start + _LOCAL.size + int(name_bytes) + int(extra_bytes)


def _directory_bytes(tail: bytes, end: int) -> int:
    """The directory's size in the end record at `end` (4.3.16), or in the zip64 record before it (4.3.14).

    `zipfile` uses the record at the very end of the file if there is one, else the last one in the file.
    """
    if end < 0 or not tail.startswith(_END_SIGNATURE, end) or len(tail) - end < _END.size:
        return 0
    large = end - _LOCATOR64_BYTES - _END64.size
    if large >= 0 and tail.startswith(_END64_SIGNATURE, large):
        return int(_END64.unpack_from(tail, large)[8])
    stated = int(_END.unpack_from(tail, end)[5])
    return stated if stated != _LARGE else 0


def _entry(info: zipfile.ZipInfo) -> ZipEntry:
    """The entry with a decoded name. `zipfile` decodes unmarked names as code page 437; most are UTF-8 or GBK."""
    raw = info.orig_filename.encode("utf-8" if info.flag_bits & _UTF8 else "cp437", "replace")
    return ZipEntry(
        name=text_of_name(raw),
        flags=info.flag_bits,
        method=info.compress_type,
        checksum=info.CRC,
        stored_bytes=info.compress_size,
        file_bytes=info.file_size,
        start=info.header_offset,
        unix_type=info.external_attr >> 16 & _TYPE_MASK,
    )


def _find_local(file: BinaryIO, position: int) -> int | None:
    """Offset of the next local header at or after `position`."""
    while True:
        file.seek(position)
        block = file.read(SEARCHED_BYTES)
        found = block.find(_LOCAL_SIGNATURE)
        if found >= 0:
            return position + found
        if len(block) < SEARCHED_BYTES:
            return None
        position += len(block) - 3
