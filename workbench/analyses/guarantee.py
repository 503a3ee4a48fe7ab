"""The delivery guarantee that a case requires against the one that the evidence shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.vocabulary.connectors import GUARANTEES
from diagnostics.wording.phrase import enumeration
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.languages.sentences import say, say_later

PARTS = {"source": say_later("the source"), "engine": say_later("checkpointing"), "sink": say_later("the sink")}
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
        return GuaranteeShown(case.required_guarantee, None, say("no file names the sources and sinks of a job"))
    return min(judged, key=lambda each: WORST_FIRST.index(each.is_reached))


def guarantee_of(case: Case) -> GuaranteeShown | None:
    """The comparison by the newest diagnosis of the incident; None when nobody stated what is required."""
    if not case.required_guarantee:
        return None
    analysis = case.analyses.exclude_later_snapshots().done().first()
    if analysis is None:
        return GuaranteeShown(case.required_guarantee, None, say("the case is not diagnosed yet"))
    return guarantee_shown(case, analysis)


def _measured(analysis: Analysis) -> Iterator[Mapping[str, Any]]:
    for signal in analysis.signals or ():
        if signal["key"] == "delivery_guarantee" and "facts" in signal:
            yield signal


def _judged(required: str, signal: Mapping[str, Any], names: Mapping[str, str]) -> GuaranteeShown:
    facts = signal["facts"]
    job = names.get(signal["subject"].get("job"), "") if len(names) > 1 else ""
    known = {part: facts[part] for part in PARTS if facts.get(part) in GUARANTEES}
    weaker = {part: value for part, value in known.items() if _strength(value) < _strength(required)}
    if weaker:
        part = min(weaker, key=lambda each: _strength(weaker[each]))
        values = {"part": PARTS[part], "job": job, "guarantee": say(weaker[part])}
        gives = say("{part} of {job} gives {guarantee}", **values) if job else say("{part} gives {guarantee}", **values)
        return GuaranteeShown(required, False, gives)
    if unknown := [str(name) for part, name in PARTS.items() if part not in known]:
        values = {"parts": enumeration(unknown), "job": job}
        gives = say("no file shows what {parts} of {job} gives", **values)
        return GuaranteeShown(required, None, gives if job else say("no file shows what {parts} gives", **values))
    values = {"job": job, "guarantee": say(min(known.values(), key=_strength))}
    if job:
        reached = say("source, checkpointing and sink of {job} give {guarantee} or better", **values)
    else:
        reached = say("source, checkpointing and sink give {guarantee} or better", **values)
    return GuaranteeShown(required, True, reached)


def _strength(guarantee: str) -> int:
    return [str(each) for each in GUARANTEES].index(guarantee)
