"""Whether the steps of a runbook are done, by the measurements of one snapshot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.diagnosis.counterpart import counterpart, level_of
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Subject
from diagnostics.rules.condition import Check, shown_checks
from diagnostics.runbook.text import Runbook

STATED = ("settings.", "settings_check.", "job_code.", "delivery_guarantee.")
"""Beginnings of facts that files state; the others are measured over the time of the evidence."""

MEASURED = ("settings_check.longest_to_timeout_ratio",)
"""Facts beside them that compare a setting with the worst of a time: the end of a trouble does change that."""


@dataclass(frozen=True, slots=True)
class Exit:
    """The exit condition of a step on one snapshot.

    holds   None when its facts are not measured there
    checks  the comparisons with their measured values: where it holds, those that make it hold
    """

    holds: bool | None
    checks: tuple[Check, ...]

    @property
    def is_of_settings(self) -> bool:
        """Whether a setting or the job's code keeps it from holding, which the end of a trouble does not change."""
        return any(
            check.holds is False and check.fact.startswith(STATED) and check.fact not in MEASURED
            for check in self.checks
        )


def exits(
    runbook: Runbook,
    finding: Mapping[str, Any],
    signals: Sequence[Mapping[str, Any]],
    found_in: Sequence[Mapping[str, Any]] | None = None,
) -> dict[str, Exit]:
    """Step id -> result of its exit condition; steps without one are left out.

    finding   one of the document's findings
    signals   the stored signals of the snapshot to evaluate
    found_in  the stored signals of the finding's snapshot, when it is another one
    """
    index, subject = SignalIndex.from_stored(signals), Subject(**finding["subject"])
    if found_in is not None:
        there = counterpart(subject, SignalIndex.from_stored(found_in), index)
        if there is None:
            return {}
        subject = there
    view = index.view(subject, level_of(subject), reach_down=True)
    return {
        step.id: Exit(step.done_when.holds(view), shown_checks(step.done_when, view))
        for step in runbook.steps
        if step.done_when
    }
