"""Archives whose entries share their bytes cost no more than their size allows."""

from __future__ import annotations

import io
import struct
import zipfile
from pathlib import Path

import pytest

from tests.security.bounded_reading import warm_reader

MOST_SECONDS = 3.0
"""Processor time. Before the bytes of all entries were counted together: more than 60 s."""
ENTRIES = 3_000


@pytest.mark.parametrize("content", [b"\0" * 2**24, b"2026-11-21 02:00:00,000 INFO  a.B [] - x\n" * 2**18])
def test_entries_that_share_their_bytes_are_a_bomb(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "shared.zip"
    path.write_bytes(shared(content))
    with warm_reader() as reader:
        outcome = reader.read(path)
    assert outcome.failure is None
    assert any("taken for a decompression bomb" in each for each in outcome.refusals)
    assert outcome.seconds < MOST_SECONDS


def shared(content: bytes) -> bytes:
    """A zip of one compressed file that its directory names thousands of times."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("00000.log", content)
    packed = written.getvalue()
    start, end = packed.rfind(b"PK\x01\x02"), packed.rfind(b"PK\x05\x06")
    entry = packed[start:end]
    directory = b"".join(entry.replace(b"00000", b"%05d" % number) for number in range(ENTRIES))
    last = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, ENTRIES, ENTRIES, len(directory), start, 0)
    return packed[:start] + directory + last
