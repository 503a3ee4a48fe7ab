"""The operators that a task runs between its source and its sink, by its name: they share its time and its threads."""

from __future__ import annotations

import re

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.events.event_time_names import needs_watermarks
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import names_call, names_look_up, states_call
from diagnostics.signals.signal import Measured, Signal, SignalDefinition, known_facts

NEXT = re.compile(r" -> |____")
"""What separates chained operators: as Flink prints it, and as reporters write it that allow word characters only."""
SOURCE = re.compile(r"source\W|source_|tablesourcescan", re.IGNORECASE)
PRINTING = re.compile(r"print\Wto\Wstd|print_to_std|blackhole|discarding", re.IGNORECASE)
SINK = re.compile(r"sink|writer|committer|print", re.IGNORECASE)
TIMES = re.compile(r"timestamps?\W?watermarks|watermarkassigner|timestamps", re.IGNORECASE)
"""Operators that read, that write to what takes any rate, that write, and that assign event times. Source: Flink's
planner and StreamExecutionEnvironment; parts of names that people give.
"""


def measure(evidence: Evidence) -> Measured:
    """What is chained in each task.

    Reads   vertex, metric_sample, stack_sample (names of tasks).
    Gives   one signal per task whose name shows more than one operator.
    """
    cluster = cluster_of(evidence)
    by_event_time = {task.job_id for task in cluster.tasks.values() if needs_watermarks(task.name or "", assigned=True)}
    for job_id, vertex_id in sorted(cluster.tasks, key=repr):
        parts = [part for part in NEXT.split(cluster.tasks[job_id, vertex_id].name or "") if part.strip("_ ")]
        if len(parts) < 2:
            continue
        reads, writes = bool(SOURCE.match(parts[0])), bool(SINK.search(parts[-1]))
        inner = [part for part in parts[reads : len(parts) - writes] if not TIMES.search(part)]
        call = next(filter(states_call, inner), None) or next(filter(names_call, inner), None)
        facts: dict[str, FactValue] = {
            "reads": reads,
            "writes": writes,
            "assigns_times": any(TIMES.search(part) for part in parts),
            "waited_for": job_id in by_event_time,
            "inner": inner or None,
            "inner_count": len(inner),
            "looks_up": any(map(names_look_up, inner)),
            "call": call,
            "states_call": states_call(call) if call else None,
            "only_prints": writes and bool(PRINTING.search(parts[-1])),
        }
        yield Signal("chained_operators", cluster.vertex_subject(job_id, vertex_id), known_facts(facts))


SIGNALS = (
    SignalDefinition(
        key="chained_operators",
        level="vertex",
        facts={
            "reads": "whether the first operator of the chain is a source",
            "writes": "whether the last operator of the chain is a sink",
            "assigns_times": "whether one of them assigns event times and watermarks",
            "waited_for": "whether a task of the job emits by event time, by its name",
            "inner": "operators between the source and the sink of a chain; those that assign event times left out",
            "inner_count": "number of operators between the source and the sink of a chain",
            "looks_up": "whether one of them is named as a look-up",
            "call": "first operator of the chain whose name is that of a look-up or another call of an outside system",
            "states_call": "whether that name says that another system is asked; others suit a computation as well",
            "only_prints": "whether the chain ends with a sink that prints or drops its records",
        },
        measure=measure,
    ),
)
