"""The task of a Python worker: read a group of ranges, reduce their rows, report the coverage."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from diagnostics.errors import AnalysisInterrupted, DiagnosticsError, LimitExceeded, SparkUnavailable
from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats import FORMATS
from diagnostics.language import say
from diagnostics.log_scan.selection import CONTEXT
from diagnostics.notation.file_range import Range
from diagnostics.reading.log_selection import log_selection
from diagnostics.reading.memory import bounded_memory
from diagnostics.reading.ranges import LONGEST_RANGE_BYTES, RANGE_BYTES, PlannedRange
from diagnostics.reading.reduction import Reduction
from diagnostics.reading.row_batch import calendar_moment, row_batch, valid_text
from diagnostics.reading.transport import pack_table
from diagnostics.storage.shared_folder import SharedFolder

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SAMPLES = 5
"""Lines not understood that are shown per file. Our choice."""

MOST_WARNINGS = 10
"""Warnings shown per file. Our choice."""

SMALL_FILE_BYTES = RANGE_BYTES // 4
TOGETHER_BYTES = RANGE_BYTES
"""Whole files up to the first size are read together up to the second. Our choice: reading a log costs about 15 ms
besides its bytes, as much as 1 MiB of it; larger stretches of text than a range take more memory.
"""

BEHIND = 5
"""Niceness of a task of a large case. Our choice: of a core that a small case wants, the large one gets a quarter, so
that it is at most four times slower beside any number of them. Source of the share: sched(7).
"""

COVERAGE = ""
"""Name under which a task sends its coverage; states are sent under the names of their aggregators."""


def read_group(group: Sequence[PlannedRange], run: SharedFolder, number: int) -> Iterator[pa.RecordBatch]:
    """Read each range and reduce its rows; gives the coverage and the states, packed. Runs in a Spark worker.

    Spark ends a cancelled task at once, but not its Python worker, which would read to the end of its group. The run's
    folder is removed at the end of the run, so a worker checks for it before each range.
    Raises  AnalysisInterrupted when it is gone, SparkUnavailable when the storage fails.
    """
    import pyarrow as pa

    covered: list[dict[str, Any]] = []
    reduction = Reduction()
    for ranges in _batches_of_files(group):
        _stop_when_ended(run)
        with bounded_memory():
            covered += _read_ranges(ranges, reduction)
    _stop_when_ended(run)
    yield from pack_table(number, COVERAGE, pa.Table.from_pylist(covered, schema=_coverage_schema()))
    for name, state in reduction.states().items():
        if state.num_rows:
            yield from pack_table(number, name, state)


def read_group_behind(group: Sequence[PlannedRange], run: SharedFolder, number: int) -> Iterator[pa.RecordBatch]:
    """As `read_group`, at a lower priority than tasks of other analyses.

    In a thread of its own: Linux keeps niceness by thread, and an unprivileged process cannot lower its own again for
    its next task. Source: setpriority(2), "C library/kernel differences".
    """
    with ThreadPoolExecutor(1, initializer=os.nice, initargs=(BEHIND,)) as thread:
        yield from thread.submit(lambda: list(read_group(group, run, number))).result()


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
            ("counted", pa.map_(pa.string(), pa.int64())),
            ("role", pa.string()),
            ("flink_version", pa.string()),
            ("first_ts_ms", pa.int64()),
            ("last_ts_ms", pa.int64()),
            ("utc_offset_min", pa.int32()),
            ("earlier", pa.int64()),
            ("earlier_ms", pa.int64()),
            ("earlier_line", pa.int64()),
            ("left_out", pa.int64()),
            ("later", pa.int64()),
            ("table_rows", pa.map_(pa.string(), pa.int64())),
        ]
    )


def _batches_of_files(group: Sequence[PlannedRange]) -> Iterator[list[PlannedRange]]:
    """The ranges in batches: small whole files of a format with `read_several` up to TOGETHER_BYTES."""
    waiting: dict[str, list[PlannedRange]] = defaultdict(list)
    for planned in group:
        size = planned.part.end - planned.part.start
        is_small = planned.part.whole and size <= SMALL_FILE_BYTES and planned.clock is None
        if FORMATS[planned.format_id].read_several is None or not is_small:
            yield [planned]
            continue
        if sum(each.part.size for each in waiting[planned.format_id]) + size > TOGETHER_BYTES:
            yield waiting.pop(planned.format_id)
        waiting[planned.format_id].append(planned)
    yield from waiting.values()


def _read_ranges(ranges: Sequence[PlannedRange], reduction: Reduction) -> list[dict[str, Any]]:
    """Read some ranges together; when that fails, one by one, so that each file reports its own failure."""
    one = FORMATS[ranges[0].format_id]
    if len(ranges) > 1 and one.read_several is not None:
        try:
            several = list(one.read_several([_with_selection(planned) for planned in ranges]))
        except SparkUnavailable:
            raise
        except Exception:
            return [_read_range(planned, reduction) for planned in ranges]
        of_each: list[list[Rows | Coverage]] = [[] for _ in ranges]
        for place, given in several:
            of_each[place].append(given)
        return [_take(planned, given, reduction) for planned, given in zip(ranges, of_each, strict=True)]
    return [_read_range(planned, reduction) for planned in ranges]


def _read_range(planned: PlannedRange, reduction: Reduction) -> dict[str, Any]:
    return _take(planned, _rows_in(planned), reduction)


def _rows_in(planned: PlannedRange) -> Iterator[Rows | Coverage]:
    part, read_as = planned.part, FORMATS[planned.format_id]
    if read_as.splittable and part.end - part.start > LONGEST_RANGE_BYTES:
        raise LimitExceeded(
            say("a line of over {longest_range} MiB is not read", longest_range=LONGEST_RANGE_BYTES // 2**20 // 2)
        )
    yield from read_as.read(_with_selection(planned))


def _take(planned: PlannedRange, parts: Iterable[Rows | Coverage], reduction: Reduction) -> dict[str, Any]:
    """Reduce the rows of a range; a failing reader becomes a warning of its file, and rows read before are kept."""
    part, total = planned.part, Coverage()
    rows: dict[str, int] = {}
    beyond = left_out = later = 0
    try:
        for read_part in parts:
            if isinstance(read_part, Coverage):
                total = added(total, read_part)
            else:
                batch, lost = row_batch(read_part, part.file_id, planned.lines_before, planned.clock)
                beyond += lost
                if planned.cut is not None:
                    whole = _rows_read(read_part.table, batch)[1]
                    batch = planned.cut.later(read_part.table, batch)
                    left_out += whole - _rows_read(read_part.table, batch)[1]
                    later += planned.cut.count_timed(read_part.table, batch)
                if planned.cluster is not None:
                    batch = planned.cluster.own_rows(batch)
                reduction.add(read_part.table, batch)
                table, count = _rows_read(read_part.table, batch)
                rows[table] = rows.get(table, 0) + count
    except SparkUnavailable:
        # The storage failed, not the file: Spark retries the task.
        raise
    except DiagnosticsError as error:
        total = replace(total, warnings=(*total.warnings, str(error)))
    except Exception as error:
        reason = say(
            "reading it as {format_id} failed: {name}: {error}",
            format_id=planned.format_id,
            name=type(error).__name__,
            error=error,
        )
        total = replace(total, warnings=(*total.warnings, reason[:500]))
    if beyond:
        unknown = say("{beyond:,} numbers or times are beyond what can be one: they count as unknown", beyond=beyond)
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
        "first_ts_ms": calendar_moment(total.first_ts_ms),
        "last_ts_ms": calendar_moment(total.last_ts_ms),
        "left_out": left_out,
        "later": later,
        "table_rows": list(rows.items()),
    }


def _with_selection(planned: PlannedRange) -> Range:
    """The range for a reader that leaves out unselected log records.

    All records are read when a user corrected a file's times, because counts by second would change.
    """
    if planned.clock is not None:
        return planned.part
    return replace(planned.part, context={**planned.part.context, CONTEXT: log_selection()})


def _rows_read(table: str, rows: pa.RecordBatch) -> tuple[str, int]:
    """The table of the rows and their number; counted log records are records too."""
    import pyarrow.compute as pc

    return ("log_record", pc.sum(rows["records"]).as_py() or 0) if table == "log_count" else (table, rows.num_rows)


def added(one: Coverage, other: Coverage) -> Coverage:
    """The sum of two coverages."""
    counted = Counter(dict(one.counted))
    counted.update(dict(other.counted))
    firsts = [each.first_ts_ms for each in (one, other) if each.first_ts_ms is not None]
    lasts = [each.last_ts_ms for each in (one, other) if each.last_ts_ms is not None]
    return Coverage(
        records=one.records + other.records,
        not_understood=one.not_understood + other.not_understood,
        samples=(*one.samples, *other.samples)[:MOST_SAMPLES],
        warnings=tuple(dict.fromkeys((*one.warnings, *other.warnings)))[:MOST_WARNINGS],
        counted=tuple(counted.items()),
        role=one.role or other.role,
        flink_version=one.flink_version or other.flink_version,
        first_ts_ms=min(firsts, default=None),
        last_ts_ms=max(lasts, default=None),
        utc_offset_min=other.utc_offset_min if one.utc_offset_min is None else one.utc_offset_min,
        earlier=one.earlier + other.earlier,
        earlier_ms=max(one.earlier_ms, other.earlier_ms),
        earlier_line=other.earlier_line if one.earlier_line is None else one.earlier_line,
    )
