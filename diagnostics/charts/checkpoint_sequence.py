"""A failed checkpoint as a sequence: messages between the JobManager and the tasks until it was declined or expired."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Choice, Points, Theme
from diagnostics.charting.panel import DURATION_UNITS, Panel, axis_unit, escaped, row_axis, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import say, say_counted, say_stored, to_say
from diagnostics.reconstruction.checkpoints.failure import failures_by_job
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.checkpoints.parts import subtask_answers
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.wording.checkpoint import status_words
from diagnostics.wording.phrase import duration, enumeration, exact_duration

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.checkpoints.failure import CheckpointFailure
    from diagnostics.reconstruction.checkpoints.history import Checkpoint
    from diagnostics.reconstruction.job.cluster import Cluster

MOST_CHECKPOINTS, MOST_STEPS = 20, 60
"""Failed checkpoints of a job, the latest, and steps of each. Our choice."""
COORDINATOR = "JobManager"
FIRST_BARRIER, NO_ACKNOWLEDGEMENT = to_say("first barrier"), to_say("no acknowledgement")
ALIGNED, ACKNOWLEDGED, DECLINED = to_say("aligned"), to_say("acknowledged"), to_say("declined")
"""What a step is, as the points have it."""
LANE, LEAST_HEIGHT = 46, 120
"""Pixels of a lane, and the minimum height of the plot."""
NAME_LENGTH, TEXT_LENGTH = 34, 140

Step = dict[str, Any]
"""{at_ms (since the trigger), from, to (lanes), what, text, is_bad}; `from` equals `to` for a step inside a lane."""


def points(evidence: Evidence) -> Points | None:
    """The steps of each failed checkpoint with a known trigger.

    Reads   subtask_checkpoint, log_record (also at level DEBUG), failure, checkpoint, vertex, edge, job.
    Gives   {checkpoints: [{job_id, job, id, status, lanes: [name], steps: [Step]}]}, the latest first.
    Empty   None without a failed checkpoint that names a subtask.
    """
    cluster = cluster_of(evidence)
    failures = failures_by_job(evidence)
    answers = subtask_answers(evidence)
    checkpoints: list[dict[str, Any]] = []
    for job_id, history in sorted(checkpoint_histories(evidence).items(), key=lambda item: str(item[0])):
        by_number = {each.number: each for each in failures[job_id].failures} if job_id in failures else {}
        for failed in history.select_statuses("expired", "declined", "failed")[-MOST_CHECKPOINTS:]:
            parts = {
                vertex: rows
                for (job, number, vertex), rows in answers.items()
                if (job, number) == (job_id, failed.number)
            }
            entry = _entry(cluster, job_id, failed, by_number.get(failed.number), parts)
            if entry is not None:
                checkpoints.append(entry)
    checkpoints.sort(key=lambda each: -each["id"])
    return {"checkpoints": checkpoints} if checkpoints else None


def _entry(
    cluster: Cluster,
    job_id: str | None,
    checkpoint: Checkpoint,
    failure: CheckpointFailure | None,
    parts: Mapping[str, Mapping[int, Mapping[str, Any]]],
) -> dict[str, Any] | None:
    """One checkpoint; None when no subtask of it is known, or not when it was triggered."""
    trigger = checkpoint.start_ms
    if trigger is None or not (parts or (failure is not None and failure.places)):
        return None
    order = sorted(parts, key=lambda vertex: (len(cluster.upstream((job_id, vertex))), vertex))
    names = [cluster.vertex_subject(job_id, vertex).vertex or vertex for vertex in order]
    end = _since(checkpoint.ended_ms, trigger) or checkpoint.end_to_end_ms
    steps = [
        step for vertex, name in zip(order, names, strict=True) for step in _steps_of_task(name, parts[vertex], end)
    ]
    if failure is not None:
        steps += list(_steps_of_decline(failure, trigger, end))
    lanes = list(dict.fromkeys([*names, *(step["from"] for step in steps if step["from"] != COORDINATOR)]))
    if end is not None:
        reason = checkpoint.reason or checkpoint.status
        steps.append(_step(end, COORDINATOR, COORDINATOR, checkpoint.status, reason[:TEXT_LENGTH], is_bad=True))
    steps.sort(key=lambda step: step["at_ms"])
    return {
        "job_id": job_id,
        "job": cluster.job_names.get(job_id) if job_id else None,
        "id": checkpoint.number,
        "status": checkpoint.status,
        "lanes": [COORDINATOR, *lanes],
        "steps": steps[:MOST_STEPS],
    }


def _since(ts_ms: int | None, trigger: int) -> float | None:
    return float(ts_ms - trigger) if ts_ms is not None and ts_ms >= trigger else None


def _step(at_ms: float, begin: str, end: str, what: str, text: str, *, is_bad: bool = False) -> Step:
    return {"at_ms": at_ms, "from": begin, "to": end, "what": what, "text": text, "is_bad": is_bad}


def _steps_of_task(name: str, rows: Mapping[int, Mapping[str, Any]], end: float | None) -> Iterator[Step]:
    """The barrier and the acknowledgement of the slowest subtask, or the silence of those that sent none."""
    pending = sorted(subtask for subtask, row in rows.items() if row["ack_ms"] is None)
    acknowledged = [row for row in rows.values() if row["ack_ms"] is not None and row["end_to_end_ms"] is not None]
    if acknowledged:
        slowest = max(acknowledged, key=lambda row: (row["end_to_end_ms"], -row["subtask"]))
        who = say("subtask {subtask} of {task}", subtask=slowest["subtask"], task=name)
        if slowest["start_delay_ms"] is not None:
            yield _step(slowest["start_delay_ms"], name, name, FIRST_BARRIER, say("first barrier at {who}", who=who))
            if slowest["alignment_ms"]:
                at_ms = slowest["start_delay_ms"] + slowest["alignment_ms"]
                yield _step(at_ms, name, name, ALIGNED, say("all barriers at {who}", who=who))
        yield _step(
            slowest["end_to_end_ms"], name, COORDINATOR, ACKNOWLEDGED, say("acknowledged last by {who}", who=who)
        )
    if pending and end is not None:
        listed = enumeration(list(map(str, pending[:8])))
        text = say_counted(
            "not acknowledged by subtask {subtasks} of {task}",
            "not acknowledged by subtasks {subtasks} of {task}",
            len(pending),
            subtasks=listed,
            task=name,
        )
        yield _step(end, name, name, NO_ACKNOWLEDGEMENT, text, is_bad=True)


def _steps_of_decline(failure: CheckpointFailure, trigger: int, end: float | None) -> Iterator[Step]:
    at_ms = _since(failure.ts_ms, trigger)
    at_ms = end if at_ms is None else at_ms
    if at_ms is not None:
        for vertex, subtask in failure.places[:4]:
            text = say(
                "{reason}: subtask {subtask} of {vertex}", reason=failure.lead.reason, subtask=subtask, vertex=vertex
            )
            yield _step(at_ms, vertex, COORDINATOR, DECLINED, text, is_bad=True)


def key_of(checkpoint: Mapping[str, Any]) -> str:
    """The key of a checkpoint as a choice."""
    return f"{checkpoint['job_id'] or ''}:{checkpoint['id']}"


def choices(points: Points) -> Sequence[Choice]:
    """Every failed checkpoint, the earliest first."""
    return [
        Choice(
            key_of(failed),
            say("Checkpoint {id}", id=failed["id"]),
            status_words(failed["status"]),
            is_bad=True,
            job_id=failed["job_id"],
        )
        for failed in reversed(points["checkpoints"])
    ]


def _chosen(points: Points) -> Mapping[str, Any]:
    """The selected checkpoint, else the latest."""
    checkpoints: Sequence[Mapping[str, Any]] = points["checkpoints"]
    return next((each for each in checkpoints if key_of(each) == points.get("chosen")), checkpoints[0])


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A lane for the JobManager and for each task; time to the right, messages as arrows between lanes."""
    colours = palette(theme)
    checkpoint = _chosen(points)
    longest = max([step["at_ms"] for step in checkpoint["steps"]], default=1.0)
    divisor, unit = axis_unit(longest, DURATION_UNITS, "ms")
    labels = {lane: escaped(shortened(lane, NAME_LENGTH)) for lane in checkpoint["lanes"]}
    panel = Panel(
        title=say(
            "Checkpoint {id} ({status}), from its trigger",
            id=checkpoint["id"],
            status=status_words(checkpoint["status"]),
        ),
        unit="",
        height=max(LANE * len(labels), LEAST_HEIGHT),
        traces=[*_messages(checkpoint, labels, divisor, colours), *_inside(checkpoint, labels, divisor, colours)],
        x={"range": [-0.03 * longest / divisor, 1.06 * longest / divisor], "showgrid": True},
        y=row_axis(list(dict.fromkeys(labels.values()))),
    )
    drawn = stacked([panel], theme, axis="own", x_title=say("Since the trigger ({unit})", unit=unit))
    drawn["layout"]["meta"] = {"chosen": key_of(checkpoint)}
    return drawn


def _messages(
    checkpoint: Mapping[str, Any], labels: Mapping[str, str], divisor: float, colours: Palette
) -> Iterator[dict[str, Any]]:
    """Arrows from a task to the JobManager."""
    names = {ACKNOWLEDGED: (say("Acknowledged"), colours.calm), DECLINED: (say("Declined"), colours.alarm)}
    for what, (title, colour) in names.items():
        sent = [step for step in checkpoint["steps"] if step["what"] == what]
        if sent:
            yield {
                "type": "scatter",
                "mode": "lines+markers",
                "name": title,
                "x": [at for step in sent for at in (step["at_ms"] / divisor, step["at_ms"] / divisor, None)],
                "y": [lane for step in sent for lane in (labels[step["from"]], labels[step["to"]], None)],
                "line": {"color": colour, "width": 2},
                "marker": {"symbol": "arrow", "angleref": "previous", "size": 12, "color": colour},
                "text": [text for step in sent for text in (_hover_text(step),) * 2 + ("",)],
                "hovertemplate": "%{text}<extra></extra>",
            }


def _inside(
    checkpoint: Mapping[str, Any], labels: Mapping[str, str], divisor: float, colours: Palette
) -> Iterator[dict[str, Any]]:
    """Marks within a lane: barriers, silence, and the end."""
    kinds = {
        FIRST_BARRIER: (say("First barrier"), "circle", colours.phases["start_delay_ms"]),
        ALIGNED: (say("All barriers"), "diamond", colours.phases["alignment_ms"]),
        NO_ACKNOWLEDGEMENT: (say("Never acknowledged"), "x", colours.alarm),
    }
    ends = {step["what"] for step in checkpoint["steps"] if step["from"] == step["to"] == COORDINATOR}
    kinds |= {what: (status_words(what).capitalize(), "square", colours.alarm) for what in ends}
    yield {
        "type": "scatter",
        "mode": "markers",
        "name": say("Triggered"),
        "x": [0.0],
        "y": [labels[COORDINATOR]],
        "marker": {"symbol": "triangle-right", "size": 12, "color": colours.text},
        "hovertemplate": f"{say('triggered')}<extra></extra>",
    }
    for what, (title, symbol, colour) in kinds.items():
        marked = [step for step in checkpoint["steps"] if step["what"] == what and step["from"] == step["to"]]
        if marked:
            yield {
                "type": "scatter",
                "mode": "markers",
                "name": title,
                "x": [step["at_ms"] / divisor for step in marked],
                "y": [labels[step["from"]] for step in marked],
                "marker": {"symbol": symbol, "size": 11, "color": colour},
                "text": [_hover_text(step) for step in marked],
                "hovertemplate": "%{text}<extra></extra>",
            }


def _hover_text(step: Mapping[str, Any]) -> str:
    return say("{what}<br>after {time}", what=escaped(say_stored(step["text"])), time=exact_duration(step["at_ms"]))


def summary(points: Points) -> str:
    """What ended the selected checkpoint, and which subtasks it waited for."""
    checkpoint = _chosen(points)
    bad = [step for step in checkpoint["steps"] if step["is_bad"]]
    ended = [step for step in bad if step["from"] == COORDINATOR]
    parts = [
        say_stored(step["text"])
        if ended and step["at_ms"] == ended[0]["at_ms"]
        else say("{what} after {time}", what=say_stored(step["text"]), time=duration(step["at_ms"]))
        for step in bad
        if step["from"] != COORDINATOR
    ][:4]
    text = (
        say(
            "Checkpoint {id} ended as {status} after {time}",
            id=checkpoint["id"],
            status=status_words(checkpoint["status"]),
            time=duration(ended[0]["at_ms"]),
        )
        if ended
        else say("Checkpoint {id}", id=checkpoint["id"])
    )
    if len({each["job_id"] for each in points["checkpoints"]}) > 1:
        text = f"{text} · {checkpoint['job']}"
    if parts:
        return say("{checkpoint}: {steps}.", checkpoint=text, steps=say("; ").join(parts))
    return say("{checkpoint}; no subtask is known to have stopped it.", checkpoint=text)


def table(points: Points) -> list[list[Any]]:
    """The steps of the selected checkpoint first, in the order of time."""
    shown = key_of(_chosen(points))
    rows = [
        [checkpoint["id"], round(step["at_ms"], 1), step["from"], step["to"], *_in_words(step)]
        for checkpoint in sorted(points["checkpoints"], key=lambda each: key_of(each) != shown)
        for step in checkpoint["steps"]
    ]
    return [
        [say("Checkpoint"), say("Since the trigger (ms)"), say("From"), say("To"), say("What"), say("Details")],
        *rows,
    ]


def _in_words(step: Mapping[str, Any]) -> tuple[str, str]:
    """What a step of the points is, and its details."""
    return say_stored(step["what"]), say_stored(step["text"])


CHART = Chart(
    id="checkpoint-sequence",
    title=to_say("A failed checkpoint step by step"),
    order=15,
    axis="own",
    missing=to_say(
        "A failed checkpoint with the details of its subtasks, or a log that names the task that declined it, "
        "would "
        "fill this chart: `curl -s $REST/jobs/<job>/checkpoints/details/<id>/subtasks/<vertex>`, or that log."
    ),
    panels=(),  # metrics show no steps of single checkpoints
    points=points,
    figure=figure,
    summary=summary,
    table=table,
    choices=choices,
)
