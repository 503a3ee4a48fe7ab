"""Entries of a log store, each a line or a record: sorted by time and read like a log."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.log_scan.record_rows import rows_of
from diagnostics.log_scan.stretch import stretch_of


@dataclass(frozen=True, slots=True)
class StoreEntry:
    """One entry.

    arrived  arrival time in seconds since 1970, None when unknown
    text     its text as one line, as `json_lines.one_line` makes it
    place    citation columns: `line`, `last_line`, `pointer`
    """

    arrived: float | None
    text: bytes
    place: dict[str, Any]


def rows_of_entries(given: Sequence[StoreEntry]) -> Iterator[Rows | Coverage]:
    """The evidence in the entries, cited by each entry's position in the file."""
    entries = _in_order(given)
    if not entries:
        yield Coverage()
        return
    stretch, layout = stretch_of(b"\n".join(entry.text for entry in entries) + b"\n")
    for part in rows_of(stretch, layout):
        if isinstance(part, Coverage):
            yield part
        elif part.batch is not None:
            yield Rows(part.table, batch=_placed(part.batch, entries))
        else:
            yield Rows(part.table, [{**row, **entries[row["line"] - 1].place} for row in part.rows])


def _in_order(entries: Sequence[StoreEntry]) -> Sequence[StoreEntry]:
    """Entries sorted by time. Entries of the same moment keep their order, reversed when the store lists the newest
    first.
    """
    times = [entry.arrived for entry in entries if entry.arrived is not None]
    if len(times) < len(entries) or not times:
        return entries
    backwards = times[0] > times[-1]
    return sorted(reversed(entries) if backwards else entries, key=lambda entry: entry.arrived or 0.0)


def _placed(batch: pa.RecordBatch, entries: Sequence[StoreEntry]) -> pa.RecordBatch:
    """The rows with the citations of their entries instead of lines of the sorted text."""
    columns = dict(zip(batch.schema.names, batch.columns, strict=True))
    places = [entries[line - 1].place for line in columns["line"].to_pylist()]
    for name, kind in (("line", pa.int64()), ("last_line", pa.int64()), ("pointer", pa.string())):
        columns[name] = pa.array([place.get(name) for place in places], kind)
    return pa.RecordBatch.from_pydict(columns)
