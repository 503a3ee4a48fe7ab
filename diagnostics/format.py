"""What a file format is: how it is recognised, what it reads into which tables, and samples that prove both."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import TYPE_CHECKING, Any, BinaryIO

from diagnostics.shared_folder import local_copy, open_location

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow

HEAD_BYTES = 65_536
"""How much of a file `recognise` sees (decompressed). Our choice: enough for a licence header and some records."""

JSON_BEGINS = re.compile(rb"(?:\xef\xbb\xbf)?\s{0,100}(?:\{\s{0,100}\"|\[\s{0,100}\{)")
"""How an object begins, or an array of them."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, decompressed.

    name      path inside the upload; a hint only, contents decide
    content   the first HEAD_BYTES bytes
    text      content decoded (BOM and encoding detected by `diagnostics.intake.encoding`), line ends as found;
              empty when the bytes are no text
    complete  whether content is the whole file
    """

    name: str
    content: bytes
    text: str
    complete: bool

    @property
    def begins_json(self) -> bool:
        """Whether it begins as JSON does. Formats that never do need not look further: most evidence is JSON."""
        return JSON_BEGINS.match(self.content) is not None


@dataclass(frozen=True, slots=True)
class Range:
    """Part of one file that a reader owns: the records whose head begins in bytes [start, end), decompressed.

    path       where the decompressed file lies, a path or a URL, see `diagnostics.shared_folder`: UTF-8, or as it came
               when its format is binary

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


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of one evidence table, without `file_id` (the engine adds it).

    Either `rows` (mappings of column to value; left-out columns are null) or, for volume, an Arrow `batch`
    with any subset of the table's columns.
    """

    table: str
    rows: Sequence[Mapping[str, Any]] = ()
    batch: pyarrow.RecordBatch | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """What a reader understood of its range; yielded any number of times, the engine adds them up.

    records      records understood
    not_understood  lines (or values) that it could not read
    samples      a few of those: (line, shortened text)
    warnings     sentences for the user, e.g. `truncated in the middle of a record`
    role         jobmanager, taskmanager, client, ... if the content tells
    flink_version  if the content tells
    utc_offset_min  minutes that the clock it is written in is ahead of UTC, if the content tells
    earlier      records of a log that tell an earlier time than the one before, beyond what threads disorder
    earlier_ms   the longest of these steps back
    earlier_line  the line of the first of them
    """

    records: int = 0
    not_understood: int = 0
    samples: tuple[tuple[int, str], ...] = ()
    warnings: tuple[str, ...] = ()
    role: str | None = None
    flink_version: str | None = None
    first_ts_ms: int | None = None
    last_ts_ms: int | None = None
    utc_offset_min: int | None = None
    earlier: int = 0
    earlier_ms: int = 0
    earlier_line: int | None = None


Reader = Callable[[Range], Iterator[Rows | Coverage]]


@dataclass(frozen=True, slots=True)
class Sample:
    """Real content of the format and the rows it must give: documentation and test at once.

    text   the file's content; bytes for a binary format
    name   a file name it could have
    rows   table -> the rows, each with the columns that matter, in file order
    """

    text: str | bytes
    rows: Mapping[str, Sequence[Mapping[str, Any]]]
    name: str = "sample"

    @property
    def content(self) -> bytes:
        """The file's bytes."""
        return self.text if isinstance(self.text, bytes) else self.text.encode()


@dataclass(frozen=True, slots=True)
class Format:
    """A file format; `FORMAT` of one module in `diagnostics/formats`.

    id             stable id of the contract's `inputs[].format`, e.g. `flink-log`
    title          for people
    documentation  URL of the layout's own documentation
    tables         the evidence tables it can fill
    recognise      confidence 0..1 that a file is of this format, from its head; 0 declines
    read           from a range to rows; raises UnreadableInput with a reason when the file is not usable at all
    splittable     whether a large file may be cut into ranges at line starts (else a range is always a whole file)
    binary         whether it is no text: `recognise` looks at the bytes, `read` gets them as they came, and its rows
                   have no lines
    parts          of a file not made of lines: the offsets at which parts begin that can be read apart, the first
                   0; a range goes from one of them to another. None: it is always a whole file. Where it raises,
                   the file is one part, whose reader says what is wrong
    samples        at least one
    is_log         whether its log records are what Flink's own processes wrote, not what others tell of them
    """

    id: str
    title: str
    documentation: str
    tables: tuple[str, ...]
    recognise: Callable[[Head], float]
    read: Reader
    samples: tuple[Sample, ...]
    splittable: bool = False
    binary: bool = False
    is_log: bool = False
    parts: Callable[[Path], Sequence[int]] | None = None


def open_range(part: Range) -> BinaryIO:
    """The range's file, opened for binary reading at the range's start."""
    opened = open_file(part)
    opened.seek(part.start)
    return opened


def open_file(part: Range) -> BinaryIO:
    """The range's file, opened for binary reading at the file's own start."""
    return open_location(part.path)


def open_text(part: Range, newline: str | None = None) -> TextIOWrapper:
    """The range's file as text from the file's start, without byte order mark; what is no text is replaced."""
    return TextIOWrapper(open_file(part), encoding="utf-8-sig", errors="replace", newline=newline)


def local_file(part: Range) -> AbstractContextManager[str]:
    """A path to the range's whole file while a block lasts, for a tool that takes nothing else."""
    return local_copy(part.path)
