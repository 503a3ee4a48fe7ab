"""The type of a quantity compared between two snapshots, and its judgement."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from diagnostics.evidence.subject import Lookup
from diagnostics.language import say
from diagnostics.proof.reading import Band, Reading, band_of

Judgement = Literal["fixed", "better", "unchanged", "changed", "traded", "worse", "cannot tell"]
Unit = Literal["duration", "percent", "number", "bytes", "rate", "per hour"]

MATERIAL = 0.1
"""The noise band extends at least a tenth of the earlier value to both sides: less is no reason to act. Our choice."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One snapshot, as quantities read it.

    facts   facts visible to the subject of the root cause (to its job for everything else)
    job     the job's id in this snapshot
    vertex  the task of the root cause, None when the cause has no single task
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

    def jobs_of(self, chart: str) -> list[Mapping[str, Any]]:
        """The job's entries of a chart that has one for each job."""
        points = self.charts.get(chart) or {}
        return [each for each in points.get("jobs", ()) if each["job_id"] in (self.job, None)]


@dataclass(frozen=True, slots=True)
class Quantity:
    """Something that a change can make better or worse.

    title     in English: marked by `to_say`, or a name of the evidence, which has no translation
    better    the direction of an improvement; None when there is none
    sound     the healthy value, with its source; None when only the direction is known
    least     minimum half-width of the noise band, in the quantity's unit
    excused   why a worse value is acceptable in the later snapshot, else None
    """

    id: str
    title: str
    unit: Unit
    read: Callable[[Observed], Reading | None]
    better: Literal["lower", "higher"] | None = "lower"
    sound: float | None = None
    source: str = ""
    least: float = 0.0
    excused: Callable[[Observed], str | None] = lambda _: None

    @property
    def read_title(self) -> str:
        """The title in the language of the reader."""
        return say(self.title)

    @property
    def read_source(self) -> str:
        """The source of the healthy value in the language of the reader; empty without one."""
        return say(self.source)


@dataclass(frozen=True, slots=True)
class Effect:
    """A quantity in two snapshots, with its judgement.

    before, after  None when not measured
    band           the values that the later one takes by chance; None when the noise is unknown
    because        one sentence
    """

    quantity: Quantity
    before: Reading | None
    after: Reading | None
    band: Band | None
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
    found = judge(quantity, first, second)
    excuse = quantity.excused(after) if found.judgement == "worse" else None
    return Effect(quantity, first, second, found.band, "changed", excuse) if excuse else found


def judge(quantity: Quantity, before: Reading | None, after: Reading | None) -> Effect:
    """Within the noise band the quantity is unchanged, outside it has changed; without a band it is unknown."""

    def effect(judgement: Judgement, because: str, band: Band | None = None) -> Effect:
        return Effect(quantity, before, after, band, judgement, because)

    if before is None:
        return effect("cannot tell", say("It is not measured before the change."))
    if after is None:
        return effect("cannot tell", say("It is not measured after the change."))
    least = max(quantity.least, MATERIAL * abs(before.value))
    band = band_of(before, after, least, most=1.0 if quantity.unit == "percent" else math.inf)
    if band is None:
        return effect("cannot tell", _unknown_noise(before, after))
    if band.holds(after.value):
        return effect("unchanged", say("The later value lies inside the noise band."), band)
    fell = after.value < before.value
    if quantity.better is None:
        because = say("It fell beyond the noise band.") if fell else say("It rose beyond the noise band.")
        return effect("changed", because, band)
    if fell != (quantity.better == "lower"):
        return effect("worse", say("It got worse beyond the noise band."), band)
    if quantity.sound is not None and not _is_sound(quantity, before) and _is_sound(quantity, after):
        return effect("fixed", say("It was beyond the sound value and is within it now."), band)
    return effect("better", say("It got better beyond the noise band."), band)


def _unknown_noise(before: Reading, after: Reading) -> str:
    if before.has_noise:
        return say("After: {basis}.", basis=after.basis)
    if after.has_noise:
        return say("Before: {basis}.", basis=before.basis)
    if before.basis == after.basis:
        return say("Before and after: {basis}.", basis=before.basis)
    return say("Before: {before}; after: {after}.", before=before.basis, after=after.basis)


def _is_sound(quantity: Quantity, reading: Reading) -> bool:
    assert quantity.sound is not None
    return reading.value <= quantity.sound if quantity.better == "lower" else reading.value >= quantity.sound
