"""The entries of a tar, read as a stream in bounded memory.

Layouts: POSIX.1-2001 "pax Interchange Format" and GNU tar's manual, "Basic Tar Format". `tarfile` parses the header
blocks; its own reader ends silently at a damaged or truncated block and holds extended headers of any size in memory.
"""

from __future__ import annotations

import tarfile
from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.intake.limits import MIB
from diagnostics.intake.sources import text_of_name
from diagnostics.intake.streams import ByteStream, Part, exactly, skip
from diagnostics.language import say, to_say

EXTENDED_HEADER_BYTES = MIB
"""Bytes of an extended header: names and attributes take a few hundred. Our choice."""

MOST_RECORDS = 1_000
"""Records of one extended header; a file's names and attributes take about ten. Our choice."""

_LINKS = {tarfile.LNKTYPE: to_say("a hard link"), tarfile.SYMTYPE: to_say("a symbolic link")}
_SPECIAL = {
    tarfile.CHRTYPE: to_say("a device"),
    tarfile.BLKTYPE: to_say("a device"),
    tarfile.FIFOTYPE: to_say("a pipe"),
}


@dataclass(slots=True)
class TarEntry:
    """A file of a tar, with its content or the reason why there is none; or a folder."""

    name: str
    is_folder: bool
    content: Part | None
    refusal: str | None
    notes: list[str]


@dataclass(slots=True)
class _Extended:
    """Values of extended headers for the next entry."""

    name: bytes | None = None
    size: int | None = None
    sparse: bool = False


def tar_entries(stream: ByteStream, most: int) -> Iterator[TarEntry]:
    """Each entry; its content must be read before the next entry.

    Raises UnreadableInput where the archive is unreadable, LimitExceeded after `most` headers.
    """
    extended = _Extended()
    for _ in range(most):
        block = exactly(stream, tarfile.BLOCKSIZE)
        if len(block) < tarfile.BLOCKSIZE:
            raise UnreadableInput(say("cut off: its end mark is missing; the files before that were read"))
        if not any(block):
            return
        header = _header(block)
        if header.type in (tarfile.XHDTYPE, tarfile.SOLARIS_XHDTYPE):
            _read_pax(_extended_header(stream, header), extended)
        elif header.type == tarfile.GNUTYPE_LONGNAME:
            extended.name = _extended_header(stream, header).rstrip(b"\0")
        elif header.type in (tarfile.GNUTYPE_LONGLINK, tarfile.XGLTYPE):
            _extended_header(stream, header)
        else:
            yield from _entry(stream, header, block, extended)
            extended = _Extended()
    raise LimitExceeded(say("more than {most:,} entries, which is the bound; the rest was not read", most=most))


def _entry(stream: ByteStream, header: tarfile.TarInfo, block: bytes, extended: _Extended) -> Iterator[TarEntry]:
    size = header.size if extended.size is None else extended.size
    name = extended.name or header.name.encode("latin-1")
    if header.type == tarfile.GNUTYPE_SPARSE:
        _skip_sparse_map(stream, block)
    if header.type in _LINKS or header.type in _SPECIAL or header.type == tarfile.DIRTYPE:
        size = 0
    notes: list[str] = []
    content = Part(stream, size, notes)
    refusal = _refusal(header, extended)
    yield TarEntry(text_of_name(name), header.type == tarfile.DIRTYPE, None if refusal else content, refusal, notes)
    content.skip()
    if content.cut:
        raise UnreadableInput(say("cut off in the middle of a file; the files before that were read"))
    skip(stream, -size % tarfile.BLOCKSIZE)


def _refusal(header: tarfile.TarInfo, extended: _Extended) -> str | None:
    if header.type in _LINKS:
        return say("{links}: links are not followed", links=say(_LINKS[header.type]))
    if header.type in _SPECIAL:
        return say("{special}, not a file", special=say(_SPECIAL[header.type]))
    if extended.sparse or header.type == tarfile.GNUTYPE_SPARSE:
        return say("stored as a sparse file, which is not read; pack it without --sparse")
    if header.type not in tarfile.REGULAR_TYPES:
        return say("an entry of the unknown type {type!r}", type=header.type)
    return None


def _header(block: bytes) -> tarfile.TarInfo:
    try:
        header = tarfile.TarInfo.frombuf(block, "latin-1", "strict")
    except (tarfile.HeaderError, ValueError) as error:
        raise UnreadableInput(say("damaged ({error}); the files before that were read", error=error)) from error
    if header.size < 0:
        raise UnreadableInput(say("damaged (an entry of negative size); the files before that were read"))
    return header


def _extended_header(stream: ByteStream, header: tarfile.TarInfo) -> bytes:
    if header.size > EXTENDED_HEADER_BYTES:
        raise UnreadableInput(say("damaged (an extended header of more than 1 MiB); the files before that were read"))
    padded = exactly(stream, header.size + -header.size % tarfile.BLOCKSIZE)
    if len(padded) < header.size:
        raise UnreadableInput(say("cut off: its end mark is missing; the files before that were read"))
    return padded[: header.size]


def _read_pax(records: bytes, extended: _Extended) -> None:
    r"""Parse records of the form `length keyword=value\n`; stops at an invalid one."""
    position = 0
    for _ in range(MOST_RECORDS):
        space = records.find(b" ", position, position + 20)
        length = records[position:space] if space > 0 else b""
        if not length.isdigit() or int(length) < 5:
            return
        keyword, _, value = records[space + 1 : position + int(length) - 1].partition(b"=")
        position += int(length)
        if keyword == b"path":
            extended.name = value
        elif keyword == b"size" and value.isdigit():
            extended.size = int(value[:19])
        elif keyword.startswith(b"GNU.sparse."):
            extended.sparse = True


def _skip_sparse_map(stream: ByteStream, block: bytes) -> None:
    """Skip the map of GNU's old sparse format, which continues in further blocks while a flag is set."""
    more = block[482]
    while more:
        block = exactly(stream, tarfile.BLOCKSIZE)
        if len(block) < tarfile.BLOCKSIZE:
            raise UnreadableInput(say("cut off: its end mark is missing; the files before that were read"))
        more = block[504]
