"""What a task takes: whether it stands still, and whether records wait in front of all of its subtasks."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.load.pools import usual_inputs
from diagnostics.reconstruction.metrics.metric_series import metric_series

FEWEST_RATES = 3
"""Readings of a rate by which a task stands still. Our choice: fewer may lie between two bursts."""


def stands_still(evidence: Evidence, job: str | None, vertex: str) -> bool | None:
    """Whether no subtask took a record in any reading of its rate; None where fewer than three show it."""
    series = metric_series(evidence).by_vertex("numRecordsInPerSecond", operators=False).get((job, vertex), ())
    rates = [point.value for each in series for point in each.known]
    return not any(rates) if len(rates) >= FEWEST_RATES else None


def least_input_ratio(evidence: Evidence, job: str | None, vertex: str) -> float | None:
    """Usual use of the least filled input pool of its subtasks, 0 to 1."""
    return min(usual_inputs(evidence).get((job, vertex), {}).values(), default=None)
