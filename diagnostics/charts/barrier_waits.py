"""Back pressure against the time that barriers waited: one dot for each checkpoint, with the correlation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.correlation import LEAST_PAIRS, Correlation, correlation, highest_shifted
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import DURATION_UNITS, Panel, axis_unit, escaped, job_title, shortened, stacked
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.checkpoints.barrier_waits import barrier_waits
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.timeline import MOMENT_MS
from diagnostics.vocabulary.load_levels import OK_MOST
from diagnostics.wording.phrase import duration, enumeration, exact_duration, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.checkpoints.barrier_waits import BarrierWait

MOST_CHECKPOINTS = 300
"""Checkpoints of a job in the chart, the latest. Our choice."""
LEAST_CHECKPOINTS = 3
"""Fewer dots show nothing. Our choice."""
SHIFTS_MS = tuple(range(0, 70_000, MOMENT_MS))
"""Times by which back pressure is read earlier to find a lag. Our choice: up to a minute, in steps of the samples; a
cause is not later than what it causes.
"""
NAME_LENGTH = 40

RATIO, START_DELAY, ALIGNMENT, TRIGGER, ID, VERTEX = range(6)


def points(evidence: Evidence) -> Points | None:
    """The longest wait of a barrier in each checkpoint and the back pressure upstream of it while it was under way.

    Reads   subtask_checkpoint, log_record (DEBUG), metric_sample, back_pressure, vertex, edge, job.
    Gives   {jobs: [{job_id, name, lag_ms, lagged: {r, rises, pairs} or null, checkpoints: [[ratio, start_delay_ms,
            alignment_ms, trigger_ms, id, task]]}]}; `lag_ms` is the time by which back pressure came before the start
            delay where they agree best.
    Empty   None when no job has LEAST_CHECKPOINTS checkpoints with both.
    """
    cluster = cluster_of(evidence)
    jobs: list[dict[str, Any]] = []
    for job_id, waits in sorted(barrier_waits(evidence).items(), key=lambda item: str(item[0])):
        rows = [
            [
                round(ratio, 3),
                wait.start_delay_ms,
                wait.alignment_ms,
                wait.ts_ms,
                wait.number,
                cluster.vertex_subject(job_id, wait.vertex).vertex or wait.vertex,
            ]
            for wait in waits[-MOST_CHECKPOINTS:]
            if (ratio := wait.upstream_ratio()) is not None
        ]
        if len(rows) < LEAST_CHECKPOINTS:
            continue
        shifted = highest_shifted(SHIFTS_MS, partial(_pairs_at, waits))
        jobs.append(
            {
                "job_id": job_id,
                "name": cluster.job_names.get(job_id) if job_id else None,
                "lag_ms": shifted[0] if shifted else None,
                "lagged": _as_json(shifted[1]) if shifted else None,
                "checkpoints": rows,
            }
        )
    return {"jobs": jobs} if jobs else None


def _pairs_at(waits: Sequence[BarrierWait], shift_ms: int) -> list[tuple[float, float]]:
    return [
        (ratio, wait.start_delay_ms)
        for wait in waits[-MOST_CHECKPOINTS:]
        if (ratio := wait.upstream_ratio(shift_ms)) is not None
    ]


def _as_json(found: Correlation) -> dict[str, Any]:
    return {"r": found.r, "rises": found.rises, "pairs": found.pairs}


def _correlation(job: Mapping[str, Any], column: int) -> Correlation | None:
    return correlation([(row[RATIO], row[column]) for row in job["checkpoints"] if row[column] is not None])


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A dot for each checkpoint: the share of back-pressured time to the right, the wait upwards."""
    colours = palette(theme)
    panels = [_panel(job, points, colours, first=index == 0) for index, job in enumerate(points["jobs"])]
    return stacked(panels, theme, axis="own", x_title=say("Back pressured upstream (% of the time)"))


def _panel(job: Mapping[str, Any], points: Points, colours: Palette, *, first: bool) -> Panel:
    rows = job["checkpoints"]
    longest = max(row[column] or 0.0 for row in rows for column in (START_DELAY, ALIGNMENT))
    divisor, unit = axis_unit(longest, DURATION_UNITS, "ms")
    found = _correlation(job, START_DELAY)
    clear = found is not None and found.rises
    ending = say(" · r = {r:.2f} ({pairs} checkpoints)", r=found.r, pairs=found.pairs) if found and clear else ""
    series = (
        (START_DELAY, say("Start delay"), "start_delay_ms", "circle"),
        (ALIGNMENT, say("Alignment"), "alignment_ms", "diamond"),
    )
    return Panel(
        title=say("Longest wait of a barrier{job}{ending}", job=job_title(job, points), ending=ending),
        unit=say("Wait ({unit})", unit=unit),
        height=220,
        traces=[
            {
                "type": "scatter",
                "mode": "markers",
                "name": title,
                "legendgroup": title,
                "showlegend": first,
                "x": [row[RATIO] * 100 for row in known],
                "y": [row[column] / divisor for row in known],
                "marker": {"size": 8, "color": colours.phases[phase], "symbol": symbol, "opacity": 0.8},
                "text": [_hover_text(row, title, row[column]) for row in known],
                "hovertemplate": "%{text}<extra></extra>",
            }
            for column, title, phase, symbol in series
            if (known := [row for row in rows if row[column] is not None])
        ],
        x={"range": [-3, 103], "ticksuffix": " %"},
    )


def _hover_text(row: Sequence[Any], title: str, wait_ms: float) -> str:
    which = say("Checkpoint {id}", id=row[ID]) if row[ID] is not None else say("Checkpoint")
    return say(
        "{which}, {vertex}<br>{title} {wait}<br>back-pressured upstream {ratio} of the time",
        which=which,
        vertex=escaped(shortened(row[VERTEX], NAME_LENGTH)),
        title=title.lower(),
        wait=exact_duration(wait_ms),
        ratio=percent(row[RATIO]),
    )


def summary(points: Points) -> str:
    """Whether barriers wait longer when tasks are back-pressured: r with its interval, and the lag."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    rows = job["checkpoints"]
    if max(row[RATIO] for row in rows) <= OK_MOST:
        return say("No task upstream of a barrier was back-pressured in these {count} checkpoints.", count=len(rows))
    known = {
        title: found
        for column, title in ((START_DELAY, say("start delay")), (ALIGNMENT, say("alignment")))
        if (found := _correlation(job, column))
    }
    if not known:
        return say(
            "{count} checkpoints are shown; a correlation needs {least_pairs} checkpoints whose back "
            "pressure and waits vary.",
            count=len(rows),
            least_pairs=LEAST_PAIRS,
        )
    clear = {title: each for title, each in known.items() if each.rises}
    if not clear and not _is_later(job):
        return say(
            "In these {count} checkpoints the wait of barriers does not depend clearly on the back pressure upstream.",
            count=len(rows),
        )
    shares = enumeration(
        [
            say(
                "r = {r:.2f} for the {title} (95 % {low:.2f} to {high:.2f})",
                r=each.r,
                title=title,
                low=each.low,
                high=each.high,
            )
            for title, each in clear.items()
        ]
    )
    text = (
        say(
            "Over {count} checkpoints barriers wait longer when the tasks upstream are back-pressured: {shares}.",
            count=len(rows),
            shares=shares,
        )
        if clear
        else say("Over {count} checkpoints the start delay follows the back pressure upstream.", count=len(rows))
    )
    return joined_sentences((text, _lag_in_words(job))) if _is_later(job) or say("start delay") in clear else text


def _is_later(job: Mapping[str, Any]) -> bool:
    """Whether the start delay follows the back pressure of an earlier time."""
    return bool(job["lag_ms"]) and bool(job["lagged"].get("rises"))  # points of former releases do not have it


def _lag_in_words(job: Mapping[str, Any]) -> str:
    """By how much back pressure comes before the start delay, where that is clear."""
    if not _is_later(job):
        return say("The start delay agrees best with the back pressure of the same time (no lag).")
    return say(
        "The start delay agrees best with the back pressure {lag} earlier (r = {r:.2f}).",
        lag=duration(job["lag_ms"]),
        r=job["lagged"]["r"],
    )


def table(points: Points) -> list[list[Any]]:
    """One row for each checkpoint."""
    header = [
        say("Job"),
        say("Checkpoint"),
        say("Trigger time (UTC, epoch ms)"),
        say("Task"),
        say("Back pressured upstream (ratio)"),
        say("Start delay (ms)"),
        say("Alignment (ms)"),
    ]
    rows = [
        [
            job["name"] or job["job_id"],
            row[ID],
            row[TRIGGER],
            row[VERTEX],
            row[RATIO],
            *map(_rounded, row[START_DELAY:TRIGGER]),
        ]
        for job in points["jobs"]
        for row in job["checkpoints"]
    ]
    return [header, *rows]


def _rounded(value: float | None) -> float | None:
    """A duration with a tenth of a millisecond."""
    return None if value is None else round(value, 1)


CHART = Chart(
    id="barrier-waits",
    title=to_say("Back pressure and barriers"),
    order=16,
    axis="own",
    missing=to_say(
        "Details of at least three checkpoints together with back pressure over time would fill this chart: "
        "metrics with `checkpointStartDelayNanos` and `backPressuredTimeMsPerSecond`, or "
        "`curl -s $REST/jobs/<job>/checkpoints/details/<id>/subtasks/<vertex>` for several checkpoints."
    ),
    panels=(),  # one dot for each checkpoint: a panel over time shows no correlation
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
