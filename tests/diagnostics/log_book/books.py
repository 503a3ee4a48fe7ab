"""Log books of hand-made logs, written as an analysis writes them, without Spark."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from diagnostics.evidence.rows import Rows
from diagnostics.evidence.tables import TABLES
from diagnostics.formats.flink_log import FORMAT
from diagnostics.log_book.finding import find
from diagnostics.log_book.reading import LogBook
from diagnostics.log_book.search import parse_search
from diagnostics.log_book.writing import write_log_book
from diagnostics.notation.file_range import Range
from diagnostics.storage.shared_folder import SharedFolder

COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"
TASK = "org.apache.flink.runtime.taskmanager.Task"

JOB, EXECUTION = "a" * 32, "b" * 32

FAILED = f"Enrich (1/4)#0 ({EXECUTION}) switched from RUNNING to FAILED with failure cause:"

JOBMANAGER = f"""\
2026-11-21 01:00:00,000 INFO  {COORDINATOR} [] - Triggering checkpoint 7 @ 1795222800000 for job {JOB}.
2026-11-21 01:00:05,000 WARN  {COORDINATOR} [] - Checkpoint 7 of job {JOB} expired before completing.
2026-11-21 01:00:06,000 INFO  {COORDINATOR} [] - Triggering checkpoint 8 @ 1795222806000 for job {JOB}.
"""
TASKMANAGER = f"""\
2026-11-21 01:00:01,000 INFO  {TASK} [] - Enrich (1/4)#0 ({EXECUTION}) switched from INITIALIZING to RUNNING.
2026-11-21 01:00:02,500 ERROR {TASK} [] - {FAILED}
java.lang.RuntimeException: cannot enrich
\tat com.acme.Enrich.map(Enrich.java:17) ~[job.jar:?]
\tat org.apache.flink.streaming.api.operators.StreamMap.processElement(StreamMap.java:38)
Caused by: java.net.SocketTimeoutException: Read timed out
\tat java.base/java.net.SocketInputStream.read(SocketInputStream.java:168)
\t... 2 more
2026-11-21 01:00:04,000 INFO  {TASK} [] - Ensuring all FileSystem streams are closed for checkpoint 7
2026-11-21 01:00:03,000 INFO  {TASK} [] - Freeing task resources, 40 buffers
2026-11-21 01:00:03,001 INFO  {TASK} [] - Freeing task resources, 41 buffers
"""
LOGS = {
    "logs/flink-root-standalonesession-0-boss.log": JOBMANAGER,
    "logs/flink-root-taskexecutor-1-worker.log": TASKMANAGER,
}


def log_book(folder: Path, logs: Mapping[str, str] = LOGS) -> LogBook:
    """The log book of these files."""
    evidence_of(folder / "evidence", logs)
    inputs = [{"file": name, "role": None} for name in logs]
    assert write_log_book(SharedFolder.at(folder / "evidence" / "log_record"), folder / "book", inputs)
    return LogBook(folder / "book")


def evidence_of(folder: Path, logs: Mapping[str, str] = LOGS) -> None:
    """The evidence table `log_record` of these files, as Spark's workers write it."""
    schema = TABLES["log_record"].arrow_schema()
    (folder / "log_record").mkdir(parents=True)
    for file_id, (name, text) in enumerate(logs.items()):
        path = folder / f"{file_id}.log"
        path.write_text(text)
        size = path.stat().st_size
        read = [
            each.batch for each in FORMAT.read(Range(file_id, name, str(path), 0, size, size)) if isinstance(each, Rows)
        ]
        columns = {field.name: read[0][field.name] if field.name in read[0].schema.names else None for field in schema}
        columns["file_id"] = pa.repeat(pa.scalar(file_id, pa.int32()), read[0].num_rows)
        filled = [pa.nulls(read[0].num_rows) if column is None else column for column in columns.values()]
        table = pa.table(filled, names=list(columns)).cast(schema)
        parquet.write_table(table, folder / "log_record" / f"part-{file_id:05}.parquet")


def messages(book: LogBook, search: str = "", span: tuple[int, int] | None = None) -> list[str]:
    """The messages that a search finds, each its first three words."""
    view = find(book, parse_search(search), span)
    rows = book.rows(view.slice(0, view.total), ["message"])
    return [" ".join(row["message"].split()[:3]) for row in rows]
