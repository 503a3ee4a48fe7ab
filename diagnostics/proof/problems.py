"""Outcome of each problem diagnosed before the change: gone, less, the same, worse, or unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.language import joined_sentences, say, to_say
from diagnostics.proof.quantity import Judgement
from diagnostics.runbook import Exit, Runbook, exits
from diagnostics.symptoms import INCONCLUSIVE

RunbookOf = Callable[[str | None], Runbook | None]

SEVERITIES = ("info", "warning", "critical")
SEVERITY_WORDS = {"info": to_say("info"), "warning": to_say("warning"), "critical": to_say("critical")}
REMAINS = {
    "info": to_say("Only a remark remains, “{title}”."),
    "warning": to_say("Only a warning remains, “{title}”."),
}
REMAINS_OVER = {
    "info": to_say("Only a remark remains, “{title}”, and its trouble has been over since."),
    "warning": to_say("Only a warning remains, “{title}”, and its trouble has been over since."),
}
CAUSES = ("root_cause", "contributing")


@dataclass(frozen=True, slots=True)
class Problem:
    """One class of findings in both snapshots.

    before, after  the document's finding, None where there is none
    exits          exit conditions of its runbook's changes on the later snapshot: how many hold, of how many measured
    """

    symptom_class: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None
    exits: tuple[int, int] | None
    judgement: Judgement
    because: str

    @property
    def title(self) -> str:
        """The problem's title before the change, or of the new one."""
        finding = self.before or self.after
        assert finding is not None
        return str(finding["title"])

    @property
    def role(self) -> str:
        """Its role in the diagnosis before the change; `new` when it did not exist."""
        return str(self.before["role"]) if self.before else "new"


def problems(
    before: Sequence[Mapping[str, Any]],
    after: Sequence[Mapping[str, Any]],
    verdict_after: str,
    signals_before: Sequence[Mapping[str, Any]],
    signals_after: Sequence[Mapping[str, Any]],
    runbook_of: RunbookOf,
) -> list[Problem]:
    """One entry per class, causes first; new ones last.

    before, after  the findings of one job, or of the case
    runbook_of     the runbook of an id, for its exit conditions
    """
    judged = []
    for finding in _most_severe_by_class(before):
        later = _first(after, finding["symptom_class"])
        holding = _exits(runbook_of(finding.get("runbook")), finding, signals_after, signals_before)
        judgement, because = _judged(finding, later, holding, verdict_after)
        judged.append(Problem(finding["symptom_class"], finding, later, holding, judgement, because))
    known = {each.symptom_class for each in judged}
    for finding in _most_severe_by_class(after):
        if finding["symptom_class"] not in known:
            judged.append(Problem(finding["symptom_class"], None, finding, None, *_judged_new(finding)))
    return judged


def _judged_new(finding: Mapping[str, Any]) -> tuple[Judgement, str]:
    """A trouble that ended while the evidence was taken may be the change's own, as a restart that catches up."""
    if _is_over(finding):
        return "cannot tell", say("It was not found before the change, and was over before the evidence ends.")
    return "worse", say("It was not found before the change.")


def _is_over(finding: Mapping[str, Any]) -> bool:
    return (finding.get("onset") or {}).get("ended") is not None


def _first(findings: Sequence[Mapping[str, Any]], symptom_class: str) -> Mapping[str, Any] | None:
    return next((each for each in _most_severe_by_class(findings) if each["symptom_class"] == symptom_class), None)


def _most_severe_by_class(findings: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The most severe finding of each class; remarks without effect on a verdict are left out."""
    by_class: dict[str, Mapping[str, Any]] = {}
    for each in findings:
        known = by_class.get(each["symptom_class"])
        worse = known is not None and SEVERITIES.index(each["severity"]) > SEVERITIES.index(known["severity"])
        if known is None or worse:
            by_class[each["symptom_class"]] = each
    told = [each for each in by_class.values() if each["role"] in CAUSES or each["severity"] != "info"]
    return sorted(told, key=lambda each: each["role"] not in CAUSES)


def _exits(
    runbook: Runbook | None,
    finding: Mapping[str, Any],
    after: Sequence[Mapping[str, Any]],
    before: Sequence[Mapping[str, Any]],
) -> tuple[int, int] | None:
    if runbook is None:
        return None
    now, then = exits(runbook, finding, after, before), exits(runbook, finding, before)
    open_before = [step.id for step in runbook.steps if step.changes_something and _holds(then, step.id) is not True]
    measured = [_holds(now, step) for step in open_before if _holds(now, step) is not None]
    return (sum(1 for each in measured if each), len(measured)) if measured else None


def _holds(found: Mapping[str, Exit], step: str) -> bool | None:
    return found[step].holds if step in found else None


def _judged(
    before: Mapping[str, Any], after: Mapping[str, Any] | None, holding: tuple[int, int] | None, verdict_after: str
) -> tuple[Judgement, str]:
    judgement, because = _compared(before, after, holding, verdict_after)
    if not holding:
        return judgement, because
    held = say(
        "{held} of {measured} exit conditions of the runbook's open changes hold.", held=holding[0], measured=holding[1]
    )
    return judgement, joined_sentences([because, held])


def _compared(
    before: Mapping[str, Any], after: Mapping[str, Any] | None, holding: tuple[int, int] | None, verdict_after: str
) -> tuple[Judgement, str]:
    if after is None:
        if verdict_after == INCONCLUSIVE:
            return "cannot tell", say("The later evidence does not suffice to say that it is gone.")
        if holding and not holding[0]:
            return "cannot tell", say("It is not found any more, but no exit condition of its runbook holds.")
        return "fixed", say("It is not found any more.")
    step = SEVERITIES.index(after["severity"]) - SEVERITIES.index(before["severity"])
    severities = {"after": say(SEVERITY_WORDS[after["severity"]]), "before": say(SEVERITY_WORDS[before["severity"]])}
    if step > 0:
        return "worse", say("Its severity is {after} after {before}.", **severities)
    if step < 0 and _is_over(after):
        return "fixed", say(REMAINS_OVER[after["severity"]], title=after["title"])
    if step < 0 and holding and holding[0] == holding[1]:
        return "fixed", say(REMAINS[after["severity"]], title=after["title"])
    if step < 0:
        return "better", say("Its severity is {after} after {before}.", **severities)
    return "unchanged", say("It is still found, with the same severity, {severity}.", severity=severities["after"])
