"""CPU time of the threads of each task, by subtask, and of garbage collection, from thread dumps that state it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from diagnostics.aggregators import thread_times
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.stacks.profile import TaskKey, task_key, tasks_by_name
from diagnostics.reconstruction.stacks.task_threads import subject_of
from diagnostics.signals.signal import MOST_CITATIONS, Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import CPU_OF_THREAD, cited_text

Row = Mapping[str, Any]

LEAST_BETWEEN_MS = 4_000
"""Time between two dumps over which the growth of the CPU time counts. Our choice: a shorter one is a few samples."""
LEAST_AGE_MS = 20_000
"""A younger thread whose CPU time is known once is left out: classes are loaded and compiled then. Our choice."""
SAME_START_MS = 1_000
"""Readings of one thread agree on its start; those of two threads of one name do not. Our choice."""


@dataclass(frozen=True, slots=True)
class Used:
    """The CPU that a thread used.

    share_ratio  of one core
    over_ms      the time over which
    grown        whether between two dumps, else since its start
    """

    share_ratio: float
    over_ms: float
    grown: bool
    row: Row


def measure(evidence: Evidence) -> Measured:
    """The CPU that the subtasks of each task use, and the part of garbage collection in each process.

    Reads   thread_time: the headers of thread dumps of JDK 11 and later.
    Gives   one signal per task with threads of known CPU time; `thread_cpu.collection` for the process in which the
            collector has the largest part.
    Units   shares of one core, between the first and the last dump of a thread, else since its start.
    Empty   NotMeasured without CPU times of threads.
    """
    rows = evidence.answer(thread_times.AGGREGATOR).to_pylist()
    if not rows:
        reason = "no thread dump states the CPU time of its threads"
        yield NotMeasured("thread_cpu", "thread-dumps", reason)
        yield NotMeasured("thread_cpu.collection", "thread-dumps", reason)
        return
    cluster = cluster_of(evidence)
    by_name, only_job = tasks_by_name(cluster), only_one(cluster.job_names)
    tasks: dict[TaskKey, dict[int, list[Row]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        if row["kind"] == "task":
            named = {**row, "vertex_id": None, "job_id": None}
            tasks[task_key(named, by_name, only_job)][row["subtask"]].append(row)
    for task in sorted(tasks, key=repr):
        used = {subtask: each for subtask, threads in tasks[task].items() if (each := _used(threads))}
        if used:
            facts = {"position": job_graph(cluster, task[0]).position(task[1]), **_shares(used)}
            yield Signal("thread_cpu", subject_of(task, cluster), facts, *_cited(used.values()))
    yield from _collection(rows)


def _used(threads: Sequence[Row]) -> Used | None:
    """The CPU that a subtask's thread uses, by its newest thread; None while that is too young."""
    last = max(threads, key=lambda row: (row["ts_ms"] or 0, row["cpu_ms"]))
    first = min((row for row in threads if _is_same(row, last)), key=lambda row: float(row["elapsed_ms"]))
    between = last["elapsed_ms"] - first["elapsed_ms"]
    if between >= LEAST_BETWEEN_MS:
        return Used((last["cpu_ms"] - first["cpu_ms"]) / between, between, True, last)
    if last["elapsed_ms"] < LEAST_AGE_MS:
        return None
    return Used(last["cpu_ms"] / last["elapsed_ms"], last["elapsed_ms"], False, last)


def _is_same(row: Row, last: Row) -> bool:
    """Whether both readings are of one thread: it began at one moment, and its CPU time never falls."""
    if row["thread"] != last["thread"] or row["cpu_ms"] > last["cpu_ms"]:
        return False
    if row["ts_ms"] is None or last["ts_ms"] is None:
        return bool(row["elapsed_ms"] <= last["elapsed_ms"])
    apart: float = (last["ts_ms"] - last["elapsed_ms"]) - (row["ts_ms"] - row["elapsed_ms"])
    return abs(apart) <= SAME_START_MS


def _shares(used: Mapping[int, Used]) -> dict[str, FactValue]:
    busiest = max(used, key=lambda subtask: (used[subtask].share_ratio, -subtask))
    others = [each.share_ratio for subtask, each in used.items() if subtask != busiest]
    facts: dict[str, FactValue] = {
        "parallelism": used[busiest].row["parallelism"],
        "subtasks": len(used),
        "all_seen": len(used) == used[busiest].row["parallelism"],
        "busiest_subtask": busiest,
        "busiest_ratio": used[busiest].share_ratio,
        "others_max_ratio": max(others, default=None),
        "others_median_ratio": median(others) if others else None,
        "least_ratio": min(each.share_ratio for each in used.values()),
        "cores_used": sum(each.share_ratio for each in used.values()),
        "between_dumps": used[busiest].grown,
        "over_ms": used[busiest].over_ms,
    }
    return known_facts(facts)


def _cited(used: Iterable[Used]) -> tuple[tuple[Citation, ...], int]:
    ordered = sorted(used, key=lambda each: -each.share_ratio)
    return tuple(_cite(each.row) for each in ordered[:MOST_CITATIONS]), len(ordered)


def _cite(row: Row) -> Citation:
    used, seconds = f"{row['cpu_ms']:.0f} ms", f"{row['elapsed_ms'] / 1000:.0f}"
    return Citation.cite_row(row, "thread", cited_text(CPU_OF_THREAD, thread=row["thread"], used=used, seconds=seconds))


def _collection(rows: Sequence[Row]) -> Measured:
    """The process whose collector has the largest part in the CPU time of all its threads."""
    dumps: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in rows:
        dumps[row["file_id"], row["ts_ms"] or 0].append(row)
    shares = []
    for (file_id, ts_ms), threads in dumps.items():
        whole, age = sum(row["cpu_ms"] for row in threads), max(row["elapsed_ms"] for row in threads)
        collecting = [row for row in threads if row["kind"] == "gc"]
        if collecting and whole and age >= LEAST_AGE_MS:
            spent = sum(row["cpu_ms"] for row in collecting)
            shares.append((spent / whole, spent / age, ts_ms, file_id, collecting))
    if not shares:
        yield NotMeasured(
            "thread_cpu.collection", "thread-dumps", "no thread dump states the CPU time of its collector"
        )
        return
    share, cores, _, _, collecting = max(shares, key=lambda each: (each[0], each[2], -each[3]))
    heaviest = sorted(collecting, key=lambda row: -row["cpu_ms"])
    facts: dict[str, FactValue] = {"share_ratio": share, "cores_used": cores, "threads": len(collecting)}
    yield Signal("thread_cpu.collection", Subject(), facts, tuple(map(_cite, heaviest[:4])), len(heaviest))


SIGNALS = (
    SignalDefinition(
        key="thread_cpu",
        level="vertex",
        facts={
            "position": "source, middle, sink or whole job",
            "parallelism": "subtasks of the task, by the names of its threads",
            "subtasks": "subtasks whose CPU time is known",
            "all_seen": "whether the CPU time of all its subtasks is known",
            "busiest_subtask": "index from 0 of the subtask that uses most CPU",
            "busiest_ratio": "share of one core that it uses",
            "others_max_ratio": "the largest share among the others",
            "others_median_ratio": "the median share among the others",
            "least_ratio": "the smallest share of all",
            "cores_used": "cores that all its threads use together",
            "between_dumps": "whether it is the growth between two dumps; else the mean since the threads started",
            "over_ms": "time over which the busiest one was observed, ms",
        },
        measure=measure,
    ),
    SignalDefinition(
        key="thread_cpu.collection",
        level="case",
        facts={
            "share_ratio": "part of the CPU time of all threads of a process that its collector used",
            "cores_used": "cores that the collector used on average since the process started",
            "threads": "threads of the collector",
        },
        measure=measure,
    ),
)
