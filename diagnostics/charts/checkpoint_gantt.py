"""One checkpoint by subtask: start, alignment, write and acknowledgement of each, the slowest on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Choice, Points, Theme
from diagnostics.charting.panel import DURATION_UNITS, Panel, axis_unit, escaped, row_axis, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, say_counted, to_say
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.checkpoints.parts import subtask_answers
from diagnostics.reconstruction.checkpoints.timeout import checkpoint_timeouts
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.wording.checkpoint import PHASES, known_phases, longest_phase, status_words
from diagnostics.wording.phrase import duration, enumeration, exact_duration, size

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.checkpoints.history import Checkpoint

MOST_CHECKPOINTS = 30
MOST_SUBTASKS = 60
"""Checkpoints of a job kept, the latest, and subtasks of each, the slowest. Our choice."""
ROW, LEAST_HEIGHT = 18, 90
"""Pixels of a subtask's row, and the minimum height of the plot."""
NAME_LENGTH = 44


def points(evidence: Evidence) -> Points | None:
    """The phases of every subtask in the latest checkpoints with subtask details.

    Reads   subtask_checkpoint, checkpoint and log_record (through the shared history), vertex, job.
    Gives   {checkpoints: [{job_id, job, id, status, savepoint, timeout_ms, end_to_end_ms, subtasks, acknowledged, late,
            left_out, rows: [{vertex, subtask, acknowledged, end_to_end_ms, <phase>: ms, bytes, unaligned}]}]}, the
            latest first; rows by what took longest, those that never acknowledged before all others.
    Empty   None without subtask details.
    """
    answers = subtask_answers(evidence)
    if not answers:
        return None
    histories = checkpoint_histories(evidence)
    known = {(job_id, each.number): each for job_id, history in histories.items() for each in history.checkpoints}
    cluster, timeouts = cluster_of(evidence), checkpoint_timeouts(evidence)
    grouped: dict[tuple[str | None, int], list[dict[str, Any]]] = {}
    for (job_id, number, vertex_id), by_subtask in answers.items():
        task = cluster.tasks.get((job_id, vertex_id))
        name = task.name if task else vertex_id
        grouped.setdefault((job_id, number), []).extend(_row(name, each) for each in by_subtask.values())
    jobs: dict[str | None, list[dict[str, Any]]] = {}
    for job_id, number in sorted(grouped, key=lambda each: (str(each[0]), -each[1])):
        told = jobs.setdefault(job_id, [])
        if len(told) < MOST_CHECKPOINTS:
            rows = sorted(grouped[job_id, number], key=_slowness)
            job = cluster.job_names.get(job_id) if job_id else None
            entry = _checkpoint_entry(job_id, job, number, known.get((job_id, number)), rows)
            told.append({**entry, "timeout_ms": timeouts.get(job_id), "late": _late(rows, timeouts.get(job_id))})
    told_jobs = [{"job_id": job_id, "name": found[0]["job"], "checkpoints": found} for job_id, found in jobs.items()]
    return {"jobs": told_jobs} if told_jobs else None


def _row(vertex: str, answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "vertex": vertex,
        "subtask": answer["subtask"],
        "acknowledged": answer["ack_ms"] is not None,
        "end_to_end_ms": answer["end_to_end_ms"],
        **{phase: answer[phase] for phase in PHASES},
        "bytes": answer["checkpointed_bytes"],
        "unaligned": bool(answer["unaligned"]),
    }


def _late(rows: Sequence[Mapping[str, Any]], timeout_ms: float | None) -> int:
    """How many subtasks acknowledged after the timeout."""
    took = (row["end_to_end_ms"] for row in rows if row["acknowledged"])
    return sum(1 for each in took if timeout_ms is not None and each is not None and each > timeout_ms)


def _slowness(row: Mapping[str, Any]) -> tuple[bool, float, str, int]:
    took = row["end_to_end_ms"] if row["end_to_end_ms"] is not None else sum(row[phase] or 0 for phase in PHASES)
    return row["acknowledged"], -took, row["vertex"], row["subtask"]


def _checkpoint_entry(
    job_id: str | None, job: str | None, number: int, checkpoint: Checkpoint | None, rows: Sequence[dict[str, Any]]
) -> dict[str, Any]:
    return {
        "job_id": job_id,
        "job": job,
        "id": number,
        "status": checkpoint.status if checkpoint else "unknown",
        "savepoint": bool(checkpoint and checkpoint.is_savepoint),
        "end_to_end_ms": checkpoint.duration_ms if checkpoint else None,
        "subtasks": len(rows),
        "acknowledged": sum(1 for row in rows if row["acknowledged"]),
        "left_out": max(len(rows) - MOST_SUBTASKS, 0),
        "rows": list(rows[:MOST_SUBTASKS]),
    }


def _checkpoints(points: Points) -> list[Mapping[str, Any]]:
    """Of all jobs, the latest first."""
    return sorted((each for job in points["jobs"] for each in job["checkpoints"]), key=lambda each: -each["id"])


def key_of(checkpoint: Mapping[str, Any]) -> str:
    """The key of a checkpoint as a choice."""
    return f"{checkpoint['job_id'] or ''}:{checkpoint['id']}"


def choices(points: Points) -> Sequence[Choice]:
    """Every checkpoint, the earliest first."""
    return [
        Choice(
            key_of(checkpoint),
            f"{say('Savepoint') if checkpoint['savepoint'] else say('Checkpoint')} {checkpoint['id']}",
            say(
                "{status}, {acknowledged}/{subtasks} acknowledged",
                status=status_words(checkpoint["status"]),
                acknowledged=checkpoint["acknowledged"],
                subtasks=checkpoint["subtasks"],
            ),
            is_bad=_is_bad(checkpoint),
            job_id=checkpoint["job_id"],
        )
        for checkpoint in reversed(_checkpoints(points))
    ]


def _is_bad(checkpoint: Mapping[str, Any]) -> bool:
    return checkpoint["status"] in ("expired", "declined", "failed")


def _chosen(points: Points) -> Mapping[str, Any]:
    """The selected checkpoint; else of the failed ones, or of all, the one whose subtasks show most of its time."""
    checkpoints = _checkpoints(points)
    selected = [each for each in checkpoints if key_of(each) == points.get("chosen")]
    failed = [each for each in checkpoints if _is_bad(each)]
    return selected[0] if selected else max(failed or checkpoints, key=lambda each: (_measured(each), each["id"]))


def _measured(checkpoint: Mapping[str, Any]) -> float:
    """The longest time that a subtask reported; a subtask that never acknowledged reports none."""
    return max(
        (row["end_to_end_ms"] or sum(row[phase] or 0 for phase in PHASES) for row in checkpoint["rows"]), default=0.0
    )


def _length(checkpoint: Mapping[str, Any]) -> float:
    return max(checkpoint["end_to_end_ms"] or 0.0, _measured(checkpoint))


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A row per subtask with its phases in sequence, starting at the trigger."""
    colours = palette(theme)
    checkpoint = _chosen(points)
    rows = checkpoint["rows"]
    length = max(_length(checkpoint), 1.0)
    divisor, unit = axis_unit(length, DURATION_UNITS, "ms")
    names = [_name(row) for row in rows]
    traces = [
        _bars(say(label), names, [(row[phase] or 0) / divisor for row in rows], colours.phases[phase], rows, phase)
        for phase, label in PHASES.items()
    ]
    rest = [_rest(row, length) / divisor if row["acknowledged"] else 0.0 for row in rows]
    if any(rest):
        traces.append(_bars(say("Not in the phases"), names, rest, colours.grid, rows, None))
    if not all(row["acknowledged"] for row in rows):
        silent = [0.0 if row["acknowledged"] else _rest(row, length) / divisor for row in rows]
        hatched = {"color": colours.surface, "pattern": {"shape": "/", "fgcolor": colours.alarm, "size": 6}}
        traces.append({**_bars(say("Never acknowledged"), names, silent, "", rows, None), "marker": hatched})
    more = (
        say(" · {left_out} faster subtasks not drawn", left_out=checkpoint["left_out"])
        if checkpoint["left_out"]
        else ""
    )
    panel = Panel(
        title=say(
            "{checkpoint}: {acknowledged}/{subtasks} acknowledged{more}",
            checkpoint=_title(checkpoint) + (f" · {checkpoint['job']}" if len(points["jobs"]) > 1 else ""),
            acknowledged=checkpoint["acknowledged"],
            subtasks=checkpoint["subtasks"],
            more=more,
        ),
        unit="",
        traces=traces,
        height=max(ROW * len(rows), LEAST_HEIGHT),
        x={"range": [0, 1.04 * length / divisor], "showgrid": True},
        y=row_axis(names),
    )
    drawn = stacked([panel], theme, axis="own", x_title=say("Since the trigger ({unit})", unit=unit))
    drawn["layout"]["meta"] = {"chosen": key_of(checkpoint)}
    drawn["layout"]["legend"]["traceorder"] = "normal"
    timeout = checkpoint.get("timeout_ms")  # points of former releases do not have it
    if timeout is not None and not checkpoint["savepoint"] and timeout <= length:
        drawn["layout"]["shapes"].append(_timeout_line(timeout / divisor, colours))
        drawn["layout"]["annotations"].append(_timeout_name(timeout, timeout / divisor, colours))
    return drawn


def _name(row: Mapping[str, Any]) -> str:
    return f"{escaped(shortened(row['vertex'], NAME_LENGTH))} · {row['subtask']}"


def _rest(row: Mapping[str, Any], length: float) -> float:
    """The subtask's time not covered by a phase; to the chart's end for one that never acknowledged."""
    told = sum(row[phase] or 0 for phase in PHASES)
    end = row["end_to_end_ms"] if row["acknowledged"] else length
    return max((end or 0) - told, 0.0)


def _bars(
    label: str,
    names: Sequence[str],
    lengths: Sequence[float],
    colour: str,
    rows: Sequence[Mapping[str, Any]],
    phase: str | None,
) -> dict[str, Any]:
    durations = ["" if phase is None else f": {_phase(row[phase])}" for row in rows]
    return {
        "type": "bar",
        "orientation": "h",
        "name": label,
        "y": names,
        "x": lengths,
        "marker": {"color": colour},
        "text": [_hover_text(row) for row in rows],
        "textposition": "none",
        "customdata": durations,
        "hovertemplate": f"<b>{label}%{{customdata}}</b><br>%{{text}}<extra></extra>",
    }


def _phase(value: float | None) -> str:
    return say("unknown") if value is None else exact_duration(value)


def _hover_text(row: Mapping[str, Any]) -> str:
    lines = [say("{vertex}, subtask {subtask}", vertex=escaped(row["vertex"][:80]), subtask=row["subtask"])]
    lines += [f"{say(label).lower()} {_phase(row[phase])}" for phase, label in PHASES.items()]
    if row["end_to_end_ms"] is not None:
        lines.append(say("end to end {end_to_end}", end_to_end=exact_duration(row["end_to_end_ms"])))
    if row["bytes"] is not None:
        lines.append(say("checkpointed {bytes}", bytes=size(row["bytes"])))
    if row["unaligned"]:
        lines.append(say("unaligned"))
    if not row["acknowledged"]:
        lines.append(f"<b>{say('never acknowledged')}</b>")
    return "<br>".join(lines)


def _timeout_line(at: float, colours: Palette) -> dict[str, Any]:
    line = {"color": colours.alarm, "width": 1.5, "dash": "dash"}
    return {"type": "line", "xref": "x", "yref": "y domain", "x0": at, "x1": at, "y0": 0, "y1": 1, "line": line}


def _timeout_name(timeout_ms: float, at: float, colours: Palette) -> dict[str, Any]:
    return {
        "text": say("Checkpoint timeout {timeout}", timeout=duration(timeout_ms)),
        "xref": "x",
        "yref": "y domain",
        "x": at,
        "y": 1,
        "xanchor": "right",
        "yanchor": "bottom",
        "showarrow": False,
        "font": {"size": 11, "color": colours.alarm},
    }


def _title(checkpoint: Mapping[str, Any]) -> str:
    kind = say("Savepoint") if checkpoint["savepoint"] else say("Checkpoint")
    return say("{kind} {id} ({status})", kind=kind, id=checkpoint["id"], status=status_words(checkpoint["status"]))


def summary(points: Points) -> str:
    """The slowest subtask of the selected checkpoint, its longest phases, and the subtasks without acknowledgement."""
    checkpoint = _chosen(points)
    text = say(
        "{checkpoint}, {acknowledged} of {subtasks} subtasks acknowledged.",
        checkpoint=_title(checkpoint),
        acknowledged=checkpoint["acknowledged"],
        subtasks=checkpoint["subtasks"],
    )
    if late := checkpoint.get("late"):
        after = say(
            "{count} of them acknowledged after the timeout of {timeout}.",
            count=late,
            timeout=duration(checkpoint["timeout_ms"]),
        )
        text = joined_sentences((text, after))
    pending = [row for row in checkpoint["rows"] if not row["acknowledged"]]
    done = [row for row in checkpoint["rows"] if row["acknowledged"]]
    if pending:
        by_task: dict[str, list[str]] = {}
        for row in pending:
            by_task.setdefault(row["vertex"], []).append(str(row["subtask"]))
        tasks = [
            say_counted(
                "subtask {subtasks} of {task}",
                "subtasks {subtasks} of {task}",
                len(each),
                subtasks=enumeration(each),
                task=task,
            )
            for task, each in by_task.items()
        ]
        named, more = say("; ").join(tasks[:2]), len(tasks) - 2
        silent = (
            say("Never acknowledged: {tasks} and of {more} further tasks.", tasks=named, more=more)
            if more > 0
            else say("Never acknowledged: {tasks}.", tasks=named)
        )
        text = joined_sentences((text, silent))
    if done and done[0]["end_to_end_ms"] is not None:
        slowest = done[0]
        phases = known_phases(slowest)
        sentence = (
            to_say("The slowest to acknowledge was subtask {subtask} of {task} with {time}, {part} of it {phase}.")
            if phases
            else to_say("The slowest to acknowledge was subtask {subtask} of {task} with {time}.")
        )
        of_slowest = say(
            sentence,
            subtask=slowest["subtask"],
            task=slowest["vertex"],
            time=duration(slowest["end_to_end_ms"]),
            **longest_phase(phases),
        )
        text = joined_sentences((text, of_slowest))
    return text


def table(points: Points) -> list[list[Any]]:
    """One row per subtask of each checkpoint, with Flink's names of the phases."""
    header = [say("Job"), "ID", say("Status"), say("Task"), say("Subtask"), say("Acknowledged"), say("End to end (ms)")]
    header += [f"{say(label)} (ms)" for label in PHASES.values()]
    header += [say("Checkpointed data (bytes)"), say("Unaligned")]
    shown = key_of(_chosen(points))
    rows = [
        [
            checkpoint["job"] or checkpoint["job_id"],
            checkpoint["id"],
            checkpoint["status"],
            row["vertex"],
            row["subtask"],
            say("yes") if row["acknowledged"] else say("never"),
            row["end_to_end_ms"],
            *(row[phase] for phase in PHASES),
            row["bytes"],
            say("yes") if row["unaligned"] else say("no"),
        ]
        for checkpoint in sorted(_checkpoints(points), key=lambda each: key_of(each) != shown)
        for row in checkpoint["rows"]
    ]
    return [header, *rows]


CHART = Chart(
    id="checkpoint-gantt",
    title=to_say("One checkpoint by subtask"),
    order=12,
    axis="own",
    missing=to_say(
        "The details of a checkpoint's subtasks would fill this chart: "
        "`curl -s $REST/jobs/<job>/checkpoints/details/<id>/subtasks/<vertex>` for each vertex of a slow "
        "checkpoint."
    ),
    panels=(),  # metrics show no phases of single subtasks
    points=points,
    figure=figure,
    summary=summary,
    table=table,
    choices=choices,
)
