"""Watermark lag of each task over time, and the dropped late records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.charting.chart import Chart, Points, StoredSignals, Theme, facts_of
from diagnostics.charting.grafana_panel import BY_TASK, ONE_JOB, GrafanaPanel
from diagnostics.charting.panel import DURATION_UNITS, Panel, axis_unit, escaped, job_title, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.prevention.series import TASK
from diagnostics.reconstruction.checkpoints.running_tasks import went_down_ms
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import without_old_answers
from diagnostics.wording.phrase import duration, exact_duration, number

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.metrics.metric_series import MetricSeries
    from diagnostics.reconstruction.metrics.series import Point, Series

MOST_SLOTS = 240
DEFAULT_SAMPLING_MS = 5_000
"""Least width of a slot where no two samples of a watermark differ in time. Our choice."""
MOST_VERTICES = 6
"""Tasks of one job drawn, those with the largest lag. Our choice: more lines are indistinguishable."""

DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot")
"""Lines differ by dash as well as by colour."""

Place = tuple[str | None, str]


def points(evidence: Evidence) -> Points | None:
    """The watermark lag of each task's slowest subtask, and dropped late records per second, in time slots.

    Reads   metric_sample (currentInputWatermark, currentOutputWatermark, numLateRecordsDropped), vertex, job.
    Gives   {from_ms, slot_ms, slots, jobs: [{job_id, name, vertices: [{vertex, lag_ms: [...], late_per_s: [...],
            late_records}]}]}. lag_ms is the time of the scrape less the watermark: negative where the watermark runs
            ahead of the clock; null where there was no sample or no watermark yet, and after the job went down for
            good: REST goes on to answer with the last watermark of tasks that have ended.
    Empty   None without any watermark.
    """
    series = metric_series(evidence)
    watermarks = _watermarks(series, went_down_ms(evidence))
    late: dict[Place, Sequence[Series]] = dict(series.by_vertex("numLateRecordsDropped", operators=True))
    late.update(series.by_vertex("numLateRecordsDropped", operators=False))
    stamps = _stamps([*watermarks.values(), *(late[vertex] for vertex in late if vertex in watermarks)])
    if not stamps or not watermarks:
        return None
    width = slot_ms(stamps[0], stamps[-1], MOST_SLOTS, least_ms=_sampling_ms(watermarks.values()))
    slots = (stamps[-1] - stamps[0]) // width + 1
    cluster = cluster_of(evidence)
    jobs: dict[str | None, list[dict[str, Any]]] = {}
    for (job_id, vertex_id), read in sorted(watermarks.items(), key=lambda item: repr(item[0])):
        task = cluster.tasks.get((job_id, vertex_id))
        rate, total = _late(late.get((job_id, vertex_id), ()), stamps[0], width, slots)
        jobs.setdefault(job_id, []).append(
            {
                "vertex": task.name if task else vertex_id,
                "lag_ms": _lag(read, stamps[0], width, slots),
                "late_per_s": rate,
                "late_records": total,
            }
        )
    return {
        "from_ms": stamps[0],
        "to_ms": stamps[-1],
        "slot_ms": width,
        "slots": slots,
        "jobs": [
            {
                "job_id": job_id,
                "name": cluster.job_names.get(job_id) if job_id else None,
                "vertices": sorted(vertices, key=lambda each: (-_largest(each["lag_ms"]), each["vertex"]))[
                    :MOST_VERTICES
                ],
            }
            for job_id, vertices in sorted(jobs.items(), key=lambda item: str(item[0]))
        ],
    }


def _watermarks(series: MetricSeries, down_ms: Mapping[str | None, int]) -> Mapping[Place, Sequence[Series]]:
    """Task -> the watermarks of its subtasks while its job ran, from the first metric that has any.

    An answer of REST that may be older than the sample before it would show a smaller lead or a larger lag.
    """
    watermarks: dict[Place, Sequence[Series]] = {}
    for metric, operators in (
        ("currentInputWatermark", False),
        ("currentInputWatermark", True),
        ("currentOutputWatermark", True),
    ):
        for vertex, found in series.by_vertex(metric, operators=operators).items():
            fresh = [
                replace(each, points=tuple(_until(without_old_answers(each.points), down_ms.get(vertex[0]))))
                for each in found
            ]
            known = [each for each in fresh if each.points]
            if known:
                watermarks.setdefault(vertex, known)
    return watermarks


def _until(points: Iterable[Point], end_ms: int | None) -> Iterable[Point]:
    """The points up to a moment; all without one."""
    return (each for each in points if end_ms is None or each.ts_ms is None or each.ts_ms <= end_ms)


def _stamps(tasks: Iterable[Sequence[Series]]) -> list[int]:
    """The times of all known samples, in order."""
    return sorted(
        {point.ts_ms for series in tasks for each in series for point in each.known if point.ts_ms is not None}
    )


def _sampling_ms(tasks: Iterable[Sequence[Series]]) -> int:
    """The lower quartile of the times between two samples of a watermark."""
    steps = sorted(
        after.ts_ms - before.ts_ms
        for series in tasks
        for each in series
        for before, after in pairwise(each.known)
        if before.ts_ms is not None and after.ts_ms is not None and after.ts_ms > before.ts_ms
    )
    return steps[len(steps) // 4] if steps else DEFAULT_SAMPLING_MS


def _lag(found: Sequence[Series], from_ms: int, width: int, slots: int) -> list[float | None]:
    """The lag of the slowest subtask: the task's own watermark is the lowest of theirs, also where all are ahead."""
    lag: list[float | None] = [None] * slots
    for each in found:
        for point in each.known:
            if point.ts_ms is None or point.value is None:
                continue
            slot = (point.ts_ms - from_ms) // width
            here, before = point.ts_ms - point.value, lag[slot]
            if before is None or here > before:
                lag[slot] = here
    return lag


def _late(
    lags: Sequence[Series], from_ms: int, width: int, slots: int
) -> tuple[list[float | None] | None, float | None]:
    """Dropped records per second in each slot, and in total; both None without a counter."""
    if not lags:
        return None, None
    dropped: list[float | None] = [None] * slots
    total = 0.0
    for each in lags:
        for before, after in pairwise(each.known):
            if after.ts_ms is None or before.value is None or after.value is None:
                continue
            grown = after.value - before.value if after.value >= before.value else after.value
            slot = (after.ts_ms - from_ms) // width
            if 0 <= slot < slots:
                dropped[slot] = (dropped[slot] or 0.0) + grown
            total += grown
    return [None if value is None else round(value * 1000 / width, 3) for value in dropped], total


def _largest(values: Sequence[float | None]) -> float:
    return max((abs(value) for value in values if value is not None), default=0.0)


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """Lines of watermark lag above, bars of late records below."""
    colours = palette(theme)
    panels = []
    for job in points["jobs"]:
        name = job_title(job, points)
        panels.append(_lag_panel(points, job, name, colours))
        if any(vertex["late_records"] for vertex in job["vertices"]):
            panels.append(_late_panel(points, job, name, colours))
    return stacked(panels, theme, axis="time")


def _times(points: Points) -> list[float]:
    return [points["from_ms"] + (slot + 0.5) * points["slot_ms"] for slot in range(points["slots"])]


def _hover_name(vertex: Mapping[str, Any]) -> str:
    return escaped(shortened(vertex["vertex"], 48))


def _lag_panel(points: Points, job: Mapping[str, Any], name: str, colours: Palette) -> Panel:
    largest = max(_largest(vertex["lag_ms"]) for vertex in job["vertices"])
    divisor, unit = axis_unit(largest, DURATION_UNITS, "ms")
    traces = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": _hover_name(vertex),
            "legendgroup": vertex["vertex"],
            "x": _times(points),
            "y": [None if value is None else value / divisor for value in vertex["lag_ms"]],
            "connectgaps": False,
            "line": {"color": colours.series[place], "dash": DASHES[place], "width": 2},
            "marker": {"size": 3, "color": colours.series[place]},
            "text": [None if value is None else exact_duration(value) for value in vertex["lag_ms"]],
            "hovertemplate": f"{_hover_name(vertex)}<br>%{{x}}<br>{say('watermark lag %{text}')}<extra></extra>",
        }
        for place, vertex in enumerate(job["vertices"])
    ]
    ahead = any(value is not None and value < 0 for vertex in job["vertices"] for value in vertex["lag_ms"])
    return Panel(
        title=say("Watermark lag, slowest subtask{name}", name=name)
        + (say(" · below zero: ahead of the clock") if ahead else ""),
        unit=say("Lag ({unit})", unit=unit),
        traces=traces,
        height=200,
        y={"rangemode": "normal" if ahead else "tozero", "zeroline": True},
    )


def _late_panel(points: Points, job: Mapping[str, Any], name: str, colours: Palette) -> Panel:
    traces = [
        {
            "type": "bar",
            "name": say("Late: {vertex}", vertex=_hover_name(vertex)),
            "showlegend": False,
            "legendgroup": vertex["vertex"],
            "x": _times(points),
            "y": vertex["late_per_s"],
            "width": 0.9 * points["slot_ms"],
            "marker": {"color": colours.series[place]},
            "hovertemplate": f"{_hover_name(vertex)}<br>%{{x}}<br>{say('%{y:.1f} late records/s')}<extra></extra>",
        }
        for place, vertex in enumerate(job["vertices"])
        if vertex["late_records"]
    ]
    return Panel(title=say("Late records dropped{name}", name=name), unit=say("Records/s"), traces=traces, height=90)


def summary(points: Points) -> str:
    """The largest lag, and the number and place of dropped late records."""
    every = [vertex for job in points["jobs"] for vertex in job["vertices"]]
    worst = max(every, key=lambda each: _largest(each["lag_ms"]))
    value = max((value for value in worst["lag_ms"] if value is not None), key=abs)
    sentence = (
        to_say("The watermark of {task} is up to {lag} behind the clock.")
        if value >= 0
        else to_say("The watermark of {task} is up to {lag} ahead of the clock.")
    )
    text = say(sentence, task=f"{worst['vertex']}{_job_of(worst, points)}", lag=duration(abs(value)))
    dropped = [each for each in every if each["late_records"]]
    if dropped:
        most = max(dropped, key=lambda each: each["late_records"])
        text = joined_sentences(
            (
                text,
                say(
                    "{task} dropped {count} late records between the first and the last sample of the metric.",
                    task=f"{most['vertex']}{_job_of(most, points)}",
                    count=number(most["late_records"]),
                ),
            )
        )
    elif any(each["late_records"] is not None for each in every):
        text = joined_sentences(
            (text, say("No late records were dropped between the first and the last sample of the metric."))
        )
    return text


def _job_of(vertex: Mapping[str, Any], points: Points) -> str:
    """The end of a task's name that says which of several jobs it is of."""
    return next(job_title(job, points) for job in points["jobs"] if vertex in job["vertices"])


def table(points: Points) -> list[list[Any]]:
    """One row per task and slot with a sample."""
    header = [
        say("Job"),
        say("Task"),
        say("From (UTC, epoch ms)"),
        say("Watermark lag (ms)"),
        say("Late records dropped (per s)"),
    ]
    rows = []
    for job in points["jobs"]:
        for vertex in job["vertices"]:
            late = vertex["late_per_s"] or [None] * points["slots"]
            for slot, (lag, rate) in enumerate(zip(vertex["lag_ms"], late, strict=True)):
                if lag is not None or rate is not None:
                    start = points["from_ms"] + slot * points["slot_ms"]
                    rows.append([job["name"] or job["job_id"], vertex["vertex"], start, lag, rate])
    return [header, *rows]


def _no_event_time(signals: StoredSignals) -> str | None:
    if not facts_of(signals, "watermarks.job"):
        return None
    ended = any(each.get("restarts") or each.get("final_state") == "FAILED" for each in facts_of(signals, "restarts"))
    if ended and any(each.get("window_operators") for each in facts_of(signals, "late_records")):
        return say("No task has had a watermark: the attempts of the job ended before a first one.")
    return say("No task has had a watermark: the job does not use event time, or its sources emit no watermarks.")


CHART = Chart(
    id="watermarks",
    title=to_say("Watermark lag and late records"),
    order=40,
    axis="time",
    missing=to_say(
        "Metrics over time with watermarks would fill this chart: scrapes of the Prometheus reporter "
        "(`curl -s <taskmanager>:9249/metrics` every few seconds) of a job that uses event time."
    ),
    panels=(
        GrafanaPanel(
            to_say("Watermark lag"),
            "ms",
            {"{{task_name}}": f"time() * 1000 - min {BY_TASK} ({TASK}currentInputWatermark{{{ONE_JOB}}} > 0)"},
        ),
        GrafanaPanel(
            to_say("Late records dropped in 5 minutes"),
            "short",
            {"{{task_name}}": f"sum {BY_TASK} (increase({TASK}operator_numLateRecordsDropped{{{ONE_JOB}}}[5m]))"},
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
    nothing=_no_event_time,
)
