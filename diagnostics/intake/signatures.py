"""Kind of a file by its first bytes, not its name: a `.log` may be a gzip and a `.gz` may be text."""

from __future__ import annotations

import tarfile
from enum import Enum

from diagnostics.intake.history_archive import is_history_archive
from diagnostics.intake.yarn_logs import is_yarn_logs
from diagnostics.language import say, to_say

SIGNATURE_BYTES = 512
"""Enough for every kind below: tar has its signature and checksum in its first block of 512 bytes."""


class Container(Enum):
    """Kinds of archives and compressions; the value is the usual name."""

    GZIP = "gzip"
    BZIP2 = "bzip2"
    XZ = "xz"
    ZSTD = "Zstandard"
    ZIP = "zip"
    TAR = "tar"
    HISTORY = to_say("History Server archive")
    YARN = to_say("output of yarn logs")
    PASTED = to_say("pasted answers of Flink's REST API")


COMPRESSIONS = frozenset({Container.GZIP, Container.BZIP2, Container.XZ, Container.ZSTD})

_ARCHIVES_NOT_READ = (
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"Rar!\x1a\x07", "RAR"),
    (b"\x04\x22\x4d\x18", "LZ4"),
    (b"LZIP", "lzip"),
    (b"\x1f\x9d", "compress (.Z)"),
    (b"\xff\x06\x00\x00sNaPpY", "Snappy"),
    (b"!<arch>\n", "ar"),
)
"""Signatures as `file(1)` knows them."""

_BINARIES = (
    (b"FLR\x00", to_say("a Java Flight Recorder recording")),
    (b"JAVA PROFILE 1.0", to_say("a Java heap dump")),
    (b"\xca\xfe\xba\xbe", to_say("a Java class")),
    (b"\xac\xed\x00\x05", to_say("serialised Java objects")),
    (b"\x7fELF", to_say("an ELF program or core dump")),
    (b"MZ\x90\x00", to_say("a Windows program")),
    (b"\x89PNG\r\n", to_say("a PNG picture")),
    (b"\xff\xd8\xff", to_say("a JPEG picture")),
    (b"GIF8", to_say("a GIF picture")),
    (b"%PDF-", to_say("a PDF document")),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", to_say("a Microsoft Office document or Windows installer")),
    (b"SQLite format 3\x00", to_say("an SQLite database")),
    (b"PAR1", to_say("a Parquet file")),
    (b"Obj\x01", to_say("an Avro file")),
    (b"\xd4\xc3\xb2\xa1", to_say("a network capture")),
    (b"\x0a\x0d\x0d\x0a", to_say("a network capture")),
    (b"\x00\x05\x16\x07", to_say("a macOS resource file")),
    (b"Bud1", to_say("a macOS folder setting")),
    (b"\x00\x00\x00\x01Bud1", to_say("a macOS folder setting")),
)


def container_of(head: bytes) -> Container | None:
    """The kind of archive or compression; None for other files."""
    if head.startswith(b"\x1f\x8b\x08"):
        return Container.GZIP
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08PK\x03\x04")):
        return Container.ZIP
    if head.startswith(b"BZh") and head[4:10] in (b"\x31\x41\x59\x26\x53\x59", b"\x17\x72\x45\x38\x50\x90"):
        return Container.BZIP2
    if head.startswith(b"\xfd7zXZ\x00"):
        return Container.XZ
    if head.startswith(b"\x28\xb5\x2f\xfd"):
        return Container.ZSTD
    if _is_tar(head):
        return Container.TAR
    if is_history_archive(head):
        return Container.HISTORY
    return Container.YARN if is_yarn_logs(head) else None


def archive_not_read(head: bytes) -> str | None:
    """The reason for refusal when the file is an unsupported archive."""
    for signature, kind in _ARCHIVES_NOT_READ:
        if head.startswith(signature):
            return say("{kind} archives are not read; send it as zip, tar.gz, gz, bz2, xz or zst", kind=kind)
    return None


def binary_kind(head: bytes) -> str | None:
    """The kind of a binary file that is common beside logs; else None."""
    for signature, kind in _BINARIES:
        if head.startswith(signature):
            return kind
    return None


def _is_tar(head: bytes) -> bool:
    if len(head) < tarfile.BLOCKSIZE or not head[0]:
        return False
    try:
        tarfile.TarInfo.frombuf(head[: tarfile.BLOCKSIZE], "latin-1", "strict")
    except (tarfile.HeaderError, ValueError):
        return False
    return True
