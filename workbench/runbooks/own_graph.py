"""The slowest aligned checkpoint of a case as steps through its own job graph, from the stored points of two charts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.walk_throughs.own_graph import TaskTimes, steps_of
from diagnostics.walk_throughs.walk_through import Step
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say

GRAPH, PARTS = "job-graph", "checkpoint-gantt"
"""The charts whose points hold the tasks with their edges, and the phases of each subtask in each checkpoint."""


def own_steps(analysis: Analysis, job: str | None) -> tuple[Step, ...] | None:
    """The steps of the job of a finding; None where its graph or the phases of its subtasks are not measured."""
    stored = dict(analysis.charts.filter(chart_id__in=(GRAPH, PARTS)).values_list("chart_id", "points"))
    graph, parts = (_part_of_job(stored.get(chart), job) for chart in (GRAPH, PARTS))
    if graph is None or parts is None or not graph["edges_known"]:
        return None
    checkpoint = _slowest(parts["checkpoints"])
    if checkpoint is None:
        return None
    names = {vertex["id"]: vertex["name"] for vertex in graph["vertices"]}
    rows: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in checkpoint["rows"]:
        rows[row["vertex"]].append(row)
    tasks = [
        _times(
            vertex["name"],
            vertex["depth"],
            tuple(names[parent] for parent in vertex["parents"] if parent in names),
            rows.get(vertex["name"], ()),
        )
        for vertex in graph["vertices"]
    ]
    return steps_of(tasks, say("Checkpoint {number}", number=checkpoint["id"]))


def _part_of_job(points: Mapping[str, Any] | None, job: str | None) -> Mapping[str, Any] | None:
    """The part of a chart's points about one job; without a job that of the only one."""
    jobs: Sequence[Mapping[str, Any]] = points["jobs"] if points else ()
    of_job = [each for each in jobs if job is None or each["job_id"] in (job, None)]
    return of_job[0] if len(of_job) == 1 else None


def _slowest(checkpoints: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The longest checkpoint whose phases are known, without savepoints and unaligned ones."""
    aligned = [
        each
        for each in checkpoints
        if not each["savepoint"]
        and any(row["start_delay_ms"] is not None for row in each["rows"])
        and not any(row["unaligned"] for row in each["rows"])
    ]
    return max(aligned, key=lambda each: (each["end_to_end_ms"] or 0.0, each["id"]), default=None)


def _times(name: str, depth: int, parents: tuple[str, ...], rows: Sequence[Mapping[str, Any]]) -> TaskTimes:
    """First and last barrier and acknowledgement over the subtasks of a task."""
    delays = [row["start_delay_ms"] for row in rows if row["start_delay_ms"] is not None]
    aligned = [row["start_delay_ms"] + (row["alignment_ms"] or 0) for row in rows if row["start_delay_ms"] is not None]
    stored = [row["end_to_end_ms"] for row in rows]
    return TaskTimes(
        name,
        depth,
        parents,
        first_ms=min(delays, default=None),
        aligned_ms=max(aligned, default=None),
        stored_ms=max(stored) if stored and all(each is not None for each in stored) else None,
    )
