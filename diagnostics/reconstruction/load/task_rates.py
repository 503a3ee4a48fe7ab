"""Throughput of tasks between two REST answers or metric samples: records, busy time, time for each record."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from operator import attrgetter
from statistics import median
from typing import Any

from diagnostics.aggregators import subtask_counters
from diagnostics.arithmetic.quantiles import highest, known, total
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.metered_intervals import STEP_MS, Interval, metered_intervals
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.start_up import FEWEST_SEEN
from diagnostics.wording.cited_text import READ_SINCE, cited_text

DENSE = 0.3
"""Share of an interval from which accumulated back-pressured time counts as lasting. Our choice."""
LEAST_MS = 5_000
"""Shortest interval from which a rate is computed. Our choice."""
TOGETHER_MS = STEP_MS // 2
"""Intervals of several subtasks that end within this time are one of their task. Our choice: half of the shortest."""
ALIKE = 1.1
"""Up to which multiple rates of a task at its limit differ by chance. Our choice."""
LONG_ENOUGH = 0.5
"""Part of the longest interval from which others are compared with it. Our choice: metrics and REST are collected at
times of their own, so that intervals of one case differ by as much.
"""
AS_BUSY = 0.9
"""Part of its highest busy time from which the busiest subtask shows what the task passes at most. Our choice."""

TaskKey = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class HeldTime:
    """Back-pressured time that a task accumulated, as the mean over its subtasks.

    dense_ms  the longest such time of an interval, among intervals in which it was at least DENSE of the time
    total_ms  the sum over all intervals
    """

    dense_ms: float
    total_ms: float


@dataclass(frozen=True, slots=True)
class FullestSubtask:
    """Busy milliseconds for each record of the subtask that reads most, over all intervals, and its share of the
    task's records.
    """

    ms_per_record: float
    share_ratio: float


@dataclass(frozen=True, slots=True)
class TaskRate:
    """A task's throughput in the interval in which it was busiest.

    records_per_s  records read a second, summed over the subtasks
    highest_per_s  the same in the interval in which it was highest
    highest_ms     length of that interval
    latest_per_s   the same in the last interval, where no record may have been read
    usual_per_s    the median of the intervals
    mean_per_s     the mean over all intervals
    ms_per_record  busy time of all subtasks for each record read
    ceiling_per_s  records a second that one subtask can read when it is busy all the time
    busiest_ratio  busy time of the busiest subtask
    passes_per_s   records a second of all subtasks when the busiest one is busy all the time, spread as they are: its
                   own rate over its share of the records; at least what did pass in any interval
    fullest        the subtask that reads most records, over all intervals; None without its busy time
    """

    records_per_s: float
    highest_per_s: float
    highest_ms: float
    latest_per_s: float | None
    usual_per_s: float
    mean_per_s: float
    by_subtask_per_s: tuple[float, ...]
    records_by_subtask: tuple[float, ...]
    bytes_per_s: float | None
    busy_ratio: float | None
    ms_per_record: float | None
    ceiling_per_s: float | None
    busiest_ratio: float | None
    passes_per_s: float | None
    interval_ms: float
    until_ms: int
    fullest: FullestSubtask | None
    cites: tuple[Callable[[], Citation], ...]

    @property
    def citations(self) -> tuple[Citation, ...]:
        """A citation for each subtask."""
        return tuple(cite() for cite in self.cites)


@read_once
def intervals(evidence: Evidence) -> Sequence[Interval]:
    """The intervals of each subtask, computed once for each Evidence.

    Reads   subtask: one row per subtask and request, counters since the start of the attempt; metric_sample for tasks
            without such rows, or whose samples are closer together: a long interval is a mean over good and bad times.
    """
    jobs = cluster_of(evidence).job_names
    only_job = only_one(jobs)
    rows = evidence.answer(subtask_counters.AGGREGATOR).to_pylist()
    asked = [row for row in rows if row["duration_ms"] is not None and row["duration_ms"] > 0]
    answered = _by_task(intervals_from_rows(asked, only_job))
    metered = _by_task(metered_intervals(metric_series(evidence), only_job))
    finer = {task for task in metered if _usual_length_ms(metered[task]) < _usual_length_ms(answered.get(task, ()))}
    return [each for task, of_task in (answered | {task: metered[task] for task in finer}).items() for each in of_task]


def _by_task(each_interval: Iterable[Interval]) -> dict[TaskKey, list[Interval]]:
    by_task: dict[TaskKey, list[Interval]] = defaultdict(list)
    for each in each_interval:
        by_task[each.job_id, each.vertex_id].append(each)
    return by_task


def _usual_length_ms(of_task: Sequence[Interval]) -> float:
    return median(each.length_ms for each in of_task) if of_task else math.inf


COUNTERS = ("read_records", "read_bytes", "busy_ms", "back_pressured_ms")


def intervals_from_rows(rows: Iterable[Mapping[str, Any]], only_job: str | None = None) -> list[Interval]:
    """The intervals between rows of the table `subtask`.

    only_job  the job that rows without a job id belong to
    """
    attempts: dict[tuple[Any, ...], list[Mapping[str, Any]]] = defaultdict(list)
    for row in rows:
        attempts[row["job_id"] or only_job, row["vertex_id"], row["subtask"], row["attempt"]].append(row)
    intervals = []
    for (job_id, *_), answers in sorted(attempts.items(), key=lambda item: repr(item[0])):
        before: Mapping[str, Any] = {}
        for row in sorted(answers, key=lambda row: (row["duration_ms"], row["file_id"], row["line"] or 0)):
            length_ms = row["duration_ms"] - before.get("duration_ms", 0)
            if length_ms >= LEAST_MS:
                intervals.append(_interval(job_id, row, before, length_ms))
                before = row
    return intervals


def _interval(job_id: str | None, row: Mapping[str, Any], before: Mapping[str, Any], length_ms: float) -> Interval:
    def grown(name: str) -> float | None:
        now, then = row[name], before.get(name) or 0.0
        return float(now - then) if now is not None and now >= then else None

    records, bytes_in, busy_ms, back_pressured_ms = (grown(name) for name in COUNTERS)
    return Interval(
        job_id=job_id,
        vertex_id=row["vertex_id"],
        subtask=row["subtask"],
        until_ms=row["ts_ms"] or ((row["start_ms"] or 0) + row["duration_ms"]),
        length_ms=float(length_ms),
        records=records,
        bytes_in=bytes_in,
        busy_ms=busy_ms,
        back_pressured_ms=back_pressured_ms,
        cite=partial(_cite, row),
    )


def _cite(row: Mapping[str, Any]) -> Citation:
    return Citation.cite_row(row, "rest", _citation_text(row), name="accumulated-busy-time", value=row["busy_ms"])


def _citation_text(row: Mapping[str, Any]) -> str:
    parts = [f"read-records {row['read_records']}"]
    for name, label in (("busy_ms", "busy"), ("back_pressured_ms", "back-pressured")):
        if row[name] is not None:
            parts.append(f"{label} {row[name] / 1000:.1f} s")
    seconds = f"{row['duration_ms'] / 1000:.0f}"
    return cited_text(READ_SINCE, subtask=row["subtask"], seconds=seconds, parts=", ".join(parts))


@read_once
def held_times(evidence: Evidence) -> Mapping[TaskKey, HeldTime]:
    """The back-pressured time that each task accumulated; tasks without any are left out."""
    return held_times_of(intervals(evidence))


def held_times_of(each_interval: Iterable[Interval]) -> Mapping[TaskKey, HeldTime]:
    """As `held_times`, from intervals."""
    by_task: dict[TaskKey, HeldTime] = {}
    for task, groups in _grouped(each_interval).items():
        dense, whole = 0.0, 0.0
        for group in groups:
            times = [(each.back_pressured_ms, each.length_ms) for each in group if each.back_pressured_ms is not None]
            if not times:
                continue
            mean_ms = sum(held for held, _ in times) / len(times)
            whole += mean_ms
            if sum(held for held, _ in times) >= DENSE * sum(length for _, length in times):
                dense = max(dense, mean_ms)
        if whole:
            by_task[task] = HeldTime(dense, whole)
    return by_task


def _grouped(each_interval: Iterable[Interval]) -> Mapping[TaskKey, list[list[Interval]]]:
    """The intervals of each task, grouped by about when they end: TaskManagers are scraped one after the other."""
    by_task: dict[TaskKey, list[dict[int, Interval]]] = defaultdict(list)
    begun_ms: dict[TaskKey, int] = {}
    for interval in sorted(each_interval, key=attrgetter("until_ms", "subtask")):
        task = interval.job_id, interval.vertex_id
        groups = by_task[task]
        if not groups or interval.until_ms - begun_ms[task] > TOGETHER_MS or interval.subtask in groups[-1]:
            groups.append({})
            begun_ms[task] = interval.until_ms
        groups[-1][interval.subtask] = interval
    ordered = sorted(by_task, key=repr)
    return {task: [[group[subtask] for subtask in sorted(group)] for group in by_task[task]] for task in ordered}


@read_once
def task_rates(evidence: Evidence) -> Mapping[TaskKey, TaskRate]:
    """The throughput of each task that read records."""
    return task_rates_of(intervals(evidence))


def task_rates_of(each_interval: Iterable[Interval]) -> Mapping[TaskKey, TaskRate]:
    """As `task_rates`, from intervals."""
    by_task: dict[TaskKey, TaskRate] = {}
    for task, groups in _grouped(each_interval).items():
        rates = [rate for group in groups if (rate := _rate(group))]
        if rates:
            best = max(rates, key=lambda rate: rate.records_per_s)
            by_task[task] = replace(
                _busiest(rates),
                highest_per_s=best.records_per_s,
                highest_ms=best.interval_ms,
                latest_per_s=_records_per_s(groups[-1]),
                usual_per_s=median(rate.records_per_s for rate in rates),
                mean_per_s=_mean_per_s(rates),
                passes_per_s=_most_passed(rates),
                fullest=_fullest(groups),
            )
    return by_task


@read_once
def standing_tasks(evidence: Evidence) -> Mapping[TaskKey, Sequence[Interval]]:
    """The last intervals of each task that read no record in any of at least FEWEST_SEEN intervals."""
    return {
        task: groups[-1]
        for task, groups in _grouped(intervals(evidence)).items()
        if len(groups) >= FEWEST_SEEN and all(_records_per_s(group) == 0 for group in groups)
    }


def rates_around(
    each_interval: Iterable[Interval], from_ms: float, to_ms: float
) -> Mapping[TaskKey, tuple[float, float]]:
    """Records a second that a task passed while it was busy nearly all the time: in the intervals that ended before a
    stretch of time, and in those within it. Tasks without one of either kind are left out.
    """
    by_task: dict[TaskKey, tuple[float, float]] = {}
    for task, groups in _grouped(each_interval).items():
        full = [rate for group in groups if (rate := _rate(group)) and (rate.busy_ratio or 0.0) >= AS_BUSY]
        before = [rate for rate in full if rate.until_ms <= from_ms]
        within = [rate for rate in full if from_ms <= rate.until_ms - rate.interval_ms and rate.until_ms <= to_ms]
        if before and within:
            by_task[task] = _mean_per_s(before), _mean_per_s(within)
    return by_task


def _fullest(groups: Iterable[Iterable[Interval]]) -> FullestSubtask | None:
    """The subtask that reads most; its mean cost, because the expensive records decide as much as the cheap ones."""
    records: dict[int, float] = defaultdict(float)
    busy_ms: dict[int, float] = defaultdict(float)
    for each in chain.from_iterable(groups):
        if each.records and each.busy_ms is not None:
            records[each.subtask] += each.records
            busy_ms[each.subtask] += min(each.busy_ms, each.length_ms)
    most = max(records, key=lambda subtask: (records[subtask], -subtask), default=None)
    if most is None:
        return None
    return FullestSubtask(busy_ms[most] / records[most], records[most] / sum(records.values()))


def _mean_per_s(rates: Sequence[TaskRate]) -> float:
    return sum(each.records_per_s * each.interval_ms for each in rates) / sum(each.interval_ms for each in rates)


def _busiest(rates: Sequence[TaskRate]) -> TaskRate:
    """The interval in which the task was busiest. Of equally busy ones the latest counts, because a record may cost
    more by now; a faster one by less than ALIKE instead, because such differences are chance. Those much shorter than
    the longest of them do not count: their rates differ more.
    """
    most = max(_busy_share(rate) for rate in rates)
    busiest = [rate for rate in rates if _busy_share(rate) == most]
    longest_ms = max(rate.interval_ms for rate in busiest)
    long = [rate for rate in busiest if rate.interval_ms >= longest_ms * LONG_ENOUGH]
    latest = max(long, key=lambda rate: rate.until_ms)
    alike = [rate for rate in long if rate.records_per_s <= latest.records_per_s * ALIKE]
    return max(alike, key=lambda rate: (rate.records_per_s, rate.until_ms))


def _busy_share(rate: TaskRate) -> float:
    return round(rate.busy_ratio or 0.0, 2)


def _most_passed(rates: Sequence[TaskRate]) -> float | None:
    """The highest `passes_per_s` of the intervals in which the busiest subtask is nearly as busy as ever; not less than
    the highest rate of any interval, because records are cheaper at some times than at others.
    """
    hardest = highest(rate.busiest_ratio for rate in rates) or 0.0
    passes = highest(rate.passes_per_s for rate in rates if (rate.busiest_ratio or 0.0) >= AS_BUSY * hardest)
    return None if passes is None else max(passes, *(rate.records_per_s for rate in rates))


def _records_per_s(group: Sequence[Interval]) -> float | None:
    return total(each.records / each.length_ms * 1000 for each in group if each.records is not None)


def _rate(group: Sequence[Interval]) -> TaskRate | None:
    counted = [each for each in group if each.records is not None]
    records = total(each.records for each in counted)
    if not records:
        return None
    busy = [min(each.busy_ms, each.length_ms) for each in counted if each.busy_ms is not None]
    busy_ms = sum(busy) if len(busy) == len(counted) else None
    ms_per_record = busy_ms / records if busy_ms else None
    by_subtask = tuple((each.records or 0.0) / each.length_ms * 1000 for each in counted)
    busiest = highest(min((each.busy_ms or 0.0) / each.length_ms, 1.0) for each in counted) if busy_ms else None
    sizes = known(each.bytes_in for each in counted)
    return TaskRate(
        records_per_s=sum(by_subtask),
        highest_per_s=sum(by_subtask),
        highest_ms=highest(each.length_ms for each in counted) or 0.0,
        latest_per_s=sum(by_subtask),
        usual_per_s=sum(by_subtask),
        mean_per_s=sum(by_subtask),
        by_subtask_per_s=by_subtask,
        records_by_subtask=tuple(each.records or 0.0 for each in counted),
        bytes_per_s=sum(sizes) / (highest(each.length_ms for each in counted) or 1.0) * 1000 if sizes else None,
        busy_ratio=busy_ms / sum(each.length_ms for each in counted) if busy_ms is not None else None,
        ms_per_record=ms_per_record,
        ceiling_per_s=1000 / ms_per_record if ms_per_record else None,
        busiest_ratio=busiest,
        passes_per_s=sum(by_subtask) / busiest if busiest else None,
        interval_ms=highest(each.length_ms for each in counted) or 0.0,
        until_ms=counted[0].until_ms,
        fullest=None,
        cites=tuple(each.cite for each in counted),
    )
