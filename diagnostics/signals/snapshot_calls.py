"""Sinks whose threads wait for their outside system while they take their part of a checkpoint."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.stacks.profile import Sampled, stack_profiles
from diagnostics.reconstruction.stacks.task_threads import MOST_CITED, heaviest
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.operators_at_limit import relief_of

DUMP = "thread-dump"
"""Only a dump shows all threads at one moment; one of them in such a wait says what a checkpoint waits for."""


def measure(evidence: Evidence) -> Measured:
    """Threads of tasks in thread dumps that wait for the outside system of a sink within their part of a checkpoint.

    Reads   stack_sample, only thread dumps.
    Gives   one signal of the case, also without such a thread.
    Empty   NotMeasured without a thread dump of a task.
    """
    dumped = {task: each for task, each in stack_profiles(evidence).tasks.items() if each.kind[0] == DUMP}
    if not dumped:
        yield NotMeasured("snapshot_calls", "thread-dumps", "no thread dump shows a task's thread")
        return
    waiting = [(task, each) for task, profile in dumped.items() for each in profile.stacks if _flushes(each)]
    facts: dict[str, FactValue] = {
        "threads": sum(each.weight for _, each in waiting),
        "tasks": len({task for task, _ in waiting}),
    }
    if waiting:
        stacks = [each for _, each in waiting]
        system = heaviest(stacks, lambda each: each.stack.system)
        frame = heaviest(stacks, lambda each: each.stack.system_frame)
        facts |= {
            "system": system[0] if system else None,
            "client_frame": frame[0] if frame else None,
            "relief": relief_of(system[0]) if system else None,
        }
    cited = sorted((each for _, each in waiting), key=lambda each: -each.weight)[:MOST_CITED]
    yield Signal("snapshot_calls", Subject(), known_facts(facts), tuple(each.citation for each in cited), len(waiting))


def _flushes(sampled: Sampled) -> bool:
    """Whether a thread waits for what a sink writes to, while it takes its part of a checkpoint."""
    found = sampled.stack
    return found.snapshot and found.waiting and (found.purpose == "sink" or found.role == "sink")


FACTS = {
    "threads": "threads in dumps that wait for the outside system of a sink within their part of a checkpoint",
    "tasks": "tasks of these threads",
    "system": "outside system that they wait for",
    "client_frame": "the client's function that they call",
    "relief": "act that gives a sink of this outside system room",
}

SIGNALS = (SignalDefinition("snapshot_calls", "case", FACTS, measure),)
