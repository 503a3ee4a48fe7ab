"""Trend of duration and size over the completed checkpoints, and when the duration would reach the timeout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.quantiles import FEWEST_FOR_P95, quantile
from diagnostics.arithmetic.trend import LEAST_MONOTONE, MOST_AHEAD, NoTrend, Reached, Trend, trend_of
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import DURATION_UNITS, SIZE_UNITS, Panel, Threshold, axis_unit, job_title, stacked
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, say_counted, to_say
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
MINUTE_MS, HOUR_MS = 60_000, 3_600_000


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
            for each in history.select_statuses("completed")
            if each.start_ms is not None and each.end_to_end_ms is not None
        ]
        if len(completed) < LEAST_CHECKPOINTS:
            continue
        jobs.append(
            {
                "job_id": job_id,
                "name": names.get(job_id) if job_id else None,
                "timeout_ms": timeouts.get(job_id),
                "expired": len(history.select_statuses("expired")),
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
        return say("{expected} (not before {earliest}, perhaps much later)", expected=expected, earliest=earliest)
    return say(
        "{expected} ({earliest} to {latest})",
        expected=expected,
        earliest=earliest,
        latest=duration(reached.latest - last),
    )


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """Dots for checkpoints, a dashed line for a trend, the timeout as a line."""
    colours = palette(theme)
    panels = []
    for index, job in enumerate(points["jobs"]):
        name = job_title(job, points)
        panels.append(_durations(job, name, colours, first=index == 0))
        if any(row[STATE] is not None or row[WRITTEN] is not None for row in job["checkpoints"]):
            panels.append(_sizes(job, name, colours, first=index == 0))
    return stacked(panels, theme, axis="time", x_title=say("Trigger time (UTC)"))


def _durations(job: Mapping[str, Any], name: str, colours: Palette, *, first: bool) -> Panel:
    rows = job["checkpoints"]
    timeout = job["timeout_ms"]
    longest = max(row[DURATION] for row in rows)
    is_near = timeout is not None and timeout <= 4 * longest
    divisor, unit = axis_unit(max(longest, timeout if is_near else 0.0), DURATION_UNITS, "ms")
    traces = [_dots(say("End to end duration"), rows, DURATION, divisor, colours.calm, exact_duration, first)]
    traces += _fitted(_trend(job, DURATION), rows, divisor, colours, first)
    reached = _reaches_timeout(job)
    ending = say(" · reaches the timeout in {time}", time=_from_now(job, reached)) if reached else ""
    return Panel(
        title=say("End to end duration{name}{ending}", name=name, ending=ending),
        unit=say("Duration ({unit})", unit=unit),
        height=150,
        traces=traces,
        thresholds=[Threshold(timeout / divisor, say("Checkpoint timeout {timeout}", timeout=duration(timeout)))]
        if is_near
        else [],
        y={"range": [0, 1.15 * max(longest, timeout if is_near else 0.0) / divisor]},
    )


def _sizes(job: Mapping[str, Any], name: str, colours: Palette, *, first: bool) -> Panel:
    rows = job["checkpoints"]
    known = [value for row in rows for value in (row[WRITTEN], row[STATE]) if value is not None]
    divisor, unit = axis_unit(max(known), SIZE_UNITS, "bytes")
    traces = []
    for title, column, colour in (
        (say("Checkpointed data size"), WRITTEN, colours.series[1]),
        (say("Full state"), STATE, colours.series[2]),
    ):
        told = [row for row in rows if row[column] is not None]
        if told:
            traces.append(_dots(title, told, column, divisor, colour, size, first))
            traces += _fitted(_trend(job, column), told, divisor, colours, first=False)
    return Panel(title=say("Size{name}", name=name), unit=unit, height=120, traces=traces)


def _dots(
    title: str,
    rows: Sequence[Sequence[Any]],
    column: int,
    divisor: float,
    colour: str,
    in_words: Callable[[Any], str],
    shown: bool,
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
        "text": [
            say("Checkpoint {id}<br>{title} {value}", id=row[ID], title=title.lower(), value=in_words(row[column]))
            for row in rows
        ],
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
            "name": say("Trend"),
            "legendgroup": say("Trend"),
            "showlegend": first,
            "x": ends,
            "y": [max(trend.at(x), 0.0) / divisor for x in ends],
            "line": {"color": colours.text, "dash": "dash", "width": 1.5},
            "hovertemplate": f"{say('trend (median slope)')}<extra></extra>",
        }
    ]


def summary(points: Points) -> str:
    """Median, 95th percentile and longest duration; whether it grows, and when it would reach the timeout."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    rows = job["checkpoints"]
    took = [row[DURATION] for row in rows]
    sentence = (
        to_say("{count} completed checkpoints take {median} in the median and {longest} at most.")
        if len(rows) < FEWEST_FOR_P95
        else to_say(
            "{count} completed checkpoints take {median} in the median, {p95} at the 95th percentile and {longest} at "
            "most."
        )
    )
    text = say(
        sentence,
        count=len(rows),
        median=duration(quantile(took, 0.5) or 0),
        p95=duration(quantile(took, 0.95) or 0),
        longest=duration(max(took)),
    )
    if job["savepoints"]:
        left_out = say_counted("{count} savepoint is left out.", "{count} savepoints are left out.", job["savepoints"])
        text = joined_sentences((text, left_out))
    return joined_sentences((text, _trend_in_words(job)))


def _trend_in_words(job: Mapping[str, Any]) -> str:
    """The trend with its error, and when the timeout is reached, or why there is no prediction."""
    trend, timeout = _trend(job, DURATION), job["timeout_ms"]
    if isinstance(trend, NoTrend):
        return say("No line is fitted: {because}.", because=trend.because)
    per, rate = _rate_of(job)
    slopes = sorted(abs(each) * per for each in (trend.slope_low, trend.slope_high))
    sentence = (
        to_say(
            "The duration rises by {rate} (median slope, 95 % interval {low} to {high}); half of the "
            "checkpoints lie within {error} of this line."
        )
        if trend.slope > 0
        else to_say(
            "The duration falls by {rate} (median slope, 95 % interval {low} to {high}); half of the "
            "checkpoints lie within {error} of this line."
        )
    )
    text = say(
        sentence,
        rate=say(rate, slope=duration(abs(trend.slope) * per)),
        low=duration(slopes[0]),
        high=duration(slopes[1]),
        error=duration(trend.error),
    )
    if trend.slope <= 0 or timeout is None:
        return text
    if _has_expired(job):
        expired = say_counted("{count} checkpoint expired", "{count} checkpoints expired", job["expired"])
        return joined_sentences(
            (
                text,
                say(
                    "The timeout of {timeout} is reached already: {expired}.",
                    timeout=duration(timeout),
                    expired=expired,
                ),
            )
        )
    if reached := _reaches_timeout(job):
        return joined_sentences(
            (
                text,
                say(
                    "If that lasts, it reaches the timeout of {timeout} in {time}.",
                    timeout=duration(timeout),
                    time=_from_now(job, reached),
                ),
            )
        )
    return joined_sentences(
        (
            text,
            say(
                "It does not reach the timeout of {timeout} within {most_ahead:.0f} times the time shown, "
                "which is as far as a trend is followed.",
                timeout=duration(timeout),
                most_ahead=MOST_AHEAD,
            ),
        )
    )


def _rate_of(job: Mapping[str, Any]) -> tuple[int, str]:
    """The time, in ms, for which the slope is stated, no longer than the checkpoints cover, and its words."""
    covered = job["checkpoints"][-1][TRIGGER] - job["checkpoints"][0][TRIGGER]
    return (HOUR_MS, to_say("{slope} per hour")) if covered >= HOUR_MS else (MINUTE_MS, to_say("{slope} per minute"))


def table(points: Points) -> list[list[Any]]:
    """One row per completed checkpoint."""
    header = [
        say("Job"),
        "ID",
        say("Trigger time (UTC, epoch ms)"),
        say("End to end (ms)"),
        say("Checkpointed data (bytes)"),
        say("Full state (bytes)"),
        say("Trend of the duration (ms)"),
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
    title=to_say("Trend of checkpoints"),
    order=14,
    axis="time",
    missing=to_say(
        "A checkpoint history with at least five completed checkpoints would fill this chart: "
        "`curl -s $REST/jobs/<job>/checkpoints > checkpoints.json`, or the JobManager's log."
    ),
    panels=(),  # the panels of the checkpoint history show it
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
