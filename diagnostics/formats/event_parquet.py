"""Samples of a job's input as a Parquet file, or samples of metrics out of a Prometheus store.

Only the columns that matter are read, a batch at a time.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_file
from diagnostics.notation.event_field import BATCH_EVENTS, NamedFields, event_fields
from diagnostics.notation.metric_table import MetricColumns, MetricTable
from diagnostics.notation.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    from pyarrow.parquet import ParquetFile

MAGIC = b"PAR1"
MOST_EVENTS = 100_000_000
"""Our choice: what an analysis reads in its time."""
MOST_GROUP_BYTES = 2 * 1024**3
"""Decompressed bytes that the file states for the wanted columns of one row group. Our choice."""
ROWS_LOOKED_AT = 20
MOST_COLUMNS = 2_000


def _recognise(head: Head) -> float:
    """What its columns are stands at the end of the file, so the reader says whether it has events."""
    return 0.6 if head.content.startswith(MAGIC) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with open_file(part) as opened, parquet.ParquetFile(opened) as file:
            if file.metadata.num_rows > MOST_EVENTS:
                raise LimitExceeded(f"{file.metadata.num_rows:,} rows; {MOST_EVENTS:,} is the bound")
            named = part.context.get("event_fields")
            metrics = _metric_columns(file) if named is None else None
            if metrics is None:
                groups = [
                    group for group, begin in enumerate(_begins(file, part.size)) if part.start <= begin < part.end
                ]
                yield from _events(file, named, groups)
            elif part.start == 0:
                # Its series are told apart in one place: the first range has all of them.
                yield from _metrics(file, metrics)
    except (pa.ArrowException, OSError, UnicodeDecodeError, OverflowError) as error:
        raise UnreadableInput(f"a Parquet file that is damaged or cut off: {error}"[:300]) from None


def _parts(path: Path) -> Sequence[int]:
    """Where the row groups begin; a file that cannot be opened is one part, whose reader says why."""
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            return _begins(file, path.stat().st_size)
    except (pa.ArrowException, OSError):
        return [0]


def _begins(file: ParquetFile, size: int) -> list[int]:
    """The offset of each row group's first page; the first group begins at 0, and each within the file of that size.

    A file may state nonsense: then a group belongs to a range that does not hold it, and its reader says what is wrong.
    """
    begins = [0] * file.metadata.num_row_groups
    for number in range(1, len(begins) if file.metadata.num_columns else 0):
        column = file.metadata.row_group(number).column(0)
        begin = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
        begins[number] = min(max(begin or 0, begins[number - 1]), size - 1)
    return begins


def _metric_columns(file: ParquetFile) -> MetricColumns | None:
    """What its columns are if it holds samples of Flink's metrics."""
    found = MetricColumns.of(file.schema_arrow.names[:MOST_COLUMNS])
    if found is None:
        return None
    _refuse_large_groups(file, _wanted(found))
    first = next(file.iter_batches(ROWS_LOOKED_AT, columns=_wanted(found), use_threads=False), None)
    rows = first.to_pylist() if first is not None else []
    return found if any(key is not None for row in rows for key, _ in found.samples(row)) else None


def _wanted(columns: MetricColumns) -> list[str]:
    return [each for each in (columns.time, columns.value, columns.name, columns.labels, *columns.others) if each]


def _metrics(file: ParquetFile, columns: MetricColumns) -> Iterator[Rows | Coverage]:
    tally = Tally()
    table = MetricTable(columns, tally)
    for batch in file.iter_batches(BATCH_EVENTS, columns=_wanted(columns), use_threads=False):
        for row in batch.to_pylist():
            if not table.take(row, 0):
                tally.not_understood += 1
            if table.is_full:
                yield table.rows()
    yield table.rows()
    table.say()
    yield tally.coverage()


def _refuse_large_groups(file: ParquetFile, wanted: Sequence[str]) -> None:
    """Raises LimitExceeded: a row group is decompressed as a whole."""
    for group in map(file.metadata.row_group, range(file.metadata.num_row_groups)):
        parts = [group.column(place) for place in range(group.num_columns)]
        size = sum(
            each.total_uncompressed_size for each in parts if each.path_in_schema.partition(".")[0] in set(wanted)
        )
        if size > MOST_GROUP_BYTES:
            raise LimitExceeded(f"a row group of {size:,} bytes; {MOST_GROUP_BYTES:,} is the bound")


def _events(file: ParquetFile, named: NamedFields | None, groups: Sequence[int]) -> Iterator[Rows | Coverage]:
    from diagnostics.notation.event_columns import event_batch

    metadata = file.metadata
    plain = [metadata.schema.column(place) for place in range(metadata.num_columns)]
    # A column within a list or a record has a path with dots; neither is a key or a time.
    columns = {column.name: place for place, column in enumerate(plain) if column.path == column.name}
    first = next(file.iter_batches(ROWS_LOOKED_AT, columns=list(columns)), None) if columns else None
    found = (event_fields(event, named) for event in (first.to_pylist() if first is not None else ()))
    fields = next((each for each in found if each is not None), None)
    if fields is None:
        raise UnreadableInput(f"a Parquet file without a key and a time among its columns: {', '.join(columns)[:200]}")
    wanted = [name for name in (fields.key, fields.event_time, fields.arrival, fields.partition) if name]
    _refuse_large_groups(file, wanted)
    records = 0
    for batch in file.iter_batches(BATCH_EVENTS, row_groups=groups, columns=wanted, use_threads=False):
        records += batch.num_rows
        yield Rows("event", batch=event_batch(batch, fields))
    yield Coverage(records=records)


_THREE_COLUMNS = (
    "UEFSMRUAFSwVLCwVBBUAFQYVBhwAAAACAAAABAERAAAAAAAAABIAAAAAAAAAFQAVLBUsLBUEFQAVBhUGHAAAAAIAAAAEAbK7tvuhAQAAoL62+6EBAAAV"
    "ABUsFSwsFQQVABUGFQYcAAAAAgAAAAQBAKHYQb9gBgBA4+dBv2AGABUEGUw1ABgGc2NoZW1hFQYAFQQlAhgHdXNlcl9pZAAVBCUCGApldmVudF90aW1l"
    "JRJMjBEcHAAAAAAAFQQlAhgLcmVjZWl2ZWRfYXQlFEyMEhwsAAAAAAAWBBkcGTwmABwVBBklBgAZGAd1c2VyX2lkFQAWBBZSFlImCEkcFQAVABUCADwp"
    "BhkmAAQAAAAmABwVBBklBgAZGApldmVudF90aW1lFQAWBBZSFlImWkkcFQAVABUCADwpBhkmAAQAAAAmABwVBBklBgAZGAtyZWNlaXZlZF9hdBUAFgQW"
    "UhZSJqwBSRwVABUAFQIAPCkGGSYABAAAABb2ARYEJggW9gEAKCBwYXJxdWV0LWNwcC1hcnJvdyB2ZXJzaW9uIDI2LjAuMRk8HAAAHAAAHAAAAC8BAABQ"
    "QVIx"
)
"""Two rows of user_id, event_time (timestamp of milliseconds) and received_at (of microseconds)."""

FORMAT = Format(
    id="event-parquet",
    title="Events or metrics (Parquet)",
    documentation="https://parquet.apache.org/docs/file-format/",
    tables=("event", "metric_sample"),
    recognise=_recognise,
    read=_read,
    binary=True,
    parts=_parts,
    samples=(
        Sample(
            name="events/readings.parquet",
            text=base64.b64decode(_THREE_COLUMNS),
            rows={
                "event": [
                    {
                        "key": "17",
                        "event_ms": 1795224419250,
                        "arrival_ms": 1795224420000,
                        "partition": None,
                        "line": None,
                    },
                    {"key": "18", "event_ms": 1795224420000, "arrival_ms": 1795224421000},
                ]
            },
        ),
    ),
)
