"""Tasks whose threads wait for an outside system: which system, as sink or look-up, and the time per record."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.job.graph import JobGraph, Position, job_graph
from diagnostics.reconstruction.load.offered_rate import emitted_rate, offered_rate
from diagnostics.reconstruction.load.task_rates import TaskRate, task_rates
from diagnostics.reconstruction.stacks.profile import Profile, Sampled, stack_profiles
from diagnostics.reconstruction.stacks.task_threads import FEWEST_WORKING, MOST_CITED, heaviest, subject_of, working
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.known_frames import OUTSIDE
from diagnostics.vocabulary.operators_at_limit import relief_of

ASYNC_CAPACITY = 100
"""Calls in flight for each subtask where the offered rate is not known. Source: Flink's default of
table.exec.async-lookup.buffer-capacity."""
HEAD_ROOM = 2
"""Calls in flight for one that Little's law needs. Our choice: calls take longer under load."""
ONE_CALL_EACH = frozenset(
    (
        "PostgreSQL",
        "MySQL",
        "MariaDB",
        "Oracle",
        "SQL Server",
        "connection pool HikariCP",
        "connection pool DBCP",
        "connection pool Druid",
    )
)
"""Systems whose connections carry one call at a time."""
MOST_CONNECTIONS = 50
"""Connections that the look-up may use in all its subtasks. Our choice: half of PostgreSQL's default of 100 for
max_connections (https://www.postgresql.org/docs/current/runtime-config-connection.html); MySQL has 151."""
TIMEOUT_CALLS, LEAST_TIMEOUT_MS = 50, 1000.0
"""An asynchronous call may take this many times the usual one. Our choice: well beyond the slowest of a thousand."""


def measure(evidence: Evidence) -> Measured:
    """Calls to outside systems per task.

    Reads   stack_sample, vertex, edge, subtask (records and busy time).
    Gives   one signal per task with samples of a working thread.
    Units   shares of the samples of a working thread; milliseconds; records per second.
    Source  Little's law: time per call = busy time / records * share of samples spent in the call.
    Empty   NotMeasured without a profile or thread dump.
    """
    profiles = stack_profiles(evidence).tasks
    if not profiles:
        yield NotMeasured(
            "blocking_calls", "flame-graph", "no flame graph, profile or thread dump shows a task's thread"
        )
        return
    cluster = cluster_of(evidence)
    rates = task_rates(evidence)
    graphs = {job_id: job_graph(cluster, job_id) for job_id, _ in profiles}
    for task, profile in profiles.items():
        at_work = working(profile)
        whole = sum(each.weight for each in at_work)
        if whole >= FEWEST_WORKING:
            graph, rate = graphs[task[0]], rates.get(task)
            offered_per_s = offered_rate(emitted_rate(evidence, graph, task[1]), rate) if rate else None
            yield _signal(task, profile, at_work, whole, cluster, graph, rate, offered_per_s)


def _signal(
    task: tuple[str | None, str],
    profile: Profile,
    at_work: Sequence[Sampled],
    whole: float,
    cluster: Cluster,
    graph: JobGraph,
    rate: TaskRate | None,
    offered_per_s: float | None,
) -> Signal:
    position = graph.position(task[1])
    calls = [each for each in at_work if each.stack.waiting and (each.stack.purpose in OUTSIDE or each.stack.user)]
    by_role: dict[str, list[Sampled]] = defaultdict(list)
    for each in calls:
        by_role[role_of(each, position)[0]].append(each)
    facts: dict[str, FactValue] = {
        "position": position,
        "profile": profile.kind[0],
        "sees_all": profile.sees_all,
        "working_samples": whole,
        "waiting_ratio": sum(each.weight for each in calls) / whole,
        "named_look_up": graph.named_look_up(task[1]),
    }
    chosen: list[Sampled] = []
    if by_role:
        role = max(by_role, key=lambda each: (sum(one.weight for one in by_role[each]), each))
        chosen = by_role[role]
        in_role = sum(each.weight for each in chosen)
        facts |= {"role": role, "role_ratio": in_role / whole, "role_from": role_of(chosen[0], position)[1]}
        facts |= _named(chosen)
        if rate is not None and rate.ms_per_record is not None:
            call_ms = rate.ms_per_record * in_role / whole
            facts |= _call(call_ms, len(rate.by_subtask_per_s), offered_per_s, facts.get("system") in ONE_CALL_EACH)
    cited = sorted(chosen or at_work, key=lambda each: -each.weight)[:MOST_CITED]
    return Signal(
        "blocking_calls",
        subject_of(task, cluster),
        known_facts(facts),
        tuple(each.citation for each in cited),
        len(chosen),
    )


def _call(call_ms: float, subtasks: int, offered_per_s: float | None, one_call_each: bool) -> dict[str, FactValue]:
    """Cost of one call, the calls in flight for the offered rate by Little's law, and the rate that they pass."""
    calls = math.ceil(offered_per_s * call_ms / 1000) if offered_per_s else None
    capacity = math.ceil(HEAD_ROOM * calls / subtasks) if calls else ASYNC_CAPACITY
    if one_call_each:
        capacity = min(capacity, max(1, MOST_CONNECTIONS // subtasks))
    return {
        "call_ms": call_ms,
        "calls_in_flight": calls,
        "async_capacity": capacity,
        "async_connections": MOST_CONNECTIONS if one_call_each else None,
        "async_per_s": float(f"{subtasks * capacity * 1000 / call_ms:.2g}") if call_ms > 0 else None,
        "async_timeout_ms": max(LEAST_TIMEOUT_MS, math.ceil(TIMEOUT_CALLS * call_ms / 1000) * 1000.0),
    }


def role_of(sampled: Sampled, position: Position | None) -> tuple[str, str]:
    """`sink`, `look-up` or `source`, and the evidence: the operator, the client's method, or the position in the graph.

    A plain call (HTTP, socket) in an operator other than a sink counts as a look-up.
    """
    found = sampled.stack
    if found.role in ("sink", "look-up", "source"):
        return found.role, "operator"
    if found.purpose in ("look-up", "sink"):
        return found.purpose, "method"
    if found.role == "transform":
        return "look-up", "operator"
    if position in ("sink", "whole job"):
        return "sink", "position"
    return ("source" if position == "source" else "look-up"), "position"


def _named(calls: Sequence[Sampled]) -> dict[str, FactValue]:
    """The outside system and the frames that identify it."""
    facts: dict[str, FactValue] = {}
    for fact, most_sampled in (
        ("system", heaviest(calls, lambda each: each.stack.system)),
        ("client_frame", heaviest(calls, lambda each: each.stack.system_frame)),
        ("user_frame", heaviest(calls, lambda each: each.stack.user)),
        ("waiting_frame", heaviest(calls, lambda each: each.stack.top)),
    ):
        if most_sampled:
            facts[fact] = most_sampled[0]
    return facts | {"relief": relief_of(str(facts.get("system", "")))}


FACTS = {
    "position": "position of the task in the job graph: source, middle, sink or whole job",
    "profile": "flame-graph, collapsed or thread-dump",
    "sees_all": "whether the profile counts waiting threads as well as working ones",
    "working_samples": "samples in which the thread was at work",
    "waiting_ratio": "share of the working samples that wait in an outside call",
    "named_look_up": "whether its name is that of a look-up join",
    "relief": "act that gives a sink of this outside system room",
    "role": "purpose of most waiting: sink, look-up or source",
    "role_ratio": "share of the working samples that wait for the outside system",
    "role_from": "source of the purpose of the waiting: operator, method or position",
    "system": "outside system that the threads wait for",
    "client_frame": "the client's function that is called",
    "user_frame": "the user's function that calls it",
    "waiting_frame": "the frame in which the thread waits",
    "call_ms": "time of one call for each record, by busy time over records",
    "calls_in_flight": "calls in flight in all subtasks for what the sources emit, by Little's law",
    "async_capacity": "calls in flight for each subtask if they were asynchronous",
    "async_connections": "connections that asynchronous calls of all subtasks may use together",
    "async_per_s": "records that all subtasks could pass then at most, if the outside system answers as fast",
    "async_timeout_ms": "a timeout for such a call: fifty times the usual one, in whole seconds",
}

SIGNALS = (SignalDefinition("blocking_calls", "vertex", FACTS, measure),)
