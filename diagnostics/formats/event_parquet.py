"""Samples of a job's input as a Parquet file, or samples of metrics from a Prometheus store.

Only the needed columns are read, one batch at a time. Dictionaries stay encoded until their values are shortened: 800
bytes of a file can hold a dictionary value of a megabyte that a hundred thousand rows refer to.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.event_field import BATCH_EVENTS, EventFields, NamedFields, event_fields, fields_looked_at
from diagnostics.notation.file_range import Head, Range, open_file
from diagnostics.notation.metric_table import MetricColumns, MetricTable
from diagnostics.notation.tally import Tally

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa
    from pyarrow.parquet import FileMetaData, ParquetFile

MAGIC = b"PAR1"
MOST_EVENTS = 100_000_000
"""Our choice: an analysis reads this many in its time."""
MOST_GROUP_BYTES = 2 * 1024**3
"""Decompressed bytes that the file states for the needed columns of one row group. Our choice."""
MOST_BATCH_BYTES = 32 * 1024**2
"""Bytes of the rows in memory at once, by the sizes that the file states. Our choice."""
MANY_ROWS, MOST_ROWS_PER_BYTE = 1_000_000, 100
"""A file with many rows has at most this many per byte. Our choice: events at equal intervals, in the encoding made for
them, take a fortieth of a byte; a run of one value takes none.
"""
MOST_VALUES = 1_000_000
"""Values of a batch, of any size. Our choice: as Python objects they take some 100 MB."""
LOOK_BYTES = 65_536
"""Bytes read at once when only the beginning of a column is examined. Our choice."""
SHORT_TEXT_BYTES = 1_000
"""A batch of texts up to this length takes 50 MB. Our choice."""
ROWS_LOOKED_AT = 20
MOST_COLUMNS = 2_000
MOST_LABEL_BYTES = 16_384
"""Bytes of a name or label of a metric, or of all labels in one text. Our choice: Flink's have 600."""


def _recognise(head: Head) -> float:
    """The schema is at the end of the file, so `read` checks whether it holds events."""
    return 0.6 if head.content.startswith(MAGIC) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with open_file(part) as opened:
            metadata = parquet.read_metadata(opened)
            _refuse_many(metadata.num_rows, part.size)
            dictionaries = parquet.ParquetFile(
                opened, metadata=metadata, read_dictionary=_texts(metadata), buffer_size=LOOK_BYTES
            )
            _refuse_twins(dictionaries.schema_arrow.names)
            named = part.context.get("event_fields")
            metrics = _metric_columns(dictionaries) if named is None else None
            if metrics is None:
                begins = enumerate(_row_group_starts(dictionaries, part.size))
                groups = [group for group, begin in begins if part.start <= begin < part.end]
                wanted = _event_columns(dictionaries, named)
                kept = _long_dictionaries(dictionaries, groups, wanted)
                yield from _events(parquet.ParquetFile(opened, metadata=metadata, read_dictionary=kept), wanted, groups)
            elif part.start == 0:
                # Series are identified in one place: the first range holds the whole file.
                yield from _metrics(dictionaries, metrics, part.size)
    except (pa.ArrowException, MemoryError, OSError, UnicodeDecodeError, OverflowError) as error:
        raise UnreadableInput(
            say("a Parquet file that is damaged or cut off: {error}", error=str(error)[:250])
        ) from None


def _refuse_many(rows: int, size: int) -> None:
    """Raises LimitExceeded when rows, or values of a column, are more than a file of that size can have."""
    if rows > MOST_EVENTS:
        raise LimitExceeded(say("{rows:,} rows; {bound:,} is the bound", rows=rows, bound=MOST_EVENTS))
    if rows > max(MANY_ROWS, MOST_ROWS_PER_BYTE * size):
        raise LimitExceeded(
            say("{rows:,} rows in {size:,} bytes: taken for a decompression bomb and not read", rows=rows, size=size)
        )


def _refuse_twins(names: Sequence[str]) -> None:
    """Raises UnreadableInput for duplicate column names."""
    twins = next((name for name, count in Counter(names).items() if count > 1), None)
    if twins is not None:
        raise UnreadableInput(say("a Parquet file with several columns named {twins!r}", twins=twins[:100]))


def _texts(metadata: FileMetaData) -> list[str]:
    """Text columns, including those in lists and records."""
    columns = [metadata.schema.column(place) for place in range(min(metadata.num_columns, MOST_COLUMNS))]
    return [each.path for each in columns if each.physical_type == "BYTE_ARRAY"]


def _parts(path: Path) -> Sequence[int]:
    """Offsets at which the row groups begin."""
    from pyarrow import parquet

    with parquet.ParquetFile(path) as file:
        return _row_group_starts(file, path.stat().st_size)


def _row_group_starts(file: ParquetFile, size: int) -> list[int]:
    """The offset of each row group's first page, ascending and within the file; the first is 0.

    A corrupt offset puts a group into the wrong range; its reader then reports the error.
    """
    begins = [0] * file.metadata.num_row_groups
    for number in range(1, len(begins) if file.metadata.num_columns else 0):
        column = file.metadata.row_group(number).column(0)
        begin = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
        begins[number] = min(max(begin or 0, begins[number - 1]), size - 1)
    return begins


def _metric_columns(file: ParquetFile) -> MetricColumns | None:
    """The columns of metric samples; None when the file holds no samples of Flink's metrics."""
    columns = MetricColumns.of(file.schema_arrow.names[:MOST_COLUMNS])
    if columns is None:
        return None
    _stated(file.metadata, _wanted(columns))
    first = next(file.iter_batches(ROWS_LOOKED_AT, columns=_wanted(columns), use_threads=False), None)
    rows = _rows(first) if first is not None else ()
    return columns if any(key is not None for row in rows for key, _ in columns.samples(row)) else None


def _wanted(columns: MetricColumns) -> list[str]:
    return [each for each in (columns.time, columns.value, columns.name, columns.labels, *columns.others) if each]


def _metrics(file: ParquetFile, columns: MetricColumns, size: int) -> Iterator[Rows | Coverage]:
    tally = Tally()
    table = MetricTable(columns, tally)
    wanted = _wanted(columns)
    _refuse_many(sum(each.values for each in _stated(file.metadata, wanted)) // max(len(wanted), 1), size)
    for batch in file.iter_batches(_batch_rows(file.metadata, wanted), columns=wanted, use_threads=False):
        for row in _rows(batch):
            if not table.take(row, 0):
                tally.not_understood += 1
            if table.is_full:
                yield table.rows()
    yield table.rows()
    table.say()
    yield tally.coverage()


def _rows(batch: pa.RecordBatch) -> Iterator[dict[str, Any]]:
    """Rows of a batch, in pieces that the size of their texts allows: decoding a dictionary multiplies its values."""
    step = max(1, MOST_BATCH_BYTES // max(1, sum(map(_heaviest, batch.columns))))
    for begin in range(0, batch.num_rows, step):
        yield from batch.slice(begin, step).to_pylist()


def _heaviest(column: pa.Array) -> int:
    """Upper bound in bytes of one decoded value of the column. Raises LimitExceeded."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        longest = _longest(column)
        if longest > MOST_LABEL_BYTES:
            raise LimitExceeded(
                say("a label of {longest:,} bytes; {bound:,} is the bound", longest=longest, bound=MOST_LABEL_BYTES)
            )
        return longest
    if pa.types.is_map(kind) or pa.types.is_list(kind):
        parts = [column.keys, column.items] if pa.types.is_map(kind) else [column.values]
        ends = column.offsets
        most = pc.max(pc.subtract(ends[1:], ends[:-1])).as_py() or 0
        return int(most) * sum(map(_heaviest, parts))
    return sum(_heaviest(column.field(place)) for place in range(kind.num_fields)) if pa.types.is_struct(kind) else 0


@dataclass(frozen=True, slots=True)
class _Stated:
    """Rows, values and bytes that the file states for the needed columns of a row group."""

    rows: int
    values: int
    bytes: int


def _stated(metadata: FileMetaData, wanted: Sequence[str]) -> list[_Stated]:
    """Stated sizes of each row group. Raises LimitExceeded."""
    columns, stated = set(wanted), []
    for group in map(metadata.row_group, range(metadata.num_row_groups)):
        every = [group.column(place) for place in range(group.num_columns)]
        parts = [each for each in every if each.path_in_schema.partition(".")[0] in columns]
        size = sum(each.total_uncompressed_size for each in parts)
        if size > MOST_GROUP_BYTES:
            raise LimitExceeded(
                say("a row group of {size:,} bytes; {bound:,} is the bound", size=size, bound=MOST_GROUP_BYTES)
            )
        stated.append(_Stated(group.num_rows, sum(each.num_values for each in parts), size))
    return stated


def _batch_rows(metadata: FileMetaData, wanted: Sequence[str]) -> int:
    """Rows per batch: as many as fit for the row group with the largest rows. Raises LimitExceeded."""
    rows = BATCH_EVENTS
    for each in _stated(metadata, wanted):
        held = max(each.bytes / MOST_BATCH_BYTES, each.values / MOST_VALUES)
        rows = min(rows, int(each.rows / held) if held > 0 else rows)
    return max(rows, 1)


def _event_columns(file: ParquetFile, named: NamedFields | None) -> EventFields:
    """The columns that are key, event time and arrival time. Raises UnreadableInput when there are none."""
    metadata = file.metadata
    plain = [metadata.schema.column(place) for place in range(min(metadata.num_columns, MOST_COLUMNS))]
    # A nested column has a path with dots and is neither a key nor a time.
    columns = [column.name for column in plain if column.path == column.name]
    looked_at = fields_looked_at(columns, named)
    _stated(metadata, looked_at)
    looks = file.iter_batches(ROWS_LOOKED_AT, columns=looked_at, use_threads=False)
    first = next(looks, None) if looked_at else None
    unread = dict.fromkeys(columns)
    # One at a time: the values of a row may have megabytes each.
    rows = (first.slice(place, 1).to_pylist()[0] for place in range(first.num_rows)) if first is not None else ()
    found = (event_fields(unread | event, named) for event in rows)
    fields = next((each for each in found if each is not None), None)
    if fields is None:
        raise UnreadableInput(
            say("a Parquet file without a key and a time among its columns: {names}", names=", ".join(columns)[:200])
        )
    return fields


def _named(fields: EventFields) -> list[str]:
    return [name for name in (fields.key, fields.event_time, fields.arrival, fields.partition) if name]


def _long_dictionaries(file: ParquetFile, groups: Sequence[int], fields: EventFields) -> list[str]:
    """Text columns to read as dictionaries, because a dictionary of theirs holds a long text.

    Not all text columns: with a distinct key per event, dictionaries take ten times as long (measured).
    """
    import pyarrow as pa

    wanted = _named(fields)
    _stated(file.metadata, wanted)
    longest = dict.fromkeys(wanted, 0)
    for group in groups:
        first = next(file.iter_batches(1, row_groups=[group], columns=wanted, use_threads=False), None)
        columns = zip(first.schema.names, first.columns, strict=True) if first is not None else ()
        for name, column in columns:
            if pa.types.is_dictionary(column.type):
                longest[name] = max(longest[name], _longest(column))
    return [name for name in wanted if longest[name] > SHORT_TEXT_BYTES]


def _longest(column: pa.DictionaryArray) -> int:
    """Bytes of the longest text in the dictionary, even when no row uses it."""
    import pyarrow.compute as pc

    return int(pc.max(pc.binary_length(column.dictionary)).as_py() or 0)


def _events(file: ParquetFile, fields: EventFields, groups: Sequence[int]) -> Iterator[Rows | Coverage]:
    from diagnostics.notation.event_columns import event_batch

    wanted = _named(fields)
    rows, records = _batch_rows(file.metadata, wanted), 0
    for batch in file.iter_batches(rows, row_groups=groups, columns=wanted, use_threads=False):
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
"""Two rows of user_id, event_time (timestamp of milliseconds) and received_at (microseconds)."""

FORMAT = Format(
    id="event-parquet",
    title=to_say("Events or metrics (Parquet)"),
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
