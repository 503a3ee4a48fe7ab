"""The version of the program that reads and measures: a number can be traced to the code that made it."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
KINDS = (".py", ".yaml", ".csv")
"""Code and data; translations and samples change no number."""
LENGTH = 12


@cache
def program_version() -> str:
    """A hash over the code and the data of this library, as hexadecimal digits. It takes some 50 ms, once a process."""
    return version_of(FOLDER, KINDS)


def version_of(folder: Path, kinds: tuple[str, ...]) -> str:
    """A hash over the files of these kinds in a folder and below, as hexadecimal digits."""
    digest = hashlib.sha256()
    for path in sorted(each for each in folder.rglob("*") if each.suffix in kinds and each.is_file()):
        digest.update(path.relative_to(folder).as_posix().encode())
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:LENGTH]
