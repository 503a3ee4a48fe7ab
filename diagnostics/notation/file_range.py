"""The head of a file, from which its format is recognised, and the range of a file that one reader reads."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import Any, BinaryIO

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.storage.shared_folder import local_copy, open_location

HEAD_BYTES = 65_536
"""Decompressed bytes of a file that `recognise` gets. Our choice: enough for a licence header and some records."""

JSON_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}(?:\{\s{0,100}\"|\[\s{0,100}\{)")
"""Beginnings of a JSON object or an array of objects."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, decompressed.

    name      path inside the upload; a hint only, the content decides
    content   the first HEAD_BYTES bytes
    text      content decoded (BOM and encoding detected by `diagnostics.intake.encoding`), original line ends;
              empty for a binary file
    complete  whether content is the whole file
    """

    name: str
    content: bytes
    text: str
    complete: bool

    @property
    def starts_as_json(self) -> bool:
        """Whether it begins as JSON does; most evidence is JSON, so other formats decline quickly."""
        return JSON_BEGINS.match(self.content) is not None


@dataclass(frozen=True, slots=True)
class Range:
    """The part of one file that a reader reads: the records that begin in bytes [start, end), decompressed.

    path       path or URL of the decompressed file, see `diagnostics.storage.shared_folder`: UTF-8, or the original
               bytes for a binary format

    Formats count lines from 1 within the range; the engine adds the lines before it.
    """

    file_id: int
    name: str
    path: str
    start: int
    end: int
    size: int
    context: Mapping[str, Any] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether this range is the whole file."""
        return self.start == 0 and self.end >= self.size


Reader = Callable[[Range], Iterator[Rows | Coverage]]


def open_range(part: Range) -> BinaryIO:
    """The range's file, opened for binary reading at the range's start."""
    opened = open_file(part)
    opened.seek(part.start)
    return opened


def open_file(part: Range) -> BinaryIO:
    """The range's file, opened for binary reading at the file's own start."""
    return open_location(part.path)


def open_text(part: Range, newline: str | None = None) -> TextIOWrapper:
    """The range's file as text from the file's start, without byte order mark; invalid bytes are replaced."""
    return TextIOWrapper(open_file(part), encoding="utf-8-sig", errors="replace", newline=newline)


def local_file(part: Range) -> AbstractContextManager[str]:
    """A local path of the range's whole file within a block, for tools that need a path."""
    return local_copy(part.path)
