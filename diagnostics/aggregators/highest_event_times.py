"""Highest event time that had arrived from each partition by each moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.coarse_cells import few_cells, slot_starts
from diagnostics.arithmetic.row_choice import with_known
from diagnostics.arithmetic.sorted_rows import highest_rows
from diagnostics.arithmetic.text_codes import coded_texts, in_name_order

if TYPE_CHECKING:
    import pyarrow as pa

MOST_PARTITIONS = 64
"""Partitions kept, the first by name; events without one belong to the partition "". Our choice."""

MOST_SLOTS = 200_000
"""Arrivals kept over all partitions, to the ms or in longer slots. Our choice: 5 MB."""

SHIFTS = (*range(0, 62, 2), 62)
"""Slots of a level are 2^n ms long. Our choice."""

UNNAMED = ""


def _highest(events: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    timed = with_known(events, ("event_ms", "arrival_ms"))
    return _merge(
        pa.table(
            {
                "partition": pc.fill_null(timed["partition"], UNNAMED),
                "arrival_ms": timed["arrival_ms"],
                "event_ms": timed["event_ms"],
                "level": pa.repeat(pa.scalar(0, pa.int8()), timed.num_rows),
            }
        )
    )


def _merge(states: pa.Table) -> pa.Table:
    return few_cells(states, MOST_SLOTS, len(SHIFTS) - 1, _grouped)


def _grouped(cells: pa.Table, level: int) -> pa.Table:
    """Highest event time of each partition and slot, sorted; only the first partitions by name."""
    import pyarrow as pa

    names, places = in_name_order(cells["partition"])
    chosen = places < MOST_PARTITIONS
    places, times = places[chosen], cells["event_ms"].to_numpy()[chosen]
    slots = slot_starts(cells["arrival_ms"].to_numpy()[chosen], SHIFTS[level])
    (places, slots), highest = highest_rows([places, slots], times)
    return pa.table({"partition": coded_texts(names, places), "arrival_ms": slots, "event_ms": highest})


def _by_partition(state: pa.Table) -> Mapping[str, tuple[list[int], list[int]]]:
    """Partition -> ascending arrival times, and the highest event time that had arrived by each."""
    import numpy as np

    names, places = in_name_order(state["partition"])
    arrivals, times = state["arrival_ms"].to_numpy(), state["event_ms"].to_numpy()
    return {
        name: (arrivals[places == place].tolist(), np.maximum.accumulate(times[places == place]).tolist())
        for place, name in enumerate(names.to_pylist())
    }


AGGREGATOR: Aggregator[Mapping[str, tuple[list[int], list[int]]]] = Aggregator(
    name="highest_event_times",
    table="event",
    columns=("event_ms", "arrival_ms", "partition"),
    reduce=_highest,
    merge=_merge,
    finish=_by_partition,
)
