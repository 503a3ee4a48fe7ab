"""Finds functions whose share of the samples changed between two time ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from diagnostics.profiles.selection import SOURCES, source_of
from diagnostics.profiles.stored import StoredProfiles

LEAST_EFFECT = 3.0
"""A share changed when it differs by three standard errors of two proportions, which chance exceeds once in 370
times.
"""

Span = tuple[int, int]
"""First and last epoch ms, inclusive."""


def changed_frames(profiles: StoredProfiles, normal: Span, bad: Span) -> tuple[str | None, list[dict[str, Any]]]:
    """The functions whose share of own samples differs significantly, the most significant first.

    Gives  the title of the source with dated samples in both ranges (None when there is none), and {name, normal, bad,
           effect}: `normal` and `bad` are shares, 0..1, `effect` in standard errors.
    """
    sides = _samples(profiles, normal), _samples(profiles, bad)
    sources = [each for each in (*SOURCES, *sorted(sides[0])) if each in sides[0] and each in sides[1]]
    if not sources:
        return None, []
    before, after = (side[sources[0]] for side in sides)
    totals = sum(before.values()), sum(after.values())
    changes = []
    for name in before.keys() | after.keys():
        shares = before.get(name, 0.0) / totals[0], after.get(name, 0.0) / totals[1]
        pooled = (before.get(name, 0.0) + after.get(name, 0.0)) / sum(totals)
        error = math.sqrt(pooled * (1 - pooled) * (1 / totals[0] + 1 / totals[1]))
        effect = abs(shares[1] - shares[0]) / error if error else 0.0
        if effect >= LEAST_EFFECT:
            changes.append({"name": profiles.names[name], "normal": shares[0], "bad": shares[1], "effect": effect})
    return SOURCES.get(sources[0], sources[0]), sorted(changes, key=lambda each: (-each["effect"], each["name"]))


def _samples(profiles: StoredProfiles, span: Span) -> Mapping[str, dict[int, float]]:
    """Source -> number of a function -> own samples, in the time range."""
    by_source: dict[str, dict[int, float]] = {}
    for leaf in profiles.leaves:
        sampling = profiles.samplings[leaf.sampling]
        if sampling.ts_ms is not None and span[0] <= sampling.ts_ms <= span[1]:
            own = by_source.setdefault(source_of(sampling), {})
            name = profiles.name[leaf.node]
            own[name] = own.get(name, 0.0) + leaf.weight
    return by_source
