"""Trend of duration and size over the completed checkpoints, and when the duration would reach the timeout."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.quantiles import quantile
from diagnostics.arithmetic.trend import LEAST_MONOTONE, MOST_AHEAD, NoTrend, Reached, Trend, trend_of
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import DURATION_UNITS, SIZE_UNITS, Panel, Threshold, axis_unit, job_title, stacked
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.checkpoints.timeout import checkpoint_timeouts
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.wording.phrase import duration, exact_duration, size

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.checkpoints.history import Checkpoint

MOST_CHECKPOINTS = 1_000
"""Checkpoints of a job in the chart, the latest. Our choice."""
LEAST_CHECKPOINTS = LEAST_MONOTONE
"""Fewer completed checkpoints are not drawn: they have no trend."""
HOUR_MS = 3_600_000


def points(evidence: Evidence) -> Points | None:
    """Duration, written bytes and full state of every completed checkpoint; savepoints are left out.

    Reads   checkpoint and log_record (through the shared history), config_option, job.
    Gives   {from_ms, to_ms, jobs: [{job_id, name, timeout_ms, savepoints, expired, checkpoints: [[trigger_ms, id,
            end_to_end_ms, checkpointed_bytes, state_bytes]]}]}, oldest first.
    Empty   None when no job has LEAST_CHECKPOINTS of them.
    """
    timeouts = checkpoint_timeouts(evidence)
    names = cluster_of(evidence).job_names
    jobs: list[dict[str, Any]] = []
    for job_id, history in sorted(checkpoint_histories(evidence).items(), key=lambda item: str(item[0])):
        completed = [
            each
            for each in history.of_status("completed")
            if each.start_ms is not None and each.end_to_end_ms is not None
        ]
        if len(completed) < LEAST_CHECKPOINTS:
            continue
        jobs.append(
            {
                "job_id": job_id,
                "name": names.get(job_id) if job_id else None,
                "timeout_ms": timeouts.get(job_id),
                "expired": len(history.of_status("expired")),
                "savepoints": sum(1 for each in history.checkpoints if each.is_savepoint),
                "checkpoints": [_row(each) for each in completed[-MOST_CHECKPOINTS:]],
            }
        )
    if not jobs:
        return None
    stamps = [row[0] for job in jobs for row in job["checkpoints"]]
    return {"from_ms": min(stamps), "to_ms": max(stamps), "jobs": jobs}


def _row(each: Checkpoint) -> list[Any]:
    return [each.start_ms, each.number, each.end_to_end_ms, each.checkpointed_bytes, each.state_bytes]


TRIGGER, ID, DURATION, WRITTEN, STATE = range(5)


def _trend(job: Mapping[str, Any], column: int) -> Trend | NoTrend:
    return trend_of(
        [(row[TRIGGER], row[column]) for row in job["checkpoints"] if row[column] is not None], LEAST_MONOTONE
    )


def _reaches_timeout(job: Mapping[str, Any]) -> Reached | None:
    """When durations reach the timeout; None when they do not rise, when that is far away or has happened."""
    trend, timeout = _trend(job, DURATION), job["timeout_ms"]
    if isinstance(trend, NoTrend) or timeout is None or trend.slope <= 0 or _has_expired(job):
        return None
    return trend.reaches(timeout)


def _has_expired(job: Mapping[str, Any]) -> bool:
    """Whether a checkpoint has expired already; diagnoses before 2026-11-24 do not have this."""
    return bool(job.get("expired"))


def _from_now(job: Mapping[str, Any], reached: Reached) -> str:
    """`2 h 30 min (1 h 54 min to 4 h 6 min)` after the last checkpoint."""
    last = job["checkpoints"][-1][TRIGGER]
    earliest, expected = duration(reached.earliest - last), duration(reached.expected - last)
    if reached.latest is None:
        return f"{expected} (not before {earliest}, perhaps much later)"
    return f"{expected} ({earliest} to {duration(reached.latest - last)})"


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """Dots for checkpoints, a dashed line for a trend, the timeout as a line."""
    colours = palette(theme)
    panels = []
    for index, job in enumerate(points["jobs"]):
        name = job_title(job, points)
        panels.append(_durations(job, name, colours, first=index == 0))
        if any(row[STATE] is not None or row[WRITTEN] is not None for row in job["checkpoints"]):
            panels.append(_sizes(job, name, colours, first=index == 0))
    return stacked(panels, theme, axis="time", x_title="Trigger time (UTC)")


def _durations(job: Mapping[str, Any], name: str, colours: Palette, *, first: bool) -> Panel:
    rows = job["checkpoints"]
    timeout = job["timeout_ms"]
    longest = max(row[DURATION] for row in rows)
    is_near = timeout is not None and timeout <= 4 * longest
    divisor, unit = axis_unit(max(longest, timeout if is_near else 0.0), DURATION_UNITS, "ms")
    traces = [_dots("End to end duration", rows, DURATION, divisor, colours.calm, exact_duration, first)]
    traces += _fitted(_trend(job, DURATION), rows, divisor, colours, first)
    reached = _reaches_timeout(job)
    ending = f" · reaches the timeout in {_from_now(job, reached)}" if reached else ""
    return Panel(
        title=f"End to end duration{name}{ending}",
        unit=f"Duration ({unit})",
        height=150,
        traces=traces,
        thresholds=[Threshold(timeout / divisor, f"Checkpoint timeout {duration(timeout)}")] if is_near else [],
        y={"range": [0, 1.15 * max(longest, timeout if is_near else 0.0) / divisor]},
    )


def _sizes(job: Mapping[str, Any], name: str, colours: Palette, *, first: bool) -> Panel:
    rows = job["checkpoints"]
    known = [value for row in rows for value in (row[WRITTEN], row[STATE]) if value is not None]
    divisor, unit = axis_unit(max(known), SIZE_UNITS, "bytes")
    traces = []
    for title, column, colour in (
        ("Checkpointed data size", WRITTEN, colours.series[1]),
        ("Full state", STATE, colours.series[2]),
    ):
        told = [row for row in rows if row[column] is not None]
        if told:
            traces.append(_dots(title, told, column, divisor, colour, size, first))
            traces += _fitted(_trend(job, column), told, divisor, colours, first=False)
    return Panel(title=f"Size{name}", unit=unit, height=120, traces=traces)


def _dots(
    title: str, rows: Sequence[Sequence[Any]], column: int, divisor: float, colour: str, say: Any, shown: bool
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": title,
        "legendgroup": title,
        "showlegend": shown,
        "x": [row[TRIGGER] for row in rows],
        "y": [row[column] / divisor for row in rows],
        "marker": {"size": 7, "color": colour, "symbol": "circle" if column != STATE else "diamond"},
        "text": [f"Checkpoint {row[ID]}<br>{title.lower()} {say(row[column])}" for row in rows],
        "hovertemplate": "%{text}<br>%{x}<extra></extra>",
    }


def _fitted(
    trend: Trend | NoTrend, rows: Sequence[Sequence[Any]], divisor: float, colours: Palette, first: bool
) -> list[dict[str, Any]]:
    if isinstance(trend, NoTrend):
        return []
    ends = [rows[0][TRIGGER], rows[-1][TRIGGER]]
    return [
        {
            "type": "scatter",
            "mode": "lines",
            "name": "Trend",
            "legendgroup": "Trend",
            "showlegend": first,
            "x": ends,
            "y": [max(trend.at(x), 0.0) / divisor for x in ends],
            "line": {"color": colours.text, "dash": "dash", "width": 1.5},
            "hovertemplate": "trend (median slope)<extra></extra>",
        }
    ]


def summary(points: Points) -> str:
    """Median, 95th percentile and longest duration; whether it grows, and when it would reach the timeout."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    rows = job["checkpoints"]
    took = [row[DURATION] for row in rows]
    text = (
        f"{len(rows)} completed checkpoints take {duration(quantile(took, 0.5) or 0)} in the median, "
        f"{duration(quantile(took, 0.95) or 0)} at the 95th percentile and {duration(max(took))} at most."
    )
    if job["savepoints"]:
        text += f" {job['savepoints']} savepoint{'s are' if job['savepoints'] > 1 else ' is'} left out."
    return f"{text} {_trend_in_words(job)}"


def _trend_in_words(job: Mapping[str, Any]) -> str:
    """The trend with its error, and when the timeout is reached, or why there is no prediction."""
    trend, timeout = _trend(job, DURATION), job["timeout_ms"]
    if isinstance(trend, NoTrend):
        return f"The duration has no trend: {trend.because}."
    slopes = sorted(abs(each) * HOUR_MS for each in (trend.slope_low, trend.slope_high))
    text = (
        f"The duration {'rises' if trend.slope > 0 else 'falls'} by {duration(abs(trend.slope) * HOUR_MS)} per hour "
        f"(median slope, 95 % interval {duration(slopes[0])} to {duration(slopes[1])}); half of the checkpoints lie "
        f"within {duration(trend.error)} of this line."
    )
    if trend.slope <= 0 or timeout is None:
        return text
    if _has_expired(job):
        expired = f"{job['expired']} checkpoint{'' if job['expired'] == 1 else 's'} expired"
        return f"{text} The timeout of {duration(timeout)} is reached already: {expired}."
    if reached := _reaches_timeout(job):
        return f"{text} If that lasts, it reaches the timeout of {duration(timeout)} in {_from_now(job, reached)}."
    return (
        f"{text} It does not reach the timeout of {duration(timeout)} within {MOST_AHEAD:.0f} times the time shown, "
        "which is as far as a trend is followed."
    )


def table(points: Points) -> list[list[Any]]:
    """One row per completed checkpoint."""
    header = [
        "Job",
        "ID",
        "Trigger time (UTC, epoch ms)",
        "End to end (ms)",
        "Checkpointed data (bytes)",
        "Full state (bytes)",
        "Trend of the duration (ms)",
    ]
    rows = []
    for job in points["jobs"]:
        trend = _trend(job, DURATION)
        for row in job["checkpoints"]:
            fitted = round(max(trend.at(row[TRIGGER]), 0.0), 1) if isinstance(trend, Trend) else None
            rows.append([job["name"] or job["job_id"], row[ID], row[TRIGGER], *row[DURATION:], fitted])
    return [header, *rows]


CHART = Chart(
    id="checkpoint-trend",
    title="Trend of checkpoints",
    order=14,
    axis="time",
    missing=(
        "A checkpoint history with at least five completed checkpoints would fill this chart: "
        "`curl -s $REST/jobs/<job>/checkpoints > checkpoints.json`, or the JobManager's log."
    ),
    panels=(),  # the panels of the checkpoint history show it
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
