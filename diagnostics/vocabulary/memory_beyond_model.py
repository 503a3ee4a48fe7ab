"""Options by which a process takes memory that Flink's memory model does not count, from `memory_beyond_model.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations


@dataclass(frozen=True, slots=True)
class MemoryBeyondModel:
    """One entry: the options that may state it, values or parts of values that show it, and what to do.

    values  none where `parts` decide, or where any value shows it
    """

    keys: tuple[str, ...]
    values: tuple[str, ...]
    parts: tuple[str, ...]
    advice: str

    def fits(self, key: str, value: str) -> bool:
        """Whether an option with this value takes such memory."""
        lowered = value.strip().strip("\"'").lower()
        is_shown = (
            lowered in self.values if self.values else not self.parts or any(each in lowered for each in self.parts)
        )
        return key in self.keys and is_shown


@cache
def memory_beyond_model() -> Mapping[str, MemoryBeyondModel]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("memory_beyond_model.yaml")
    return {
        name: MemoryBeyondModel(
            tuple(entry["keys"]),
            tuple(entry.get("is", ())),
            tuple(entry.get("contains", ())),
            with_translations(entry["advice"].strip(), entry, "advice"),
        )
        for name, entry in content.items()
    }


def taken_beyond_model(options: Iterable[tuple[str, str]]) -> tuple[str, str] | None:
    """(option as `key: value`, what to do) of the first entry that an option fits; None where none does."""
    stated = list(options)
    return next(
        (
            (f"{key}: {value}", each.advice)
            for each in memory_beyond_model().values()
            for key, value in stated
            if each.fits(key, value)
        ),
        None,
    )
