"""The type of a file format: how to recognise it, how to read it into tables, and samples that prove both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.notation.file_range import Head, Range, Reader

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Sample:
    """Real content of the format and the rows it must give: documentation and test.

    text   the file's content; bytes for a binary format
    name   a file name it could have
    rows   table -> the expected rows, each with the columns that matter, in file order
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
    read_several   for formats with many small files: from whole files to rows, each with the index of its file,
                   as `read` gives them one by one; pays fixed costs once
    splittable     whether a large file may be cut into ranges at line starts (else a range is always a whole file)
    binary         whether it is not text: `recognise` and `read` get the raw bytes, and rows have no lines
    parts          for files that can be cut at some places only: offsets of the parts that can be read separately, of
                   text at line starts, the first 0; ranges begin and end at them. None: a range is always a whole
                   file. When it raises, the file is one part and `read` reports the error
    samples        at least one
    is_log         whether its log records were written by Flink's own processes
    certainty      highest confidence of `recognise`: the format is not tried once another is more confident
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
    certainty: float = 0.95
    read_several: Callable[[Sequence[Range]], Iterator[tuple[int, Rows | Coverage]]] | None = None
    parts: Callable[[Path], Sequence[int]] | None = None
