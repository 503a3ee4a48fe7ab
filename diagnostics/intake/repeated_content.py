"""Finds duplicate files in an upload, so that a copied log does not count each restart twice."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from diagnostics.intake import InputFile

HEAD_BYTES = 4096
"""Files that a longer one may continue begin with this much in common. Our choice: some twenty records of a log, whose
times no other log repeats.
"""
MOST_ALIKE = 1_000
"""Files that begin alike and are looked at; what is beyond is read in any case. Our choice: ten times the processes of
a large cluster, and each file is held against the lengths of all others.
"""
PIECE_BYTES = 1 << 20
"""Bytes that are read at once. Our choice."""


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
    """File id -> name of the longest file that begins with all of it."""
    by_head: dict[tuple[str | None, bytes], list[InputFile]] = defaultdict(list)
    for file in files:
        if file.bytes >= HEAD_BYTES:
            by_head[file.format_id, _head(file)].append(file)
    found: dict[int, str] = {}
    for alike in by_head.values():
        if len(alike) > 1:
            found |= _held_by_longer(alike[:MOST_ALIKE])
    return found


def _held_by_longer(alike: Sequence[InputFile]) -> dict[int, str]:
    """The same of files that begin alike. Each is read once, the shortest first, so that the longest counts."""
    longest: dict[int, str] = {}
    whole: dict[bytes, int] = {}
    lengths = sorted({file.bytes for file in alike})
    for file in sorted(alike, key=lambda each: each.bytes):
        *beginnings, content = _digests_at(_path(file), [each for each in lengths if each <= file.bytes])
        longest |= {whole[each]: file.name for each in beginnings if each in whole}
        whole[content] = file.file_id
    return longest


def _digests_at(path: Path, lengths: Iterable[int]) -> Iterator[bytes]:
    """The digests of a file's beginnings of some lengths, in ascending order."""
    digest, taken = hashlib.sha256(), 0
    with path.open("rb") as opened:
        for length in lengths:
            while taken < length and (piece := opened.read(min(PIECE_BYTES, length - taken))):
                digest.update(piece)
                taken += len(piece)
            yield digest.digest()


def _path(file: InputFile) -> Path:
    assert file.path is not None
    return file.path


def _head(file: InputFile) -> bytes:
    with _path(file).open("rb") as opened:
        return opened.read(HEAD_BYTES)


def _digest(file: InputFile) -> bytes:
    with _path(file).open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()
