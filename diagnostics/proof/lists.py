"""Frames and log patterns of two snapshots: what has come, gone, grown or shrunk by more than the noise."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.proof.quantity import Effect, Judgement, Quantity, Unit, judge
from diagnostics.proof.reading import Reading, Z, reading_of_share

MOST = 12
"""Lines of each list, the largest changes first. Our choice: a person reads about ten."""

LEAST_SHARE = 0.05
"""A frame that grew or shrank by less of all samples is not told."""

Pattern = tuple[str, str]
"""Level and text of a log pattern."""


def reading_of_rate(count: int, hours: float) -> Reading:
    """Events in an hour, with the band of counting (90 %): n - Z sqrt(n) to n + Z sqrt(n) + Z^2."""
    half = Z * math.sqrt(count)
    low, high = max(count - half, 0.0) / hours, (count + half + Z * Z) / hours
    return Reading(count / hours, low, high, count, f"{count:,} counted")


def pattern_effects(
    before: Mapping[Pattern, int], hours_before: float, after: Mapping[Pattern, int], hours_after: float
) -> list[Effect]:
    """Warnings and errors that changed: patterns of the same level and text, by how often they come in an hour.

    One that came seldom and is not seen after a short time is not said to be gone.
    """
    if hours_before <= 0 or hours_after <= 0:
        return []
    found = []
    for level, text in before.keys() | after.keys():
        first, second = (
            reading_of_rate(before.get((level, text), 0), hours_before),
            reading_of_rate(after.get((level, text), 0), hours_after),
        )
        found.append(_effect(f"{level} {text}", "number", first, second, sound=0.0))
    return _notable_effects(found)


def frame_effects(
    before: Mapping[str, Any], after: Mapping[str, Any], job: tuple[str | None, str | None]
) -> list[Effect]:
    """Frames on top of the stack whose share of all samples changed, of the flame graphs' points.

    job  its id before and after. Profiles of another kind or of another task are not compared.
    """
    first, second = _graph(before, job[0]), _graph(after, job[1])
    if first is None or second is None:
        return []
    if any(first[name] != second[name] for name in ("vertex", "profile", "mode")):
        return []
    own = _own(first), _own(second)
    totals = round(first["total"]), round(second["total"])
    found = []
    for frame in own[0].keys() | own[1].keys():
        shares = [reading_of_share(min(round(own[at][frame]), totals[at]), totals[at]) for at in (0, 1)]
        if shares[0] and shares[1] and abs(shares[0].value - shares[1].value) >= LEAST_SHARE:
            found.append(_effect(frame, "percent", shares[0], shares[1], sound=None))
    return _notable_effects(found)


def _effect(title: str, unit: Unit, before: Reading, after: Reading, sound: float | None) -> Effect:
    quantity = Quantity(title, title, unit, lambda _: None, sound=sound)
    judgement, because = judge(quantity, before, after)
    if unit == "percent" and judgement in ("better", "worse"):
        judgement, because = _moved(before, after)
    return Effect(quantity, before, after, judgement, because)


def _moved(before: Reading, after: Reading) -> tuple[Judgement, str]:
    """A frame that grew is not worse by itself: where less is waited, something else takes its share."""
    return (
        "unchanged",
        "It grew by more than the noise." if after.value > before.value else "It shrank by more than the noise.",
    )


def _notable_effects(effects: Sequence[Effect]) -> list[Effect]:
    changed = [each for each in effects if each.judgement != "unchanged" or "noise" in each.because]
    return sorted(changed, key=lambda each: (-abs(each.change or 0.0), each.quantity.title))[:MOST]


def _graph(points: Mapping[str, Any], job: str | None) -> Mapping[str, Any] | None:
    graphs: Iterator[Mapping[str, Any]] = (each for each in points.get("jobs", ()) if each["job_id"] in (job, None))
    return next(graphs, None)


def _own(graph: Mapping[str, Any]) -> Counter[str]:
    own: Counter[str] = Counter()
    for name, _, _, _, weight in graph["frames"]:
        if weight:
            own[name] += weight
    return own
