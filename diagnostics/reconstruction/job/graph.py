"""The job graph: the tasks of one job with their upstream and downstream tasks, sources and sinks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import Cluster

Position = Literal["source", "middle", "sink", "whole job"]

SOURCE_NAMES = ("source_",)
SINK_NAMES = ("sink_", "__writer", "committer")
"""Flink's names of operators at the ends of a job (`Source: orders`, `Sink: x`, `x: Writer`), normalised."""
SINK_ENDING = "sink"
"""End of the name that people give to a sink whose operator is not Flink's own (`cassandra-sink`)."""
COMMITTER = "committer"
"""A task whose only downstream tasks are committers is a sink: the committer belongs to its writer."""
CHAINED_SINK = "____sink_"
"""A sink after another operator of its chain (`aggregate -> Sink: x`), normalised."""
LOOK_UP_NAME = "lookupjoin"
"""The SQL planner's name of a look-up join operator, in lower case and without the part that reporters replace."""
OWN_LOOK_UP_NAMES = ("lookup", "look_up", "async_wait", "asyncwait", "dimension_join", "dim_join")
"""Parts of the names of look-ups in other jobs, normalised and in lower case: Flink's "async wait operator", and what
people call theirs (`lookup-customer`).
"""
CALLING = re.compile(
    r"(?:call|fetch|invoke|enrich|infer|predict|async|geocode)(?![a-z])|"
    r"(?:[a-z0-9]+_)*(?:enrich(?:ment|er)|inference|grpc|rpc|remote)(?![a-z])"
)
"""Beginnings of names that people give to operators that call an outside system (`Call pricing service`, `asyncScore`),
and words of them; normalised, words apart. Our choice: verbs of asking, and no names of data such as `requests`.
"""
ASKING = re.compile(
    r"(?:call|fetch|invoke|geocode)(?![a-z])|"
    r"async_?i_?o(?![a-z])|"
    r"(?:[a-z0-9]+_)*(?:grpc|rpc|remote)(?![a-z])"
)
"""Those of them that say that something else is asked. `enrich`, `predict` or `async` may as well compute: a table or a
model in memory, a thread pool of the operator's own. Our choice."""
WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(frozen=True, slots=True)
class JobGraph:
    """One job's tasks by id, with their direct upstream tasks (parents) and downstream tasks (children).

    edges_known    false when no file contains the edges and they could not be derived
    edges_derived  whether the edges were derived from the records that tasks read and write
    """

    job_id: str | None
    names: Mapping[str, str] = field(default_factory=dict)
    parallelism: Mapping[str, int] = field(default_factory=dict)
    parents: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    children: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    edges_known: bool = False
    edges_derived: bool = False

    def above(self, vertex: str) -> tuple[str, ...]:
        """The direct upstream tasks; without known edges every other task that is not a sink."""
        if self.edges_known:
            return self.parents.get(vertex, ())
        return tuple(other for other in self.names if other != vertex and self.position(other) != "sink")

    def all_above(self, vertex: str) -> tuple[str, ...]:
        """All upstream tasks, the nearest first; without known edges as `above`."""
        return self._reached(vertex, self.parents) if self.edges_known else self.above(vertex)

    def all_below(self, vertex: str) -> tuple[str, ...]:
        """All downstream tasks, the nearest first; none without known edges."""
        return self._reached(vertex, self.children)

    def position(self, vertex: str) -> Position | None:
        """The position of a task in the graph; without known edges by its name, None if that does not show it."""
        if self.edges_known:
            first = not self.parents.get(vertex)
            last = all(COMMITTER in self.name(each).lower() for each in self.children.get(vertex, ()))
        else:
            name = normalised(self.names.get(vertex, vertex)).lower()
            first = name.startswith(SOURCE_NAMES)
            last = any(part in name for part in SINK_NAMES) or name.rstrip("_0123456789").endswith(SINK_ENDING)
            if not first and not last:
                return None
        if first and last:
            return "whole job"
        return "source" if first else "sink" if last else "middle"

    def named_look_up(self, vertex: str) -> bool:
        """Whether the task is a look-up according to its name; a source or sink that people call so is none."""
        name = normalised(self.name(vertex)).lower()
        is_inside = self.position(vertex) in (None, "middle")
        return LOOK_UP_NAME in name or (is_inside and names_look_up(name))

    def has_chained_sink(self, vertex: str) -> bool:
        """Whether the task's name has other operators before its sink, which share its busy time."""
        return CHAINED_SINK in normalised(self.name(vertex)).lower()

    def name(self, vertex: str) -> str:
        """The task's name, or its id."""
        return self.names.get(vertex, vertex)

    def _reached(self, vertex: str, steps: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
        reached: dict[str, None] = {}
        front = [vertex]
        while front:
            front = [next_one for place in front for next_one in steps.get(place, ()) if next_one not in reached]
            reached.update(dict.fromkeys(front))
        reached.pop(vertex, None)
        return tuple(reached)


def names_look_up(operator: str) -> bool:
    """Whether the name of an operator inside a job is that of a look-up, by the planner or by people's habit."""
    name = normalised(operator).lower()
    return any(part in name for part in (LOOK_UP_NAME, *OWN_LOOK_UP_NAMES))


def names_call(operator: str) -> bool:
    """Whether the name of an operator inside a job is that of a look-up or another call of an outside system."""
    return names_look_up(operator) or CALLING.match(_words(operator)) is not None


def states_call(operator: str) -> bool:
    """Whether such a name says that another system is asked, and does not only suit an operator that asks one."""
    return names_look_up(operator) or ASKING.match(_words(operator)) is not None


def _words(operator: str) -> str:
    return normalised(WORD.sub("_", operator)).strip("_").lower()


def job_graph(cluster: Cluster, job_id: str | None, seen: Mapping[str, str] | None = None) -> JobGraph:
    """The graph of one job.

    seen  task id -> printed name, for tasks that appear only in metrics or profiles
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
