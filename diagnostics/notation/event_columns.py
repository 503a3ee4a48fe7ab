"""Events by column: the same values as `event_field` gives one by one, for files of millions of events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.notation.event_field import (
    MICROSECONDS_BELOW,
    MILLISECONDS_BELOW,
    MOST_KEY,
    SECONDS_BELOW,
    EventFields,
    epoch_ms,
    key_text,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

NANOSECONDS_BELOW = 1e19


def event_batch(
    columns: pa.RecordBatch | pa.Table, fields: EventFields, lines: pa.Array | None = None
) -> pa.RecordBatch:
    """Rows of the table `event`.

    columns  those that `fields` names; a missing one is unknown for every event
    lines    the line of each event, None in a file without lines
    """
    import pyarrow as pa

    count = columns.num_rows

    def of(name: str | None, values: Callable[[pa.Array], pa.Array], kind: pa.DataType) -> pa.Array:
        if name is None or name not in columns.schema.names:
            return pa.nulls(count, kind)
        column = columns.column(name)
        return values(column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column)

    numbers = pa.nulls(count, pa.int64()) if lines is None else lines
    return pa.RecordBatch.from_pydict(
        {
            "key": of(fields.key, key_texts, pa.string()),
            "event_ms": of(fields.event_time, epochs_ms, pa.int64()),
            "arrival_ms": of(fields.arrival, epochs_ms, pa.int64()),
            "partition": of(fields.partition, key_texts, pa.string()),
            "line": numbers,
            "last_line": numbers,
        }
    )


def key_texts(column: pa.Array) -> pa.Array:
    """Keys or partitions as texts, shortened; null when empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        # Shortened before decoding: a dictionary of one megabyte may expand to gigabytes of keys.
        used = column.indices.dictionary_encode()
        return key_texts(column.dictionary.take(used.dictionary)).take(used.indices)
    if pa.types.is_integer(kind):
        return pc.cast(column, pa.string())
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        texts = pc.cast(column, pa.string())
        lengths = pc.min_max(pc.binary_length(texts)).as_py()
        if (lengths["max"] or 0) > MOST_KEY:
            texts = pc.utf8_slice_codeunits(texts, 0, MOST_KEY)
        return texts if lengths["min"] else pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    return pa.array([key_text(value) for value in column.to_pylist()], pa.string())


def epochs_ms(column: pa.Array) -> pa.Array:
    """Epoch milliseconds of a column of times in any form."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        used = column.indices.dictionary_encode()
        return epochs_ms(column.dictionary.take(used.dictionary)).take(used.indices)
    if pa.types.is_timestamp(kind):
        return _milliseconds_from_unit(column, kind.unit)
    if pa.types.is_date(kind):
        return pc.cast(pc.cast(column, pa.timestamp("ms")), pa.int64())
    if pa.types.is_integer(kind):
        return _milliseconds_from_numbers(pc.cast(column, pa.int64()))
    if pa.types.is_floating(kind):
        return _milliseconds_from_numbers(pc.cast(column, pa.float64()))
    if pa.types.is_string(kind):
        for zone in ("UTC", None):
            try:
                return _milliseconds_from_unit(pc.cast(column, pa.timestamp("us", zone)), "us")
            except pa.ArrowInvalid:
                continue
    return pa.array([epoch_ms(value) for value in column.to_pylist()], pa.int64())


def _milliseconds_from_unit(column: pa.Array, unit: str) -> pa.Array:
    """Timestamps of the given unit, rounded to milliseconds."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers = pc.cast(column, pa.int64())
    if unit == "s":
        return pc.multiply(numbers, 1000)
    if unit == "ms":
        return numbers
    parts = 1_000 if unit == "us" else 1_000_000
    known = numbers.is_valid().to_numpy(zero_copy_only=False)
    values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
    return pa.array(np.floor_divide(values + parts // 2, parts), mask=~known)


def _milliseconds_from_numbers(column: pa.Array) -> pa.Array:
    """Epoch milliseconds of numbers whose magnitude shows their unit."""
    import numpy as np
    import pyarrow as pa

    known = column.is_valid().to_numpy(zero_copy_only=False)
    values = column.fill_null(0).to_numpy(zero_copy_only=False)
    whole = values.dtype.kind == "i"
    size = np.abs(values)
    known = known & np.isfinite(size) & (size < NANOSECONDS_BELOW)
    milliseconds = np.zeros(len(values), np.int64)
    for least, below, divisor in (
        (0, SECONDS_BELOW, None),
        (SECONDS_BELOW, MILLISECONDS_BELOW, 1),
        (MILLISECONDS_BELOW, MICROSECONDS_BELOW, 1_000),
        (MICROSECONDS_BELOW, NANOSECONDS_BELOW, 1_000_000),
    ):
        if not len(size) or size.max() < least or size.min() >= below:
            continue
        chosen = known & (size >= least) & (size < below)
        some = values[chosen]
        if divisor is None:
            some = some * 1000 if whole else np.rint(some * 1000)
        elif divisor == 1:
            some = some if whole else np.rint(some)
        else:
            some = some // divisor
        milliseconds[chosen] = some.astype(np.int64)
    return pa.array(milliseconds, mask=~known)
