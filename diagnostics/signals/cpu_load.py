"""Share of the CPU that Flink's processes use of what they may: all cores of the host, or their container's limit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from statistics import fmean, median

from diagnostics.aggregators import task_managers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import known, middle
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

FEWEST_SAMPLES = 4
"""How many samples make a level. Our choice: fewer are a look, which `latest_ratio` keeps apart."""
BUSY = "busyTimeMsPerSecond"
FEWEST_BUSY = 0.8
"""With fewer busy subtasks the processes' own work (checkpoints, network) dominates their CPU time. Our choice."""
NANOSECONDS = 1_000_000.0
"""Nanoseconds per millisecond. `Status.JVM.CPU.Time` counts nanoseconds over all threads of the process."""


LEAST_LOAD = 0.3
"""Below this load the cores that a process may use do not follow from those that it uses. Our choice: noise."""


def measure(evidence: Evidence) -> Measured:
    """CPU load of each TaskManager.

    Reads   metric_sample (Status.JVM.CPU.Load: 0 to 1, 1 is all that the process may use: the cores of the host, or, as
            measured with OpenJDK 17 in a control group, its limit; Status.JVM.CPU.Time; busy time), task_manager (cores
            that the JVM sees).
    Gives   one signal of the case.
    Empty   NotMeasured without a sample.
    """
    series_of = metric_series(evidence)
    series_of_process = {
        normalised(each.task_manager): each
        for each in series_of.of("Status.JVM.CPU.Load")
        if each.task_manager and each.known
    }
    levels = {name: each for name, each in series_of_process.items() if len(each.known) >= FEWEST_SAMPLES}
    if not series_of_process:
        yield NotMeasured("cpu_load", "metric-scrapes", "no samples of Status.JVM.CPU.Load")
        return
    loads = {name: _level(each) if levels else _latest(each) for name, each in (levels or series_of_process).items()}
    place = max(loads, key=lambda name: (loads[name], name))
    series = series_of_process[place]
    facts: dict[str, FactValue] = {
        "resource": "cpu",
        "task_manager": cluster_of(evidence).task_manager(series.task_manager),
        "latest_ratio": _latest(series),
        "task_managers": len(loads),
        "last_sample_ms": series.known[-1].ts_ms,
    }
    busy = _busy_subtasks(series_of)
    if levels:
        used = dict(_cores(series_of))
        facts |= _facts_over_time(series, loads[place], used, place, busy)
        if not used and (cores := _cores_seen(evidence).get(place)) is not None:
            facts["cores_used"] = loads[place] * cores
    elif busy >= FEWEST_BUSY and (most := _most_cores(evidence, series_of_process)) is not None:
        facts["most_cpu_to_busy_ratio"] = most / busy
    busiest = max(series.known, key=lambda point: (point.value or 0.0, point.ts_ms or 0))
    yield Signal("cpu_load", Subject(), known_facts(facts), (series.cite(busiest),), len(series.known))


def _level(series: Series) -> float:
    return median(point.value or 0.0 for point in series.known)


def _latest(series: Series) -> float:
    return series.known[-1].value or 0.0


def _facts_over_time(
    series: Series, load: float, used: Mapping[str, float], place: str, busy: float
) -> dict[str, FactValue]:
    """What samples over time show."""
    values = sorted(point.value or 0.0 for point in series.known)
    return {
        "median_ratio": load,
        "high_ratio": values[len(values) * 9 // 10],
        "cores_used": max(used.values(), default=None),
        "allowed_cores": used[place] / load if place in used and load >= LEAST_LOAD else None,
        "cpu_to_busy_ratio": sum(used.values()) / busy if used and busy >= FEWEST_BUSY else None,
    }


def _most_cores(evidence: Evidence, loads: Mapping[str, Series]) -> float | None:
    """The most cores that the processes can have used by one look; None when the cores of one are not known.

    A JVM sees a limit of its container as whole cores, rounded up.
    """
    seen = _cores_seen(evidence)
    cores = [seen.get(name) for name in loads]
    if None in cores:
        return None
    return sum(_latest(each) * (seen[name] or 0.0) for name, each in loads.items())


def _cores_seen(evidence: Evidence) -> Mapping[str, float | None]:
    """TaskManager -> the cores that its JVM sees, by the last answer about it."""
    rows = sorted(named_rows(evidence.answer(task_managers.AGGREGATOR)), key=lambda row: row.ts_ms or 0)
    return {normalised(row.task_manager): row.cpu_cores for row in rows}


def _cores(series_of: MetricSeries) -> Iterator[tuple[str, float]]:
    """Usual number of cores in use, per TaskManager process."""
    for each in series_of.of("Status.JVM.CPU.Time"):
        if each.task_manager and len(each.known) >= FEWEST_SAMPLES and (rate := middle(_rates(each))) is not None:
            yield normalised(each.task_manager), rate


def _busy_subtasks(series_of: MetricSeries) -> float:
    """Usual number of busy subtasks over all tasks: the sum of their mean busy ratios."""
    of_tasks = series_of.by_vertex("busyTimeMsPerSecond", operators=False).values()
    return sum(
        fmean(values) / 1000 for each in of_tasks for one in each if (values := known(p.value for p in one.known))
    )


def _rates(series: Series) -> Iterator[float]:
    for before, after in pairwise(series.known):
        if before.ts_ms is None or after.ts_ms is None or before.value is None or after.value is None:
            continue
        if after.ts_ms > before.ts_ms and after.value >= before.value:
            yield (after.value - before.value) / NANOSECONDS / (after.ts_ms - before.ts_ms)


SIGNALS = (
    SignalDefinition(
        key="cpu_load",
        level="case",
        facts={
            "resource": "`cpu`",
            "task_manager": "the TaskManager with the highest median, or by single looks with the highest load",
            "median_ratio": "median CPU load of the process; 1 is all cores of its host, or its container's limit",
            "latest_ratio": "CPU load of the process at the last look; 1 is all cores of its host, or its container's "
            "limit",
            "high_ratio": "its ninth decile",
            "task_managers": "TaskManagers whose load is known",
            "last_sample_ms": "last sample of the load, epoch ms",
            "cpu_to_busy_ratio": "cores that all TaskManagers keep busy over their busy subtasks; near 1 they compute, "
            "near 0 they wait while they are busy, or are kept from the CPU",
            "most_cpu_to_busy_ratio": "cores that the TaskManagers can have used at most at a single look, over their "
            "busy subtasks",
            "allowed_cores": "cores that this process may use, by those that it uses and its load",
            "cores_used": "cores that the busiest TaskManager process keeps busy, median; by its load and the cores "
            "that it sees where no counter of its CPU time is there",
        },
        measure=measure,
    ),
)
