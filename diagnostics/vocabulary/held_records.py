"""Settings that hold records back until a batch is full or its time is over, from `held_records.yaml`.

An entry has

option    ending of the option with the time, and `former`, endings of its former names
default   that time in milliseconds where only an option of `beside` is stated
beside    options that show, each by itself, that the job batches
needs     ending of an option that must be `true`
least_ms  shorter times are not reported
what      what waits, a noun
act       what to set
source    where Flink reads them
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.notation.flink_values import duration_ms, truth
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations


@dataclass(frozen=True, slots=True)
class Hold:
    """One entry."""

    option: str
    former: tuple[str, ...]
    default_ms: float | None
    beside: tuple[str, ...]
    needs: str | None
    least_ms: float
    what: str
    act: str

    def held_ms(self, options: Mapping[str, str]) -> float | None:
        """How long a record waits at most; None where the options do not show it."""
        if self.needs is not None and not truth(options.get(self.needs)):
            return None
        stated = next((options[name] for name in (self.option, *self.former) if name in options), None)
        if stated is None:
            known = self.default_ms if any(name in options for name in self.beside) else None
        else:
            known = duration_ms(stated)
        return known if known is not None and known >= self.least_ms else None


@cache
def holds() -> Sequence[Hold]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("held_records.yaml")
    return tuple(
        Hold(
            entry["option"],
            tuple(entry.get("former", ())),
            entry.get("default"),
            tuple(entry.get("beside", ())),
            entry.get("needs"),
            float(entry["least_ms"]),
            with_translations(entry["what"], entry, "what"),
            with_translations(entry["act"].strip(), entry, "act"),
        )
        for entry in content.values()
    )


def longest_hold(options: Sequence[tuple[str, str]]) -> tuple[Hold, float] | None:
    """The entry by which a record waits longest, with milliseconds; None where none is stated.

    options  the latest first
    """
    stated = dict(reversed(options))
    known = [(each, held) for each in holds() if (held := each.held_ms(stated)) is not None]
    return max(known, key=lambda each: each[1], default=None)
