"""The latency from source to sink over time, with the target of the team, or the one that the documents propose."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from statistics import median
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import latency_markers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.grafana_panel import ONE_JOB, GrafanaPanel
from diagnostics.charting.panel import DURATION_UNITS, Panel, Threshold, axis_unit, job_title, stacked
from diagnostics.charting.theme import palette
from diagnostics.language import say, to_say
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.wording.phrase import duration

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_SLOTS = 240
LEAST_SLOT_MS = 5_000
PROPOSED_MS = 100.0
"""Drawn for comparison where no team's target is known, and judged by nothing. Source:
vocabulary/sources/documents.yaml S076, end-to-end latency within 100 ms.
"""


def points(evidence: Evidence) -> Points | None:
    """The highest 99th percentile of each job in time slots.

    Reads   metric_sample (latency markers).
    Gives   {from_ms, to_ms, slot_ms, slots, jobs: [{job_id, name, p99_ms: [...]}]}; null where there was no sample.
            The web process adds `target_ms`, the target of a team, when it draws them.
    Empty   None without two samples.
    """
    by_job: dict[str | None, list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(latency_markers.AGGREGATOR)):
        if row.quantile == latency_markers.QUANTILE:
            by_job[row.job_id].append(row)
    stamps = [row.ts_ms for rows in by_job.values() for row in rows]
    if not stamps or min(stamps) == max(stamps):
        return None
    start, end = min(stamps), max(stamps)
    width = slot_ms(start, end, MOST_SLOTS, LEAST_SLOT_MS)
    slots = (end - start) // width + 1
    names = cluster_of(evidence).job_names
    jobs = []
    for job_id, rows in sorted(by_job.items(), key=lambda item: str(item[0])):
        course: list[float | None] = [None] * slots
        for row in rows:
            place = (row.ts_ms - start) // width
            course[place] = max(row.value, course[place] or 0.0)
        jobs.append({"job_id": job_id, "name": names.get(job_id) if job_id else None, "p99_ms": course})
    return {"from_ms": start, "to_ms": end, "slot_ms": width, "slots": slots, "jobs": jobs}


def _target(points: Points) -> tuple[float, str, bool]:
    """The line's value, its name, and whether it is a bound that somebody set."""
    target = points.get("target_ms")
    if target is None:
        return PROPOSED_MS, say("the documents' 100 ms"), False
    return target, say("target {target}", target=duration(target)), True


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A panel for each job with the percentile and the target."""
    colours = palette(theme)
    target, name, is_set = _target(points)
    largest = max((value for job in points["jobs"] for value in job["p99_ms"] if value is not None), default=target)
    divisor, unit = axis_unit(max(largest, target), DURATION_UNITS, "ms")
    start, width = points["from_ms"] + points["slot_ms"] / 2, points["slot_ms"]
    panels = [
        Panel(
            title=say("Latency from source to sink, 99th percentile{job}", job=job_title(job, points)),
            unit=unit,
            traces=[
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "name": say("99th percentile"),
                    "showlegend": False,
                    "x": [start + slot * width for slot in range(points["slots"])],
                    "y": [None if value is None else value / divisor for value in job["p99_ms"]],
                    "connectgaps": True,
                    "line": {"color": colours.series[0], "width": 2},
                    "marker": {"size": 3},
                    "hovertemplate": f"%{{x}}<br>%{{y:,.3g}} {unit}<extra></extra>",
                }
            ],
            thresholds=[Threshold(target / divisor, name, is_alarm=is_set)],
            y={"rangemode": "tozero"},
        )
        for job in points["jobs"]
    ]
    return stacked(panels, theme, axis="time")


def summary(points: Points) -> str:
    """The usual and the highest percentile of the slowest job, and how often it was above the target."""
    slowest = max(points["jobs"], key=lambda job: median(_known(job)) if _known(job) else 0.0)
    known = _known(slowest)
    target, name, _ = _target(points)
    above = sum(value > target for value in known)
    return say(
        "The 99th percentile is {median} in the median and {highest} at most; it is "
        "above {target} in {above} of {ranges} time ranges. Latency markers overtake what operators buffer, so a "
        "record takes at least this long.",
        median=duration(median(known)),
        highest=duration(max(known)),
        target=name,
        above=above,
        ranges=len(known),
    )


def _known(job: Mapping[str, Any]) -> list[float]:
    return [value for value in job["p99_ms"] if value is not None]


def table(points: Points) -> list[list[Any]]:
    """One row for each job and known slot."""
    rows: list[list[Any]] = [[say("Job"), say("From (UTC, epoch ms)"), say("Latency p99 (ms)")]]
    for job in points["jobs"]:
        rows += [
            [job["name"] or job["job_id"], points["from_ms"] + slot * points["slot_ms"], value]
            for slot, value in enumerate(job["p99_ms"])
            if value is not None
        ]
    return rows


LATENCY = "flink_taskmanager_job_latency_source_id_operator_id_operator_subtask_index_latency"
"""The latency markers, under the name that the Prometheus reporter gives them."""

CHART = Chart(
    id="end-to-end-latency",
    title=to_say("Latency from source to sink"),
    order=43,
    axis="time",
    missing=to_say(
        "Flink's latency markers over time would fill this chart: set `metrics.latency.interval` to 10 s or more, "
        "then "
        "scrape the Prometheus reporter (`curl -s <taskmanager>:9249/metrics` every few seconds)."
    ),
    panels=(
        GrafanaPanel(
            to_say("Latency from source to sink, 99th percentile"),
            "ms",
            {"{{job_name}}": f'max by (job_name) ({LATENCY}{{{ONE_JOB},quantile="0.99"}})'},
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
