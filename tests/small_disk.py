"""A file system of a few MiB, to be filled to its last byte: what no setting of a reserve can imitate."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

SMALL_BYTES = 256 * 1024**2
LARGER_BYTES = 1024**3


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """An empty file system of SMALL_BYTES; who may not mount one cannot run the test."""
    yield from _mounted(tmp_path / "small-disk", SMALL_BYTES)


@pytest.fixture(scope="module")
def larger_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """As `small_disk`, with room for a log that is read for some seconds, for all tests of a file."""
    yield from _mounted(tmp_path_factory.mktemp("larger") / "disk", LARGER_BYTES)


def _mounted(folder: Path, size: int) -> Iterator[Path]:
    folder.mkdir()
    options = f"size={size},mode=0700"
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)], capture_output=True, text=True, check=False
    )
    if mounted.returncode:
        pytest.skip(f"a small file system cannot be mounted here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def fill(folder: Path, *, leave: int = 0) -> Path:
    """A file that takes all that is free on the folder's file system, but for some bytes."""
    ballast = folder / "ballast"
    with contextlib.suppress(OSError), ballast.open("wb", buffering=0) as opened:
        while True:
            opened.write(bytes(1024**2))
    with contextlib.suppress(OSError), ballast.open("ab", buffering=0) as opened:
        while opened.write(bytes(1)):
            pass
    if leave:
        with ballast.open("r+b") as opened:
            opened.truncate(ballast.stat().st_size - leave)
    return ballast
