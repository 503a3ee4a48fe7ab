"""The facts of an analysis that a finding can be judged and calculated by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.diagnosis.counterpart import level_of
from diagnostics.diagnosis.fact_view import FactView, SignalIndex
from diagnostics.evidence.subject import FactValue, Lookup, Subject
from workbench.analyses.models import Analysis

ORIGIN = "back_pressure.origin"
OF_ONE_TASK = ("record_rate.", f"{ORIGIN}.", "subject.vertex")
"""Facts of a task that mean nothing beside those of another one."""


def facts_of(analysis: Analysis, finding: Mapping[str, Any]) -> Lookup:
    """The facts visible to the finding's subject, and the other facts of its job.

    The rates of tasks are those of the finding's task. For a finding about the whole job they are those of the task
    that holds it back, and unknown where none or several do: a job has no rate of records by itself. How records are
    spread is then taken from the most uneven task that reads by key.
    """
    index, subject = SignalIndex.from_stored(analysis.signals), Subject(**finding["subject"])
    view = index.view(subject, level_of(subject), reach_down=True)
    if subject.vertex:
        return view
    origins = [each for each in index.subjects("vertex", [ORIGIN]) if subject.job in (each.job, None)]
    of_task = index.view(origins[0], "vertex") if len(origins) == 1 else None
    spread = _most_uneven(index, subject.job)

    def lookup(reference: str) -> FactValue:
        if reference.startswith("load_balance."):
            return spread(reference) if spread else None
        if not reference.startswith(OF_ONE_TASK):
            return view(reference)
        return of_task(reference) if of_task else None

    return lookup


def _most_uneven(index: SignalIndex, job: str | None) -> FactView | None:
    """The facts of the task of the job that is most uneven, of those that read by key."""
    tasks = [each for each in index.subjects("vertex", ["load_balance"]) if job in (each.job, None)]
    keyed = [each for task in tasks if (each := index.view(task, "vertex"))("load_balance.keyed") is True]
    return max(keyed, key=_skew, default=None)


def _skew(view: FactView) -> float:
    skew = view("load_balance.skew_ratio")
    return skew if isinstance(skew, (int, float)) else 0.0
