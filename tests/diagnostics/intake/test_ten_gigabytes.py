"""Ten gigabytes in one file: refused in no time and in little memory, with the limit named, and nothing is written.

The files are sparse: they say that they have ten gigabytes, and take a few kilobytes of the disk.
"""

from __future__ import annotations

import os
import struct
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from diagnostics.intake import SourceFile, peek, unpack
from tests.diagnostics.intake.uploads import LOG, Desk, zipped

TEN_GIB = 10 * 1024**3
MOST_CPU_SECONDS, MOST_MEMORY = 1.0, 16 * 1024**2
BOUND = "larger than 2 GiB, which is the bound for one file"


def sparse_log(path: Path) -> None:
    """A log whose rest is a hole."""
    path.write_bytes(LOG * 1000)
    os.truncate(path, TEN_GIB)


def stored_in_a_zip(path: Path) -> None:
    """A zip of one such log, stored, with its sizes in ZIP64 fields (APPNOTE 4.5.3)."""
    name, sizes = b"tm.log", struct.pack("<HHQQ", 1, 16, TEN_GIB, TEN_GIB)
    common = struct.pack("<HHHHHIIIHH", 45, 0, 0, 0, 0x5B55, 0, 2**32 - 1, 2**32 - 1, len(name), len(sizes))
    local = b"PK\x03\x04" + common + name + sizes
    central = b"PK\x01\x02" + struct.pack("<H", 45) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name + sizes
    begin = len(local) + TEN_GIB
    end64 = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, 1, 1, len(central), begin)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, begin + len(central), 1)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, 2**32 - 1, 2**32 - 1, 0)
    with path.open("wb") as target:
        target.write(local + LOG * 1000)
        target.seek(begin)
        target.write(central + end64 + locator + end)


def declared_in_a_zip(path: Path) -> None:
    """A small zip whose one entry says that it has ten gigabytes."""
    name, extra = b"tm.log", struct.pack("<HHQ", 1, 8, TEN_GIB)
    packed = zipped({"tm.log": LOG})
    content = packed[30 + len(name) : packed.index(b"PK\x01\x02")]
    common = struct.pack("<HHHHHIIIHH", 45, 0, 8, 0, 0x5B55, 0, len(content), 2**32 - 1, len(name), len(extra))
    local = b"PK\x03\x04" + common + name + extra + content
    central = b"PK\x01\x02" + struct.pack("<H", 45) + common + struct.pack("<HHHII", 0, 0, 0, 0, 0) + name + extra
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 1, 1, len(central), len(local), 0)
    path.write_bytes(local + central + end)


@contextmanager
def bounded() -> Iterator[None]:
    """The block costs little: processor time, since other programs of the machine are slow too, and memory."""
    tracemalloc.start()
    begun = time.process_time()
    try:
        yield
        took, peak = time.process_time() - begun, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert took < MOST_CPU_SECONDS
    assert peak < MOST_MEMORY


@pytest.mark.parametrize("make", [sparse_log, stored_in_a_zip, declared_in_a_zip])
def test_ten_gigabytes_are_refused_at_once_and_the_limit_is_named(desk: Desk, make: Callable[[Path], None]) -> None:
    path = desk.uploads / "0"
    make(path)
    with bounded():
        peek(path, "x")
        (file,) = unpack([SourceFile(path, "x")], desk.workspace).inputs
    assert file.path is None
    assert str(file.error).startswith(BOUND)
    assert desk.written() == set()
