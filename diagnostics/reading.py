"""From files to evidence tables: byte ranges read by Spark's Python workers, each table written as Parquet.

A Spark job of one task for each group of ranges runs the formats' readers. Each task writes the rows of each table as
one Parquet file of its own and returns only what it covered, so no row crosses into the JVM before a measurement asks
for it. Measured on 500 MB of logs, two cores: 4.7 s against 6.2 s with rows moved into the JVM and written by Spark;
and a small table is not searched for among the millions of rows of a large one.
"""

from __future__ import annotations

import heapq
import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from diagnostics.clock import FileClock
from diagnostics.document import timestamp
from diagnostics.errors import AnalysisInterrupted, DiagnosticsError
from diagnostics.evidence import TABLES, Evidence
from diagnostics.format import Coverage, Format, Range, Rows
from diagnostics.formats import FORMATS, format_by_id
from diagnostics.intake import InputFile, Intake
from diagnostics.repeated_content import repeated_content
from diagnostics.row_batch import of_calendar, row_batch, valid_text
from diagnostics.snapshot_time import snapshot_times
from diagnostics.spark import expect_rows, on_progress
from diagnostics.spark.client import FEW_ROWS
from diagnostics.spark.far_workers import for_workers

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

RANGE_BYTES = 16 * 1024 * 1024
"""A splittable file is cut into ranges of this size. Measured: 4 to 64 MB are alike; smaller ranges balance better."""

FILE_COST_BYTES = 20_000
"""What opening and recognising a file costs beside its bytes, as bytes read. Measured: about 0.2 ms a file."""

TASKS_PER_CORE = 2
"""So that a slow range does not leave a core idle at the end. Our choice."""

MOST_TASK_BYTES = 64 * 1024 * 1024
"""A task reads no more unless a file cannot be cut: about a second, after which another analysis gets the core."""

FLUSH_ROWS = 50_000
"""Rows of a table that a task holds before it writes them, about 30 MB. Our choice."""

INLINE_BYTES = 256_000
"""Tables up to this size travel with each query. Our choice: some hundred rows."""

MOST_SAMPLES = 5
"""Lines not understood that are shown for a file. Our choice."""

MOST_WARNINGS = 10
"""Warnings shown for a file. Our choice."""

COVERAGE_DDL = (
    "file_id INT, position BIGINT, records BIGINT, not_understood BIGINT, "
    "samples ARRAY<STRUCT<line: BIGINT, text: STRING>>, warnings ARRAY<STRING>, role STRING, flink_version STRING, "
    "first_ts_ms BIGINT, last_ts_ms BIGINT, utc_offset_min INT, table_rows MAP<STRING, BIGINT>"
)

Report = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class PlannedRange:
    """A range, the format that reads it, how many lines of the file come before it, and how its times are moved."""

    part: Range
    format_id: str
    lines_before: int
    clock: FileClock | None = None


def read_evidence(
    intake: Intake,
    spark: SparkSession,
    workspace: Path,
    progress: Report,
    overrides: Mapping[str, str],
    clocks: Mapping[str, FileClock] = MappingProxyType({}),
) -> tuple[Evidence, list[dict[str, Any]]]:
    """Read every recognised file into evidence tables.

    workspace  a folder that the driver and Spark's workers share
    overrides  file name inside the upload -> format id that a user chose; unknown ids raise UnknownFormat
    clocks     file name inside the upload -> how its times are moved
    Gives      the tables, and the contract's `inputs[]`, one for each file of the upload in file id order
    """
    chosen = {each.file_id: _format_of(each, overrides) for each in intake.inputs}
    taken = snapshot_times(intake.inputs)
    repeated = repeated_content(intake.inputs)
    ranges = [
        part
        for each in intake.inputs
        if each.file_id not in repeated
        for part in _ranges(each, chosen[each.file_id], taken.get(each.file_id), clocks.get(each.name))
    ]
    folder = workspace.resolve() / "evidence"
    folder.mkdir(parents=True, exist_ok=True)
    size = sum(each.part.end - each.part.start for each in ranges)
    groups = _groups(ranges, max(TASKS_PER_CORE * (os.cpu_count() or 1), size // MOST_TASK_BYTES))
    covered = _run(spark, groups, folder, progress) if groups else []
    rows: dict[str, int] = {}
    logs = 0
    covered_of: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for each in covered:
        covered_of[each["file_id"]].append(each)
        for table, count in each["table_rows"].items():
            rows[table] = rows.get(table, 0) + count
            read_as = chosen[each["file_id"]]
            logs += count if table == "log_record" and read_as is not None and read_as.is_log else 0
    expect_rows(spark, sum(rows.values()))
    frames = {name: _table(spark, folder, name, rows[name]) for name in sorted(rows) if rows[name]}
    return Evidence(spark, frames, rows, logs), [
        _input(each, chosen[each.file_id], covered_of[each.file_id], repeated.get(each.file_id), clocks.get(each.name))
        for each in intake.inputs
    ]


def _table(spark: SparkSession, folder: Path, name: str, rows: int) -> DataFrame:
    """The rows of a table: in the plan itself where they are few, which saves Spark finding and opening files."""
    inline = _few_rows(folder / name, TABLES[name].arrow_schema())
    if inline is not None:
        return spark.createDataFrame(inline, TABLES[name].spark_schema()).coalesce(1)
    # A path without scheme is one of HDFS on many clusters.
    stored = spark.read.schema(TABLES[name].ddl).parquet(f"file://{folder / name}")
    return stored.coalesce(1) if rows <= FEW_ROWS else stored


def _few_rows(folder: Path, schema: pa.Schema) -> pa.Table | None:
    """All rows of a table, None when they are more than INLINE_BYTES."""
    import pyarrow as pa
    from pyarrow import parquet

    parts = sorted(folder.glob("part-*.parquet"))
    if sum(part.stat().st_size for part in parts) > INLINE_BYTES:
        return None
    rows = pa.concat_tables([parquet.read_table(part, schema=schema) for part in parts])
    return rows if rows.nbytes <= INLINE_BYTES else None


def _format_of(file: InputFile, overrides: Mapping[str, str]) -> Format | None:
    if file.path is None:
        return None
    format_id = overrides.get(file.name, file.format_id)
    chosen = format_by_id(format_id) if format_id else None
    recognised = FORMATS.get(file.format_id or "")
    # Bytes that are no text have no lines, and may be one endless one to a reader of lines.
    return recognised if recognised is not None and recognised.binary else chosen


def _ranges(
    file: InputFile, chosen: Format | None, taken_ms: int | None, clock: FileClock | None
) -> Iterator[PlannedRange]:
    """The ranges of a file: one, or several cut at line starts, with the lines before each counted."""
    if chosen is None or file.path is None:
        return
    size = file.path.stat().st_size
    context = {"snapshot_ms": taken_ms} if taken_ms is not None else {}
    cuts = _cuts(file.path, size) if chosen.splittable else [0]
    lines = _lines_between(file.path, cuts)
    for start, end, lines_before in zip(cuts, [*cuts[1:], size], lines, strict=True):
        part = Range(file.file_id, file.name, str(file.path.resolve()), start, end, size, context)
        yield PlannedRange(part, chosen.id, lines_before, clock)


def _cuts(path: Path, size: int) -> list[int]:
    """Offsets of line starts about RANGE_BYTES apart, the first 0."""
    cuts = [0]
    with path.open("rb") as opened:
        while size - cuts[-1] > RANGE_BYTES * 3 // 2:
            opened.seek(cuts[-1] + RANGE_BYTES)
            opened.readline()
            if opened.tell() >= size:
                break
            cuts.append(opened.tell())
    return cuts


def _lines_between(path: Path, cuts: Sequence[int]) -> list[int]:
    """For each cut the number of lines before it."""
    lines = [0]
    with path.open("rb") as opened:
        for start, end in pairwise(cuts):
            opened.seek(start)
            lines.append(lines[-1] + opened.read(end - start).count(b"\n"))
    return lines


def _groups(ranges: Sequence[PlannedRange], most: int) -> list[list[PlannedRange]]:
    """The ranges in at most so many groups of about equal cost, largest first into the emptiest group."""
    heap = [(0, number) for number in range(min(most, len(ranges)))]
    groups: list[list[PlannedRange]] = [[] for _ in heap]
    for planned in sorted(ranges, key=lambda each: (each.part.start - each.part.end, each.part.file_id)):
        cost, number = heapq.heappop(heap)
        groups[number].append(planned)
        heapq.heappush(heap, (cost + planned.part.end - planned.part.start + FILE_COST_BYTES, number))
    return [sorted(group, key=lambda each: (each.part.file_id, each.part.start)) for group in groups]


def _run(spark: SparkSession, groups: list[list[PlannedRange]], folder: Path, progress: Report) -> list[dict[str, Any]]:
    """The Spark job: one task for each group. Gives the coverage of every range, in file and range order."""

    def read_group(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield _read_group(groups[number], folder, number)

    stop = on_progress(spark, lambda done, total: progress(done / total, f"{done} of {total} Spark tasks"))
    try:
        numbers = spark.range(0, len(groups), 1, len(groups))
        work = for_workers(spark, folder, read_group)
        covered = numbers.mapInArrow(work, COVERAGE_DDL).toArrow().to_pylist()
    finally:
        stop()
    for each in covered:
        each["table_rows"] = dict(each["table_rows"] or {})
    return sorted(covered, key=lambda each: (each["file_id"], each["position"]))


def _read_group(group: Sequence[PlannedRange], folder: Path, number: int) -> pa.RecordBatch:
    """In a Spark worker: read each range, write each table, and give the coverage.

    Spark ends a cancelled task's own side at once, but not a Python worker in the middle of its work: it would read on
    to the end of its group. The run's folder is removed when the run ends, so a worker looks for it before each range.
    Raises  AnalysisInterrupted when it is gone.
    """
    import pyarrow as pa

    writer = _TableWriter(folder, number)
    covered = []
    try:
        for planned in group:
            if not folder.exists():
                raise AnalysisInterrupted("the run that this belongs to has ended")
            covered.append(_read_range(planned, writer))
    finally:
        writer.close()
    return pa.RecordBatch.from_pylist(covered, schema=_coverage_schema())


def _coverage_schema() -> pa.Schema:
    import pyarrow as pa

    sample = pa.struct([("line", pa.int64()), ("text", pa.string())])
    return pa.schema(
        [
            ("file_id", pa.int32()),
            ("position", pa.int64()),
            ("records", pa.int64()),
            ("not_understood", pa.int64()),
            ("samples", pa.list_(sample)),
            ("warnings", pa.list_(pa.string())),
            ("role", pa.string()),
            ("flink_version", pa.string()),
            ("first_ts_ms", pa.int64()),
            ("last_ts_ms", pa.int64()),
            ("utc_offset_min", pa.int32()),
            ("table_rows", pa.map_(pa.string(), pa.int64())),
        ]
    )


def _read_range(planned: PlannedRange, writer: _TableWriter) -> dict[str, Any]:
    """Read one range; a reader that fails becomes a warning of its file, what it had read before stands."""
    part, total = planned.part, Coverage()
    rows: dict[str, int] = {}
    beyond = writer.beyond
    try:
        for given in FORMATS[planned.format_id].read(part):
            if isinstance(given, Coverage):
                total = _added(total, given)
            else:
                count = writer.add(given, part.file_id, planned.lines_before, planned.clock)
                rows[given.table] = rows.get(given.table, 0) + count
    except DiagnosticsError as error:
        total = replace(total, warnings=(*total.warnings, str(error)))
    except Exception as error:
        reason = f"reading it as {planned.format_id} failed: {type(error).__name__}: {error}"
        total = replace(total, warnings=(*total.warnings, reason[:500]))
    if writer.beyond > beyond:
        lost = f"{writer.beyond - beyond:,} numbers or times are beyond what can be one: they count as unknown"
        total = replace(total, warnings=(*total.warnings, lost))
    return {
        **asdict(total),
        "file_id": part.file_id,
        "position": part.start,
        "samples": [
            {"line": line + planned.lines_before, "text": valid_text(text[:200])} for line, text in total.samples
        ],
        "warnings": [valid_text(each) for each in total.warnings],
        "first_ts_ms": of_calendar(total.first_ts_ms),
        "last_ts_ms": of_calendar(total.last_ts_ms),
        "table_rows": list(rows.items()),
    }


def _added(one: Coverage, other: Coverage) -> Coverage:
    """What two parts cover together."""
    firsts = [each.first_ts_ms for each in (one, other) if each.first_ts_ms is not None]
    lasts = [each.last_ts_ms for each in (one, other) if each.last_ts_ms is not None]
    return Coverage(
        records=one.records + other.records,
        not_understood=one.not_understood + other.not_understood,
        samples=(*one.samples, *other.samples)[:MOST_SAMPLES],
        warnings=tuple(dict.fromkeys((*one.warnings, *other.warnings)))[:MOST_WARNINGS],
        role=one.role or other.role,
        flink_version=one.flink_version or other.flink_version,
        first_ts_ms=min(firsts, default=None),
        last_ts_ms=max(lasts, default=None),
        utc_offset_min=other.utc_offset_min if one.utc_offset_min is None else one.utc_offset_min,
    )


class _TableWriter:
    """Writes the rows of one task, one Parquet file for each table.

    The name is the task's number: a task that Spark runs again writes the same file, and it appears only when complete.
    `beyond` counts the values that no column could hold.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._number = number
        self._waiting: dict[str, list[pa.RecordBatch]] = {}
        self._waiting_rows: dict[str, int] = {}
        self._files: dict[str, Any] = {}
        self.beyond = 0

    def add(self, given: Rows, file_id: int, lines_before: int, clock: FileClock | None) -> int:
        """Take rows with line numbers of their range; gives how many there were."""
        batch, beyond = row_batch(given, file_id, lines_before, clock)
        self.beyond += beyond
        if batch.num_rows:
            self._waiting.setdefault(given.table, []).append(batch)
            self._waiting_rows[given.table] = self._waiting_rows.get(given.table, 0) + batch.num_rows
            if self._waiting_rows[given.table] >= FLUSH_ROWS:
                self._flush(given.table)
        return int(batch.num_rows)

    def close(self) -> None:
        """Write what waits and let the files appear."""
        for table in list(self._waiting):
            self._flush(table)
        for table, writer in self._files.items():
            writer.close()
            hidden = self._hidden(table)
            hidden.rename(hidden.with_name(f"part-{self._number:05}.parquet"))

    def _hidden(self, table: str) -> Path:
        return self._folder / table / f".part-{self._number:05}.{os.getpid()}"

    def _flush(self, table: str) -> None:
        import pyarrow as pa
        from pyarrow import parquet

        schema = TABLES[table].arrow_schema()
        if table not in self._files:
            (self._folder / table).mkdir(exist_ok=True)
            self._files[table] = parquet.ParquetWriter(self._hidden(table), schema, compression="snappy")
        self._files[table].write_table(pa.Table.from_batches(self._waiting.pop(table), schema))
        self._waiting_rows[table] = 0


def _input(
    file: InputFile,
    chosen: Format | None,
    covered: Sequence[Mapping[str, Any]],
    same_as: str | None,
    clock: FileClock | None,
) -> dict[str, Any]:
    """The contract's `inputs[]` entry of a file, of whose ranges `covered` tells."""
    total = Coverage()
    for each in covered:
        part = {name: each[name] for name in Coverage.__slots__}
        part["samples"] = tuple((sample["line"], sample["text"]) for sample in each["samples"])
        total = _added(total, Coverage(**part | {"warnings": tuple(each["warnings"])}))
    warnings = [*([file.error] if file.error else []), *file.warnings, *total.warnings]
    if chosen is not None and same_as:
        warnings.append(f"the same content as {same_as}: read once")
    if chosen is None and not file.error:
        warnings.append("not recognised as evidence: kept as an attachment")
    entry: dict[str, Any] = {
        "file": file.name,
        "format": chosen.id if chosen else None,
        "role": total.role,
        "bytes": file.bytes,
        "records": total.records,
        "first_ts": timestamp(clock.moved_ms(total.first_ts_ms) if clock else total.first_ts_ms),
        "last_ts": timestamp(clock.moved_ms(total.last_ts_ms) if clock else total.last_ts_ms),
        "flink_version": total.flink_version,
        "warnings": warnings[:MOST_WARNINGS],
    }
    if total.utc_offset_min is not None:
        entry["utc_offset_min"] = total.utc_offset_min
    if clock is not None and chosen is not None:
        entry["clock"] = clock.as_json()
    if total.not_understood:
        entry["not_understood"] = total.not_understood
        entry["samples"] = [{"line": line, "text": text} for line, text in total.samples]
    return entry
