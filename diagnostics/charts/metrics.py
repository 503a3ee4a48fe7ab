"""Every metric over time, one at a time: mean and highest value over the subtasks, counters as rates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean, median_low, pstdev
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import THUMBNAIL, Chart, Choice, Points, Theme
from diagnostics.charting.panel import (
    DURATION_UNITS,
    MEMORY_UNITS,
    Panel,
    axis_unit,
    escaped,
    shortened,
    stacked,
)
from diagnostics.charting.theme import palette
from diagnostics.evidence.subject import only_one
from diagnostics.language import joined_sentences, say, say_counted, to_say
from diagnostics.notation.metric_unit import rate_unit, unit_of
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.watched_metrics import watched_metrics
from diagnostics.reconstruction.metrics.metric_slots import varying_metrics
from diagnostics.vocabulary.metric_families import FAMILIES, OTHERS, family_of
from diagnostics.wording.phrase import duration, number

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.metrics.metric_slots import SlottedSeries

MOST_SLOTS = 100
LEAST_SLOT_MS = 5_000
MOST_SERIES = 300
"""Time slots of a series, and series kept, those that vary most. Our choice: 300 kB in the database."""
MOST_LINES = 6
MOST_APART = 1.5
"""Readings are joined up to this multiple of their usual distance. Our choice: a single missing one is a gap."""
DASH = 3
"""Pixels of a value of its own in a thumbnail, which a line does not draw."""
SMALLEST_SCATTER = 0.02
"""Differences are compared with the usual scatter, which is at least this share of the value. Our choice."""

Range = tuple[int, int]


def points(evidence: Evidence) -> Points | None:
    """The series that vary, in time slots: over all subtasks of a task, or of one process.

    Reads   metric_sample, vertex.
    Gives   {from_ms, to_ms, slot_ms, slots, left_out, series: [{metric, job_id, where, is_rate, mean: [...], peak:
            [...]}], watched}; rates are per second; null where there was no sample. `watched`, for the tests of alerts,
            is as of `watched_metrics`.
    Empty   None without a metric that varies.
    """
    # Imports NumPy and PyArrow, which the web process does not load for drawing stored points.
    varying = varying_metrics(evidence, MOST_SLOTS, LEAST_SLOT_MS, MOST_SERIES)
    if varying is None or not varying.series:
        return None
    cluster = cluster_of(evidence)
    tasks = {vertex_id: task.name for (_, vertex_id), task in cluster.tasks.items()}
    count = (varying.to_ms - varying.from_ms) // varying.slot_ms + 1
    series = _distinct([_series(each, tasks, cluster.job_names, count) for each in varying.series])
    return {
        "from_ms": varying.from_ms,
        "to_ms": varying.to_ms,
        "slot_ms": varying.slot_ms,
        "slots": count,
        "left_out": varying.left_out,
        "series": sorted(series, key=lambda each: (each["metric"], each["where"])),
        "watched": watched_metrics(evidence, varying.from_ms, varying.slot_ms, count),
    }


def _series(
    slotted: SlottedSeries, tasks: Mapping[str, str], job_names: Mapping[str, str | None], slots: int
) -> dict[str, Any]:
    task = tasks.get(slotted.vertex_id or "", slotted.vertex)
    operator = None if slotted.operator and task and is_same_name(slotted.operator, task) else slotted.operator
    where = " · ".join(part for part in (task, operator, slotted.task_manager) if part)
    return {
        "metric": slotted.metric,
        "job_id": slotted.job_id,
        "where": where or _job_or_cluster(slotted.job_id, job_names),
        "is_rate": slotted.is_rate,
        "of_task": bool(task),
        "mean": [_rounded(slotted.means.get(slot)) for slot in range(slots)],
        "peak": [_rounded(slotted.peaks.get(slot)) for slot in range(slots)],
    }


def _job_or_cluster(job_id: str | None, job_names: Mapping[str, str | None]) -> str:
    """The place of a metric of no task and no process."""
    return (job_names.get(job_id) or THE_JOB) if job_id else THE_CLUSTER


def _distinct(series: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The series without those that repeat another: of one metric at one place that with the most readings.

    REST and Prometheus report the same quantity, and an operator that is the whole task repeats the task.
    """
    jobs = {each["job_id"] for each in series} - {None}
    only = jobs.pop() if len(jobs) == 1 else None
    densest: dict[tuple[str, str, str | None], dict[str, Any]] = {}
    for each in series:
        key = (each["metric"], each["where"], each["job_id"] or only)
        if key not in densest or _readings(each) > _readings(densest[key]):
            densest[key] = each
    return list(densest.values())


def _readings(series: Mapping[str, Any]) -> int:
    return sum(value is not None for value in series["mean"])


def is_same_name(operator: str, task: str) -> bool:
    """Whether an operator is the whole task: Prometheus prints other characters than letters as underscores."""
    return re.sub(r"\W|_", "", operator).lower() == re.sub(r"\W|_", "", task).lower()


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.5g}")


def choices(points: Points) -> Sequence[Choice]:
    """Every metric by family and name, with the course of its highest series as a thumbnail, and the job of one that no
    other job and no process has.
    """
    by_metric: dict[str, list[Mapping[str, Any]]] = {}
    for each in points["series"]:
        by_metric.setdefault(each["metric"], []).append(each)
    order = [*(say(title) for title, _ in FAMILIES), say(OTHERS)]
    listed = [
        Choice(
            metric,
            metric,
            say("{lines} series", lines=len(lines)),
            job_id=only_one({line["job_id"] for line in lines}),
            group=say(family_of(metric)),
            thumbnail=_thumbnail(max(lines, key=_highest)["mean"]),
        )
        for metric, lines in by_metric.items()
    ]
    return sorted(listed, key=lambda choice: (order.index(choice.group), choice.title))


def _highest(line: Mapping[str, Any]) -> float:
    return max((abs(value) for value in line["mean"] if value is not None), default=0.0)


def runs(values: Sequence[float | None]) -> list[list[tuple[int, float]]]:
    """The known values with their places, divided where more is missing than usually lies between two of them.

    Readings that are taken less often than once in a slot are neighbours although slots between them are empty.
    """
    known = [(place, value) for place, value in enumerate(values) if value is not None]
    apart = [after - before for (before, _), (after, _) in pairwise(known)]
    usual = median_low(apart) if apart else 1
    divided: list[list[tuple[int, float]]] = [known[:1]]
    for step, reading in zip(apart, known[1:], strict=True):
        if step > MOST_APART * usual:
            divided.append([])
        divided[-1].append(reading)
    return divided


def _thumbnail(values: Sequence[float | None]) -> str:
    """The path of the values; a gap where samples are missing, a short dash for a value that has none beside it."""
    known = [value for value in values if value is not None]
    width, height = THUMBNAIL
    low, span = min(known, default=0.0), (max(known, default=0.0) - min(known, default=0.0)) or 1.0
    path = ""
    for run in runs(values):
        pen = "M"
        for place, value in run:
            x, y = place * width / max(len(values) - 1, 1), (height - 1) - (value - low) / span * (height - 2)
            if len(run) == 1:
                path += f"M{min(max(x - DASH / 2, 0), width - DASH):.0f} {y:.1f}h{DASH}"
            else:
                path += f"{pen}{x:.0f} {y:.1f}"
            pen = "L"
    return path


SAMPLED = to_say("{metric} of {where}: {low} to {high}{unit}, {mean}.")
METERED = to_say(
    "{metric} of {where}: {low} to {high}{unit}, {mean}. Each sample of this metric is Flink's mean of "
    "the 60 s before it, so that a change is seen up to a minute late."
)
"""What a metric's range says. Source of the 60 s: Flink's MeterView and TimerGauge."""
FIRST = ("numRecordsOutPerSecond", "numRecordsInPerSecond", "numRecordsOut", "numRecordsIn", "Status.JVM.CPU.Load")
"""Shown before a metric is selected: the job's throughput."""


def _chosen(points: Points) -> tuple[str, list[Mapping[str, Any]]]:
    present = {each["metric"] for each in points["series"]}
    wanted = [points.get("chosen"), *FIRST, min(present)]
    metric = next(name for name in wanted if name in present)
    found = [each for each in points["series"] if each["metric"] == metric]
    return metric, sorted(found, key=lambda each: (-max(value or 0 for value in each["peak"]), each["where"]))


THE_CLUSTER, THE_JOB = to_say("the cluster"), to_say("the job")
"""Where a metric of no task and no process is measured; the second for a job without a name."""
UNKNOWN_UNIT = to_say("value")
"""Axis label of user-defined metrics and plain counts."""


def _unit(each: Mapping[str, Any]) -> str:
    return rate_unit(each["metric"]) if each["is_rate"] else unit_of(each["metric"]) or UNKNOWN_UNIT


def _scale(each: Mapping[str, Any]) -> tuple[float, str]:
    """Divisor and unit of the values; bytes and milliseconds in the largest suitable unit."""
    unit = _unit(each)
    largest = max((abs(value) for value in each["peak"] if value is not None), default=0.0)
    if unit in ("bytes", "bytes/s"):
        divisor, name = axis_unit(largest, MEMORY_UNITS, "bytes")
        return divisor, unit.replace("bytes", name)
    return axis_unit(largest, DURATION_UNITS, "ms") if unit == "ms" else (1.0, say(unit))


def _where(line: Mapping[str, Any]) -> str:
    where: str = line["where"]
    if where == THE_CLUSTER and line["job_id"]:  # points of earlier versions
        where = THE_JOB
    return say(where) if where in (THE_CLUSTER, THE_JOB) else where


def _in(unit: str) -> str:
    return f" {unit}" if unit != say(UNKNOWN_UNIT) else ""


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A line per place: the mean, and dotted above it the highest subtask."""
    colours = palette(theme)
    metric, lines = _chosen(points)
    divisor, unit = _scale(lines[0])
    in_unit = _in(unit)
    times = [points["from_ms"] + (slot + 0.5) * points["slot_ms"] for slot in range(points["slots"])]
    traces = []
    for place, line in enumerate(lines[:MOST_LINES]):
        name = escaped(shortened(_where(line), 52))
        for column, statistic, dash, width in (("mean", say("mean"), "solid", 2), ("peak", say("peak"), "dot", 1.2)):
            if column == "peak" and line["peak"] == line["mean"]:
                continue
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": name if column == "mean" else say("{name}, highest", name=name),
                    "legendgroup": name,
                    "showlegend": column == "mean",
                    **_line(line[column], times, divisor),
                    "connectgaps": False,
                    "line": {"color": colours.series[place], "width": width, "dash": dash},
                    "marker": {"size": 3},
                    "hovertemplate": f"{name}<br>%{{x}}<br>{statistic} %{{y:,.4~g}}{in_unit}<extra></extra>",
                }
            )
    hidden = len(lines) - MOST_LINES
    more = (
        say_counted(" · {count} lower one not drawn", " · {count} lower ones not drawn", hidden) if hidden > 0 else ""
    )
    rate = say(", each second") if lines[0]["is_rate"] else ""
    panel = Panel(title=f"{escaped(metric)}{rate}{more}", unit=unit, height=190, traces=traces)
    drawn = stacked([panel], theme, axis="time")
    drawn["layout"]["meta"] = {"chosen": metric}
    return drawn


def _line(values: Sequence[float | None], times: Sequence[float], divisor: float) -> dict[str, list[float | None]]:
    """The coordinates of a line, with an empty one where it is interrupted."""
    x: list[float | None] = []
    y: list[float | None] = []
    for run in runs(values):
        if x:
            x.append(None)
            y.append(None)
        x += [times[place] for place, _ in run]
        y += [value / divisor for _, value in run]
    return {"x": x, "y": y}


def _mean(line: Mapping[str, Any], slot: str) -> str:
    """Over what the values are averaged. Those of a task are means of its subtasks: one of them may be far above."""
    if line.get("of_task") and line["peak"] != line["mean"]:
        return say("mean of its subtasks in each {slot}", slot=slot)
    return say("mean of each {slot}", slot=slot)


def summary(points: Points) -> str:
    """Range of the selected metric, and the place of its maximum."""
    metric, lines = _chosen(points)
    divisor, unit = _scale(lines[0])
    known = [value / divisor for value in lines[0]["mean"] if value is not None]
    template = METERED if metric.endswith("PerSecond") else SAMPLED
    text = say(
        template,
        metric=metric,
        where=_where(lines[0]),
        low=number(min(known)),
        high=number(max(known)),
        unit=_in(unit),
        mean=_mean(lines[0], duration(points["slot_ms"])),
    )
    counted = say_counted(
        "{count} metric varies over the time of the evidence.",
        "{count} metrics vary over the time of the evidence.",
        len(choices(points)),
    )
    left_out = (
        say("{left_out} further series that vary less are not kept.", left_out=points["left_out"])
        if points["left_out"]
        else ""
    )
    return joined_sentences((text, counted, left_out))


def table(points: Points) -> list[list[Any]]:
    """One row per slot and place of the selected metric."""
    metric, lines = _chosen(points)
    header = [say("Metric"), say("Where"), say("From (UTC, epoch ms)"), say("Mean"), say("Highest"), say("Unit")]
    rows = [
        [
            metric,
            _where(line),
            points["from_ms"] + slot * points["slot_ms"],
            mean,
            line["peak"][slot],
            say(_unit(line)),
        ]
        for line in lines
        for slot, mean in enumerate(line["mean"])
        if mean is not None
    ]
    return [header, *rows]


def changed(points: Points, normal: Range, bad: Range) -> list[dict[str, Any]]:
    """The series ordered by the change of their mean between two time ranges, relative to their usual scatter.

    Gives  {metric, where, is_rate, normal, bad, times, effect}: `times` is bad over normal, None from or to zero;
           `effect` the difference in units of the scatter. Series unknown in one of the ranges, and duplicates from two
           files, are left out.
    """
    changes: dict[tuple[Any, ...], dict[str, Any]] = {}
    for line in points["series"]:
        before, after = _within(points, line, normal), _within(points, line, bad)
        if not before or not after:
            continue
        one, other = fmean(before), fmean(after)
        scatter = max(pstdev(before), pstdev(after), SMALLEST_SCATTER * max(abs(one), abs(other)), 1e-12)
        effect = abs(other - one) / scatter
        times = other / one if one > 0 and other > 0 else None
        told = {name: line[name] for name in ("metric", "where", "is_rate")}
        key = (*told.values(), round(one, 3), round(other, 3))
        changes[key] = {**told, "normal": one, "bad": other, "times": times, "effect": effect}
    return sorted(changes.values(), key=lambda each: (-each["effect"], each["metric"], each["where"]))


def _within(points: Points, series: Mapping[str, Any], stretch: Range) -> list[float]:
    start, width = points["from_ms"], points["slot_ms"]
    first, last = ((each - start) // width for each in stretch)
    values = series["mean"][max(int(first), 0) : max(int(last) + 1, 0)]
    return [value for value in values if value is not None]


CHART = Chart(
    id="metrics",
    title=to_say("Every metric over time"),
    order=45,
    axis="time",
    missing=to_say(
        "Metrics over time would fill this chart: scrapes of the Prometheus reporter "
        "(`curl -s <taskmanager>:9249/metrics` every few seconds) or a Prometheus server's `query_range` answers."
    ),
    panels=(),  # it shows whatever was scraped: Prometheus has that already
    points=points,
    figure=figure,
    summary=summary,
    table=table,
    choices=choices,
)
