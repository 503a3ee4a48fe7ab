"""The tasks of one job and how records flow between them: what is upstream, what is downstream, source or sink."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import Cluster

Position = Literal["source", "middle", "sink", "whole job"]

SOURCE_NAMES = ("source_",)
SINK_NAMES = ("sink_", "__writer", "committer")
"""How Flink names operators at the ends of a job (`Source: orders`, `Sink: x`, `x: Writer`), normalised."""
COMMITTER = "committer"
"""A sink's writer may stand before its own committer task; the writer is the sink all the same."""
LOOK_UP_NAME = "lookupjoin"
"""How Flink's SQL planner names the operator of a look-up join, in lower case (reporters replace what follows it)."""


@dataclass(frozen=True, slots=True)
class JobGraph:
    """One job's tasks by id and their direct neighbours.

    edges_known    false when neither a file tells the edges nor the tasks' records do
    edges_derived  whether they were derived from names and records, since no file tells them
    """

    job_id: str | None
    names: Mapping[str, str] = field(default_factory=dict)
    parallelism: Mapping[str, int] = field(default_factory=dict)
    parents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    children: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    edges_known: bool = False
    edges_derived: bool = False

    def above(self, vertex: str) -> tuple[str, ...]:
        """The direct upstream tasks; without known edges every other task that could be."""
        if self.edges_known:
            return self.parents.get(vertex, ())
        return tuple(other for other in self.names if other != vertex and self.position(other) != "sink")

    def all_above(self, vertex: str) -> tuple[str, ...]:
        """Every task whose records reach this one, nearest first."""
        return self._reached(vertex, self.parents) if self.edges_known else self.above(vertex)

    def all_below(self, vertex: str) -> tuple[str, ...]:
        """Every task that this one's records reach, nearest first; none without known edges."""
        return self._reached(vertex, self.children)

    def position(self, vertex: str) -> Position | None:
        """Where in the graph a task stands; from its name alone when the edges are not known."""
        if self.edges_known:
            first = not self.parents.get(vertex)
            last = all(COMMITTER in self.name(each).lower() for each in self.children.get(vertex, ()))
        else:
            name = normalised(self.names.get(vertex, vertex)).lower()
            first = name.startswith(SOURCE_NAMES)
            last = any(part in name for part in SINK_NAMES)
            if not first and not last:
                return None
        if first and last:
            return "whole job"
        return "source" if first else "sink" if last else "middle"

    def named_look_up(self, vertex: str) -> bool:
        """Whether the planner's name says that the task does a look-up join."""
        return LOOK_UP_NAME in self.name(vertex).lower()

    def name(self, vertex: str) -> str:
        """The task's name, or its id."""
        return self.names.get(vertex, vertex)

    def _reached(self, vertex: str, steps: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        found: dict[str, None] = {}
        front = [vertex]
        while front:
            front = [next_one for place in front for next_one in steps.get(place, ()) if next_one not in found]
            found.update(dict.fromkeys(front))
        found.pop(vertex, None)
        return tuple(found)


def job_graph(cluster: Cluster, job_id: str | None, seen: Mapping[str, str] | None = None) -> JobGraph:
    """The graph of one job.

    seen  task id -> name as printed, of tasks that only metrics or profiles know
    """
    names = {vertex: task.name for (job, vertex), task in cluster.tasks.items() if job == job_id}
    parallelism = {
        vertex: task.parallelism
        for (job, vertex), task in cluster.tasks.items()
        if job == job_id and task.parallelism is not None
    }
    for vertex, printed in (seen or {}).items():
        names.setdefault(vertex, printed)
    parents: dict[str, tuple[str, ...]] = {}
    children: dict[str, list[str]] = {}
    for (job, vertex), inputs in sorted(cluster.inputs.items(), key=repr):
        if job == job_id:
            parents[vertex] = tuple(dict.fromkeys(source for source, _ in inputs))
            for source in parents[vertex]:
                children.setdefault(source, []).append(vertex)
    return JobGraph(
        job_id,
        names,
        parallelism,
        parents,
        {vertex: tuple(below) for vertex, below in children.items()},
        bool(parents) or (len(names) == 1 and bool(parallelism)),
        job_id in cluster.derived,
    )
