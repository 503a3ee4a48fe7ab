"""Converts a format's rows to a batch of their table: columns and types, lines of the whole file, times of the case.

Values that a column cannot hold (a counter above 2^63, a time outside the calendar, a non-finite number, half of a
surrogate pair) become unknown and are counted.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.evidence.rows import Rows
from diagnostics.evidence.table import MOMENTS
from diagnostics.evidence.tables import TABLES
from diagnostics.reading.clock import FileClock

if TYPE_CHECKING:
    import pyarrow as pa

FIRST_MOMENT_MS = round(dt.datetime.min.replace(tzinfo=dt.UTC).timestamp() * 1000)
LAST_MOMENT_MS = round(dt.datetime(9999, 12, 31, 23, 59, 59, tzinfo=dt.UTC).timestamp() * 1000)
"""Last moment of the calendar, years 1 to 9999, in epoch ms."""

LARGEST = 1e30
"""Larger numbers are no measurements (2^63 is 1e19); the sums and squares of measurements below it stay finite. Our
choice.
"""


def row_batch(rows: Rows, file_id: int, lines_before: int, clock: FileClock | None) -> tuple[pa.RecordBatch, int]:
    """The rows as a batch in the table's schema, and the number of values that became unknown.

    Raises TypeError naming a column that the table does not have.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    schema = TABLES[rows.table].arrow_schema()
    names = rows.batch.schema.names if rows.batch is not None else list(dict.fromkeys(_names(rows)))
    unknown = set(names) - set(schema.names)
    if unknown:
        raise TypeError(f"table {rows.table} has no column {', '.join(sorted(unknown))}")
    batch, beyond = (rows.batch, 0) if rows.batch is not None else _from_rows(rows, names, schema)
    columns = []
    for field in schema:
        if field.name == "file_id":
            columns.append(pa.repeat(pa.scalar(file_id, pa.int32()), batch.num_rows))
            continue
        if field.name not in names:
            columns.append(pa.nulls(batch.num_rows, field.type))
            continue
        column = batch.column(field.name).cast(field.type)
        known = column.null_count
        if field.name in MOMENTS:
            column = _moments(column if clock is None else clock.moved(_moments(column)))
        elif pa.types.is_floating(field.type):
            column = pc.if_else(pc.less_equal(pc.abs(column), LARGEST), column, pa.scalar(None, field.type))
        elif lines_before and field.name in ("line", "last_line"):
            column = pc.add(column, lines_before)
        beyond += column.null_count - known
        columns.append(column)
    return pa.RecordBatch.from_arrays(columns, schema=schema), beyond


def valid_text(text: str) -> str:
    """The text without invalid surrogates, which become question marks."""
    return text.encode("utf-8", "replace").decode("utf-8")


def calendar_moment(ts_ms: int | None) -> int | None:
    """The moment, if it is within the calendar."""
    return ts_ms if ts_ms is not None and FIRST_MOMENT_MS <= ts_ms <= LAST_MOMENT_MS else None


def _names(given: Rows) -> list[str]:
    return [name for row in given.rows for name in row]


def _from_rows(given: Rows, names: Sequence[str], schema: pa.Schema) -> tuple[pa.RecordBatch, int]:
    import pyarrow as pa

    arrays, beyond = [], 0
    for name in names:
        kind, values = schema.field(name).type, [row.get(name) for row in given.rows]
        try:
            arrays.append(pa.array(values, kind))
        except (pa.ArrowInvalid, OverflowError, UnicodeEncodeError):
            fitting = [_fitting(value, kind) for value in values]
            arrays.append(pa.array(fitting, kind))
            beyond += sum(one is None and value is not None for one, value in zip(fitting, values, strict=True))
    return pa.RecordBatch.from_arrays(arrays, names=names), beyond


def _fitting(value: Any, kind: pa.DataType) -> Any:
    """The value if a column of this type can hold it; None for a number that is too large."""
    import pyarrow as pa

    if isinstance(value, str):
        return valid_text(value)
    if isinstance(value, list | tuple):
        return [_fitting(each, kind.value_type) for each in value] if pa.types.is_list(kind) else value
    if isinstance(value, int) and not isinstance(value, bool):
        largest = 2 ** (kind.bit_width - 1) if pa.types.is_integer(kind) else 2**1023
        return value if -largest <= value < largest else None
    return value


def _moments(times: pa.Array) -> pa.Array:
    """The times within the calendar."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = pc.min_max(times).as_py()
    if ends["min"] is None or (ends["min"] >= FIRST_MOMENT_MS and ends["max"] <= LAST_MOMENT_MS):
        return times
    held = pc.and_(pc.greater_equal(times, FIRST_MOMENT_MS), pc.less_equal(times, LAST_MOMENT_MS))
    return pc.if_else(held, times, pa.scalar(None, times.type))
