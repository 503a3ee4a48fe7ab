"""What runs where: jobs, tasks, edges and TaskManagers, read once for all signals that name them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

from pyspark.sql import functions as sf

from diagnostics.aggregators import logged_jobs
from diagnostics.evidence import Evidence, read_once
from diagnostics.signal import Subject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST_PLACES = 20_000
"""How many rows of each table are read; four snapshots of a job of 5,000 subtasks. Our choice."""

VertexKey = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Task:
    """One task (chain) of a job graph."""

    job_id: str | None
    vertex_id: str
    name: str
    parallelism: int | None
    max_parallelism: int | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Jobs, tasks, edges, and which subtask runs on which TaskManager, as the REST answers tell.

    inputs         vertex -> (upstream vertex id, ship strategy) for each input edge
    task_managers  normalised resource id -> resource id as printed by REST or the log
    jobs_on        normalised resource id -> ids of the jobs that had a subtask there
    homes          (job, vertex, subtask) -> TaskManagers it ran on
    """

    job_names: Mapping[str, str | None] = field(default_factory=dict)
    tasks: Mapping[VertexKey, Task] = field(default_factory=dict)
    inputs: Mapping[VertexKey, tuple[tuple[str, str | None], ...]] = field(default_factory=dict)
    task_managers: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    jobs_on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    homes: Mapping[tuple[str | None, str, int], str] = field(default_factory=dict)

    def job_of(self, task_manager: str | None) -> str | None:
        """The job that runs on a TaskManager: the only one there, or the only one at all, else None."""
        on_it = self.jobs_on.get(normalised(task_manager), frozenset()) if task_manager else frozenset()
        if len(on_it) == 1:
            return next(iter(on_it))
        return next(iter(self.job_names)) if not on_it and len(self.job_names) == 1 else None

    def task_manager(self, printed: str | None) -> str | None:
        """The resource id of a TaskManager whose id was printed in any spelling (reporters replace characters by _)."""
        return self.task_managers.get(normalised(printed), printed) if printed else None

    def vertex_subject(self, job_id: str | None, vertex_id: str, name: str | None = None) -> Subject:
        """The subject of a task, with the name that REST gives it."""
        task = self.tasks.get((job_id, vertex_id))
        return Subject(job=job_id, vertex=task.name if task else name, vertex_id=vertex_id)

    def upstream(self, vertex: VertexKey) -> list[VertexKey]:
        """All tasks whose records reach this one, nearest first."""
        found: dict[VertexKey, None] = {}
        front = [vertex]
        while front:
            front = [
                (vertex[0], source)
                for place in front
                for source, _ in self.inputs.get(place, ())
                if (vertex[0], source) not in found
            ]
            found.update(dict.fromkeys(front))
        return list(found)


def normalised(printed: str | None) -> str:
    """A resource id or name with everything but letters and digits as `_`, as Prometheus reporters print it."""
    return re.sub(r"\W", "_", printed or "")


@read_once
def cluster_of(evidence: Evidence) -> Cluster:
    """The cluster of an analysis. At most two Spark jobs, done once for each Evidence.

    Reads   job, vertex, edge, subtask, task_manager; without job the ids that log_record tells.
    """
    return _read(evidence)


def _read(evidence: Evidence) -> Cluster:
    parts = [_place(evidence, name, columns) for name, columns in PLACES.items() if evidence.has(name)]
    rows = [] if evidence.has("job") else [_job_in_logs(job_id) for job_id in evidence.answer(logged_jobs.AGGREGATOR)]
    if parts:
        places = reduce(lambda left, right: left.unionByName(right), parts)
        rows += [row.asDict() for row in places.collect()]
    return cluster_from_rows(rows)


PLACES: Mapping[str, Mapping[str, str]] = {
    "job": {"job_id": "job_id", "name": "name", "ts_ms": "ts_ms"},
    "vertex": {
        "job_id": "job_id",
        "id": "vertex_id",
        "other": "max_parallelism",
        "name": "name",
        "number": "parallelism",
        "ts_ms": "ts_ms",
    },
    "edge": {"job_id": "job_id", "id": "target_id", "other": "source_id", "name": "ship_strategy"},
    "subtask": {
        "job_id": "job_id",
        "id": "vertex_id",
        "other": "task_manager",
        "name": "host",
        "number": "subtask",
        "ts_ms": "ts_ms",
    },
    "task_manager": {"id": "task_manager", "name": "host", "ts_ms": "ts_ms"},
}
"""Evidence table -> which of its columns fill (job_id, id, other, name, number, ts_ms)."""
TYPES = {"job_id": "STRING", "id": "STRING", "other": "STRING", "name": "STRING", "number": "INT", "ts_ms": "BIGINT"}


def _place(evidence: Evidence, name: str, columns: Mapping[str, str]) -> DataFrame:
    """The rows of one table, the newest MOST_PLACES; few rows are reduced here sooner than Spark plans a grouping."""
    chosen = _columns(evidence[name], name, columns)
    return chosen if evidence.rows[name] <= MOST_PLACES else chosen.orderBy(sf.desc("ts_ms")).limit(MOST_PLACES)


def _job_in_logs(job_id: str) -> Mapping[str, Any]:
    return {**dict.fromkeys(TYPES), "kind": "log_record", "job_id": job_id}


def _columns(rows: DataFrame, name: str, columns: Mapping[str, str]) -> DataFrame:
    return rows.selectExpr(
        f"'{name}' AS kind",
        *(f"CAST({columns.get(column, 'null')} AS {kind}) AS {column}" for column, kind in TYPES.items()),
    )


def cluster_from_rows(rows: Iterable[Mapping[str, Any]]) -> Cluster:
    """The cluster that rows of (kind, job_id, id, other, name, number, ts_ms) describe; newer rows win."""
    ordered = sorted(rows, key=lambda row: (row["ts_ms"] or 0, repr(sorted(row.items(), key=lambda item: item[0]))))
    jobs: dict[str, str | None] = {}
    tasks: dict[VertexKey, Task] = {}
    inputs: dict[VertexKey, dict[tuple[str, str | None], None]] = {}
    task_managers: dict[str, str] = {}
    hosts: dict[str, str] = {}
    jobs_on: dict[str, set[str]] = {}
    homes: dict[tuple[str | None, str, int], str] = {}
    for row in ordered:
        job_id, kind, name = row["job_id"], row["kind"], row["name"]
        if job_id:
            jobs[job_id] = (name if kind == "job" else None) or jobs.get(job_id)
        if kind == "vertex" and row["id"]:
            groups = int(row["other"]) if row["other"] else None
            tasks[job_id, row["id"]] = Task(job_id, row["id"], name or row["id"], row["number"], groups)
        elif kind == "edge":
            inputs.setdefault((job_id, row["id"]), {})[row["other"], name] = None
        elif kind in ("task_manager", "subtask"):
            task_manager = row["id"] if kind == "task_manager" else row["other"]
            if not task_manager:
                continue
            place = normalised(task_manager)
            task_managers[place] = task_manager
            if name:
                hosts[place] = name
            if kind == "subtask" and row["number"] is not None:
                homes[job_id, row["id"], row["number"]] = task_manager
                if job_id:
                    jobs_on.setdefault(place, set()).add(job_id)
    return Cluster(
        jobs,
        tasks,
        {vertex: tuple(sorted(edges, key=repr)) for vertex, edges in inputs.items()},
        task_managers,
        hosts,
        {task_manager: frozenset(on_it) for task_manager, on_it in jobs_on.items()},
        homes,
    )
