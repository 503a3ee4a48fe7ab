"""What gives an operator room, evens out its subtasks or bounds its state, by its name: `operators_at_limit.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations

BEHIND_NAME = r"(?=\[|\(|:|_\d|_*$|\s|,)"
"""What follows an operator's name: its number or description, also as Prometheus prints them, or the next operator."""
ACTS = ("relief", "spread", "bound")
"""The acts of an entry, in the order of `OperatorRelief`."""


CHANGE_LOG = "change-log"
"""The entry of sources of changes, whose log one subtask reads."""
_OF_SOURCE = re.compile(r"\s*->|_{4}|\s*\+-")
"""What follows the first operator of a task in its name, also as Prometheus prints it."""
_WORDS = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class OperatorRelief:
    """One entry: the names of operators, parts of a task's name in lower case, and what to do.

    relief  for a task that is at its limit; None where only its skew has an act of its own
    spread  for a task with most records on few of its subtasks; None where no act of its own is known
    bound   for an operator whose state grows for ever; None where its state is bounded, or no act of its own is known
    """

    names: re.Pattern[str] | None
    parts: tuple[str, ...]
    relief: str | None
    spread: str | None
    bound: str | None

    def fits(self, task: str) -> bool:
        """Whether the task's name has such an operator."""
        lowered = task.lower()
        return any(each in lowered for each in self.parts) or bool(self.names and self.names.search(task))


@cache
def operators_at_limit() -> Mapping[str, OperatorRelief]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    text = (files("diagnostics.vocabulary") / "operators_at_limit.yaml").read_text("utf-8")
    content: Mapping[str, Mapping[str, Any]] = read_yaml(text, "operators_at_limit.yaml").content
    return {
        name: OperatorRelief(
            _pattern(entry["names"]) if entry.get("names") else None,
            tuple(entry.get("parts", ())),
            *(with_translations(entry[act].strip(), entry, act) if act in entry else None for act in ACTS),
        )
        for name, entry in content.items()
    }


def relief_of(task: str) -> str | None:
    """What gives the operators of this task room; None where its name shows none that is known.

    A source of changes is named for its database, which the task does not write: the operators behind it count first.
    """
    known = operators_at_limit()
    others = (each for name, each in known.items() if name != CHANGE_LOG and each.relief)
    if not reads_change_log(task):
        return next((each.relief for each in others if each.fits(task)), None)
    behind = _behind_source(task)
    return next((each.relief for each in others if each.fits(behind)), known[CHANGE_LOG].relief)


def spread_of(task: str) -> str | None:
    """What evens out the subtasks of a task of this name; None where it shows no operator with an act of its own."""
    return next((each.spread for each in operators_at_limit().values() if each.spread and each.fits(task)), None)


def bound_of_state(tasks: Iterable[str]) -> str | None:
    """What bounds the state of the first operator of a catalogued kind among these tasks, in the catalogue's order."""
    names = tuple(tasks)
    return next(
        (each.bound for each in operators_at_limit().values() if each.bound and any(map(each.fits, names))), None
    )


def reads_change_log(task: str) -> bool:
    """Whether the first operator of a task is, by its name, a source of changes, whose log one subtask reads."""
    first = _WORDS.sub(" ", _OF_SOURCE.split(task, maxsplit=1)[0].lower())
    return "source" in first and any(each in first for each in operators_at_limit()[CHANGE_LOG].parts)


def relief_of_change_log() -> str | None:
    """What gives the one subtask room that reads a source's change log, whatever is chained to it."""
    return operators_at_limit()[CHANGE_LOG].relief


def _behind_source(task: str) -> str:
    return next(iter(_OF_SOURCE.split(task, maxsplit=1)[1:]), "")


def _pattern(names: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(map(re.escape, names))}){BEHIND_NAME}")
