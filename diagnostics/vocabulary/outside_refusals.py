"""How outside systems are out of reach or refuse the job, told by texts of a chain of exceptions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml


@dataclass(frozen=True, slots=True)
class Refusal:
    """One entry of `vocabulary/outside_refusals.yaml`.

    how    as a sentence ends: the job failed because ...
    texts  tell it where the failure comes from the network or an outside system
    of     system -> texts that tell by themselves that this system failed
    """

    how: str
    texts: tuple[str, ...]
    of: Mapping[str, tuple[str, ...]]

    def stands_in(self, text: str) -> bool:
        """Whether one of its texts stands in a chain of exceptions."""
        return any(each in text for each in self.texts) or self.system_in(text) is not None

    def system_in(self, text: str) -> str | None:
        """The system whose own text stands in a chain of exceptions."""
        return next((system for system, texts in self.of.items() if any(each in text for each in texts)), None)


@cache
def refusals() -> tuple[Refusal, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is not as expected."""
    text = (files("diagnostics.vocabulary") / "outside_refusals.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "outside_refusals.yaml").content
    return tuple(
        Refusal(
            how,
            tuple(entry.get("texts", ())),
            {system: tuple(texts) for system, texts in entry.get("of", {}).items()},
        )
        for how, entry in content.items()
    )


def refusal_of(text: str) -> Refusal | None:
    """The first entry that tells how an outside system is out of reach or refuses."""
    return next((each for each in refusals() if each.stands_in(text)), None)


@cache
def telling_texts() -> tuple[str, ...]:
    """The texts that tell by themselves that an outside system failed."""
    return tuple(text for each in refusals() for texts in each.of.values() for text in texts)
