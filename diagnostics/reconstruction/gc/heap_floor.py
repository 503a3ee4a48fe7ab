"""The live data of a heap, by what metrics state of its use."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from diagnostics.reconstruction.gc.timeline import WORST_WINDOW_MS
from diagnostics.reconstruction.metrics.series import Point, Series

FEWEST_SAMPLES = 5
"""Samples of a minute below which their lowest says nothing of what collections leave. Our choice."""


def heap_floor(used: Sequence[Point], full: Sequence[Series]) -> Point | None:
    """The lowest heap usage in the last minute: the live data. None with fewer than five samples.

    Where full collections were counted in it, since the last but one that came between two samples: what was used
    before a heap filled up says nothing of what collections leave in it.

    used  bytes in use
    full  counters of full collections
    """
    stamps = [point.ts_ms for point in used if point.ts_ms is not None]
    begin = max(stamps, default=0) - WORST_WINDOW_MS
    late = [(point.ts_ms, point) for point in used if point.ts_ms is not None and point.ts_ms >= begin]
    if len(late) < FEWEST_SAMPLES:
        return None
    collected = sorted(ts_ms for ts_ms in _moments_of_growth(full) if ts_ms >= late[0][0])
    since = collected[-2] if len(collected) > 1 else begin
    left = [(point.value or 0.0, ts_ms, point) for ts_ms, point in late if ts_ms >= since]
    return min(left, key=lambda each: each[:2])[2] if left else None


def _moments_of_growth(counters: Sequence[Series]) -> list[int]:
    """The samples at which a counter is higher than at the one before, epoch ms."""
    return [
        later.ts_ms
        for each in counters
        for earlier, later in itertools.pairwise(each.known)
        if later.ts_ms and (later.value or 0.0) > (earlier.value or 0.0)
    ]
