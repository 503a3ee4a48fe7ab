"""The metrics that alerts watch, as Flink reported them, in time slots: also those that do not vary."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import metric_points
from diagnostics.notation.flink_values import END_OF_INPUT
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series, series_of_samples

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.metrics.series import Series

OF_JOBS = (
    *("numberOfCompletedCheckpoints", "numberOfFailedCheckpoints", "numRestarts", "numRegisteredTaskManagers"),
    *("lastCheckpointDuration", "lastCheckpointSize", "lastCheckpointFullSize"),
)
"""Of a job or of the cluster, by the JobManager."""
OF_PROCESSES = ("Status.JVM.Memory.Heap.Used", "Status.JVM.Memory.Heap.Max")
LOADS = ("busyTimeMsPerSecond", "backPressuredTimeMsPerSecond")
"""Highest reading over the subtasks on one TaskManager. Flink's own means of 60 s, not what their counters show."""
RATES = ("numRecordsInPerSecond",)
"""Of each subtask of a task: the alert on skew compares them. Flink's own means of 60 s, which begin at 0."""
MOST_SUBTASKS = 64
"""Subtasks of a task whose rates are kept; of one with more none is: a mean of some would be wrong. Our choice."""
COUNTS = ("numRecordsIn", "numLateRecordsDropped")
"""Summed over the subtasks of a task, or over its operators where only those have the metric."""
WATERMARK = "currentInputWatermark"
"""By how much the lowest one of a task's subtasks is ahead of the clock, ms; negative where it is behind."""
MOST_SERIES = 200
"""Series kept. Our choice: as many tasks and TaskManagers as a case has usually."""

Values = list[float | None]


def watched_metrics(evidence: Evidence, from_ms: int, slot_ms: int, slots: int) -> list[dict[str, Any]]:
    """The last reading of each metric in each slot, or of its subtasks together.

    Reads   metric_sample.
    Gives   [{metric, job_id, vertex, subtask, task_manager, values: [...]}], `vertex` the name of a task, null for a
            job or a process, `subtask` null where several are taken together; null in slots without a reading.
    """

    def slotted(series: Series, value: Callable[[float, int], float] = lambda value, _: value) -> Values:
        values: Values = [None] * slots
        for point in series.known:
            if point.ts_ms is not None and point.value is not None:
                place = (point.ts_ms - from_ms) // slot_ms
                if 0 <= place < slots:
                    values[place] = value(point.value, point.ts_ms)
        return values

    found = [*_process_series(evidence, slotted), *_task_series(evidence, slotted), *_load_series(evidence, slotted)]
    kept = [each for each in found if any(value is not None for value in each["values"])][:MOST_SERIES]
    for of_task in _rates_by_task(evidence, slotted):
        if len(of_task) <= min(MOST_SUBTASKS, MOST_SERIES - len(kept)):
            kept += of_task
    return kept


def _process_series(evidence: Evidence, slotted: Callable[[Series], Values]) -> Iterator[dict[str, Any]]:
    series = metric_series(evidence)
    for metric in (*OF_JOBS, *OF_PROCESSES):
        for each in series.of(metric):
            if each.subtask is None and bool(each.task_manager) == (metric in OF_PROCESSES):
                yield _entry(metric, each.job_id, None, each.task_manager, slotted(each))


def _task_series(evidence: Evidence, slotted: Callable[..., Values]) -> Iterator[dict[str, Any]]:
    series, tasks = metric_series(evidence), cluster_of(evidence).tasks
    for metric in COUNTS:
        found = {**series.by_vertex(metric, operators=True), **series.by_vertex(metric, operators=False)}
        for (job_id, vertex), of_subtasks in found.items():
            task = tasks.get((job_id, vertex))
            counted = [_held(slotted(each)) for each in of_subtasks]
            values = _combined(counted, sum)
            yield _entry(metric, job_id, task.name if task else of_subtasks[0].vertex or vertex, None, values)
    for (job_id, vertex), of_subtasks in series.by_vertex(WATERMARK, operators=False).items():
        task = tasks.get((job_id, vertex))
        leads = [
            slotted(each, lambda value, ts_ms: value - ts_ms)
            for each in of_subtasks
            if any(point.value is not None and abs(point.value) < END_OF_INPUT for point in each.points)
        ]
        yield _entry(
            WATERMARK, job_id, task.name if task else of_subtasks[0].vertex or vertex, None, _combined(leads, min)
        )


def _load_series(evidence: Evidence, slotted: Callable[[Series], Values]) -> Iterator[dict[str, Any]]:
    by_place: dict[tuple[str, str | None, str, str | None], list[Values]] = {}
    for name, each in _subtask_series(evidence, LOADS):
        by_place.setdefault((each.metric, each.job_id, name, each.task_manager), []).append(slotted(each))
    for (metric, job_id, name, task_manager), values in by_place.items():
        yield _entry(metric, job_id, name, task_manager, _combined(values, max))


def _rates_by_task(evidence: Evidence, slotted: Callable[[Series], Values]) -> Iterator[list[dict[str, Any]]]:
    """For each task the rates of its subtasks, of each the series with the most readings."""
    by_task: dict[tuple[str, str | None, str], dict[int, Values]] = {}
    for name, each in _subtask_series(evidence, RATES):
        of_task, values = by_task.setdefault((each.metric, each.job_id, name), {}), slotted(each)
        if each.subtask is not None and _readings(values) > _readings(of_task.get(each.subtask, [])):
            of_task[each.subtask] = values
    for (metric, job_id, name), of_task in by_task.items():
        yield [_entry(metric, job_id, name, None, of_task[subtask], subtask) for subtask in sorted(of_task)]


def _subtask_series(evidence: Evidence, metrics: Sequence[str]) -> Iterator[tuple[str, Series]]:
    """Name of the task and series, from the samples: `metric_series` has what their counters show instead."""
    import pyarrow as pa
    import pyarrow.compute as pc

    samples, tasks = evidence.answer(metric_points.AGGREGATOR), cluster_of(evidence).tasks
    gauges = samples.filter(pc.is_in(samples["metric"].cast(pa.string()), pa.array(metrics)))
    for each in series_of_samples(gauges):
        vertex = each.vertex_id or each.vertex
        if vertex and each.subtask is not None and each.operator is None:
            task = tasks.get((each.job_id, vertex))
            yield task.name if task else each.vertex or vertex, each


def _readings(values: Values) -> int:
    return sum(value is not None for value in values)


def _entry(
    metric: str,
    job_id: str | None,
    vertex: str | None,
    task_manager: str | None,
    values: Values,
    subtask: int | None = None,
) -> dict[str, Any]:
    place = {"vertex": vertex, "subtask": subtask, "task_manager": task_manager}
    return {"metric": metric, "job_id": job_id, **place, "values": values}


def _held(values: Values) -> Values:
    """A count whose slots without a reading have the last one before them, so that sums do not fall."""
    held: Values = []
    for value in values:
        held.append(held[-1] if value is None and held else value)
    return held


def _combined(subtasks: Sequence[Values], how: Callable[[list[float]], float]) -> Values:
    columns = ([value for value in column if value is not None] for column in zip(*subtasks, strict=True))
    return [how(known) if known else None for known in columns]
