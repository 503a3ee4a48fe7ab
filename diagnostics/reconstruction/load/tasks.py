"""The tasks of each job as the chart of the job graph draws them: edges, busy time, back pressure, subtasks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.quantiles import middle
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.pressure_origin import origins
from diagnostics.reconstruction.load.subtasks import load_snapshots, time_ratios
from diagnostics.reconstruction.load.timeline import Moment, Timeline, load_timelines, printed_names
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.stacks.profile import stack_profiles

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_VERTICES = 120
MOST_SUBTASKS = 200
"""Tasks of a job, and subtasks of a task, that are kept; of subtasks the most loaded ones. Our choice."""


def job_tasks(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """The jobs with their tasks, the tasks in the order of the data flow; jobs without tasks are left out.

    Reads   vertex, edge, job, metric_sample, back_pressure, subtask, stack_sample.
    Gives   {job_id, name, edges_known, vertices}: the points of the chart of the job graph.
    """
    cluster = cluster_of(evidence)
    timelines = load_timelines(evidence)
    details = _Details(evidence)
    for job_id in sorted({job for job, _ in cluster.tasks} | set(timelines), key=str):
        timeline = timelines.get(job_id, {})
        graph = job_graph(cluster, job_id, printed_names(evidence, timeline))
        if graph.names:
            name = cluster.job_names.get(job_id) if job_id else None
            vertices = _vertices(job_id, graph, timeline, cluster, details)
            yield {"job_id": job_id, "name": name, "edges_known": graph.edges_known, "vertices": vertices}


class _Details:
    """Ratios, totals, profiles and watermarks of all tasks, read once."""

    def __init__(self, evidence: Evidence) -> None:
        series = metric_series(evidence)
        self.busy, self.held = time_ratios(evidence)
        self.loads = load_snapshots(evidence)
        self.profiles = stack_profiles(evidence).tasks
        self.watermarks = series.by_vertex("currentInputWatermark", operators=False)

    def lag_ms(self, place: tuple[str | None, str]) -> float | None:
        """The largest lag of the subtasks' last known watermarks behind the clock."""
        last = [
            point.ts_ms - point.value
            for each in self.watermarks.get(place, ())
            for point in each.known[-1:]
            if point.ts_ms is not None and point.value is not None
        ]
        return max(last, default=None)

    def look_up_share(self, place: tuple[str | None, str]) -> float | None:
        """The share of the task's stack samples that are in a look-up of an external system."""
        profile = self.profiles.get(place)
        if profile is None or not profile.samples:
            return None
        looking = sum(each.weight for each in profile.stacks if each.stack.purpose == "look-up")
        return round(looking / profile.samples, 4)


def _vertices(
    job_id: str | None, graph: JobGraph, timeline: Timeline, cluster: Cluster, details: _Details
) -> list[dict[str, Any]]:
    held = origins(timeline, graph)
    depth = _depths(graph)
    vertices = []
    for vertex in sorted(graph.names, key=lambda each: (depth[each], graph.name(each))):
        moments = timeline.get(vertex, ())
        busy, busy_peak = _mean_and_peak([each.busy_max for each in moments])
        pressed, pressed_peak = _mean_and_peak([each.held_max for each in moments])
        busy = _most(details.busy.get((job_id, vertex), {}), busy)
        pressed = _most(details.held.get((job_id, vertex), {}), pressed)
        vertices.append(
            {
                "id": vertex,
                "name": graph.name(vertex),
                "parallelism": graph.parallelism.get(vertex),
                "depth": depth[vertex],
                "parents": [each for each in graph.parents.get(vertex, ()) if each in graph.names],
                "busy": busy,
                "busy_peak": busy_peak,
                "held": pressed,
                "held_peak": pressed_peak,
                "idle": least_idle(moments),
                "origin_moments": len(held.get(vertex, ())),
                "origin_busy": middle(each.own.busy_max for each in held.get(vertex, ())),
                "moments": len(moments),
                "look_up_share": details.look_up_share((job_id, vertex)),
                "named_look_up": graph.named_look_up(vertex),
                "lag_ms": details.lag_ms((job_id, vertex)),
                "subtasks": _subtasks((job_id, vertex), cluster, details),
            }
        )
    return vertices[:MOST_VERTICES]


def _depths(graph: JobGraph) -> Mapping[str, int]:
    """Task -> length of the longest path to it from a source."""
    depth = dict.fromkeys(graph.names, 0)
    # A job graph has no cycles, but a broken file may: the number of tasks bounds the steps.
    for _ in graph.names:
        moved = False
        for vertex, parents in graph.parents.items():
            wanted = max((depth[each] + 1 for each in parents if each in depth), default=0)
            if vertex in depth and depth[vertex] < wanted <= len(depth):
                depth[vertex] = wanted
                moved = True
        if not moved:
            break
    return depth


def _mean_and_peak(values: Sequence[float | None]) -> tuple[float | None, float | None]:
    known = [value for value in values if value is not None]
    return (round(fmean(known), 4), round(max(known), 4)) if known else (None, None)


def _most(samples: Mapping[int, Mapping[int, float]], otherwise: float | None) -> float | None:
    """The highest mean of a subtask over its samples, which other charts show too; `otherwise` where there are none."""
    means = [mean for of_subtask in samples.values() if (mean := _mean_of(of_subtask)) is not None]
    return max(means, default=otherwise)


def least_idle(moments: Sequence[Moment]) -> float | None:
    """The mean idle share of the least idle subtask, 0 to 1: neither busy nor back-pressured.

    It is that of one subtask, as `busy` is: the mean over subtasks would show a task as idle whose one hot subtask is
    always busy.
    """
    idle = [
        min(1 - busy - held for busy, held in zip(each.busy, each.back_pressured, strict=True))
        for each in moments
        if each.busy and len(each.busy) == len(each.back_pressured)
    ]
    return round(min(max(fmean(idle), 0.0), 1.0), 4) if idle else None


def _subtasks(place: tuple[str | None, str], cluster: Cluster, details: _Details) -> list[list[Any]]:
    busy, held = details.busy.get(place, {}), details.held.get(place, {})
    taken = details.loads.get(place)
    loads = taken[-1] if taken else {}
    rows: list[list[Any]] = []
    for subtask in sorted({*busy, *held, *loads}):
        load = loads.get(subtask)
        rows.append(
            [
                subtask,
                cluster.homes.get((*place, subtask)),
                _mean_of(busy.get(subtask)),
                _mean_of(held.get(subtask)),
                load.records_in if load else None,
                load.records_out if load else None,
            ]
        )
    hottest = sorted(rows, key=lambda row: (-(row[2] or 0) - (row[3] or 0), row[0]))[:MOST_SUBTASKS]
    return sorted(hottest)


def _mean_of(samples: Mapping[int, float] | None) -> float | None:
    return round(fmean(samples.values()), 4) if samples else None
