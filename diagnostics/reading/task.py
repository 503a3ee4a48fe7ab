"""What a Python worker of Spark does with its group of ranges: read them, reduce their rows, report what it covered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from diagnostics.errors import AnalysisInterrupted, DiagnosticsError, LimitExceeded, SparkUnavailable
from diagnostics.evidence.rows import Coverage
from diagnostics.formats import FORMATS
from diagnostics.log_scan.selection import CONTEXT
from diagnostics.notation.file_range import Range
from diagnostics.reading.log_selection import LOG_SELECTION
from diagnostics.reading.memory import bounded_memory
from diagnostics.reading.ranges import LONGEST_RANGE_BYTES, PlannedRange
from diagnostics.reading.reduction import Reduction
from diagnostics.reading.row_batch import of_calendar, row_batch, valid_text
from diagnostics.reading.transport import pack_table
from diagnostics.storage.shared_folder import SharedFolder

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SAMPLES = 5
"""Lines not understood that are shown for a file. Our choice."""

MOST_WARNINGS = 10
"""Warnings shown for a file. Our choice."""

COVERAGE = ""
"""The name under which a task sends what it covered; the states go by the names of their aggregators."""


def read_group(group: Sequence[PlannedRange], run: SharedFolder, number: int) -> Iterator[pa.RecordBatch]:
    """In a Spark worker: read each range and reduce its rows; gives the coverage and the states, packed.

    Spark ends a cancelled task's own side at once, but not a Python worker in the middle of its work: it would read on
    to the end of its group. The run's folder is removed when the run ends, so a worker looks for it before each range.
    Raises  AnalysisInterrupted when it is gone, SparkUnavailable when the storage fails.
    """
    import pyarrow as pa

    covered, reduction = [], Reduction()
    for planned in group:
        _stop_when_ended(run)
        with bounded_memory():
            covered.append(_read_range(planned, reduction))
    _stop_when_ended(run)
    yield from pack_table(number, COVERAGE, pa.Table.from_pylist(covered, schema=_coverage_schema()))
    for name, state in reduction.states().items():
        yield from pack_table(number, name, state)


def _stop_when_ended(run: SharedFolder) -> None:
    if not run.exists():
        raise AnalysisInterrupted("the run that this belongs to has ended")


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
            ("earlier", pa.int64()),
            ("earlier_ms", pa.int64()),
            ("earlier_line", pa.int64()),
            ("table_rows", pa.map_(pa.string(), pa.int64())),
        ]
    )


def _read_range(planned: PlannedRange, reduction: Reduction) -> dict[str, Any]:
    """Read one range; a reader that fails becomes a warning of its file, what it had read before stands."""
    part, total = planned.part, Coverage()
    rows: dict[str, int] = {}
    beyond = 0
    try:
        if FORMATS[planned.format_id].splittable and part.end - part.start > LONGEST_RANGE_BYTES:
            raise LimitExceeded(f"a line of over {LONGEST_RANGE_BYTES // 2**20 // 2} MiB is not read")
        for given in FORMATS[planned.format_id].read(_with_selection(planned)):
            if isinstance(given, Coverage):
                total = added(total, given)
            else:
                batch, lost = row_batch(given, part.file_id, planned.lines_before, planned.clock)
                reduction.add(given.table, batch)
                beyond += lost
                table, count = _rows_read(given.table, batch)
                rows[table] = rows.get(table, 0) + count
    except SparkUnavailable:
        # The storage failed, not the file: Spark tries the task again.
        raise
    except DiagnosticsError as error:
        total = replace(total, warnings=(*total.warnings, str(error)))
    except Exception as error:
        reason = f"reading it as {planned.format_id} failed: {type(error).__name__}: {error}"
        total = replace(total, warnings=(*total.warnings, reason[:500]))
    if beyond:
        unknown = f"{beyond:,} numbers or times are beyond what can be one: they count as unknown"
        total = replace(total, warnings=(*total.warnings, unknown))
    return {
        **asdict(total),
        "file_id": part.file_id,
        "position": part.start,
        "samples": [
            {"line": line + planned.lines_before, "text": valid_text(text[:200])} for line, text in total.samples
        ],
        "earlier_line": None if total.earlier_line is None else total.earlier_line + planned.lines_before,
        "warnings": [valid_text(each) for each in total.warnings],
        "first_ts_ms": of_calendar(total.first_ts_ms),
        "last_ts_ms": of_calendar(total.last_ts_ms),
        "table_rows": list(rows.items()),
    }


def _with_selection(planned: PlannedRange) -> Range:
    """The range for a reader that leaves out log records which nobody asks for.

    Where a user moved a file's times all are read: what is counted by second would have to be counted again.
    """
    if planned.clock is not None:
        return planned.part
    return replace(planned.part, context={**planned.part.context, CONTEXT: LOG_SELECTION})


def _rows_read(table: str, rows: pa.RecordBatch) -> tuple[str, int]:
    """The table that rows belong to and their number; log records that are only counted are records all the same."""
    import pyarrow.compute as pc

    return ("log_record", pc.sum(rows["records"]).as_py() or 0) if table == "log_count" else (table, rows.num_rows)


def added(one: Coverage, other: Coverage) -> Coverage:
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
        earlier=one.earlier + other.earlier,
        earlier_ms=max(one.earlier_ms, other.earlier_ms),
        earlier_line=other.earlier_line if one.earlier_line is None else one.earlier_line,
    )
