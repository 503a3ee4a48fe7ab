"""Reads files in byte ranges on Spark's Python workers, and reduces them there to the aggregators' states.

One Spark job with one task per group of ranges. Each task runs the formats' readers, reduces the rows to the states
of the aggregators and returns these with the coverage: no row enters the JVM, and nothing is stored.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import AGGREGATORS
from diagnostics.evidence import Evidence
from diagnostics.intake import Intake
from diagnostics.language import say, to_say
from diagnostics.reading.beginning import Beginning, NothingLater
from diagnostics.reading.case import LARGE_BYTES, FileChoices
from diagnostics.reading.far_workers import Batches, failures_of_workers, shipped_to_workers, unchanged
from diagnostics.reading.input_entry import input_entry
from diagnostics.reading.one_cluster import OneCluster
from diagnostics.reading.plan import plan_ranges
from diagnostics.reading.ranges import PlannedRange, grouped
from diagnostics.reading.sending import sent
from diagnostics.reading.task import COVERAGE, read_group, read_group_behind
from diagnostics.reading.transport import PACKED_DDL, unpack_tables
from diagnostics.spark import on_progress
from diagnostics.spark.server import has_spare_slots
from diagnostics.storage.shared_folder import SharedFolder

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

TASKS_PER_CORE = 2
"""Tasks per core, so that a slow range does not leave a core idle at the end. Our choice."""

TASK_BYTES = 32 * 1024 * 1024
MANY_TASKS = 64
"""Bytes of a task after which another analysis gets the core, two thirds of a second; the number of tasks up to which
this size is kept. The driver merges the states of each task.
"""

MOST_TASK_BYTES = 64 * 1024 * 1024
"""Largest task of a case with more data, unless a file cannot be cut. Our choice: about a second. Each task that is a
job of its own has this size. Measured on 200 MB: a job for each task of 32 MB takes a tenth more processor time than
one job, and a fifth more with tasks of half the size.
"""

Report = Callable[[float, str], None]


def read_evidence(
    intake: Intake,
    spark: SparkSession,
    workspace: Path,
    progress: Report,
    choices: FileChoices,
    shared: SharedFolder | None = None,
    beginning: Beginning | None = None,
    only: OneCluster | None = None,
) -> tuple[Evidence, list[dict[str, Any]]]:
    """Read every recognised file and compute the states of all aggregators.

    workspace  a folder of the driver, which Spark's workers share unless `shared` is given
    choices    the user's choices about files; an unknown format raises UnknownFormat
    shared     the run's folder at the storage that Spark's workers use instead of this machine's files
    beginning  the moment before which evidence does not count
    only       the cluster that is read; all of them when None
    Gives      the evidence, and the contract's `inputs[]`, one per file that is read in file id order
    Raises     NothingLater when all that has a time is from before the beginning, if that was stated; else everything
               counts
    """
    inputs = [each for each in intake.inputs if only is None or each.file_id in only.files]
    plan = plan_ranges(Intake(inputs), choices, beginning, only)
    chosen, ranges, repeated = plan.formats, plan.ranges, plan.repeated
    if shared is not None:
        sentence = to_say("{done} of {total} files sent to the shared storage")
        ranges = sent(
            ranges, shared / "files", lambda done, total: progress(0.0, say(sentence, done=done, total=total))
        )
    run = shared or SharedFolder.at(workspace)
    size = sum(each.part.end - each.part.start for each in ranges)
    in_turns = size > LARGE_BYTES and has_spare_slots(spark.conf.get("spark.master") or "")
    groups = grouped(ranges, task_count(size, in_turns))
    travelling = shipped_to_workers(spark, run) if groups else unchanged
    covered, states = _run(spark, groups, run, travelling, progress, in_turns) if groups else ([], {})
    if beginning is not None and _nothing_later(covered):
        if beginning.is_stated:
            raise NothingLater(beginning.ms, sum(each["left_out"] for each in covered))
        return read_evidence(intake, spark, workspace, progress, choices, shared, only=only)
    rows: dict[str, int] = {}
    logs = 0
    covered_of: dict[int, list[Mapping[str, Any]]] = defaultdict(list)
    for each in covered:
        covered_of[each["file_id"]].append(each)
        for table, count in each["table_rows"].items():
            rows[table] = rows.get(table, 0) + count
            read_as = chosen[each["file_id"]]
            logs += count if table == "log_record" and read_as is not None and read_as.is_log else 0
    names = [each.name for each in intake.inputs]
    formats = {read_as.id for file_id in covered_of if (read_as := chosen[file_id]) is not None}
    return Evidence(rows, logs, states, names, beginning.ms if beginning else None, formats), [
        input_entry(
            file,
            chosen[file.file_id],
            covered_of[file.file_id],
            repeated.get(file.file_id),
            choices.clocks.get(file.name),
            beginning,
        )
        for file in inputs
    ]


def _nothing_later(covered: Sequence[Mapping[str, Any]]) -> bool:
    """Whether rows were left out, and none that has a time remains."""
    return any(each["left_out"] for each in covered) and not any(each["later"] for each in covered)


def task_count(size: int, in_turns: bool) -> int:
    """The number of tasks for this many bytes; fewer ranges give fewer tasks."""
    least = TASKS_PER_CORE * (os.cpu_count() or 1)
    return max(least, 0 if in_turns else min(size // TASK_BYTES, MANY_TASKS), size // MOST_TASK_BYTES)


def _run(
    spark: SparkSession,
    groups: list[list[PlannedRange]],
    run: SharedFolder,
    travelling: Callable[[Batches], Batches],
    progress: Report,
    in_turns: bool,
) -> tuple[list[dict[str, Any]], Mapping[str, pa.Table]]:
    """The Spark job with one task per group.

    in_turns  whether each task is a job of its own, so that other analyses find free slots
    Gives     the coverage of every range, in file and range order; aggregator's name -> state of all rows.
    """
    read = read_group_behind if in_turns else read_group

    def job(numbers: range) -> pa.Table:
        own = {number: groups[number] for number in numbers}

        def read_groups(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            for batch in batches:
                for number in batch.column(0).to_pylist():
                    yield from read(own[number], run, number)

        with failures_of_workers():
            rows = spark.range(numbers.start, numbers.stop, 1, len(numbers))
            return rows.mapInArrow(travelling(read_groups), PACKED_DDL).toArrow()

    sentence = to_say("{done} of {total} Spark tasks")

    def report(done: int, total: int) -> None:
        progress(done / total, say(sentence, done=done, total=total))

    if in_turns:
        packed = run_in_turns(job, len(groups), report)
    else:
        stop = on_progress(spark, report)
        try:
            packed = job(range(len(groups)))
        finally:
            stop()
    tables = dict(unpack_tables(packed))
    covered = [row for table in tables.pop(COVERAGE) for row in table.to_pylist()]
    for each in covered:
        each["table_rows"] = dict(each["table_rows"] or {})
    covered.sort(key=lambda each: (each["file_id"], each["position"]))
    with ThreadPoolExecutor(os.cpu_count() or 1) as cores:
        merged = cores.map(lambda name: AGGREGATORS[name].merge_states(tables[name]), tables)
        return covered, dict(zip(tables, merged, strict=True))


def run_in_turns(job: Callable[[range], pa.Table], count: int, report: Callable[[int, int], None]) -> pa.Table:
    """A job for each of the tasks, at most one for each core at the same time: other analyses find a free slot."""
    import pyarrow as pa

    with ThreadPoolExecutor(os.cpu_count() or 1) as cores:
        jobs = [cores.submit(job, range(number, number + 1)) for number in range(count)]
        try:
            for done, ended in enumerate(as_completed(jobs), 1):
                ended.result()
                report(done, count)
        except BaseException:
            cores.shutdown(wait=False, cancel_futures=True)
            raise
    return pa.concat_tables([each.result() for each in jobs])
