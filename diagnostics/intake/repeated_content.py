"""Finds duplicate files in an upload, so that a copied log does not count each restart twice."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cmp_to_key
from itertools import pairwise
from pathlib import Path

from diagnostics.intake import InputFile

HEAD_BYTES = 4096
"""Files that a longer one may continue begin with this much in common. Our choice: some twenty records of a log, whose
times no other log repeats.
"""
PIECE_BYTES = 1 << 20
"""Bytes that are compared at once. Our choice."""


def repeated_content(files: Iterable[InputFile]) -> Mapping[int, str]:
    """File id -> name of the file that holds its content, too, and is read instead.

    Of equal files the first is read. Of a file that another one continues the longer is read: processes that share a
    folder of logs each list all of them, so that one log is fetched twice while it grows. Answers of the REST API are
    left out: the same answer at two moments means that nothing changed.
    """
    looked = [
        file
        for file in files
        if file.path is not None and file.bytes and not (file.format_id or "").startswith("flink-rest-")
    ]
    equal = _equal(looked)
    continued = _continued([file for file in looked if file.file_id not in equal])
    original = {file.file_id: continued.get(file.file_id, file.name) for file in looked}
    return {**continued, **{file_id: original[first] for file_id, first in equal.items()}}


def _equal(files: Iterable[InputFile]) -> dict[int, int]:
    """File id -> id of the first file with the same content, for every later one."""
    by_size: dict[int, list[InputFile]] = defaultdict(list)
    for file in files:
        by_size[file.bytes].append(file)
    originals: dict[int, int] = {}
    for alike in by_size.values():
        first: dict[bytes, InputFile] = {}
        for file in alike if len(alike) > 1 else ():
            kept = first.setdefault(_digest(file), file)
            if kept.name != file.name:
                originals[file.file_id] = kept.file_id
    return originals


def _continued(files: Iterable[InputFile]) -> dict[int, str]:
    """File id -> name of the longest file that begins with all of it.

    In the order of their content a file stands right before those that continue it.
    """
    by_head: dict[tuple[str | None, bytes], list[InputFile]] = defaultdict(list)
    for file in files:
        if file.bytes >= HEAD_BYTES:
            by_head[file.format_id, _head(file)].append(file)
    return {file_id: name for alike in by_head.values() if len(alike) > 1 for file_id, name in _runs(alike)}


def _runs(alike: Sequence[InputFile]) -> Iterator[tuple[int, str]]:
    ordered = sorted(alike, key=cmp_to_key(_compare_content))
    name = ""
    for file, after in reversed(list(pairwise(ordered))):
        if file.bytes < after.bytes and _begins_with(_path(after), _path(file)):
            name = name or after.name
            yield file.file_id, name
        else:
            name = ""


def _compare_content(one: InputFile, other: InputFile) -> int:
    return _compare(_path(one), _path(other))


def _compare(one: Path, other: Path) -> int:
    """The order of two files by their content, as that of two strings."""
    with one.open("rb") as first, other.open("rb") as second:
        while True:
            a, b = first.read(PIECE_BYTES), second.read(PIECE_BYTES)
            if a != b:
                return -1 if a < b else 1
            if not a:
                return 0


def _begins_with(longer: Path, shorter: Path) -> bool:
    with longer.open("rb") as whole, shorter.open("rb") as begin:
        while piece := begin.read(PIECE_BYTES):
            if whole.read(len(piece)) != piece:
                return False
    return True


def _path(file: InputFile) -> Path:
    assert file.path is not None
    return file.path


def _head(file: InputFile) -> bytes:
    with _path(file).open("rb") as opened:
        return opened.read(HEAD_BYTES)


def _digest(file: InputFile) -> bytes:
    with _path(file).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()
