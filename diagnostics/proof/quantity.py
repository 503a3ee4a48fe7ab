"""What is compared between two snapshots, and how one quantity is judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from diagnostics.evidence.subject import Lookup
from diagnostics.proof.reading import Reading

Judgement = Literal["fixed", "better", "unchanged", "worse", "cannot tell"]
Unit = Literal["duration", "percent", "number", "bytes", "rate", "points"]

MATERIAL = 0.1
"""A change below a tenth of the value before is none. Our choice."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One snapshot, as quantities read it.

    facts   what the subject of the root cause sees (its job for everything else)
    job     the job's id in this snapshot
    vertex  the task of the root cause, None when the cause is none of one task
    charts  stored points by chart id
    """

    facts: Lookup
    job: str | None
    vertex: str | None
    document: Mapping[str, Any]
    charts: Mapping[str, Any]

    def number(self, fact: str) -> float | None:
        """A measured number; None when it is unknown or no number."""
        value = self.facts(fact)
        return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that a change can make better or worse.

    lower   whether less is better
    sound   the value that counts as sound, with where that comes from; None when more or less is all that can be said
    least   a difference below this is none, in the quantity's unit
    """

    id: str
    title: str
    unit: Unit
    read: Callable[[Observed], Reading | None]
    lower: bool = True
    sound: float | None = None
    source: str = ""
    least: float = 0.0


@dataclass(frozen=True, slots=True)
class Effect:
    """A quantity in two snapshots, and what is to be said of it.

    before, after  None where it is not measured
    because        one sentence
    """

    quantity: Quantity
    before: Reading | None
    after: Reading | None
    judgement: Judgement
    because: str

    @property
    def change(self) -> float | None:
        """After minus before."""
        return self.after.value - self.before.value if self.before and self.after else None


def effect_of(quantity: Quantity, before: Observed, after: Observed) -> Effect | None:
    """How the quantity changed; None when neither snapshot measures it."""
    first, second = quantity.read(before), quantity.read(after)
    if first is None and second is None:
        return None
    judgement, because = judge(quantity, first, second)
    return Effect(quantity, first, second, judgement, because)


def judge(quantity: Quantity, before: Reading | None, after: Reading | None) -> tuple[Judgement, str]:
    """The judgement, with the reason. Outside of both bands it changed; inside, it did not or nobody can tell."""
    if before is None or after is None:
        return "cannot tell", f"It is not measured {'before' if before is None else 'after'} the change."
    change = after.value - before.value
    least = max(quantity.least, MATERIAL * abs(before.value))
    if abs(change) <= least:
        return "unchanged", "The difference is smaller than a tenth, or than what counts as one."
    if before.overlaps(after):
        return "cannot tell", f"The bands overlap: the difference can be chance ({before.band}; {after.band})."
    if (change < 0) != quantity.lower:
        return "worse", "It got worse by more than the noise."
    if quantity.sound is not None and not _is_sound(quantity, before) and _is_sound(quantity, after):
        return "fixed", "It was beyond the sound value and is within it now, by more than the noise."
    return "better", "It got better by more than the noise."


def _is_sound(quantity: Quantity, reading: Reading) -> bool:
    assert quantity.sound is not None
    return reading.value <= quantity.sound if quantity.lower else reading.value >= quantity.sound
