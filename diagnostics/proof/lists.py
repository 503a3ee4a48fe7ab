"""Frames and log patterns of two snapshots that appeared, vanished, grew or shrank by more than the noise."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from diagnostics.proof.quantity import Effect, Quantity, judge
from diagnostics.proof.reading import HOUR_MS, reading_of_events, reading_of_share, scatter_of

MOST = 12
"""Lines of each list, the largest changes first. Our choice: a person reads about ten."""

LEAST_SHARE = 0.05
"""A smaller change of a frame's share of the samples is not listed."""

Pattern = tuple[str, str]
"""Level and text of a log pattern."""


def pattern_effects(
    before: Mapping[Pattern, Sequence[int]],
    hours_before: float,
    after: Mapping[Pattern, Sequence[int]],
    hours_after: float,
) -> list[Effect]:
    """Warnings and errors that changed: patterns of the same level and text, by their rate per hour.

    before, after  records of each pattern in equal time ranges, which show how unevenly they occur. A rare pattern that
    is
                   absent in a short time is not reported as gone.
    """
    if hours_before <= 0 or hours_after <= 0:
        return []
    effects = []
    for level, text in before.keys() | after.keys():
        title = f"{level} {text}"
        quantity = Quantity(title, title, "per hour", lambda _: None, sound=0.0)
        first, second = (
            reading_of_events(sum(counts), hours * HOUR_MS, scatter_of(counts))
            for counts, hours in (
                (before.get((level, text), ()), hours_before),
                (after.get((level, text), ()), hours_after),
            )
        )
        effects.append(judge(quantity, first, second))
    return _notable_effects(effects)


def frame_effects(
    before: Mapping[str, Any], after: Mapping[str, Any], job: tuple[str | None, str | None]
) -> list[Effect]:
    """Frames on top of the stack whose share of all samples changed, from the flame graphs' points."""
    first, second = _graph(before, job[0]), _graph(after, job[1])
    if first is None or second is None:
        return []
    if any(first[name] != second[name] for name in ("vertex", "profile", "mode")):
        return []
    if ("idle" in first) != ("idle" in second):
        # Diagnoses before 2026-11-24 count idle samples in all shares.
        return []
    own = _own(first), _own(second)
    totals = round(first["total"]), round(second["total"])
    effects = []
    for frame in own[0].keys() | own[1].keys():
        shares = [reading_of_share(min(round(own[at][frame]), totals[at]), totals[at]) for at in (0, 1)]
        if shares[0] and shares[1] and abs(shares[0].value - shares[1].value) >= LEAST_SHARE:
            quantity = Quantity(frame, frame, "percent", lambda _: None, better=None, least=LEAST_SHARE)
            effects.append(judge(quantity, shares[0], shares[1]))
    return _notable_effects(effects)


def _notable_effects(effects: Sequence[Effect]) -> list[Effect]:
    changed = [each for each in effects if each.judgement != "unchanged"]
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
