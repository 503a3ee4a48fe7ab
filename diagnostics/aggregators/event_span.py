"""Number of input events, and the ranges of their arrival times and lags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import with_known

if TYPE_CHECKING:
    import pyarrow as pa

TOGETHER = {
    "keyed": "sum",
    "timed": "sum",
    "from_ms": "min",
    "to_ms": "max",
    "lowest_lag_ms": "min",
    "highest_lag_ms": "max",
}
"""The columns of the one-row state -> how they are merged."""


@dataclass(frozen=True, slots=True)
class EventSpan:
    """Summary of all events.

    keyed, timed                   events with a key, and those with both times
    from_ms, to_ms                 first and last arrival of an event with both times, epoch ms
    lowest_lag_ms, highest_lag_ms  of the same events; arrival minus event time
    """

    keyed: int
    timed: int
    from_ms: int | None
    to_ms: int | None
    lowest_lag_ms: int | None
    highest_lag_ms: int | None


def _span(events: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    timed = with_known(events, ("event_ms", "arrival_ms"))
    arrivals = pc.min_max(timed["arrival_ms"])
    lags = pc.min_max(pc.subtract(timed["arrival_ms"], timed["event_ms"]))
    values = (
        events.num_rows - events["key"].null_count,
        timed.num_rows,
        *(arrivals[end].as_py() for end in ("min", "max")),
        *(lags[end].as_py() for end in ("min", "max")),
    )
    return pa.table(
        {name: pa.array([value], pa.int64()) for name, value in zip(TOGETHER, values, strict=True)},
    )


def _merge(states: pa.Table) -> pa.Table:
    return states.group_by([], use_threads=False).aggregate(list(TOGETHER.items())).rename_columns(list(TOGETHER))


AGGREGATOR: Aggregator[EventSpan] = Aggregator(
    name="event_span",
    table="event",
    columns=("key", "event_ms", "arrival_ms"),
    reduce=_span,
    merge=_merge,
    finish=lambda state: EventSpan(**state.to_pylist()[0]),
)
