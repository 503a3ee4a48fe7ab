"""The rate at which the sources feed a task, which is more than the task reads while it holds them back."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.job.graph import JobGraph
from diagnostics.reconstruction.load.source_rates import source_rates
from diagnostics.reconstruction.load.task_rates import TaskRate

BEARABLE = 0.8
"""Busy ratio of its fullest subtask up to which a task keeps up. Source: the bound of `skew.busy`."""


FALLEN = 1.2
"""How many times the rate after a change the one before it is at least where holding the sources back lowered it. Our
choice: a fifth is more than rates vary by themselves.
"""


def emitted_rate(evidence: Evidence, graph: JobGraph, vertex: str) -> float | None:
    """Records a second: the highest rate of the sources: before and after it changed most, and with nothing held.

    None unless all sources of the job, and nothing else, feed the task: another task may filter or multiply records.
    None as well where they were held back from the first sample to the last and did not slow down in between: then they
    emit what the task takes, and nothing shows how much more they have.
    """
    sources = {other for other in graph.names if graph.position(other) == "source"}
    emitted = source_rates(evidence).get(graph.job_id)
    if not graph.edges_known or set(graph.parents.get(vertex, ())) != sources or emitted is None or not emitted.change:
        return None
    if emitted.is_held and emitted.change.before_per_s < FALLEN * emitted.change.after_per_s:
        return None
    return max(emitted.change.before_per_s, emitted.change.after_per_s, emitted.unheld_per_s or 0.0)


def offered_rate(emitted_per_s: float | None, rate: TaskRate) -> float | None:
    """What the task has to be able to pass: what the sources emit, at least what it read in its best interval."""
    return None if emitted_per_s is None else max(emitted_per_s, rate.highest_per_s)


def bearable_ms(offered_per_s: float, rate: TaskRate) -> float | None:
    """The cost of a record at which the subtask that reads most passes its part of what is offered, busy BEARABLE of
    the time; None without that subtask.
    """
    return 1000 * BEARABLE / (offered_per_s * rate.fullest.share_ratio) if rate.fullest else None


def excess_ratio(evidence: Evidence, graph: JobGraph, vertex: str, rate: TaskRate) -> float | None:
    """How many times that cost a record has there; None where the sources' rate or the cost is not known."""
    offered = offered_rate(emitted_rate(evidence, graph, vertex), rate)
    bearable = bearable_ms(offered, rate) if offered else None
    return rate.fullest.ms_per_record / bearable if rate.fullest and bearable else None
