"""The pauses of each JVM in slices and slots of time: each by itself while they are few."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators import gc_pauses as asked
from diagnostics.aggregators.gc_pauses import FULL_KINDS, at_ms
from diagnostics.evidence import Evidence, read_once

if TYPE_CHECKING:
    import pyarrow as pa

SLICE_MS = 5_000
"""Pauses are added up over slices of this length, longer ones for logs of many hours. Our choice."""
MOST_SLICES = 4_000
MOST_SLOTS = 400
"""Slots that a chart cuts the time of all logs in. Our choice."""

TOGETHER = {
    "pauses": "sum",
    "counted": "sum",
    "sum_ms": "sum",
    "started_ms": "min",
    "allocated_bytes": "sum",
    "gap_ms": "sum",
    "step_ms": "max",
    "collector": "max",
}
"""What is told of all pauses that are told as one; the rest is of the longest."""


@read_once
def gc_pauses(evidence: Evidence) -> pa.Table | None:
    """The pauses of all GC logs, None without any.

    Reads   gc_pause: those that stop the JVM and have a time (one GC log file is one JVM).
    Gives   the columns of gc_pause without the place in the file, and
            slice_ms         where its slice of time begins, in the log's own time
            slot             its slot by the clock, unknown without one
            is_full          whether it is a full collection
            pauses, counted  1, and whether the collector's bean counts it
            sum_ms           its length
            started_ms       when the JVM started, epoch ms
            allocated_bytes, gap_ms, step_ms  by how much the heap had grown since the collection before, how long after
                             its end, and when; unknown where it shrank, or no size is told
    Very many are the longest of a short while, kind and cause, with TOGETHER of all those.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    pauses = evidence.answer(asked.AGGREGATOR)
    if not pauses.num_rows:
        return None
    times = at_ms(pauses)
    at, by_clock = pc.min_max(times), pc.min_max(pauses["ts_ms"])
    width = float(max(SLICE_MS, int((at["max"].as_py() - at["min"].as_py()) / MOST_SLICES)))
    from_ms, to_ms = by_clock["min"].as_py() or 0, by_clock["max"].as_py() or 0
    slots = pc.divide(
        pc.subtract(pc.cast(pauses["ts_ms"], "float64"), float(from_ms)), max((to_ms - from_ms) / MOST_SLOTS, 1.0)
    )
    cut = {
        "slice_ms": pc.multiply(pc.floor(pc.divide(times, width)), width),
        "slot": pc.cast(slots, "int64", safe=False),
        "is_full": pc.is_in(pauses["kind"], pa.array(FULL_KINDS)),
    }
    return pa.table({**{name: pauses[name] for name in pauses.column_names}, **cut})


def combined(pauses: pa.Table, *keys: str) -> pa.Table:
    """The pauses with the same keys as one: the longest of them, with TOGETHER of all."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    order = pc.sort_indices(pauses, [(name, "ascending", "at_start") for name in ("pause_ms", "ts_ms")])
    rank = np.empty(pauses.num_rows, np.int64)
    rank[order.to_numpy()] = np.arange(pauses.num_rows)
    groups = pauses.append_column("rank", pa.array(rank)).group_by(list(keys), use_threads=False)
    found = groups.aggregate([("rank", "max"), *TOGETHER.items()])
    longest = pauses.take(order.take(found["rank_max"]))
    for name, how in TOGETHER.items():
        longest = longest.set_column(longest.column_names.index(name), name, found[f"{name}_{how}"])
    return longest
