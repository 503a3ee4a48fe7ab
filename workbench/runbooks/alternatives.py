"""What to try after a step that did not help: its other options, other answers, later remedies, other runbooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.languages.sentences import say
from workbench.runbooks.filling import RunbookProgress, StepShown


@dataclass(frozen=True, slots=True)
class Alternative:
    """One way on.

    step      id of a step of the same runbook, else None
    position  of the finding whose runbook it is, else None
    """

    text: str
    step: str | None = None
    position: int | None = None


def alternatives_of(
    step: StepShown, steps: Sequence[StepShown], runbooks: Sequence[RunbookProgress], position: int
) -> list[Alternative]:
    """The ways on after a step, the nearest first; empty while it is not known to have failed.

    steps     of its runbook
    runbooks  of the causes of the job
    position  of the finding whose runbook it belongs to
    """
    if not step.has_not_helped:
        return []
    ways = [*_options(step), *_other_answers(step, steps), *_remedies(step, steps)]
    others = [each for each in runbooks if each.position != position and each.next_question]
    ways += [Alternative(f"{each.title}{say(': ')}{each.next_question}", position=each.position) for each in others]
    return ways or [
        Alternative(
            say(
                "This runbook has no other remedy. Add evidence from after the change as a new snapshot: the cause is "
                "then judged again."
            )
        )
    ]


def _options(step: StepShown) -> Iterator[Alternative]:
    """Further options of the step itself: the first one of a choice is the one that is made."""
    chosen: set[str] = set()
    for change in step.content["change"]:
        if change["choice"] in chosen:
            yield Alternative(say("Make the other change of this step instead."), step=step.content["id"])
            return
        if change["choice"]:
            chosen.add(change["choice"])


def _other_answers(step: StepShown, steps: Sequence[StepShown]) -> Iterator[Alternative]:
    """The answers that lead elsewhere, of the questions whose answer led to this step."""
    for question in steps:
        answers = question.content["answers"]
        if any(each["taken"] and step.content["id"] in each["leads_to"] for each in answers):
            for each in answers:
                if not each["taken"] and each["leads_to"] and step.content["id"] not in each["leads_to"]:
                    text = say(
                        "Ask again “{question}”: the other answer is “{answer}”.",
                        question=question.content["question"],
                        answer=each["if"],
                    )
                    yield Alternative(text, step=question.content["id"])


def _remedies(step: StepShown, steps: Sequence[StepShown]) -> Iterator[Alternative]:
    """The other steps that change something and are open, later ones first."""
    remedies = [
        each
        for each in steps
        if each is not step and each.content["changes_something"] and not each.is_settled and not each.has_not_helped
    ]
    for each in sorted(remedies, key=lambda other: (other.number < step.number, other.number)):
        yield Alternative(each.content["question"], step=each.content["id"])
