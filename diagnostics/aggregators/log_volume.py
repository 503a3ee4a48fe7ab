"""Number of log records per level and second, in wider slots when there are many."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SLOTS = 65_536
"""Slots kept over all levels; with more, the width of the slots doubles until they fit. Our choice: 18 hours with a
record every second, in 3 MB.
"""


def _by_second(counts: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    width, second = pa.repeat(pa.scalar(1, pa.int64()), counts.num_rows), pc.divide(counts["first_ms"], 1000)
    known = {name: counts[name] for name in ("level", "records")}
    return _merge(pa.table({"width": width, **known, "first": second, "last": second}))


def _merge(states: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    width = pc.max(states["width"]).as_py() or 1
    slots = _in_slots(states, width)
    while slots.num_rows > MOST_SLOTS:
        width *= 2
        slots = _in_slots(slots, width)
    return slots


def _in_slots(counts: pa.Table, width: int) -> pa.Table:
    """The counts in slots of `width` seconds; `first` and `last` are the first and last second with a record."""
    import pyarrow as pa
    import pyarrow.compute as pc

    slots = counts.append_column("slot", pc.divide(counts["first"], pa.scalar(width, pa.int64())))
    merged = slots.group_by(["slot", "level"], use_threads=False).aggregate(
        [("records", "sum"), ("first", "min"), ("last", "max")]
    )
    named = merged.rename_columns(["slot", "level", "records", "first", "last"])
    return named.set_column(0, "width", pa.repeat(pa.scalar(width, pa.int64()), named.num_rows))


def _counts(state: pa.Table) -> pa.Table:
    return state.select(["first", "last", "level", "records"]).sort_by([("first", "ascending"), ("level", "ascending")])


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="log_volume",
    table="log_count",
    columns=("first_ms", "level", "records"),
    reduce=_by_second,
    merge=_merge,
    finish=_counts,
)
"""Gives one row per slot and level: `first` and `last` second with a record, null for records without a time; `level`,
null when none is printed; `records`.
"""
