"""Median lag of each partition: exact, or from lag classes when there are many distinct lags."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.coarse_cells import few_cells, middles, truncated
from diagnostics.arithmetic.row_choice import with_known
from diagnostics.arithmetic.sorted_rows import counted_rows
from diagnostics.arithmetic.text_codes import coded_texts, in_name_order

if TYPE_CHECKING:
    import pyarrow as pa

MOST_PARTITIONS = 64
"""Partitions kept, the first by name. Our choice."""

MOST_CELLS = 200_000
"""Distinct lags over all partitions that are kept exactly. Our choice: 5 MB."""

SIGNIFICANT_BITS = (12, 10, 8, 6, 4)
"""Significant bits of a lag from level 1 on. The last level has 1,700 classes per partition. Our choice."""


def _count(events: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    placed = with_known(events, ("event_ms", "arrival_ms", "partition"))
    return _merge(
        pa.table(
            {
                "partition": placed["partition"],
                "lag_ms": pc.subtract(placed["arrival_ms"], placed["event_ms"]),
                "events": pa.repeat(1, placed.num_rows),
                "level": pa.repeat(pa.scalar(0, pa.int8()), placed.num_rows),
            }
        )
    )


def _merge(states: pa.Table) -> pa.Table:
    return few_cells(states, MOST_CELLS, len(SIGNIFICANT_BITS), _grouped)


def _grouped(cells: pa.Table, level: int) -> pa.Table:
    """Cells merged at a level, sorted; only the first partitions by name."""
    import pyarrow as pa

    names, places = in_name_order(cells["partition"])
    chosen = places < MOST_PARTITIONS
    places, lags, events = (each[chosen] for each in (places, cells["lag_ms"].to_numpy(), cells["events"].to_numpy()))
    if level:
        lags = truncated(lags, SIGNIFICANT_BITS[level - 1], 0)
    (places, lags), events = counted_rows([places, lags], events)
    return pa.table({"partition": coded_texts(names, places), "lag_ms": lags, "events": events})


def _medians(state: pa.Table) -> Mapping[str, float]:
    """Partition -> the lowest lag in ms that at least half of its events do not exceed."""
    import numpy as np
    import pyarrow.compute as pc

    level = pc.max(state["level"]).as_py() or 0
    names, places = in_name_order(state["partition"])
    lags, events = state["lag_ms"].to_numpy(), state["events"].to_numpy()
    if level:
        lags = middles(lags, SIGNIFICANT_BITS[level - 1], 0)
    medians = {}
    for place, name in enumerate(names.to_pylist()):
        own = events[places == place]
        medians[name] = float(lags[places == place][np.searchsorted(2 * np.cumsum(own), own.sum())])
    return medians


AGGREGATOR: Aggregator[Mapping[str, float]] = Aggregator(
    name="partition_lags",
    table="event",
    columns=("event_ms", "arrival_ms", "partition"),
    reduce=_count,
    merge=_merge,
    finish=_medians,
)
