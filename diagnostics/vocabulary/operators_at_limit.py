"""What gives an operator room that is at its limit, known by its name, from `operators_at_limit.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations

BEHIND_NAME = r"(?=\[|\(|:|_\d|_*$|\s|,)"
"""What follows an operator's name: its number or description, also as Prometheus prints them, or the next operator."""


@dataclass(frozen=True, slots=True)
class OperatorRelief:
    """One entry: the names of operators, parts of a task's name in lower case, and what to do."""

    names: re.Pattern[str] | None
    parts: tuple[str, ...]
    relief: str

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
            with_translations(entry["relief"].strip(), entry, "relief"),
        )
        for name, entry in content.items()
    }


def relief_of(task: str) -> str | None:
    """What gives the operators of this task room; None where its name shows none that is known."""
    return next((each.relief for each in operators_at_limit().values() if each.fits(task)), None)


def _pattern(names: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z_])(?:{'|'.join(map(re.escape, names))}){BEHIND_NAME}")
