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
    """What gives the operators of this task room; None where its name shows none that is known."""
    return next((each.relief for each in operators_at_limit().values() if each.relief and each.fits(task)), None)


def spread_of(task: str) -> str | None:
    """What evens out the subtasks of a task of this name; None where it shows no operator with an act of its own."""
    return next((each.spread for each in operators_at_limit().values() if each.spread and each.fits(task)), None)


def bound_of_state(tasks: Iterable[str]) -> str | None:
    """What bounds the state of the first operator of a catalogued kind among these tasks, in the catalogue's order."""
    names = tuple(tasks)
    return next(
        (each.bound for each in operators_at_limit().values() if each.bound and any(map(each.fits, names))), None
    )


def _pattern(names: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(map(re.escape, names))}){BEHIND_NAME}")
