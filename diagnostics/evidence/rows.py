"""Output of a reader: rows of evidence tables, and the coverage of its range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    import pyarrow


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
    """Coverage of a range; a reader may yield several, which the engine adds up.

    records      records understood
    not_understood  lines (or values) that could not be read
    samples      a few of those: (line, shortened text)
    warnings     sentences for the user, e.g. `truncated in the middle of a record`
    counted      sentences for the user with a `{count}`, which is added up over the ranges of a file
    role         jobmanager, taskmanager, client, ... when known from the content
    flink_version  when known from the content
    utc_offset_min  minutes ahead of UTC of the file's clock, when known from the content
    earlier      records of a log with an earlier time than the one before, beyond what threads disorder
    earlier_ms   the longest of these steps back
    earlier_line  the line of the first of them
    """

    records: int = 0
    not_understood: int = 0
    samples: tuple[tuple[int, str], ...] = ()
    warnings: tuple[str, ...] = ()
    counted: tuple[tuple[str, int], ...] = ()
    role: str | None = None
    flink_version: str | None = None
    first_ts_ms: int | None = None
    last_ts_ms: int | None = None
    utc_offset_min: int | None = None
    earlier: int = 0
    earlier_ms: int = 0
    earlier_line: int | None = None

    @classmethod
    def cover_times(cls, records: int, times: Iterable[int | None], warnings: tuple[str, ...] = ()) -> Self:
        """The coverage of records with these times (epoch ms, None where a record has none)."""
        known = [time for time in times if time is not None]
        first_ts_ms, last_ts_ms = min(known, default=None), max(known, default=None)
        return cls(records=records, warnings=warnings, first_ts_ms=first_ts_ms, last_ts_ms=last_ts_ms)
