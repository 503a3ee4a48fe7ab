"""Records, bytes and busy time of each subtask over time, and how evenly records are spread over subtasks."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.aggregators import back_pressure_samples, subtask_counters
from diagnostics.arithmetic.balance import Balance, balance
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.metrics.counted_time import TIME_COUNTERS, counted_ratio
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, counters_by_vertex, metric_series
from diagnostics.reconstruction.metrics.series import Point, Series, since_restart
from diagnostics.wording.cited_text import READ_AND_WRITTEN, cited_text

FEWEST_RECORDS = 1000
FEWEST_RECORDS_EACH = 50
"""Records that a task must have read, in total and per subtask, for a spread to be computed. Our choice."""
UNEVEN_ATTEMPTS = 1.2
"""Ratio of the ages of attempts above which rates are compared instead of counts. Our choice."""
WATCHED_LEAST_MS = 300_000
"""Least time of samples of metrics in which what the subtasks read is judged, not all that they have read since they
started. Our choice: five minutes, the time after which alerts are commonly set; a shorter imbalance is no skew.
"""
STOPPED = ("CANCELING", "CANCELED", "FAILED")
"""States of an attempt that reads no more; REST goes on counting the duration of one that is being cancelled."""
LATER_SHARE = 0.2
"""Share of all records that an interval must contain to replace the whole run. Our choice: a short imbalance is no
skew."""
LATER_SKEW = 1.3
"""Skew of an interval, as a multiple of the skew of the whole run, from which the interval replaces it. Our choice."""


@dataclass(frozen=True, slots=True)
class Load:
    """Totals of one subtask since the start of its attempt.

    busy_ratio   share of the time in which it was busy, 0 to 1
    duration_ms  age of the attempt; None where it ended, since nothing shows how long it read
    """

    subtask: int
    records_in: float | None
    records_out: float | None
    bytes_in: float | None
    busy_ratio: float | None
    duration_ms: float | None
    place: Citation


Snapshot = Mapping[int, Load]


@dataclass(frozen=True, slots=True)
class Spread:
    """How the records of one task are spread over its subtasks.

    direction  `in` for records read, `out` for records written by a task that reads none
    counts     subtask -> records
    by_rate    whether rates were compared, because the attempts have different ages
    since_ms   start of the interval, None for the whole attempt
    """

    records: Balance
    bytes: Balance | None
    direction: str
    loads: Snapshot
    counts: Mapping[int, float]
    by_rate: bool
    since_ms: int | None = None


def spread_over(taken: Sequence[Snapshot]) -> Spread | None:
    """The spread in the snapshot with most records, or between two snapshots if it is much more uneven there.

    Of metrics, the spread of what was read while they were sampled: after weeks of a run its totals hide an imbalance
    that began today, and keep one that has ended.
    """
    spreads = [spread for snapshot in taken if (spread := _spread_of(snapshot))]
    if not spreads:
        return None
    whole = (
        _spread_watched(taken) or max(enumerate(spreads), key=lambda each: (sum(each[1].counts.values()), each[0]))[1]
    )
    between = [spread for pair in itertools.pairwise(taken) if (spread := _spread_between(*pair))]
    worst = max(between, key=lambda spread: spread.records.skew_ratio, default=whole)
    is_large = sum(worst.counts.values()) >= LATER_SHARE * sum(whole.counts.values())
    return worst if is_large and worst.records.skew_ratio >= LATER_SKEW * whole.records.skew_ratio else whole


def _spread_watched(taken: Sequence[Snapshot]) -> Spread | None:
    """The spread of the records between the first and the last sample of metrics, if these are far enough apart."""
    first, last = (
        [each.place.ts_ms for each in snapshot.values() if each.place.kind == "metric" and each.place.ts_ms is not None]
        for snapshot in (taken[0], taken[-1])
    )
    if not first or not last or max(last) - min(first) < WATCHED_LEAST_MS:
        return None
    return _spread_between(taken[0], taken[-1])


@read_once
def task_spreads(evidence: Evidence) -> Mapping[VertexKey, Spread]:
    """The spread of each task with at least two subtasks and enough records.

    Reads   subtask, metric_sample.
    """
    return {
        vertex: spread
        for vertex, taken in load_snapshots(evidence).items()
        if (spread := spread_over(taken)) is not None
    }


def _spread_of(snapshot: Snapshot) -> Spread | None:
    """The spread of records read; of records written for tasks that read none, such as sources."""
    for direction in ("in", "out"):
        counts = {
            subtask: value
            for subtask, load in snapshot.items()
            if (value := load.records_in if direction == "in" else load.records_out) is not None
        }
        if sum(counts.values()) < max(FEWEST_RECORDS, FEWEST_RECORDS_EACH * len(counts)):
            continue
        ages = {subtask: load.duration_ms for subtask, load in snapshot.items() if subtask in counts}
        loads, by_rate = _comparable(counts, ages)
        if spread := balance(loads):
            sizes = {subtask: load.bytes_in for subtask, load in snapshot.items() if load.bytes_in is not None}
            return Spread(spread, balance(sizes), direction, snapshot, counts, by_rate)
    return None


def _spread_between(earlier: Snapshot, later: Snapshot) -> Spread | None:
    """The spread of the records between two snapshots of the same attempts."""
    if set(earlier) != set(later):
        return None
    grown = {}
    for subtask, load in later.items():
        records_in = _growth(earlier[subtask].records_in, load.records_in)
        records_out = _growth(earlier[subtask].records_out, load.records_out)
        if records_in is None and records_out is None:
            return None
        grown[subtask] = replace(
            load,
            records_in=records_in,
            records_out=records_out,
            bytes_in=_growth(earlier[subtask].bytes_in, load.bytes_in),
            duration_ms=None,
        )
    spread = _spread_of(grown)
    since = min((load.place.ts_ms for load in earlier.values() if load.place.ts_ms is not None), default=None)
    return replace(spread, since_ms=since) if spread else None


def _growth(before: float | None, after: float | None) -> float | None:
    return after - before if before is not None and after is not None and after >= before else None


def _comparable(counts: Mapping[int, float], ages_ms: Mapping[int, float | None]) -> tuple[Mapping[int, float], bool]:
    known = [age for age in ages_ms.values() if age]
    if len(known) < len(counts) or max(known) <= UNEVEN_ATTEMPTS * min(known):
        return counts, False
    return {subtask: count / (ages_ms[subtask] or 1) for subtask, count in counts.items()}, True


@read_once
def load_snapshots(evidence: Evidence) -> Mapping[VertexKey, list[Snapshot]]:
    """Task -> the totals of its subtasks in time order: one snapshot for each REST answer, or four from metrics.

    Metrics are used when they cover more subtasks. Computed once for each Evidence.

    Reads   subtask, metric_sample.
    """
    by_vertex: dict[VertexKey, list[Snapshot]] = defaultdict(list)
    by_moment: dict[tuple[Any, ...], dict[int, Load]] = defaultdict(dict)
    # One answer can list several attempts of a subtask: the last one counts.
    rows = sorted(named_rows(evidence.answer(subtask_counters.AGGREGATOR)), key=lambda row: row.attempt or 0)
    for row in rows:
        by_moment[row.job_id, row.vertex_id, row.ts_ms or 0][row.subtask] = _load_of_rest(row)
    for (job_id, vertex_id, _), snapshot in sorted(by_moment.items(), key=lambda item: repr(item[0])):
        by_vertex[job_id, vertex_id].append(snapshot)
    for vertex, taken in _snapshots_of_metrics(metric_series(evidence), cluster_of(evidence)).items():
        if len(taken[-1]) > max((len(snapshot) for snapshot in by_vertex[vertex]), default=0):
            by_vertex[vertex] = taken
    return by_vertex


def _load_of_rest(row: Any) -> Load:
    busy = row.busy_ms / row.duration_ms if row.busy_ms is not None and row.duration_ms else None
    text = cited_text(READ_AND_WRITTEN, subtask=row.subtask, read=row.read_records, written=row.write_records)
    place = Citation.of(row, "rest", text, name="read-records", value=row.read_records)
    age_ms = None if row.status in STOPPED else row.duration_ms
    return Load(row.subtask, row.read_records, row.write_records, row.read_bytes, busy, age_ms, place)


def _snapshots_of_metrics(series: MetricSeries, cluster: Cluster) -> Mapping[VertexKey, list[Snapshot]]:
    """The counters of each subtask at the first sample of its last attempt, after one third, two thirds and all.

    Subtasks that a job scaled down no longer has are left out.
    """
    by_vertex: dict[VertexKey, list[Snapshot]] = {}
    ins = counters_by_vertex(series, "numRecordsIn")
    outs = counters_by_vertex(series, "numRecordsOut")
    sizes = series.by_vertex("numBytesIn", operators=False)
    for vertex, counters in {**outs, **ins}.items():
        thirds: list[dict[int, Load]] = [{}, {}, {}, {}]
        out_of = {each.subtask: since_restart(each.points) for each in outs.get(vertex, ())}
        size_of = {each.subtask: since_restart(each.points) for each in sizes.get(vertex, ())}
        task = cluster.tasks.get(vertex)
        for counter in _still_there(counters, task.parallelism if task else None):
            attempt = since_restart(counter.points)
            if not attempt or counter.subtask is None:
                continue
            for third, loads in enumerate(thirds):
                point = attempt[(len(attempt) - 1) * third // 3]
                loads[counter.subtask] = Load(
                    subtask=counter.subtask,
                    records_in=point.value if vertex in ins else None,
                    records_out=_value_at(out_of.get(counter.subtask, ()), point.ts_ms),
                    bytes_in=_value_at(size_of.get(counter.subtask, ()), point.ts_ms),
                    busy_ratio=None,
                    duration_ms=None,
                    place=counter.cite(point),
                )
        if thirds[-1]:
            by_vertex[vertex] = list(thirds)
    return by_vertex


def _still_there(counters: Sequence[Series], parallelism: int | None) -> Sequence[Series]:
    """The counters of the subtasks that the task has at last: by its parallelism, and those that were sampled after the
    last attempt of another one began.
    """
    begun_ms = [attempt[0].ts_ms for each in counters if (attempt := since_restart(each.points))]
    newest_ms = max((each for each in begun_ms if each is not None), default=None)
    return [
        each
        for each in counters
        if (parallelism is None or each.subtask is None or each.subtask < parallelism)
        and not (newest_ms is not None and each.points and (each.points[-1].ts_ms or newest_ms) < newest_ms)
    ]


def _value_at(points: Sequence[Point], ts_ms: int | None) -> float | None:
    """The last known value up to a time."""
    before = [point.value for point in points if ts_ms is None or point.ts_ms is None or point.ts_ms <= ts_ms]
    return before[-1] if before else None


Samples = Mapping[VertexKey, Mapping[int, Mapping[int, float]]]


@read_once
def time_ratios(evidence: Evidence) -> tuple[Samples, Samples]:
    """Busy and back-pressured ratios: vertex -> subtask -> epoch ms -> 0 to 1, computed once for each Evidence.

    Reads   metric_sample, or back_pressure where it covers more subtasks of a task.
    """
    series = metric_series(evidence)
    columns = {"busy_ratio": "busyTimeMsPerSecond", "back_pressured_ratio": "backPressuredTimeMsPerSecond"}
    rows = evidence.answer(back_pressure_samples.AGGREGATOR).to_pylist()
    busy, back_pressured = (_ratios(rows, series, column, metric) for column, metric in columns.items())
    return busy, back_pressured


Means = Mapping[VertexKey, Mapping[int, float]]


@read_once
def mean_time_ratios(evidence: Evidence) -> tuple[Means, Means]:
    """Task -> subtask -> part of the time of the evidence in which it was busy, and back-pressured, 0 to 1.

    By the counters of that time where every subtask has one, else the mean of the samples.
    """
    series, (busy, back_pressured) = metric_series(evidence), time_ratios(evidence)
    kinds = zip((busy, back_pressured), TIME_COUNTERS.values(), strict=True)
    busy_means, back_pressured_means = (
        _means(samples, series.by_vertex(counter, operators=False)) for samples, counter in kinds
    )
    return busy_means, back_pressured_means


def _means(samples: Samples, counters: Mapping[VertexKey, Sequence[Series]]) -> Means:
    means: dict[VertexKey, Mapping[int, float]] = {}
    for vertex, by_subtask in samples.items():
        counted = {
            each.subtask: ratio
            for each in counters.get(vertex, ())
            if each.subtask is not None and (ratio := counted_ratio(each.known)) is not None
        }
        seen = {subtask: ratios for subtask, ratios in by_subtask.items() if ratios}
        means[vertex] = (
            counted
            if counted.keys() >= seen.keys()
            else {subtask: min(max(sum(ratios.values()) / len(ratios), 0.0), 1.0) for subtask, ratios in seen.items()}
        )
    return means


def _ratios(rows: Sequence[Mapping[str, Any]], series: MetricSeries, column: str, metric: str) -> Samples:
    ratios: dict[VertexKey, dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for vertex, gauges in series.by_vertex(metric, operators=False).items():
        for gauge in gauges:
            for point in gauge.known:
                if gauge.subtask is not None and point.value is not None:
                    ratios[vertex][gauge.subtask][point.ts_ms or 0] = point.value / 1000
    rest: dict[VertexKey, dict[int, dict[int, float]]] = defaultdict(lambda: defaultdict(dict))
    for row in rows:
        if row[column] is not None:
            rest[row["job_id"], row["vertex_id"]][row["subtask"]][row["ts_ms"] or 0] = row[column]
    for vertex, by_subtask in rest.items():
        if len(by_subtask) > len(ratios.get(vertex, {})):
            ratios[vertex] = by_subtask
    return ratios
