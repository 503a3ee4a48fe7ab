"""Checkpoint history: duration of each checkpoint, phases of its slowest subtask, and failures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.grafana_panel import ONE_JOB, GrafanaPanel
from diagnostics.charting.panel import (
    DURATION_UNITS,
    SIZE_UNITS,
    Panel,
    Threshold,
    axis_unit,
    escaped,
    job_title,
    stacked,
)
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import say, to_say
from diagnostics.prevention.series import JOB
from diagnostics.reconstruction.checkpoints.course import checkpoint_courses
from diagnostics.wording.checkpoint import (
    PHASES,
    status_words,
)
from diagnostics.wording.checkpoint_course import BAD, course_in_words
from diagnostics.wording.phrase import duration, exact_duration, size

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

SAVEPOINT_SIGN = "🖫"
"""A disk, as Flink's web UI marks savepoints."""
WIDEST_BAR = 25
"""Maximum width of a bar as a share of the time shown."""

MOST_SIZE_BARS = 100
"""More sizes are drawn as steps, like Flink's gauge `lastCheckpointSize`: a single line keeps a brush over 500
checkpoints below 200 ms.
"""

TIMEOUT_SHOWN = 4.0
"""The timeout is drawn when it is at most this many times the longest checkpoint; else it is only named."""


def points(evidence: Evidence) -> Points | None:
    """Every checkpoint with its duration, its slowest subtask's phases, and the timeout.

    Reads   checkpoint, log_record (through the shared history), subtask_checkpoint, config_option, job.
    Gives   {from_ms, to_ms, jobs}: the jobs as `checkpoint_courses` gives them, oldest checkpoint first.
    Empty   None without any checkpoint that has a time.
    """
    jobs = list(checkpoint_courses(evidence))
    if not jobs:
        return None
    every = [each for job in jobs for each in job["checkpoints"]]
    return {
        "from_ms": min(each["trigger_ms"] for each in every),
        "to_ms": max(round(each["trigger_ms"] + (each["end_to_end_ms"] or 0)) for each in every),
        "jobs": jobs,
    }


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """Stacked phases of each checkpoint and, below, the bytes it wrote."""
    colours = palette(theme)
    panels = []
    for index, job in enumerate(points["jobs"]):
        name = job_title(job, points)
        panels.append(_durations(job, name, colours, first=index == 0))
        if any(_bytes(each) is not None for each in job["checkpoints"]):
            panels.append(_sizes(job, name, colours))
    return stacked(panels, theme, axis="time", x_title=say("Trigger time (UTC)"))


def _bar_width(checkpoints: Iterable[Mapping[str, Any]]) -> float:
    """Width of the bars, at most WIDEST_BAR: seven tenths of the usual time between triggers, so that none overlap."""
    triggers = sorted({each["trigger_ms"] for each in checkpoints})
    gaps = sorted(after - before for before, after in pairwise(triggers))
    return min(0.7 * gaps[len(gaps) // 4], (triggers[-1] - triggers[0]) / WIDEST_BAR) if gaps else 5000.0


def _durations(job: Mapping[str, Any], name: str, colours: Palette, *, first: bool) -> Panel:
    checkpoints: list[Mapping[str, Any]] = job["checkpoints"]
    timeout = job["timeout_ms"]
    ends = [each["end_to_end_ms"] for each in checkpoints if each["end_to_end_ms"] is not None]
    phases = [sum(each.get(phase) or 0 for phase in PHASES) for each in checkpoints]
    ages = [each.get("age_ms") or 0.0 for each in checkpoints]
    longest = max([*ends, *phases, *ages, 1.0])
    timeout_drawn = timeout is not None and timeout <= TIMEOUT_SHOWN * longest
    top = max(longest, timeout if timeout_drawn else 0.0)
    divisor, unit = axis_unit(top, DURATION_UNITS, "ms")
    traces = [
        *_duration_bars(checkpoints, divisor, colours, first=first),
        *_duration_marks(checkpoints, divisor, colours),
    ]
    suffix = ""
    if timeout is not None and not timeout_drawn:
        suffix = say(" · timeout {timeout} (far above)", timeout=duration(timeout))
    if job["left_out"]:
        suffix += say(" · {left_out} shorter ones not drawn", left_out=job["left_out"])
    return Panel(
        title=say("Duration by phase of the slowest subtask{name}{suffix}", name=name, suffix=suffix),
        unit=say("Duration ({unit})", unit=unit),
        traces=[trace for trace in traces if trace["x"]],
        height=230,
        thresholds=[Threshold(timeout / divisor, say("Checkpoint timeout {timeout}", timeout=duration(timeout)))]
        if timeout is not None and timeout_drawn
        else [],
        y={"range": [0, 1.12 * top / divisor]},
    )


def _duration_bars(
    checkpoints: Sequence[Mapping[str, Any]], divisor: float, colours: Palette, *, first: bool
) -> Iterator[dict[str, Any]]:
    """The stacked phases of checkpoints with subtask details, up to the timeout where one expired before all of its
    subtasks had acknowledged; one bar for each of the others.
    """
    width = _bar_width(checkpoints)
    under_way = [each for each in checkpoints if each.get("age_ms")]
    detailed = [each for each in checkpoints if each.get("subtask_ms") is not None and each not in under_way]
    for phase, label in PHASES.items():
        yield {
            "type": "bar",
            "name": say(label),
            "legendgroup": phase,
            "showlegend": first,
            "x": [each["trigger_ms"] for each in detailed],
            "y": [(each.get(phase) or 0) / divisor for each in detailed],
            "width": width,
            "marker": {"color": colours.phases[phase]},
            "text": [_hover_text(each) for each in detailed],
            "textposition": "none",
            "hovertemplate": f"<b>{say(label)}: %{{customdata}}</b><br>%{{text}}<extra></extra>",
            "customdata": [
                exact_duration(each[phase]) if each.get(phase) is not None else say("unknown") for each in detailed
            ],
        }
    waited = [(each, rest) for each in detailed if (rest := _unacknowledged_ms(each)) > 0]
    yield {
        "type": "bar",
        "name": say("Waited for subtasks until it expired"),
        "legendgroup": "waited",
        "x": [each["trigger_ms"] for each, _ in waited],
        "y": [rest / divisor for _, rest in waited],
        "width": width,
        "marker": {"color": colours.alarm},
        "opacity": 0.25,
        "text": [_hover_text(each) for each, _ in waited],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }
    yield {
        "type": "bar",
        "name": say("In progress, its age when last seen"),
        "legendgroup": "under-way",
        "x": [each["trigger_ms"] for each in under_way],
        "y": [each["age_ms"] / divisor for each in under_way],
        "width": width,
        "marker": {"color": colours.surface, "pattern": {"shape": "/", "fgcolor": colours.series[2], "size": 6}},
        "opacity": 0.6,
        "text": [_hover_text(each) for each in under_way],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }
    others = (each for each in checkpoints if each not in under_way)
    plain = [each for each in others if each.get("subtask_ms") is None and each["end_to_end_ms"] is not None]
    yield {
        "type": "bar",
        "name": say("Duration, phases not in the files"),
        "legendgroup": "plain",
        "x": [each["trigger_ms"] for each in plain],
        "y": [each["end_to_end_ms"] / divisor for each in plain],
        "width": width,
        "marker": {"color": colours.phases["unknown"]},
        "text": [_hover_text(each) for each in plain],
        "textposition": "none",
        "hovertemplate": "%{text}<extra></extra>",
    }


def _unacknowledged_ms(checkpoint: Mapping[str, Any]) -> float:
    """Milliseconds from the end of the phases of the slowest subtask that acknowledged to the expiry; else 0."""
    if checkpoint["status"] != "expired" or not checkpoint.get("pending"):
        return 0.0
    known_ms: float = sum(checkpoint.get(phase) or 0.0 for phase in PHASES)
    return (checkpoint["end_to_end_ms"] or 0.0) - known_ms


def _duration_marks(
    checkpoints: Sequence[Mapping[str, Any]], divisor: float, colours: Palette
) -> Iterator[dict[str, Any]]:
    """Markers on the bars: savepoints, the end of completed checkpoints with phases, and failures."""
    yield _markers(
        say("Savepoint, not in the statistics"),
        [each for each in checkpoints if each["savepoint"]],
        divisor,
        {"symbol": "square", "line": {"width": 2, "color": colours.surface}},
        colours.series[3],
    )
    # Marks only above phases: a bar without phases ends there itself, and five hundred marks slow a brush by 60 ms.
    detailed = [each for each in checkpoints if each.get("subtask_ms") is not None]
    yield _markers(
        say("End to end duration"),
        [each for each in detailed if each["status"] == "completed" and each["end_to_end_ms"] is not None],
        divisor,
        {"symbol": "line-ew", "line": {"width": 2, "color": colours.text}},
        colours.text,
    )
    yield _markers(
        say("Failed, declined or expired"),
        [each for each in checkpoints if each["status"] in BAD],
        divisor,
        {"symbol": "x", "line": {"width": 1.5, "color": colours.surface}},
        colours.alarm,
    )


def _markers(
    name: str, checkpoints: Sequence[Mapping[str, Any]], divisor: float, marker: Mapping[str, Any], colour: str
) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": name,
        "legendgroup": name,
        "x": [each["trigger_ms"] for each in checkpoints],
        "y": [(each["end_to_end_ms"] or 0) / divisor for each in checkpoints],
        "marker": {"size": 11, "color": colour, **marker},
        "text": [_hover_text(each) for each in checkpoints],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _hover_text(checkpoint: Mapping[str, Any]) -> str:
    kind = say("Savepoint") if checkpoint["savepoint"] else say("Checkpoint")
    lines = [f"<b>{kind} {checkpoint['id']}</b> {status_words(checkpoint['status'])}"]
    if checkpoint["end_to_end_ms"] is not None:
        lines.append(say("end to end {end_to_end}", end_to_end=exact_duration(checkpoint["end_to_end_ms"])))
    if checkpoint.get("vertex"):
        lines.append(
            say(
                "slowest: subtask {subtask} of {vertex}",
                subtask=checkpoint["subtask"],
                vertex=escaped(checkpoint["vertex"][:60]),
            )
        )
    if checkpoint.get("pending"):
        lines.append(say("{pending} subtasks never acknowledged", pending=checkpoint["pending"]))
    if (written := _bytes(checkpoint)) is not None:
        lines.append(say("checkpointed {written}", written=size(written)))
    if checkpoint["failure"]:
        lines.append(escaped(checkpoint["failure"][:120]))
    return "<br>".join(lines)


def _bytes(checkpoint: Mapping[str, Any]) -> float | None:
    """Bytes written; when only the log has the checkpoint, the full state, which is the same unless it is
    incremental.
    """
    written: float | None = checkpoint["checkpointed_bytes"]
    state: float | None = checkpoint["state_bytes"]
    return state if written is None else written


def _sizes(job: Mapping[str, Any], name: str, colours: Palette) -> Panel:
    in_time = sorted(job["checkpoints"], key=lambda each: each["trigger_ms"])
    sizes = [(each, written) for each in in_time if (written := _bytes(each)) is not None]
    divisor, unit = axis_unit(max(written for _, written in sizes), SIZE_UNITS, "bytes")
    return Panel(
        title=say("Checkpointed data size{name}", name=name),
        unit=unit,
        height=70,
        traces=[
            {
                **_size_shape(job, len(sizes), colours),
                "name": say("Checkpointed data size"),
                "showlegend": False,
                "x": [each["trigger_ms"] for each, _ in sizes],
                "y": [written / divisor for _, written in sizes],
                "text": [_hover_text(each) for each, _ in sizes],
                "hovertemplate": "%{text}<extra></extra>",
            }
        ],
        y={"nticks": 3},
    )


def _size_shape(job: Mapping[str, Any], count: int, colours: Palette) -> dict[str, Any]:
    if count <= MOST_SIZE_BARS:
        width = _bar_width(job["checkpoints"])
        return {"type": "bar", "width": width, "marker": {"color": colours.neutral}, "textposition": "none"}
    line = {"shape": "hv", "width": 1, "color": colours.neutral}
    return {"type": "scatter", "mode": "lines", "fill": "tozeroy", "line": line}


def summary(points: Points) -> str:
    """Counts, the longest checkpoint, its longest phase, and the timeout."""
    return summary_by_job(points, course_in_words)


def _acknowledged(checkpoint: Mapping[str, Any]) -> str | None:
    """`3/4`, as in Flink's web UI."""
    if checkpoint.get("acknowledged") is None or checkpoint.get("subtasks") is None:
        return None
    return f"{checkpoint['acknowledged']}/{checkpoint['subtasks']}"


def table(points: Points) -> list[list[Any]]:
    """One row per checkpoint, in Flink's columns and order."""
    header = [
        say("Job"),
        "ID",
        say("Status"),
        say("Acknowledged"),
        say("Trigger time (UTC, epoch ms)"),
        say("Latest acknowledgement (UTC, epoch ms)"),
        say("End to end duration (ms)"),
        say("Checkpointed data size (bytes)"),
        say("Processed in-flight data (bytes)"),
        say("Persisted in-flight data (bytes)"),
        say("Full state (bytes)"),
        say("Kind"),
        say("Slowest task"),
        say("Subtask"),
        *(f"{say(label)} (ms)" for label in PHASES.values()),
        say("Subtasks pending"),
        say("Failure"),
    ]
    rows = [
        [
            job["name"] or job["job_id"],
            checkpoint["id"],
            checkpoint["status"],
            _acknowledged(checkpoint),
            checkpoint["trigger_ms"],
            checkpoint.get("ended_ms"),
            checkpoint["end_to_end_ms"],
            checkpoint["checkpointed_bytes"],
            checkpoint.get("processed_bytes"),
            checkpoint.get("persisted_bytes"),
            checkpoint["state_bytes"],
            f"{SAVEPOINT_SIGN} {say('savepoint')}" if checkpoint["savepoint"] else say("checkpoint"),
            checkpoint.get("vertex"),
            checkpoint.get("subtask"),
            *(checkpoint.get(phase) for phase in PHASES),
            checkpoint.get("pending"),
            checkpoint["failure"],
        ]
        for job in points["jobs"]
        for checkpoint in job["checkpoints"]
    ]
    return [header, *rows]


CHART = Chart(
    id="checkpoint-history",
    title=to_say("Checkpoint history"),
    order=10,
    axis="time",
    missing=to_say(
        "The checkpoint history from the REST API (`curl -s $REST/jobs/<job>/checkpoints > checkpoints.json`) or the "
        "JobManager's log would fill this chart; the details of one checkpoint "
        "(`curl -s $REST/jobs/<job>/checkpoints/details/<id>/subtasks/<vertex>`) add the phases."
    ),
    panels=(
        GrafanaPanel(
            to_say("Checkpoint duration"),
            "ms",
            {"{{job_name}}": f"{JOB}lastCheckpointDuration{{{ONE_JOB}}}"},
        ),
        GrafanaPanel(
            to_say("Checkpoints completed and failed in 5 minutes"),
            "short",
            {
                to_say("completed"): f"increase({JOB}numberOfCompletedCheckpoints{{{ONE_JOB}}}[5m])",
                to_say("failed"): f"increase({JOB}numberOfFailedCheckpoints{{{ONE_JOB}}}[5m])",
            },
        ),
        GrafanaPanel(
            to_say("Checkpointed size"),
            "bytes",
            {
                to_say("written"): f"{JOB}lastCheckpointSize{{{ONE_JOB}}}",
                to_say("full state"): f"{JOB}lastCheckpointFullSize{{{ONE_JOB}}}",
            },
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
