"""Which answers of a question are shown for a case, and what stands before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from diagnostics.runbook.text import Step


def without_repeated_acts(answers: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The answers without an act of this case that one before them states: two measures can name the same."""
    kept: list[dict[str, Any]] = []
    for answer in answers:
        is_repeated = any(each["taken"] and each["then"] == answer["then"] for each in kept)
        if answer["said"] or not answer["taken"] or not is_repeated:
            kept.append(answer)
    return kept


def begin_with_the_act(steps: Sequence[dict[str, Any]], finding: Mapping[str, Any], one_way: Set[str]) -> None:
    """Let the first question begin with what the finding says to do first, where no answer of the case says as much.

    one_way  ids of questions whose answers name kinds of failures: their advice is true of many failures and follows
             the act of the finding

    A runbook serves all findings of its class, so that its questions may not ask what this one has answered. An answer
    that leads to another step names the place and no act; one that a person gave goes before the finding. What a
    consequence says to do first is the question itself.
    """
    act = finding.get("first_step") if finding.get("role") != "consequence" else None
    first = next((each for each in steps if each["answers"] and not each["left_out"]), None)
    if not act or first is None:
        return
    meant = [each for step in steps if not step["left_out"] for each in step["answers"] if each["taken"]]
    if any(_says_the_same(each["then"], act) for each in meant) or any(each["said"] for each in first["answers"]):
        return
    if first["id"] not in one_way and any(each["taken"] and not each["leads_to"] for each in first["answers"]):
        return
    opening = {"if": finding["title"], "then": act, "condition": "", "taken": True, "said": False, "checks": []}
    first["answers"] = [opening | {"leads_to": [], "runbook": None}, *first["answers"]]


def _says_the_same(one: str, other: str) -> bool:
    """Whether one of two acts begins with, or holds, the first sentence of the other."""
    return one.partition(". ")[0] in other or other.partition(". ")[0] in one


def on_the_one_way(step: Step, answers: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    """The answers; of a question whose measured answer is its one way those without the ones that nobody knows."""
    if not step.one_way or not any(each["taken"] for each in answers):
        return answers
    return [each for each in answers if each["taken"] is not None]
