"""Checkpoint history: duration of each checkpoint, phases of its slowest subtask, and failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.checkpoint_bars import (
    BAD,
    bar_width,
    duration_bars,
    duration_marks,
    hover_text,
    written_bytes,
)
from diagnostics.charting.grafana_panel import ONE_JOB, GrafanaPanel
from diagnostics.charting.panel import (
    DURATION_UNITS,
    SIZE_UNITS,
    Panel,
    Threshold,
    axis_unit,
    job_title,
    stacked,
)
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, say_counted, to_say
from diagnostics.prevention.series import JOB
from diagnostics.reconstruction.checkpoints.course import checkpoint_courses
from diagnostics.wording.checkpoint import (
    PHASES,
    known_phases,
    longest_phase,
    outcomes_in_words,
    refused_in_words,
)
from diagnostics.wording.phrase import duration

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

SAVEPOINT_SIGN = "🖫"
"""A disk, as Flink's web UI marks savepoints."""
MOST_SIZE_BARS = 100
"""More sizes are drawn as steps, like Flink's gauge `lastCheckpointSize`: a single line keeps a brush over 500
checkpoints below 200 ms.
"""

REPRESENTATIVE = 0.5
"""Phases of less than this share of a checkpoint's duration may be those of a subtask that is not its slowest: details
taken while it was under way lack the slow ones. Our choice, as for findings on phases (`signals/checkpoint_phases.py`).
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
        if any(written_bytes(each) is not None for each in job["checkpoints"]):
            panels.append(_sizes(job, name, colours))
    return stacked(panels, theme, axis="time", x_title=say("Trigger time (UTC)"))


def _durations(job: Mapping[str, Any], name: str, colours: Palette, *, first: bool) -> Panel:
    checkpoints: list[Mapping[str, Any]] = job["checkpoints"]
    timeout = job["timeout_ms"]
    ends = [each["end_to_end_ms"] for each in checkpoints if each["end_to_end_ms"] is not None]
    phases = [sum(each.get(phase) or 0 for phase in PHASES) for each in checkpoints]
    longest = max([*ends, *phases, 1.0])
    timeout_drawn = timeout is not None and timeout <= TIMEOUT_SHOWN * longest
    top = max(longest, timeout if timeout_drawn else 0.0)
    divisor, unit = axis_unit(top, DURATION_UNITS, "ms")
    traces = [
        *duration_bars(checkpoints, divisor, colours, first=first),
        *duration_marks(checkpoints, divisor, colours),
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


def _sizes(job: Mapping[str, Any], name: str, colours: Palette) -> Panel:
    in_time = sorted(job["checkpoints"], key=lambda each: each["trigger_ms"])
    sizes = [(each, written) for each in in_time if (written := written_bytes(each)) is not None]
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
                "text": [hover_text(each) for each, _ in sizes],
                "hovertemplate": "%{text}<extra></extra>",
            }
        ],
        y={"nticks": 3},
    )


def _size_shape(job: Mapping[str, Any], count: int, colours: Palette) -> dict[str, Any]:
    if count <= MOST_SIZE_BARS:
        width = bar_width(job["checkpoints"])
        return {"type": "bar", "width": width, "marker": {"color": colours.neutral}, "textposition": "none"}
    line = {"shape": "hv", "width": 1, "color": colours.neutral}
    return {"type": "scatter", "mode": "lines", "fill": "tozeroy", "line": line}


def summary(points: Points) -> str:
    """Counts, the longest checkpoint, its longest phase, and the timeout."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    checkpoints = [each for each in job["checkpoints"] if not each["savepoint"]]
    savepoints = len(job["checkpoints"]) - len(checkpoints)
    failed = [each for each in checkpoints if each["status"] in BAD]
    completed = [each for each in checkpoints if each["status"] == "completed" and each["end_to_end_ms"] is not None]
    counted = outcomes_in_words([each["status"] for each in checkpoints], is_all_well=not failed)
    sentences = [counted, refused_in_words(job.get("refused", 0))]
    if completed:
        longest = max(completed, key=lambda each: (each["end_to_end_ms"], each["id"]))
        phases = known_phases(longest)
        is_representative = sum(phases.values()) >= REPRESENTATIVE * longest["end_to_end_ms"]
        sentence = (
            to_say("The longest completed one, {id}, took {time}.")
            if not phases
            else to_say("The longest completed one, {id}, took {time}, {part} of it {phase} in its slowest subtask.")
            if is_representative
            else to_say(
                "The longest completed one, {id}, took {time}; the known phases of its subtasks add up to only {sum}."
            )
        )
        took, known = duration(longest["end_to_end_ms"]), duration(sum(phases.values()))
        sentences.append(say(sentence, id=longest["id"], time=took, sum=known, **longest_phase(phases)))
    if savepoints:
        sentences.append(
            say_counted("{count} savepoint is not counted.", "{count} savepoints are not counted.", savepoints)
        )
    if job["timeout_ms"] is not None:
        sentences.append(say("The checkpoint timeout is {timeout}.", timeout=duration(job["timeout_ms"])))
    return joined_sentences(sentences)


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
                to_say("completed"): f"delta({JOB}numberOfCompletedCheckpoints{{{ONE_JOB}}}[5m])",
                to_say("failed"): f"delta({JOB}numberOfFailedCheckpoints{{{ONE_JOB}}}[5m])",
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
