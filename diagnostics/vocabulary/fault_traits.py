"""Traits of failures that no catalogue knows by their text, and the cause for which they speak together."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.notation.stack_frame import is_user_code, unshaded
from diagnostics.notation.task_name import without_names
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

LEAST_POINTS = 3.0
"""Points with which a cause may lead: one trait that mostly decides, or two that often do. Our choice."""
LEAST_OF_FAILURE = 2.0
"""Points that suffice for what stopped a task, a process or a client: it has a cause, and one trait that often decides
is the best there is. Our choice: of the gathered incidents between the two bounds, 5 of 5 are right, and none of the
errors in logs.
"""
LEAST_LEAD = 1.0
"""Points by which it must lead the next cause. Our choice: of the gathered incidents decided, 94 % are right."""
OUTER = 0.5
"""Weight of what only an outer exception of the chain says. Our choice: wrappers name the place, not the reason."""


@dataclass(frozen=True, slots=True)
class FaultTrait:
    """One entry of `vocabulary/fault_traits.yaml`, which says what its fields are."""

    says: str
    classes: re.Pattern[str] | None
    packages: tuple[str, ...]
    said: re.Pattern[str] | None
    own_code: bool
    speaks_for: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Thrower:
    """What is known of one exception of a chain, or of an error without one.

    name    class with its package; empty for none
    places  frames that threw it, the innermost first
    logger  who reported it; a logger of the job's own is no proof that its code failed, and may report what it handled
    """

    name: str
    message: str
    places: tuple[str, ...] = ()
    logger: str = ""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """The cause for which the traits of a failure speak, its points, its lead, the points of the trait that says most,
    and the traits that speak for it.
    """

    symptom_class: str
    points: float
    lead: float
    strongest: float
    says: tuple[str, ...]


@cache
def fault_traits() -> tuple[FaultTrait, ...]:
    """The catalogue. Raises InvalidRule naming the line when the file is invalid."""
    content: Any = catalogue("fault_traits.yaml")
    return tuple(_trait(entry) for entry in content.values())


def _trait(entry: Mapping[str, Any]) -> FaultTrait:
    return FaultTrait(
        says=with_translations(entry["says"], entry, "says"),
        classes=_any_of(entry.get("classes", ()), "{}"),
        packages=tuple(entry.get("packages", ())),
        said=_any_of(entry.get("said", ()), r"(?<![a-z0-9]){}"),
        own_code=bool(entry.get("own_code")),
        speaks_for=entry["speaks_for"],
    )


def _any_of(words: Iterable[str], form: str) -> re.Pattern[str] | None:
    parts = [form.format(re.escape(each)) for each in words]
    return re.compile("|".join(parts)) if parts else None


def resemblance_of(innermost: Thrower, outer: Sequence[Thrower], least: float = LEAST_POINTS) -> Resemblance | None:
    """The cause that the traits of a failure speak for; None where none leads clearly or has the least points."""
    points: dict[str, float] = {}
    reasons: dict[str, list[tuple[float, str]]] = {}
    for trait in fault_traits():
        share = 1.0 if _has(trait, innermost) else OUTER if any(_has(trait, each) for each in outer) else 0.0
        for name, weight in trait.speaks_for.items():
            if share:
                points[name] = points.get(name, 0.0) + share * weight
                reasons.setdefault(name, []).append((share * weight, trait.says))
    ranked = sorted(points.items(), key=lambda each: (-each[1], each[0]))
    if not ranked:
        return None
    (name, most), second = ranked[0], ranked[1][1] if len(ranked) > 1 else 0.0
    if most < least or most - second < LEAST_LEAD:
        return None
    speaking = sorted(reasons[name], key=lambda each: -each[0])
    return Resemblance(name, most, most - second, speaking[0][0], tuple(text for _, text in speaking))


def _has(trait: FaultTrait, thrower: Thrower) -> bool:
    simple = thrower.name.rpartition(".")[2]
    if trait.classes and trait.classes.search(simple):
        return True
    places = [unshaded(each) for each in (thrower.name, *thrower.places, thrower.logger) if each]
    if trait.packages and any(each.startswith(trait.packages) for each in places):
        return True
    if trait.own_code and thrower.places and is_user_code(thrower.places[0]):
        return True
    return bool(trait.said and trait.said.search(without_names(thrower.message).lower()))
