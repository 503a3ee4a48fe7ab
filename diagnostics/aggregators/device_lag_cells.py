"""Counts of events by device, arrival time and lag: single events, or events aggregated in cells.

Up to MOST_CELLS events are kept one by one. With more, events of a device with the same arrival slot and a similar lag
form one cell, and slots and lag classes grow until the cells are few enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from zlib import crc32

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.coarse_cells import few_cells, middles, slot_starts, truncated, widths
from diagnostics.arithmetic.row_choice import with_known
from diagnostics.arithmetic.sorted_rows import counted_rows, row_order
from diagnostics.arithmetic.text_codes import coded_texts, in_name_order, text_codes

if TYPE_CHECKING:
    import pyarrow as pa

MOST_CELLS = 1_000_000
"""Single events, or cells when there are more. Our choice: 25 MB, in which twenty thousand devices still have four
slots of twelve classes each.
"""

LEVELS = (
    (15, 4, 5),
    *((shift, 3, 6) for shift in range(15, 43)),
    (62, 3, 6),
    (62, 2, 8),
    (62, 1, 10),
)
"""Resolution of the cells from level 1 on: slots of 2^n ms, from 33 s to 140 years; significant bits of a lag; and the
number of lowest bits that are dropped. Three bits distinguish lags within an eighth. Our choice.
"""

HASH_BITS = 32
LAST_LEVEL = len(LEVELS) + HASH_BITS
"""After LEVELS, each level drops half of the devices, by a hash of their names."""


@dataclass(frozen=True, slots=True)
class LagCells:
    """The events with both times, in cells.

    devices  the distinct keys, in their order
    cells    `device`, the index of the key among `devices` (their number for events without a key); `arrival_ms` of the
             event or the start of the slot; `lag_ms` of the event or the middle of the class; `width_ms` of the class,
             0 for a single event; `events`; sorted by all of these
    """

    devices: list[str]
    cells: pa.Table


def _reduce(events: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    timed = with_known(events, ("event_ms", "arrival_ms"))
    return _few(
        pa.table(
            {
                "key": pc.dictionary_encode(timed["key"]),
                "arrival_ms": timed["arrival_ms"],
                "lag_ms": pc.subtract(timed["arrival_ms"], timed["event_ms"]),
                "events": pa.repeat(1, timed.num_rows),
                "level": pa.repeat(pa.scalar(0, pa.int8()), timed.num_rows),
            }
        )
    )


def _few(states: pa.Table) -> pa.Table:
    return states if _is_few(states) else few_cells(states, MOST_CELLS, LAST_LEVEL, _grouped)


def _is_few(states: pa.Table) -> bool:
    """Whether the events can be kept one by one."""
    import pyarrow.compute as pc

    return states.num_rows <= MOST_CELLS and not (pc.max(states["level"]).as_py() or 0)


def _grouped(cells: pa.Table, level: int) -> pa.Table:
    """Cells merged at a level; at level 0 each event is one."""
    import numpy as np
    import pyarrow as pa

    if not level:
        return cells
    shift, bits, finest = LEVELS[min(level, len(LEVELS)) - 1]
    names, codes = text_codes(cells["key"])
    slots = slot_starts(cells["arrival_ms"].to_numpy(), shift)
    lags = truncated(cells["lag_ms"].to_numpy(), bits, finest)
    events = cells["events"].to_numpy()
    if level > len(LEVELS):
        below = 1 << HASH_BITS >> (level - len(LEVELS))
        chosen = np.array([crc32(name.as_buffer()) < below for name in names] + [True])[codes]
        codes, slots, lags, events = codes[chosen], slots[chosen], lags[chosen], events[chosen]
    (codes, slots, lags), events = counted_rows([codes, slots, lags], events)
    return pa.table({"key": coded_texts(names, codes), "arrival_ms": slots, "lag_ms": lags, "events": events})


def _finish(state: pa.Table) -> LagCells:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    level = pc.max(state["level"]).as_py() or 0
    names, devices = in_name_order(state["key"])
    lags = state["lag_ms"].to_numpy()
    width = np.zeros(len(lags), np.int64)
    if level:
        _, bits, finest = LEVELS[min(level, len(LEVELS)) - 1]
        width, lags = widths(lags, bits, finest), middles(lags, bits, finest)
    arrivals, events = state["arrival_ms"].to_numpy(), state["events"].to_numpy()
    columns = {"device": devices, "arrival_ms": arrivals, "lag_ms": lags, "width_ms": width, "events": events}
    order = row_order(list(columns.values()))
    return LagCells(names.to_pylist(), pa.table({name: column[order] for name, column in columns.items()}))


AGGREGATOR: Aggregator[LagCells] = Aggregator(
    name="device_lag_cells",
    table="event",
    columns=("key", "event_ms", "arrival_ms"),
    reduce=_reduce,
    merge=_few,
    finish=_finish,
)
