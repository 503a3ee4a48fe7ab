"""What a job waits for, or lacks without a failure, by records below the level of an error, from `waits.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

RESULTS_OF_LOADS = ("doris.load_result", "starrocks.load_answer")
"""The events whose reason is the result of a load; the message of such a record holds the first line only."""


@dataclass(frozen=True, slots=True)
class Wait:
    """One entry: the texts that show it, the class of its cause, a clause of what waits, and what to do.

    is_once   whether it counts as the last word of a log, too, and need not come again for minutes
    decides   whether it counts once and wherever it stands
    is_start  whether it counts as the last word alone, because it comes with each start
    is_own    whether its advice is better than what repairs a failure with the same message
    """

    texts: tuple[str, ...]
    cause: str
    system: str
    what: str
    advice: str
    is_once: bool = False
    decides: bool = False
    is_start: bool = False
    is_own: bool = False


@cache
def waits() -> Mapping[str, Wait]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("waits.yaml")
    return {
        name: Wait(
            tuple(entry["texts"]),
            entry["cause"],
            entry["system"],
            with_translations(entry["what"].strip(), entry, "what"),
            with_translations(entry["advice"].strip(), entry, "advice"),
            entry.get("once") in (True, "only"),
            entry.get("decides") is True,
            entry.get("once") == "only",
            entry.get("own") is True,
        )
        for name, entry in content.items()
    }


@cache
def texts_of_waits() -> tuple[str, ...]:
    """All texts of the catalogue."""
    return tuple(text for each in waits().values() for text in each.texts)


def wait_of(text: str) -> str | None:
    """The id of the first entry that a record shows; None without one."""
    return next((name for name, each in waits().items() if any(part in text for part in each.texts)), None)
