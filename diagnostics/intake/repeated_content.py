"""Finds duplicate files in an upload, so that a copied log does not count each restart twice."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Mapping

from diagnostics.intake import InputFile


def repeated_content(files: Iterable[InputFile]) -> Mapping[int, str]:
    """File id -> name of the first file with the same content, for every later one.

    Answers of the REST API are left out: the same answer at two moments means that nothing changed.
    """
    by_size: dict[int, list[InputFile]] = defaultdict(list)
    for file in files:
        if file.path is not None and file.bytes and not (file.format_id or "").startswith("flink-rest-"):
            by_size[file.bytes].append(file)
    originals: dict[int, str] = {}
    for alike in by_size.values():
        first: dict[bytes, str] = {}
        for file in alike if len(alike) > 1 else ():
            name = first.setdefault(_digest(file), file.name)
            if name != file.name:
                originals[file.file_id] = name
    return originals


def _digest(file: InputFile) -> bytes:
    assert file.path is not None
    with file.path.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").digest()
