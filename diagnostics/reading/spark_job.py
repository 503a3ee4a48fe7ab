"""Reads files in byte ranges on Spark's Python workers, and reduces them there to the aggregators' states.

One Spark job with one task per group of ranges. Each task runs the formats' readers, reduces the rows to the states
of the aggregators and returns these with the coverage: no row enters the JVM, and nothing is stored.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import AGGREGATORS
from diagnostics.evidence import Evidence
from diagnostics.evidence.rows import Coverage
from diagnostics.formats import FORMATS, format_by_id
from diagnostics.formats.format import Format
from diagnostics.intake import InputFile, Intake
from diagnostics.intake.repeated_content import repeated_content
from diagnostics.intake.snapshot_time import snapshot_times
from diagnostics.notation.timestamp import timestamp
from diagnostics.reading.case import FileChoices
from diagnostics.reading.clock import FileClock
from diagnostics.reading.far_workers import Batches, failures_of_workers, shipped_to_workers, unchanged
from diagnostics.reading.ranges import PlannedRange, grouped, ranges_of
from diagnostics.reading.sending import sent
from diagnostics.reading.task import COVERAGE, MOST_WARNINGS, added, read_group
from diagnostics.reading.transport import PACKED_DDL, unpack_tables
from diagnostics.spark import on_progress
from diagnostics.storage.shared_folder import SharedFolder
from diagnostics.wording.phrase import duration

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

TASKS_PER_CORE = 2
"""Tasks per core, so that a slow range does not leave a core idle at the end. Our choice."""

MOST_TASK_BYTES = 64 * 1024 * 1024
"""A task reads no more unless a file cannot be cut: about a second, after which another analysis gets the core."""

Report = Callable[[float, str], None]


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """The files and ranges to read of an upload.

    formats   file id -> the format it is read as; None for an attachment
    ranges    of the files that are read, in file order
    repeated  file id -> name of the earlier file with the same content, which is read once
    """

    formats: Mapping[int, Format | None]
    ranges: list[PlannedRange]
    repeated: Mapping[int, str]


def plan_ranges(intake: Intake, choices: FileChoices) -> ReadingPlan:
    """Decide the format and the byte ranges of each file."""
    formats = {each.file_id: _format_of(each, choices.formats) for each in intake.inputs}
    taken = snapshot_times(intake.inputs)
    repeated = repeated_content(intake.inputs)
    ranges = [
        part
        for each in intake.inputs
        if each.file_id not in repeated
        for part in ranges_of(
            each,
            formats[each.file_id],
            taken.get(each.file_id),
            choices.clocks.get(each.name),
            choices.event_fields.get(each.name),
        )
    ]
    return ReadingPlan(formats, ranges, repeated)


def read_evidence(
    intake: Intake,
    spark: SparkSession,
    workspace: Path,
    progress: Report,
    choices: FileChoices,
    shared: SharedFolder | None = None,
) -> tuple[Evidence, list[dict[str, Any]]]:
    """Read every recognised file and compute the states of all aggregators.

    workspace  a folder of the driver, which Spark's workers share unless `shared` is given
    choices    the user's choices about files; an unknown format raises UnknownFormat
    shared     the run's folder at the storage that Spark's workers use instead of this machine's files
    Gives      the evidence, and the contract's `inputs[]`, one per file of the upload in file id order
    """
    plan = plan_ranges(intake, choices)
    chosen, ranges, repeated = plan.formats, plan.ranges, plan.repeated
    if shared is not None:
        told = "{} of {} files sent to the shared storage"
        ranges = sent(ranges, shared / "files", lambda done, total: progress(0.0, told.format(done, total)))
    run = shared or SharedFolder.at(workspace)
    size = sum(each.part.end - each.part.start for each in ranges)
    groups = grouped(ranges, max(TASKS_PER_CORE * (os.cpu_count() or 1), size // MOST_TASK_BYTES))
    travelling = shipped_to_workers(spark, run) if groups else unchanged
    covered, states = _run(spark, groups, run, travelling, progress) if groups else ([], {})
    rows: dict[str, int] = {}
    logs = 0
    covered_of: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for each in covered:
        covered_of[each["file_id"]].append(each)
        for table, count in each["table_rows"].items():
            rows[table] = rows.get(table, 0) + count
            read_as = chosen[each["file_id"]]
            logs += count if table == "log_record" and read_as is not None and read_as.is_log else 0
    return Evidence(rows, logs, states, [each.name for each in intake.inputs]), [
        _input(
            each,
            chosen[each.file_id],
            covered_of[each.file_id],
            repeated.get(each.file_id),
            choices.clocks.get(each.name),
        )
        for each in intake.inputs
    ]


def _format_of(file: InputFile, chosen_formats: Mapping[str, str]) -> Format | None:
    if file.path is None:
        return None
    format_id = chosen_formats.get(file.name, file.format_id)
    chosen = format_by_id(format_id) if format_id else None
    recognised = FORMATS.get(file.format_id or "")
    # Binary files have no lines, and may look like a single endless one to a reader of lines.
    return recognised if recognised is not None and recognised.binary else chosen


def _run(
    spark: SparkSession,
    groups: list[list[PlannedRange]],
    run: SharedFolder,
    travelling: Callable[[Batches], Batches],
    progress: Report,
) -> tuple[list[dict[str, Any]], Mapping[str, pa.Table]]:
    """The Spark job with one task per group.

    Gives   the coverage of every range, in file and range order; aggregator's name -> state of all rows.
    """

    def read_groups(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from read_group(groups[number], run, number)

    stop = on_progress(spark, lambda done, total: progress(done / total, f"{done} of {total} Spark tasks"))
    try:
        numbers = spark.range(0, len(groups), 1, len(groups))
        with failures_of_workers():
            packed = numbers.mapInArrow(travelling(read_groups), PACKED_DDL).toArrow()
    finally:
        stop()
    covered: list[dict[str, Any]] = []
    states: dict[str, pa.Table] = {}
    for name, parts in unpack_tables(packed):
        if name == COVERAGE:
            covered = [row for table in parts for row in table.to_pylist()]
        else:
            states[name] = AGGREGATORS[name].merge_states(parts)
    for each in covered:
        each["table_rows"] = dict(each["table_rows"] or {})
    covered.sort(key=lambda each: (each["file_id"], each["position"]))
    return covered, states


def _out_of_order(total: Coverage) -> str:
    count = "one record shows" if total.earlier == 1 else f"{total.earlier:,} records show"
    return (
        f"{count} an earlier time than the one before, by up to {duration(total.earlier_ms)}, first in line "
        f"{total.earlier_line:,}: several processes wrote here, files were put together, or a clock was set back"
    )


def _input(
    file: InputFile,
    chosen: Format | None,
    covered: Sequence[Mapping[str, Any]],
    same_as: str | None,
    clock: FileClock | None,
) -> dict[str, Any]:
    """The contract's `inputs[]` entry of a file, from the coverage of its ranges."""
    total = Coverage()
    for each in covered:
        part = {name: each[name] for name in Coverage.__slots__}
        part["samples"] = tuple((sample["line"], sample["text"]) for sample in each["samples"])
        total = added(total, Coverage(**part | {"warnings": tuple(each["warnings"])}))
    warnings = [*([file.error] if file.error else []), *file.warnings, *total.warnings]
    if total.earlier:
        warnings.append(_out_of_order(total))
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
