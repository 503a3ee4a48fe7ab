"""Number of input events by arrival time and lag class, for the chart of lags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.coarse_cells import few_cells, slot_starts
from diagnostics.arithmetic.lag_class import BOUNDS_MS
from diagnostics.arithmetic.row_choice import with_known
from diagnostics.arithmetic.sorted_rows import counted_rows

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CELLS = 200_000
"""Distinct arrivals and classes kept, arrivals to the ms or in longer slots. Our choice: 4 MB, with a hundred slots per
class for the chart.
"""

SHIFTS = (*range(0, 62, 2), 62)
"""Slots of a level are 2^n ms long. Our choice."""


def _count(events: pa.Table) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    timed = with_known(events, ("event_ms", "arrival_ms"))
    arrivals = timed["arrival_ms"].to_numpy()
    lags = arrivals - timed["event_ms"].to_numpy()
    return _merge(
        pa.table(
            {
                "arrival_ms": arrivals,
                "class": np.searchsorted(BOUNDS_MS, lags, side="right"),
                "events": np.ones(len(lags), np.int64),
                "level": pa.repeat(pa.scalar(0, pa.int8()), len(lags)),
            }
        )
    )


def _merge(states: pa.Table) -> pa.Table:
    return few_cells(states, MOST_CELLS, len(SHIFTS) - 1, _grouped)


def _grouped(cells: pa.Table, level: int) -> pa.Table:
    """Cells merged at a level, in the order of class and time: that of any coarser level."""
    import pyarrow as pa

    slots = slot_starts(cells["arrival_ms"].to_numpy(), SHIFTS[level])
    classes, events = cells["class"].to_numpy(), cells["events"].to_numpy()
    (classes, slots), events = counted_rows([classes, slots], events)
    return pa.table({"arrival_ms": slots, "class": classes, "events": events})


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="lags_over_time",
    table="event",
    columns=("event_ms", "arrival_ms"),
    reduce=_count,
    merge=_merge,
    finish=lambda state: state.drop_columns("level"),
)
