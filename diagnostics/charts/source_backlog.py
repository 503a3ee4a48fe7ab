"""Backlog of the sources: pending records, and when the current trend reaches zero."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.arithmetic.trend import MOST_AHEAD, NoTrend, Trend, trend_of
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.grafana_panel import BY_TASK, ONE_JOB, GrafanaPanel
from diagnostics.charting.panel import Panel, escaped, job_title, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.prevention.series import TASK
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.wording.phrase import duration, number

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.metrics.series import Series

MOST_SLOTS = 240
LEAST_SLOT_MS = 5_000
MOST_SOURCES = 4
"""Sources of one job that are drawn, those with the largest backlog. Our choice."""
LATEST_PART = 1 / 3
"""The trend is that of the last third of the time, so that earlier repairs or failures do not count. Our choice."""


def points(evidence: Evidence) -> Points | None:
    """The pending records of each source, summed over its subtasks, in time slots.

    Reads   metric_sample (pendingRecords), vertex, job.
    Gives   {from_ms, to_ms, slot_ms, slots, jobs: [{job_id, name, sources: [{vertex, pending: [...]}]}]}; a slot in
            which a subtask has no sample is null.
    Empty   None without two samples of a backlog.
    """
    backlogs: dict[tuple[str | None, str], Sequence[Series]] = {}
    for operators in (False, True):
        backlogs.update(metric_series(evidence).by_vertex("pendingRecords", operators=operators))
    stamps = [
        point.ts_ms for each in backlogs.values() for one in each for point in one.known if point.ts_ms is not None
    ]
    if not stamps or min(stamps) == max(stamps):
        return None
    start, end = min(stamps), max(stamps)
    width = slot_ms(start, end, MOST_SLOTS, LEAST_SLOT_MS)
    cluster = cluster_of(evidence)
    jobs: dict[str | None, list[dict[str, Any]]] = {}
    for (job_id, vertex_id), series in sorted(backlogs.items(), key=repr):
        task = cluster.tasks.get((job_id, vertex_id))
        pending = summed(series, start, width, (end - start) // width + 1)
        jobs.setdefault(job_id, []).append({"vertex": task.name if task else vertex_id, "pending": pending})
    return {
        "from_ms": start,
        "to_ms": end,
        "slot_ms": width,
        "slots": (end - start) // width + 1,
        "jobs": [
            {
                "job_id": job_id,
                "name": cluster.job_names.get(job_id) if job_id else None,
                "sources": sorted(sources, key=lambda each: (-_largest(each), each["vertex"]))[:MOST_SOURCES],
            }
            for job_id, sources in sorted(jobs.items(), key=lambda item: str(item[0]))
        ],
    }


def summed(series: Sequence[Series], start: int, width: int, slots: int) -> list[float | None]:
    """Sum over the subtasks per slot, from the last value of each; null when one is missing."""
    last: list[dict[int, float]] = [{} for _ in range(slots)]
    for place, each in enumerate(series):
        for point in each.known:
            if point.ts_ms is not None and point.value is not None:
                last[(point.ts_ms - start) // width][place] = point.value
    return [sum(values.values()) if len(values) == len(series) else None for values in last]


def _largest(source: Mapping[str, Any]) -> float:
    return max((value for value in source["pending"] if value is not None), default=0.0)


def _known(points: Points, source: Mapping[str, Any]) -> list[tuple[float, float]]:
    width, start = points["slot_ms"], points["from_ms"] + points["slot_ms"] / 2
    return [(start + slot * width, value) for slot, value in enumerate(source["pending"]) if value is not None]


def _trend(points: Points, source: Mapping[str, Any]) -> Trend | NoTrend:
    since = points["to_ms"] - (points["to_ms"] - points["from_ms"]) * LATEST_PART
    return trend_of([each for each in _known(points, source) if each[0] >= since])


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A line per source, dashed its trend."""
    colours = palette(theme)
    panels = []
    for job in points["jobs"]:
        name = job_title(job, points)
        traces = [
            trace for place, source in enumerate(job["sources"]) for trace in _lines(points, source, place, colours)
        ]
        panels.append(
            Panel(
                title=say("Records that wait to be read{name}", name=name),
                unit=say("Records"),
                height=170,
                traces=traces,
            )
        )
    return stacked(panels, theme, axis="time")


def _lines(points: Points, source: Mapping[str, Any], place: int, colours: Palette) -> list[dict[str, Any]]:
    name = escaped(shortened(source["vertex"], 52))
    start, width = points["from_ms"] + points["slot_ms"] / 2, points["slot_ms"]
    drawn: list[dict[str, Any]] = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "legendgroup": name,
            "x": [start + slot * width for slot in range(points["slots"])],
            "y": source["pending"],
            "connectgaps": False,
            "line": {"color": colours.series[place], "width": 2},
            "marker": {"size": 3},
            "hovertemplate": f"{name}<br>%{{x}}<br>{say('%{y:,.0f} records wait')}<extra></extra>",
        }
    ]
    trend = _trend(points, source)
    if isinstance(trend, Trend):
        ends = [trend.first, trend.last]
        drawn.append(
            {
                "type": "scatter",
                "mode": "lines",
                "name": say("Trend of {name}", name=name),
                "legendgroup": name,
                "showlegend": False,
                "x": ends,
                "y": [max(trend.at(each), 0.0) for each in ends],
                "line": {"color": colours.text, "width": 1.5, "dash": "dash"},
                "hovertemplate": f"{name}<br>{say('{rate} records/s', rate=number(trend.slope * 1000))}<extra></extra>",
            }
        )
    return drawn


def summary(points: Points) -> str:
    """The largest backlog, its trend at the end, and when it would be processed."""
    every = [source for job in points["jobs"] for source in job["sources"]]
    worst = max(every, key=lambda each: (_largest(each), each["vertex"]))
    known = _known(points, worst)
    if not known:
        return say("The backlog of {vertex} is never known for all of its subtasks at once.", vertex=worst["vertex"])
    text = say(
        "Up to {highest} records wait in {source}, {last} at the end.",
        highest=number(_largest(worst)),
        source=worst["vertex"],
        last=number(known[-1][1]),
    )
    return joined_sentences((text, _trend_in_words(_trend(points, worst))))


def _trend_in_words(trend: Trend | NoTrend) -> str:
    """The trend with its error, and when nothing is pending any more, or why there is no prediction."""
    if isinstance(trend, NoTrend):
        return say("No forecast is made from the last third of the time: {because}.", because=trend.because)
    slopes = sorted(abs(each) * 1000 for each in (trend.slope_low, trend.slope_high))
    measured = {"rate": number(abs(trend.slope) * 1000), "low": number(slopes[0]), "high": number(slopes[1])}
    if trend.slope > 0:
        return say(
            "In the last third of the time it grows by {rate} records a second (median slope, 95 % interval {low} to "
            "{high}): it does not catch up while that lasts.",
            **measured,
        )
    gone = trend.reaches(0.0)
    if gone is None:
        return say(
            "In the last third of the time it shrinks by {rate} records a second (median slope, 95 % interval {low} to "
            "{high}); it does not catch up within {most_ahead:.0f} times that time, as far as a trend is followed.",
            **measured,
            most_ahead=MOST_AHEAD,
        )
    expected, earliest = duration(gone.expected - trend.last), duration(gone.earliest - trend.last)
    latest = (
        say("{earliest} to {latest}", earliest=earliest, latest=duration(gone.latest - trend.last))
        if gone.latest
        else say("not before {earliest}", earliest=earliest)
    )
    return say(
        "In the last third of the time it shrinks by {rate} records a second (median slope, 95 % interval {low} to "
        "{high}); if that lasts, it has caught up in {expected} ({latest}).",
        **measured,
        expected=expected,
        latest=latest,
    )


def table(points: Points) -> list[list[Any]]:
    """One row per source and known slot."""
    header = [say("Job"), say("Source"), say("From (UTC, epoch ms)"), say("Records that wait")]
    width = points["slot_ms"]
    return [
        header,
        *(
            [job["name"] or job["job_id"], source["vertex"], points["from_ms"] + slot * width, value]
            for job in points["jobs"]
            for source in job["sources"]
            for slot, value in enumerate(source["pending"])
            if value is not None
        ),
    ]


CHART = Chart(
    id="source-backlog",
    title=to_say("Backlog of the sources"),
    order=42,
    axis="time",
    missing=to_say(
        "The metric `pendingRecords` over time would fill this chart: scrapes of the Prometheus reporter "
        "(`curl -s <taskmanager>:9249/metrics` every few seconds) of a job whose sources tell it, as Kafka's does."
    ),
    panels=(
        GrafanaPanel(
            to_say("Records that wait in the sources"),
            "short",
            {"{{task_name}}": f"sum {BY_TASK} ({TASK}operator_pendingRecords{{{ONE_JOB}}})"},
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
