"""The GC pauses of each JVM, assigned to time slices and slots; very many pauses are combined."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators import gc_pauses as asked
from diagnostics.aggregators.gc_pauses import FULL_KINDS, at_ms
from diagnostics.evidence import Evidence, read_once

if TYPE_CHECKING:
    import pyarrow as pa

SLICE_MS = 5_000
"""Length of the slices over which pauses are summed; longer for logs of many hours. Our choice."""
MOST_SLICES = 4_000
MOST_SLOTS = 400
"""Slots into which charts divide the time of all logs. Our choice."""

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
"""Column -> how it is aggregated over combined pauses; all other columns are those of the longest pause."""


@read_once
def gc_pauses(evidence: Evidence) -> pa.Table | None:
    """The pauses of all GC logs, None without any.

    Reads   gc_pause: pauses of the JVM that have a time (one GC log file is one JVM).
    Gives   the columns of gc_pause without the place in the file, and
            slice_ms         start of its time slice, in the time of the log
            slot             its slot by wall clock, null without one
            is_full          whether it is a full collection
            pauses, counted  1, and whether the collector's bean counts it
            sum_ms           its length
            started_ms       start of the JVM, epoch ms
            allocated_bytes, gap_ms, step_ms  growth of the heap since the previous collection, time since the end of
                             that, and time of this one; null when the heap shrank or a size is not known
            When there are very many, pauses of the same short period, kind and cause are one row: the longest pause,
            with the columns of TOGETHER aggregated over all of them.
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
    """One row for the pauses with the same keys: the longest one, with TOGETHER aggregated over all of them."""
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
