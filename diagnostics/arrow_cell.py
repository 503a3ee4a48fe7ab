"""Rows of Arrow in one cell of Spark's, which takes them from a worker to this process as they are.

As rows of its own the JVM would make objects of each value, twice: that is most of what a query of few rows costs.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql.types import StructType


def cell_schema() -> StructType:
    """The type of what `cell_of` gives, such that Spark need not be asked what it is."""
    from pyspark.sql.types import BinaryType, StructField, StructType

    return StructType([StructField("cell", BinaryType())])


def cell_of(rows: pa.RecordBatch) -> pa.RecordBatch:
    """The rows as one row of `cell_schema`."""
    import pyarrow as pa

    for place, field in enumerate(rows.schema):
        if pa.types.is_dictionary(field.type):
            own = rows.column(place).cast(field.type.value_type).dictionary_encode()
            rows = rows.set_column(place, field.with_type(own.type), own)
    stream = io.BytesIO()
    with pa.ipc.new_stream(stream, rows.schema) as writer:
        writer.write_batch(rows)
    return pa.RecordBatch.from_pydict({"cell": pa.array([stream.getvalue()], pa.binary())})


def rows_in(cell: bytes) -> pa.Table:
    """The rows that `cell_of` was given, in one piece; texts are no dictionaries."""
    import pyarrow as pa

    rows = pa.ipc.open_stream(cell).read_all()
    plain = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field for field in rows.schema
    ]
    return rows.cast(pa.schema(plain))
