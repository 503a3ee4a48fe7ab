"""A grid of sample counts by task and time, to select a time range from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from diagnostics.profiles.selection import ALL, Selection, task_of, task_title
from diagnostics.profiles.stored import StoredProfiles

MOST_SLOTS = 120
LEAST_SLOT_MS = 1_000
MOST_ROWS = 12
"""Columns and rows of the grid, the tasks with most samples. Our choice: what 390 pixels can show."""


def heat(profiles: StoredProfiles, selection: Selection) -> Mapping[str, Any] | None:
    """The samples of the selection's source, on or off CPU as selected, by task and time slot.

    Gives  {from_ms, slot_ms, slots, rows: [{key, title, samples: {slot: weight}}]}, the task with most samples first;
           None when the samples have fewer than two times.
    """
    every = replace(selection, task=ALL, subtask=None, thread=ALL, from_ms=None, to_ms=None)
    read = ((profiles.samplings[leaf.sampling], leaf) for leaf in profiles.leaves)
    chosen = [(each, leaf) for each, leaf in read if each.ts_ms is not None and every.holds(each, leaf)]
    times = {sampling.ts_ms for sampling, _ in chosen if sampling.ts_ms is not None}
    if len(times) < 2:
        return None
    start, end = min(times), max(times)
    width = max(-(-(end - start + 1) // MOST_SLOTS), LEAST_SLOT_MS)
    samples: dict[str, dict[int, float]] = {}
    titles: dict[str, str] = {}
    for sampling, leaf in chosen:
        task, slot = task_of(sampling), ((sampling.ts_ms or start) - start) // width
        counted = samples.setdefault(task, {})
        counted[slot] = counted.get(slot, 0.0) + leaf.weight
        titles[task] = task_title(sampling)
    order = sorted(samples, key=lambda task: (-sum(samples[task].values()), task))[:MOST_ROWS]
    rows = [{"key": task, "title": titles[task], "samples": samples[task]} for task in order]
    return {"from_ms": start, "slot_ms": width, "slots": (end - start) // width + 1, "rows": rows}
