"""Columns of a log record in the Parquet file, and the numbers of its levels."""

from __future__ import annotations

import pyarrow as pa

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")
"""A level's number is its index here, so that "at least WARN" is one comparison; null for none."""

SCHEMA = pa.schema(
    [
        # epoch ms of the record, or of the next one in its file when it has no time, null when the file has none
        ("order_ms", pa.int64()),
        ("ts_ms", pa.int64()),
        # whether its time is before that of the previous record in its file
        ("goes_back", pa.bool_()),
        ("level", pa.int8()),
        ("logger", pa.string()),
        ("thread", pa.string()),
        ("message", pa.string()),
        ("continuation", pa.string()),
        # index in the list of patterns
        ("pattern", pa.int32()),
        ("event", pa.string()),
        ("job_id", pa.string()),
        ("task", pa.string()),
        ("subtask", pa.int32()),
        ("attempt", pa.int32()),
        ("checkpoint_id", pa.int64()),
        ("task_manager", pa.string()),
        ("exception_class", pa.string()),
        ("root_cause_class", pa.string()),
        ("root_cause_message", pa.string()),
        ("causes", pa.string()),
        ("file_id", pa.int32()),
        ("line", pa.int64()),
        ("last_line", pa.int64()),
    ]
)

REPEATING = ("logger", "thread", "event", "job_id", "task", "task_manager", "exception_class", "root_cause_class")
"""Columns with few distinct values, stored as dictionaries."""

RECORDS = "records.parquet"
CONTENTS = "contents.json"
