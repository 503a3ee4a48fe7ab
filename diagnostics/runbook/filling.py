"""A runbook filled with the values of one case: what is unknown is left out or stands as `<name>`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics import phrase
from diagnostics.condition import Lookup
from diagnostics.counterpart import level_of
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.runbook.text import Answer, Runbook, Step
from diagnostics.signal import FactValue, Subject

REST = "http://<jobmanager>:8081"
"""What `{rest}` stands for: Flink's default REST port (`rest.port`); the host is not in the evidence."""

SAVEPOINT = (
    "The job restarts. Take a savepoint first:",
    "flink stop --savepointPath <savepoint-directory> {subject.job}",
)
NO_SAVEPOINT = (
    "The job was {job_overview.state} when last seen, so no savepoint can be taken. Keep the last completed checkpoint "
    "and start from it:",
    "flink run -s <path of the last completed checkpoint> <jar>",
)
"""What a step that restarts the job begins with, as (sentence, command)."""

NOT_RUNNING = ("FAILED", "FAILING", "CANCELED", "CANCELLING", "FINISHED", "RESTARTING", "SUSPENDED")
"""States of a job in which Flink takes no savepoint (`JobStatus`)."""


def fill(runbook: Runbook, finding: Mapping[str, Any], signals: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The runbook with the values of a case.

    finding  one of the document's findings
    signals  the stored signals of the analysis (`Report.signals`)
    Gives    JSON values: a sentence whose facts are unknown is left out, an unknown value in a command stands as
             `<name>`; `done.holds` of a step is None when its facts are unknown; `left_out` of a step says which
             question's measured answer leads past it.
    """
    subject = Subject(**finding["subject"])
    view = SignalIndex.from_stored(signals).view(subject, level_of(subject), reach_down=True)

    def lookup(reference: str) -> FactValue:
        return REST if reference == "rest" else view(reference)

    left_out = _left_out(runbook, lookup)
    return {
        "id": runbook.id,
        "symptom_class": runbook.symptom_class,
        "title": runbook.title,
        "goal": phrase.fill_or_name(runbook.goal, lookup),
        "steps": [{**_filled_step(step, lookup), "left_out": left_out.get(step.id)} for step in runbook.steps],
    }


def _left_out(runbook: Runbook, lookup: Lookup) -> dict[str, dict[str, str]]:
    """Step id -> the question and the measured answer that lead past it.

    A step is left out only when every answer that leads to it is measured not to be this case's and another answer of
    one of these questions is. What is unknown leaves a step in.
    """
    leading: dict[str, list[tuple[Step, Answer]]] = {}
    for question in runbook.steps:
        for answer in question.answers:
            for step in answer.leads_to:
                leading.setdefault(step, []).append((question, answer))
    found: dict[str, dict[str, str]] = {}
    for step, ways in leading.items():
        others = [(question, each) for question, _ in ways for each in question.answers if each.leads_to]
        taken = next(((question, each) for question, each in others if _holds(each, lookup)), None)
        if taken and all(_holds(answer, lookup) is False for _, answer in ways):
            found[step] = {
                "step": taken[0].id,
                "question": phrase.fill_or_name(taken[0].texts["question"], lookup),
                "answer": phrase.fill_or_name(taken[1].condition, lookup),
            }
    return found


def _holds(answer: Answer, lookup: Lookup) -> bool | None:
    return answer.when.holds(lookup) if answer.when else None


def _savepoint(lookup: Lookup) -> dict[str, str]:
    sentence, command = NO_SAVEPOINT if lookup("job_overview.state") in NOT_RUNNING else SAVEPOINT
    return {"text": phrase.fill_or_name(sentence, lookup), "command": phrase.fill_or_name(command, lookup)}


def _filled_step(step: Step, lookup: Lookup) -> dict[str, Any]:
    filled: dict[str, Any] = {"id": step.id}
    filled |= {name: phrase.fill_or_name(text, lookup) for name, text in step.texts.items() if name != "done"}
    filled["measured"] = _known(step.measured, lookup)
    filled["look"] = [
        {"what": phrase.fill_or_name(what, lookup), "command": phrase.fill_or_name(command, lookup)}
        for what, command in step.look
    ]
    filled["answers"] = [
        {
            "if": phrase.fill_or_name(each.condition, lookup),
            "then": phrase.fill_or_name(each.meaning, lookup),
            "taken": _holds(each, lookup),
            "checks": [check.as_json() for check in each.when.checks(lookup)] if each.when else [],
            "leads_to": list(each.leads_to),
            "runbook": each.runbook,
        }
        for each in step.answers
    ]
    filled["change"] = [
        {
            "kind": each.kind,
            "file": each.file,
            "from": phrase.fill_or_name(each.before, lookup),
            "to": phrase.fill_or_name(each.after, lookup),
        }
        for each in step.changes
    ]
    filled["wont_help"] = _known(step.wont_help, lookup)
    filled["docs"] = list(step.docs)
    filled["restart"] = step.restart
    filled["changes_something"] = step.changes_something
    filled["savepoint"] = _savepoint(lookup) if step.restart else None
    filled["done"] = {
        "text": phrase.fill_or_name(step.texts.get("done", ""), lookup),
        "holds": step.done_when.holds(lookup) if step.done_when else None,
        "checks": [check.as_json() for check in step.done_when.checks(lookup)] if step.done_when else [],
    }
    return filled


def _known(templates: Sequence[str], lookup: Lookup) -> list[str]:
    return [said for template in templates if (said := phrase.fill(template, lookup)) is not None]
