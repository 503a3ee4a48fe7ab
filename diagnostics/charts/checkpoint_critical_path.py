"""Actual against ideal time of checkpoints: work that cannot be avoided, work unevenly spread, and waiting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.quantiles import FEWEST_FOR_MEDIAN
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import (
    DURATION_UNITS,
    Panel,
    axis_unit,
    escaped,
    job_title,
    row_axis,
    shortened,
    stacked,
)
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.checkpoints.critical_path import critical_paths
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.wording.checkpoint import PHASES
from diagnostics.wording.phrase import duration, exact_duration, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.checkpoints.critical_path import CriticalPath
    from diagnostics.reconstruction.job.cluster import Cluster

MOST_CHECKPOINTS = 20
"""Checkpoints of a job in the chart, the slowest. Our choice: one screen."""
ROW, LEAST_HEIGHT = 20, 90
"""Pixels of a checkpoint's row, and the minimum height of the plot."""
NAME_LENGTH = 44
LEAST_SHARE = 0.01
"""A smaller share of the time is not put into words. Our choice."""

PARTS = {
    "balanced_ms": to_say("Work, evenly spread"),
    "imbalance_ms": to_say("Work of the slowest subtask beyond that"),
    "waiting_ms": to_say("Waiting for barriers and messages"),
}
"""In their order within a row; their sum is the actual time."""
COLOURS = {"balanced_ms": "async_ms", "imbalance_ms": "sync_ms", "waiting_ms": "start_delay_ms"}
"""Part -> phase whose colour it has."""


def points(evidence: Evidence) -> Points | None:
    """The three parts of the time of each checkpoint with the details of every subtask.

    Reads   subtask_checkpoint, log_record (DEBUG), vertex, job.
    Gives   {jobs: [{job_id, name, counted, median_actual_ms, median_ideal_ms, checkpoints: [{id, actual_ms,
            <part>: ms, last: {task, subtask, start_delay_ms, alignment_ms, sync_ms, async_ms}, most_work: {task,
            subtask}}]}]}, the slowest checkpoints by number; the medians are those of all `counted` checkpoints.
    Empty   None when no checkpoint has complete details.
    """
    cluster = cluster_of(evidence)
    jobs: list[dict[str, Any]] = []
    for job_id, paths in sorted(critical_paths(evidence).items(), key=lambda item: str(item[0])):
        slowest = sorted(paths, key=lambda each: (-each.actual_ms, each.number))[:MOST_CHECKPOINTS]
        jobs.append(
            {
                "job_id": job_id,
                "name": cluster.job_names.get(job_id) if job_id else None,
                "counted": len(paths),
                "median_actual_ms": median(each.actual_ms for each in paths),
                "median_ideal_ms": median(each.balanced_ms for each in paths),
                "checkpoints": [_entry(cluster, job_id, each) for each in sorted(slowest, key=lambda one: one.number)],
            }
        )
    return {"jobs": jobs} if jobs else None


def _entry(cluster: Cluster, job_id: str | None, path: CriticalPath) -> dict[str, Any]:
    def task(vertex_id: str) -> str:
        return cluster.vertex_subject(job_id, vertex_id).vertex or vertex_id

    return {
        "id": path.number,
        "actual_ms": path.actual_ms,
        **{part: getattr(path, part) for part in PARTS},
        "last": {
            "task": task(path.last_vertex),
            "subtask": path.last["subtask"],
            **{phase: path.last[phase] for phase in PHASES},
        },
        "most_work": {"task": task(path.most_work[0]), "subtask": path.most_work[1]},
    }


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A row for each checkpoint; its length is the actual time, its first part the ideal one."""
    colours = palette(theme)
    longest = max(each["actual_ms"] for job in points["jobs"] for each in job["checkpoints"])
    divisor, unit = axis_unit(longest, DURATION_UNITS, "ms")
    panels = [
        _panel(job, points, colours, divisor, 1.04 * longest / divisor, first=index == 0)
        for index, job in enumerate(points["jobs"])
    ]
    drawn = stacked(panels, theme, axis="own", x_title=say("Since the trigger ({unit})", unit=unit))
    drawn["layout"]["legend"]["traceorder"] = "normal"
    return drawn


def _panel(
    job: Mapping[str, Any], points: Points, colours: Palette, divisor: float, furthest: float, *, first: bool
) -> Panel:
    rows = job["checkpoints"]
    names = [say("Checkpoint {id}", id=each["id"]) for each in rows]
    left_out = job["counted"] - len(rows)
    more = say(" · the slowest {count} of {counted}", count=len(rows), counted=job["counted"]) if left_out else ""
    return Panel(
        title=say("Actual time and its parts{job}{more}", job=job_title(job, points), more=more),
        unit="",
        height=max(ROW * len(rows), LEAST_HEIGHT),
        traces=[
            {
                "type": "bar",
                "orientation": "h",
                "name": say(label),
                "legendgroup": part,
                "showlegend": first,
                "y": names,
                "x": [each[part] / divisor for each in rows],
                "marker": {"color": colours.phases[COLOURS[part]]},
                "text": [_hover_text(each, part) for each in rows],
                "textposition": "none",
                "hovertemplate": "%{text}<extra></extra>",
            }
            for part, label in PARTS.items()
        ],
        x={"range": [0, furthest], "showgrid": True},
        y=row_axis(names),
    )


def _hover_text(checkpoint: Mapping[str, Any], part: str) -> str:
    last, most = checkpoint["last"], checkpoint["most_work"]
    phases = say(", ").join(
        f"{say(title).lower()} {duration(last[phase])}" for phase, title in PHASES.items() if last[phase] is not None
    )
    return say(
        "<b>{part}: {time}</b><br>Checkpoint {id}: {actual}, ideal {ideal}"
        "<br>last: {last} ({phases})<br>most work: {most}",
        part=say(PARTS[part]),
        time=exact_duration(checkpoint[part]),
        id=checkpoint["id"],
        actual=duration(checkpoint["actual_ms"]),
        ideal=duration(checkpoint["balanced_ms"]),
        last=_subtask(last),
        phases=phases,
        most=_subtask(most),
    )


def _subtask(place: Mapping[str, Any]) -> str:
    return say(
        "subtask {subtask} of {task}", subtask=place["subtask"], task=escaped(shortened(place["task"], NAME_LENGTH))
    )


def summary(points: Points) -> str:
    """The ideal beside the actual time, and what the slowest checkpoint lost to."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    slowest = max(job["checkpoints"], key=lambda each: (each["actual_ms"], each["id"]))
    counted = job["counted"]
    usual = ""
    if counted >= FEWEST_FOR_MEDIAN:
        usual = say(
            "The {counted} checkpoints with the details of every subtask take {median_actual} in the median; their "
            "work, "
            "evenly spread and without waiting, takes {median_ideal}.",
            counted=counted,
            median_actual=duration(job["median_actual_ms"]),
            median_ideal=duration(job["median_ideal_ms"]),
        )
    took = say("Checkpoint {id} took {actual}.", id=slowest["id"], actual=duration(slowest["actual_ms"]))

    return joined_sentences((usual, took, *_parts_in_words(slowest)))


SENTENCES = {
    "balanced_ms": to_say("The work of the snapshot, evenly spread, takes {time} ({share})."),
    "imbalance_ms": to_say("Subtask {subtask} of {task} works {time} ({share}) longer than its task's mean."),
    "waiting_ms": to_say("Barriers and messages wait {time} ({share}) until subtask {subtask} of {task} ends."),
}
"""Part -> its sentence."""


def _parts_in_words(slowest: Mapping[str, Any]) -> Iterator[str]:
    """The parts of one checkpoint that matter, with the subtasks that they belong to."""
    places = {"imbalance_ms": slowest["most_work"], "waiting_ms": slowest["last"]}
    shares = {part: slowest[part] / slowest["actual_ms"] if slowest["actual_ms"] else 0.0 for part in PARTS}
    for part, share in shares.items():
        if share >= LEAST_SHARE:
            place = places.get(part, {})
            yield say(
                SENTENCES[part],
                time=duration(slowest[part]),
                share=percent(share),
                subtask=place.get("subtask"),
                task=place.get("task"),
            )


def table(points: Points) -> list[list[Any]]:
    """One row for each checkpoint."""
    header = [
        say("Job"),
        say("Checkpoint"),
        say("Actual (ms)"),
        *(f"{say(label)} (ms)" for label in PARTS.values()),
    ]
    header += [say("Last task"), say("Last subtask"), say("Task with most work"), say("Subtask with most work")]
    rows: list[Sequence[Any]] = [
        [
            job["name"] or job["job_id"],
            checkpoint["id"],
            checkpoint["actual_ms"],
            *(round(checkpoint[part], 1) for part in PARTS),
            checkpoint["last"]["task"],
            checkpoint["last"]["subtask"],
            checkpoint["most_work"]["task"],
            checkpoint["most_work"]["subtask"],
        ]
        for job in points["jobs"]
        for checkpoint in job["checkpoints"]
    ]
    return [header, *map(list, rows)]


CHART = Chart(
    id="checkpoint-critical-path",
    title=to_say("Actual and ideal time of checkpoints"),
    order=13,
    axis="own",
    missing=to_say(
        "The details of all subtasks of a completed checkpoint would fill this chart: "
        "`curl -s $REST/jobs/<job>/checkpoints/details/<id>/subtasks/<vertex>` for each vertex."
    ),
    panels=(),  # metrics show no phases of single subtasks
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
