"""A call tree that is small enough to be drawn on a page: its heaviest frames, with the others merged."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.vocabulary.known_frames import stack

MOST_NODES = 1000
"""Frames that are drawn. Source: measured, Plotly's icicle takes 0.65 s for 1,000 frames and 4 s for 5,000."""
LEAST_SHARE = 0.001
"""Share of all samples below which frames are merged into `(further frames)`. Our choice."""
DEEPEST = 120
"""Frames of one stack that are drawn; deeper ones are not readable on a page. Our choice."""

MERGED = "(further frames)"
WAITING_STATES = ("WAITING", "TIMED_WAITING", "BLOCKED")


@dataclass(slots=True)
class _Frame:
    name: str
    weight: float = 0.0
    waiting: float = 0.0
    own: float = 0.0
    children: dict[str, _Frame] = field(default_factory=dict)


def tree_of(stacks: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The call tree of stacks, with small frames merged.

    stacks  {frames (root first), weight, state}
    Gives   {total, merged_share, frames: [[name, index of the parent, weight, waiting weight, own weight]]}
    """
    root = _Frame("all")
    for each in sorted(stacks, key=lambda each: each["frames"]):
        frames, weight = each["frames"][:DEEPEST], each["weight"]
        waiting = weight if _waits(each["frames"], each["state"]) else 0.0
        here = root
        here.weight += weight
        here.waiting += waiting
        for name in frames:
            here = here.children.setdefault(name, _Frame(name))
            here.weight += weight
            here.waiting += waiting
        here.own += weight
    total = root.weight
    kept, merged = _largest(root, LEAST_SHARE * total)
    return {"total": total, "merged_share": round(merged / total, 4) if total else 0.0, "frames": kept}


def _waits(frames: Sequence[str], state: str | None) -> bool:
    parsed = stack(frames)
    return state in WAITING_STATES or parsed.idle or parsed.waiting


def _largest(root: _Frame, least: float) -> tuple[list[list[Any]], float]:
    """At most MOST_NODES frames, the heaviest first; other children are merged into one frame for each parent."""
    kept: list[list[Any]] = []
    merged = 0.0
    queue: list[tuple[float, str, int, _Frame]] = [(-root.weight, root.name, -1, root)]
    waiting_parents = Counter([-1])
    # One more frame can add a merged frame, and a parent with children in the queue.
    while queue and len(kept) + len(waiting_parents) + 3 <= MOST_NODES:
        _, _, parent, frame = heapq.heappop(queue)
        waiting_parents[parent] -= 1
        if not waiting_parents[parent]:
            del waiting_parents[parent]
        place = len(kept)
        kept.append([frame.name, parent, frame.weight, frame.waiting, frame.own])
        small, small_waiting = 0.0, 0.0
        for child in frame.children.values():
            if child.weight >= least:
                heapq.heappush(queue, (-child.weight, child.name, place, child))
                waiting_parents[place] += 1
            else:
                small += child.weight
                small_waiting += child.waiting
        if small:
            kept.append([MERGED, place, small, small_waiting, small])
            merged += small
    left: dict[int, list[float]] = {}
    for _, _, parent, frame in queue:
        both = left.setdefault(parent, [0.0, 0.0])
        both[0] += frame.weight
        both[1] += frame.waiting
        merged += frame.weight
    kept += [[MERGED, parent, weight, waiting, weight] for parent, (weight, waiting) in sorted(left.items())]
    return kept, merged
