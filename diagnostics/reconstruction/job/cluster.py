"""The jobs of the cluster with their tasks and edges, and the TaskManagers on which their subtasks run."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import (
    edges,
    jobs,
    logged_job_names,
    logged_jobs,
    metered_tasks,
    subtask_counters,
    task_managers,
    vertices,
)
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.record_flow import derived_inputs
from diagnostics.reconstruction.metrics.metric_series import metric_series

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.aggregators.aggregator import Aggregator

MOST_PLACES = 20_000
"""Rows of each kind that are read, the newest. Our choice: four answers about a job of 5,000 subtasks."""

LOOPBACK = ("localhost", "127.", "::1", "[::1]")
"""Prefixes of names and addresses reachable only from the same host. Source: RFC 1122, RFC 4291."""

VertexKey = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Task:
    """One task (operator chain) of a job graph."""

    job_id: str | None
    vertex_id: str
    name: str
    parallelism: int | None
    max_parallelism: int | None = None


@dataclass(frozen=True, slots=True)
class Cluster:
    """Jobs, tasks, edges, and the TaskManager of each subtask, from REST answers, else from metrics.

    inputs         vertex -> (upstream vertex id, ship strategy) for each input edge
    derived        the jobs whose edges no file contains: they were derived from the records that tasks read and write
    task_managers  normalised resource id -> resource id as printed by REST or the log
    jobs_on        normalised resource id -> ids of the jobs that had a subtask there
    homes          (job, vertex, subtask) -> the TaskManager on which it ran last
    """

    job_names: Mapping[str, str | None] = field(default_factory=dict)
    tasks: Mapping[VertexKey, Task] = field(default_factory=dict)
    inputs: Mapping[VertexKey, tuple[tuple[str, str | None], ...]] = field(default_factory=dict)
    derived: frozenset[str | None] = frozenset()
    task_managers: Mapping[str, str] = field(default_factory=dict)
    hosts: Mapping[str, str] = field(default_factory=dict)
    jobs_on: Mapping[str, frozenset[str]] = field(default_factory=dict)
    homes: Mapping[tuple[str | None, str, int], str] = field(default_factory=dict)

    @property
    def machines(self) -> frozenset[str]:
        """The hosts of the TaskManagers, as `host_of` names them."""
        return frozenset(map(host_of, self.hosts.values()))

    def job_of(self, task_manager: str | None) -> str | None:
        """The only job on a TaskManager, else the only job of the cluster, else None."""
        on_it = self.jobs_on.get(normalised(task_manager), frozenset()) if task_manager else frozenset()
        if len(on_it) == 1:
            return next(iter(on_it))
        return next(iter(self.job_names)) if not on_it and len(self.job_names) == 1 else None

    def task_manager(self, printed: str | None) -> str | None:
        """The resource id of a TaskManager from any printed form of it (metric reporters replace characters by _)."""
        return self.task_managers.get(normalised(printed), printed) if printed else None

    def vertex_subject(self, job_id: str | None, vertex_id: str, name: str | None = None) -> Subject:
        """The subject of a task, with its name in REST answers."""
        task = self.tasks.get((job_id, vertex_id))
        return Subject(job=job_id, vertex=task.name if task else name, vertex_id=vertex_id)

    def upstream(self, vertex: VertexKey) -> list[VertexKey]:
        """All tasks whose records reach this one, nearest first."""
        reached: dict[VertexKey, None] = {}
        front = [vertex]
        while front:
            front = [
                (vertex[0], source)
                for place in front
                for source, _ in self.inputs.get(place, ())
                if (vertex[0], source) not in reached
            ]
            reached.update(dict.fromkeys(front))
        return list(reached)


def without_port(host: str) -> str:
    """The host of `host:port` or `[address]:port`; an IPv6 address without brackets has no port."""
    if host.startswith("["):
        return host.partition("]")[0] + "]"
    return host.partition(":")[0] if host.count(":") == 1 else host


def host_of(address: str) -> str:
    """The host of an address with or without a port; all names and addresses of the loopback interface are one host."""
    return "localhost" if address.startswith(LOOPBACK) else without_port(address)


@read_once
def cluster_of(evidence: Evidence) -> Cluster:
    """The cluster of an analysis, computed once for each Evidence.

    Reads   job, vertex, edge, subtask, task_manager; without rows of job the ids in log_record and metric_sample, and
            without rows of vertex the tasks in metric_sample.
    """
    return _read(evidence)


def _read(evidence: Evidence) -> Cluster:
    rows = [] if evidence.has("job") else list(_jobs_in_logs(evidence))
    for kind, (aggregator, columns) in PLACES.items():
        rows += _places(kind, evidence.answer(aggregator), columns)
    rows += _metered(evidence.answer(metered_tasks.AGGREGATOR).to_pylist(), rows)
    cluster = cluster_from_rows(rows)
    with_edges = {job_id for job_id, _ in cluster.inputs}
    derived = {
        vertex: tuple((source, None) for _, source in sources)
        for vertex, sources in derived_inputs(metric_series(evidence)).items()
        if vertex[0] not in with_edges
    }
    return replace(cluster, inputs={**cluster.inputs, **derived}, derived=frozenset(job_id for job_id, _ in derived))


def _metered(places: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Rows from metrics: jobs if no REST answer lists any, the tasks of jobs without vertices, and their TaskManagers.

    The rows have no time, so that rows from other files about the same job, task or TaskManager take precedence.
    """
    blank = dict.fromkeys(ROW)
    listed = {row["job_id"] for row in rows if row["kind"] == "vertex"}
    has_jobs = any(row["kind"] == "job" for row in rows)
    parallelism: dict[tuple[str | None, str], int] = {}
    names: dict[tuple[str | None, str], str] = {}
    for place in places:
        job_id, vertex = place["job_id"], place["vertex_id"] or place["vertex"]
        if job_id and not has_jobs:
            yield {**blank, "kind": "job", "job_id": job_id, "name": place["job_name"]}
        if place["task_manager"] and place["subtask"] is None:
            yield {**blank, "kind": "task_manager", "id": place["task_manager"], "name": place["host"]}
        if not vertex or job_id in listed or (has_jobs and job_id is None):
            continue
        subtasks = 0 if place["subtask"] is None else place["subtask"] + 1
        parallelism[job_id, vertex] = max(parallelism.get((job_id, vertex), 0), subtasks)
        if place["vertex"]:
            names.setdefault((job_id, vertex), place["vertex"])
        if place["subtask"] is None:
            continue
        yield {
            **blank,
            "kind": "subtask",
            "job_id": job_id,
            "id": vertex,
            "other": place["task_manager"],
            "name": place["host"],
            "number": place["subtask"],
        }
    for (job_id, vertex), number in parallelism.items():
        yield {
            **blank,
            "kind": "vertex",
            "job_id": job_id,
            "id": vertex,
            "name": names.get((job_id, vertex), vertex),
            "number": number or None,
        }


PLACES: Mapping[str, tuple[Aggregator[pa.Table], Mapping[str, str]]] = {
    "job": (jobs.AGGREGATOR, {"job_id": "job_id", "name": "name", "ts_ms": "ts_ms"}),
    "vertex": (
        vertices.AGGREGATOR,
        {
            "job_id": "job_id",
            "id": "vertex_id",
            "other": "max_parallelism",
            "name": "name",
            "number": "parallelism",
            "ts_ms": "ts_ms",
        },
    ),
    "edge": (
        edges.AGGREGATOR,
        {"job_id": "job_id", "id": "target_id", "other": "source_id", "name": "ship_strategy"},
    ),
    "subtask": (
        subtask_counters.AGGREGATOR,
        {
            "job_id": "job_id",
            "id": "vertex_id",
            "other": "task_manager",
            "name": "host",
            "number": "subtask",
            "ts_ms": "ts_ms",
        },
    ),
    "task_manager": (task_managers.AGGREGATOR, {"id": "task_manager", "name": "host", "ts_ms": "ts_ms"}),
}
"""Kind of row -> the aggregator that it comes from, and column of ROW -> column of the aggregator."""
ROW = ("kind", "job_id", "id", "other", "name", "number", "ts_ms")
NAMING = ("job", "log_record")
"""Kinds of rows whose name is that of the job. The log's counts more: metric reporters replace characters."""


def _places(kind: str, answers: pa.Table, columns: Mapping[str, str]) -> Iterator[Mapping[str, Any]]:
    newest = answers.slice(0, MOST_PLACES)
    blank = {**dict.fromkeys(ROW), "kind": kind}
    for values in zip(*(newest[column].to_pylist() for column in columns.values()), strict=True):
        yield {**blank, **dict(zip(columns, values, strict=True))}


def _jobs_in_logs(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    names = evidence.answer(logged_job_names.AGGREGATOR)
    for job_id in evidence.answer(logged_jobs.AGGREGATOR):
        yield {**dict.fromkeys(ROW), "kind": "log_record", "job_id": job_id, "name": names.get(job_id)}


def cluster_from_rows(rows: Iterable[Mapping[str, Any]]) -> Cluster:
    """The cluster that rows with the columns of ROW describe; newer rows take precedence."""
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
            jobs[job_id] = (name if kind in NAMING else None) or jobs.get(job_id)
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
        frozenset(),
        task_managers,
        hosts,
        {task_manager: frozenset(on_it) for task_manager, on_it in jobs_on.items()},
        homes,
    )
