"""The delivery guarantee that a case requires against the one that the evidence shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.vocabulary.connectors import GUARANTEES
from diagnostics.wording.phrase import enumeration
from workbench.analyses.models import Analysis
from workbench.cases.models import Case

PARTS = {"source": "the source", "engine": "checkpointing", "sink": "the sink"}
"""Fact of `delivery_guarantee` -> the part of a job."""

WORST_FIRST = (False, None, True)


@dataclass(frozen=True, slots=True)
class GuaranteeShown:
    """The comparison.

    is_reached  None when the evidence does not suffice
    because     one phrase
    """

    required: str
    is_reached: bool | None
    because: str


def guarantee_shown(case: Case, analysis: Analysis) -> GuaranteeShown | None:
    """The comparison for the weakest job; None when nobody stated what is required."""
    if not case.required_guarantee:
        return None
    names = {job["job_id"]: job["name"] or job["job_id"] for job in analysis.document["jobs"]}
    judged = [_judged(case.required_guarantee, each, names) for each in _measured(analysis)]
    if not judged:
        return GuaranteeShown(case.required_guarantee, None, "no file names the sources and sinks of a job")
    return min(judged, key=lambda each: WORST_FIRST.index(each.is_reached))


def guarantee_of(case: Case) -> GuaranteeShown | None:
    """The comparison by the newest diagnosis of the incident; None when nobody stated what is required."""
    if not case.required_guarantee:
        return None
    analysis = case.analyses.of_incidents().done().first()
    if analysis is None:
        return GuaranteeShown(case.required_guarantee, None, "the case is not diagnosed yet")
    return guarantee_shown(case, analysis)


def _measured(analysis: Analysis) -> Iterator[Mapping[str, Any]]:
    for signal in analysis.signals or ():
        if signal["key"] == "delivery_guarantee" and "facts" in signal:
            yield signal


def _judged(required: str, signal: Mapping[str, Any], names: Mapping[str, str]) -> GuaranteeShown:
    facts = signal["facts"]
    of_job = (
        f" of {names[signal['subject']['job']]}" if len(names) > 1 and signal["subject"].get("job") in names else ""
    )
    known = {part: facts[part] for part in PARTS if facts.get(part) in GUARANTEES}
    weaker = {part: value for part, value in known.items() if _strength(value) < _strength(required)}
    if weaker:
        part = min(weaker, key=lambda each: _strength(weaker[each]))
        return GuaranteeShown(required, False, f"{PARTS[part]}{of_job} gives {weaker[part]}")
    unknown = [name for part, name in PARTS.items() if part not in known]
    if unknown:
        return GuaranteeShown(required, None, f"no file shows what {enumeration(unknown)}{of_job} gives")
    weakest = min(known.values(), key=_strength)
    return GuaranteeShown(required, True, f"source, checkpointing and sink{of_job} give {weakest} or better")


def _strength(guarantee: str) -> int:
    return [str(each) for each in GUARANTEES].index(guarantee)
