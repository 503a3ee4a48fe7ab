"""The tasks of each job as the chart of the job graph draws them: edges, busy time, back pressure, subtasks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeVar

from diagnostics.aggregators import jobs
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import highest, middle
from diagnostics.reconstruction.events.watermark_progress import Moments, lag_course
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, job_graph
from diagnostics.reconstruction.load.pressed_time import lasting_spans
from diagnostics.reconstruction.load.pressure_origin import origins
from diagnostics.reconstruction.load.subtasks import load_snapshots, mean_time_ratios, time_ratios
from diagnostics.reconstruction.load.timeline import MOMENT_MS, Timeline, load_timelines, printed_names
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.stacks.profile import stack_profiles

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

Shares = Mapping[int, float]
T = TypeVar("T")
"""Subtask -> its share of the time, 0 to 1."""

MOST_VERTICES = 120
MOST_SUBTASKS = 200
"""Tasks of a job, and subtasks of a task, that are kept; of subtasks the most loaded ones. Our choice."""


def job_tasks(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """The jobs with their tasks, the tasks in the order of the data flow; jobs without tasks are left out.

    Reads   vertex, edge, job, metric_sample, back_pressure, subtask, stack_sample.
    Gives   {job_id, name, edges_known, pressed_ms, vertices}: the points of the chart of the job graph. `pressed_ms` is
            the time since and until which back pressure was HIGH, epoch ms, null where it never lasted: the ratios of
            the tasks are means over the moments at which it was, else over the whole time, because a mean over good
            and bad times is the level of neither.
    """
    cluster = cluster_of(evidence)
    timelines = load_timelines(evidence)
    details = _Details(evidence)
    for job_id in sorted({job for job, _ in cluster.tasks} | set(timelines), key=str):
        timeline = timelines.get(job_id, {})
        graph = job_graph(cluster, job_id, printed_names(evidence, timeline))
        if graph.names:
            pressed = lasting_spans(timeline)
            since, until = zip(*pressed.values(), strict=True) if pressed else ((), ())
            yield {
                "job_id": job_id,
                "name": cluster.job_names.get(job_id) if job_id else None,
                "edges_known": graph.edges_known,
                "pressed_ms": [min(since), max(until)] if pressed else None,
                "vertices": _vertices(job_id, graph, timeline, cluster, details, pressed.keys()),
            }


class _Details:
    """Ratios, totals, profiles and watermarks of all tasks, read once."""

    def __init__(self, evidence: Evidence) -> None:
        series = metric_series(evidence)
        self.ratios, self.means = time_ratios(evidence), mean_time_ratios(evidence)
        self.loads = load_snapshots(evidence)
        self.profiles = stack_profiles(evidence).tasks
        self.watermarks = series.by_vertex("currentInputWatermark", operators=False)
        newest_first = [(row.job_id, row.state) for row in named_rows(evidence.answer(jobs.AGGREGATOR)) if row.state]
        self.states: Mapping[str, str] = dict(reversed(newest_first))

    def shares(self, place: tuple[str | None, str], at: Set[int]) -> tuple[Shares, Shares]:
        """Busy and back-pressured share of each subtask, the mean over the moments in `at`; over all without any."""
        if not at:
            busy, held = (
                {subtask: round(mean, 4) for subtask, mean in _kept_for(means, place).items()} for means in self.means
            )
        else:
            busy, held = (
                {
                    subtask: mean
                    for subtask, samples in _kept_for(ratios, place).items()
                    if (mean := _mean_of(samples, at)) is not None
                }
                for ratios in self.ratios
            )
        return busy, held

    def lag_ms(self, place: tuple[str | None, str]) -> float | None:
        """The largest lag of the watermarks of the subtasks at the end, as the findings measure it: one sample
        alone is a moment between two advances. None of a job that does not run.
        """
        if self.states.get(place[0] or "", "RUNNING") != "RUNNING":
            return None
        read = [
            [(point.ts_ms, point.value) for point in each.known if point.ts_ms is not None and point.value is not None]
            for each in self.watermarks.get(place, ())
        ]
        return max((_lag_at_end(moments) for moments in read if moments), default=None)

    def look_up_share(self, place: tuple[str | None, str]) -> float | None:
        """The share of the task's stack samples that are in a look-up of an external system."""
        profile = self.profiles.get(place)
        if profile is None or not profile.samples:
            return None
        looking = sum(each.weight for each in profile.stacks if each.stack.purpose == "look-up")
        return round(looking / profile.samples, 4)


def _lag_at_end(watermarks: Moments) -> float:
    course = lag_course(watermarks)
    moment, watermark = watermarks[-1]
    return course.last_ms if course else moment - watermark


def _vertices(
    job_id: str | None, graph: JobGraph, timeline: Timeline, cluster: Cluster, details: _Details, at: Set[int]
) -> list[dict[str, Any]]:
    held = origins(timeline, graph)
    depth = _depths(graph)
    vertices = []
    for vertex in sorted(graph.names, key=lambda each: (depth[each], graph.name(each))):
        moments = timeline.get(vertex, ())
        busy, held_back = details.shares((job_id, vertex), at)
        vertices.append(
            {
                "id": vertex,
                "name": graph.name(vertex),
                "parallelism": graph.parallelism.get(vertex),
                "depth": depth[vertex],
                "parents": [each for each in graph.parents.get(vertex, ()) if each in graph.names],
                "busy": max(busy.values(), default=None),
                "busy_peak": _peak(each.busy_max for each in moments),
                "held": max(held_back.values(), default=None),
                "held_peak": _peak(each.held_max for each in moments),
                "idle": least_idle(busy, held_back),
                "origin_moments": len(held.get(vertex, ())),
                "origin_busy": middle(each.own.busy_max for each in held.get(vertex, ())),
                "moments": len(moments),
                "look_up_share": details.look_up_share((job_id, vertex)),
                "named_look_up": graph.named_look_up(vertex),
                "lag_ms": details.lag_ms((job_id, vertex)),
                "subtasks": _subtasks((job_id, vertex), cluster, details, busy, held_back),
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


def _peak(values: Iterable[float | None]) -> float | None:
    highest_value = highest(values)
    return None if highest_value is None else round(highest_value, 4)


def least_idle(busy: Shares, held: Shares) -> float | None:
    """The idle share of the least idle subtask, 0 to 1: neither busy nor back-pressured.

    It is that of one subtask, as `busy` is: the mean over subtasks would show a task as idle whose one hot subtask is
    always busy.
    """
    idle = [1 - busy[subtask] - held[subtask] for subtask in busy.keys() & held.keys()]
    return round(min(max(min(idle), 0.0), 1.0), 4) if idle else None


def _subtasks(
    place: tuple[str | None, str], cluster: Cluster, details: _Details, busy: Shares, held: Shares
) -> list[list[Any]]:
    taken = details.loads.get(place)
    loads = taken[-1] if taken else {}
    rows: list[list[Any]] = []
    for subtask in sorted({*busy, *held, *loads}):
        load = loads.get(subtask)
        rows.append(
            [
                subtask,
                cluster.homes.get((*place, subtask)),
                busy.get(subtask),
                held.get(subtask),
                load.records_in if load else None,
                load.records_out if load else None,
            ]
        )
    hottest = sorted(rows, key=lambda row: (-(row[2] or 0) - (row[3] or 0), row[0]))[:MOST_SUBTASKS]
    return sorted(hottest)


def _kept_for(by_task: Mapping[VertexKey, Mapping[int, T]], place: VertexKey) -> Mapping[int, T]:
    """What is known of a task's subtasks, of a job without an id where its own has none."""
    return by_task.get(place) or by_task.get((None, place[1]), {})


def _mean_of(samples: Mapping[int, float], at: Set[int]) -> float | None:
    """The mean of the samples of some moments; None without one."""
    chosen = [share for ts_ms, share in samples.items() if ts_ms // MOMENT_MS * MOMENT_MS in at]
    return round(fmean(chosen), 4) if chosen else None
