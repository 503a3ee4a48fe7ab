"""Distribution of a load over the subtasks of one task, and the number of salts that spread a hot key."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from statistics import median

HOT_MULTIPLE = 2.0
"""A subtask with this many times the even share is hot. Source: `skew.records` of vocabulary/sources."""
HOT_OF_TWO = 0.5
"""Threshold for two or three subtasks, whose share hardly reaches twice the even one: this far between the even share
and the whole load. Our choice: 75 % of two, 67 % of three.
"""
IDLE_MULTIPLE = 0.1
"""A subtask below this share of the even one counts as idle. Our choice."""
SALTED_MULTIPLE = 1.5
"""Goal of salting: the hottest subtask has at most this many times the even share. Our choice."""


@dataclass(frozen=True, slots=True)
class Balance:
    """A load over subtasks, e.g. records read.

    share_ratio          the hottest subtask's share of the whole, 0 to 1
    skew_ratio           the same as a multiple of the even share 1/n: 1 is even, n is everything on one
    concentration_ratio  0 is even, 1 is everything on one subtask, for any n
    """

    loads: Mapping[int, float]
    hot: int
    hot_subtasks: tuple[int, ...]
    idle_subtasks: tuple[int, ...]
    total: float
    share_ratio: float
    skew_ratio: float
    concentration_ratio: float

    @property
    def others(self) -> tuple[int, ...]:
        """The subtasks that are not hot."""
        return tuple(subtask for subtask in sorted(self.loads) if subtask not in self.hot_subtasks)


def balance(loads: Mapping[int, float]) -> Balance | None:
    """The balance of a load by subtask; None for fewer than two subtasks or no load at all."""
    total = sum(loads.values())
    count = len(loads)
    if count < 2 or total <= 0:
        return None
    hot = min(loads, key=lambda subtask: (-loads[subtask], subtask))
    even = total / count

    return Balance(
        loads=dict(sorted(loads.items())),
        hot=hot,
        hot_subtasks=tuple(subtask for subtask in sorted(loads) if is_hot(loads[subtask], total, count)) or (hot,),
        idle_subtasks=tuple(subtask for subtask in sorted(loads) if loads[subtask] < IDLE_MULTIPLE * even),
        total=total,
        share_ratio=loads[hot] / total,
        skew_ratio=loads[hot] / even,
        concentration_ratio=_concentration(loads[hot], total, count),
    )


def is_hot(load: float, total: float, count: int) -> bool:
    """Whether a subtask with this load is hot, given the total of two or more subtasks."""
    return load >= HOT_MULTIPLE * total / count or (count < 4 and _concentration(load, total, count) >= HOT_OF_TWO)


def hot_multiple(count: int) -> float:
    """The multiple of the even share from which one of `count` subtasks is hot, as used by `is_hot`."""
    return min(HOT_MULTIPLE, 1 + HOT_OF_TWO * (count - 1)) if 1 < count < 4 else HOT_MULTIPLE


def _concentration(load: float, total: float, count: int) -> float:
    even = total / count
    return (load - even) / (total - even)


def salts_needed(key_share_ratio: float, parallelism: int, multiple: float = SALTED_MULTIPLE) -> int:
    """Number of parts of a key so that hashing keeps every subtask below `multiple` even shares.

    With share h of all records, n salts and p subtasks, hashing puts about n/p + sqrt(2 (n/p) ln p) of the salted keys
    on the fullest subtask (balls into bins), so its load is h (1/p + sqrt(2 ln p / (n p))) + (1 - h)/p of all. That is
    at most (1 + m)/p for n >= 2 p ln p (h / m)^2, where m is multiple - 1. Never fewer than p.
    """
    slack = multiple - 1
    return max(parallelism, math.ceil(2 * parallelism * math.log(parallelism) * (key_share_ratio / slack) ** 2))


def key_group_skew(max_parallelism: int, parallelism: int) -> float:
    """Key groups of the fullest subtask as a multiple of the even number: 1 when parallelism divides maxParallelism.

    Source: Flink assigns each subtask either floor or ceil of maxParallelism / parallelism key groups.
    """
    return math.ceil(max_parallelism / parallelism) * parallelism / max_parallelism


STEP_TOLERANCE, MOST_OF_A_STEP = 0.03, 3
"""How far a subtask may lie from a whole step, and most key groups of the emptier subtasks. Our choice: with more of
them the steps are no larger than what chance makes of the keys.
"""


def implied_key_groups(counts: Collection[float]) -> int | None:
    """The number of key groups that whole steps between subtasks show; None where their records lie otherwise.

    Source: Flink assigns each subtask either floor or ceil of maxParallelism / parallelism key groups, so that even key
    groups make two levels of n and n + 1 parts. One subtask above the others may have a hot key.
    """
    least, most = min(counts, default=0.0), max(counts, default=0.0)
    if least <= 0 or most <= least:
        return None
    groups = round(least / (most - least))
    if not 1 <= groups <= MOST_OF_A_STEP or abs(most * groups / (least * (groups + 1)) - 1) > STEP_TOLERANCE:
        return None
    full = [each for each in counts if abs(each / most - 1) <= STEP_TOLERANCE]
    rest = [each for each in counts if abs(each / least - 1) <= STEP_TOLERANCE]
    if len(full) < 2 or len(full) + len(rest) < len(counts):
        return None
    return len(full) * (groups + 1) + len(rest) * groups


@dataclass(frozen=True, slots=True)
class Busyness:
    """Busy time of the subtasks while the hot ones were at their busiest; ratios 0 to 1."""

    by_subtask: Mapping[int, float]
    busiest: int

    def most(self, subtasks: tuple[int, ...]) -> float | None:
        """The highest ratio among some subtasks, None if all are unknown."""
        return max((self.by_subtask[each] for each in subtasks if each in self.by_subtask), default=None)


def busyness(samples: Mapping[int, Mapping[int, float]]) -> Busyness | None:
    """Typical busy ratios at the moments when the busiest subtask was about as busy as usual at its peak.

    The highest quarter of its samples is skipped, because an initialising subtask reports itself as fully busy. Samples
    of different TaskManagers are taken at different moments and are compared by time slots.

    samples  subtask -> moment (epoch ms) -> ratio 0 to 1
    """
    slotted = {subtask: _slots(by_moment) for subtask, by_moment in samples.items() if by_moment}
    if not slotted:
        return None
    ordered = {subtask: sorted(by_slot.values()) for subtask, by_slot in slotted.items()}
    peaks = {subtask: values[(len(values) - 1) * 3 // 4] for subtask, values in ordered.items()}
    busiest = min(peaks, key=lambda subtask: (-peaks[subtask], -median(ordered[subtask]), subtask))
    slots = {slot for slot, ratio in slotted[busiest].items() if ratio >= AT_ITS_BUSIEST * peaks[busiest]}
    by_subtask = {}
    for subtask in sorted(slotted):
        then = [ratio for slot, ratio in slotted[subtask].items() if slot in slots]
        by_subtask[subtask] = median(then or ordered[subtask])
    return Busyness(by_subtask, busiest)


def _slots(by_moment: Mapping[int, float]) -> Mapping[int, float]:
    found: dict[int, list[float]] = {}
    for moment, ratio in by_moment.items():
        found.setdefault(moment // SLOT_MS, []).append(ratio)
    return {slot: median(ratios) for slot, ratios in found.items()}


AT_ITS_BUSIEST = 0.9
"""A subtask is at its busiest from this share of its usual highest busy ratio on. Our choice."""
SLOT_MS = 10_000
"""Samples of one slot are compared. Our choice: two of the usual scrapes."""
