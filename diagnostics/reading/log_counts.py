"""Log records counted by file, second, level and process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.evidence.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa


def count_records(records: pa.Table) -> pa.Table:
    """Rows of `log_count` for rows of `log_record`, with the first and the last line of the records counted."""
    import pyarrow.compute as pc

    schema = TABLES["log_count"].arrow_schema()
    timed = records.select(["ts_ms", "level", "process", "file_id", "line", "last_line", "pointer"])
    timed = timed.append_column("second", pc.divide(timed["ts_ms"], 1000))
    counted = timed.group_by(["file_id", "second", "level", "process"], use_threads=False).aggregate(
        [
            ([], "count_all"),
            ("ts_ms", "min"),
            ("ts_ms", "max"),
            ("line", "min"),
            ("last_line", "max"),
            ("pointer", "min"),
        ]
    )
    names = {
        "count_all": "records",
        "ts_ms_min": "first_ms",
        "ts_ms_max": "last_ms",
        "line_min": "line",
        "last_line_max": "last_line",
        "pointer_min": "pointer",
    }
    named = counted.rename_columns([names.get(name, name) for name in counted.column_names])
    return named.select(schema.names).cast(schema)
