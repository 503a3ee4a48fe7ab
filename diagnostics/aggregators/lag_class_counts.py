"""Number of input events in each lag class."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.lag_class import class_middles, class_numbers
from diagnostics.arithmetic.row_choice import with_known

if TYPE_CHECKING:
    import pyarrow as pa


def _count(events: pa.Table) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    timed = with_known(events, ("event_ms", "arrival_ms"))
    counts = np.bincount(class_numbers(timed["arrival_ms"].to_numpy() - timed["event_ms"].to_numpy()))
    found = np.flatnonzero(counts)
    return pa.table({"class": found, "events": counts[found]})


def _merge(states: pa.Table) -> pa.Table:
    merged = states.group_by("class", use_threads=False).aggregate([("events", "sum")])
    return merged.rename_columns(["class", "events"]).sort_by("class")


def _by_lag(state: pa.Table) -> Mapping[int, int]:
    lags = class_middles(state["class"].to_numpy())
    return dict(zip(lags.tolist(), state["events"].to_pylist(), strict=True))


AGGREGATOR: Aggregator[Mapping[int, int]] = Aggregator(
    name="lag_class_counts",
    table="event",
    columns=("event_ms", "arrival_ms"),
    reduce=_count,
    merge=_merge,
    finish=_by_lag,
)
