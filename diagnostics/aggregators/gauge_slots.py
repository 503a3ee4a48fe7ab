"""Every gauge over time and over all subtasks of a task: sum, count and highest value per time slot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.exact_sum import sums_of_groups
from diagnostics.arithmetic.metric_samples import SAMPLE_COLUMNS, single_samples
from diagnostics.arithmetic.row_groups import ends_of_runs, row_groups, sorted_order
from diagnostics.arithmetic.row_order import Order, first_rows, sort_rows
from diagnostics.arithmetic.thinning import bits_for, slot_bits
from diagnostics.notation.metric_unit import is_counter

if TYPE_CHECKING:
    import pyarrow as pa

MOST_SLOTS = 500_000
"""Slots kept; with more, slots double their length, starting at one millisecond. Our choice: 30 MB."""

SERIES = ("metric", "job_id", "vertex_id", "vertex", "operator", "task_manager")
"""Columns that identify a series. `task_manager` does not count for a subtask, because it may move to another."""


def dated_samples(samples: pa.Table, *, counters: bool) -> pa.Table:
    """Samples with time and value, of counters or of all other metrics; `task_manager` only for metrics of
    processes.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    chosen = single_samples(samples, lambda metric: is_counter(metric) is counters)
    chosen = chosen.filter(pc.and_(chosen["ts_ms"].is_valid(), chosen["value"].is_valid())).combine_chunks()
    place = chosen.schema.get_field_index("task_manager")
    of_process = pc.if_else(
        chosen["subtask"].is_null(), chosen["task_manager"], pa.scalar(None, chosen["task_manager"].type)
    )
    return chosen.set_column(place, "task_manager", of_process)


def _slots(samples: pa.Table) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    gauges = dated_samples(samples, counters=False)
    count = gauges.num_rows
    columns = {
        "slot_bits": pa.array(np.zeros(count, np.int8)),
        "begin_ms": gauges["ts_ms"],
        "last_ms": gauges["ts_ms"],
        "sum": gauges["value"],
        "rest": pa.array(np.zeros(count)),
        "count": pa.array(np.ones(count, np.int64)),
        "peak": gauges["value"],
    }
    return _merge(pa.table({**{name: gauges[name] for name in SERIES}, **columns}))


def _merge(slots: pa.Table) -> pa.Table:
    import numpy as np
    import pyarrow as pa

    if not slots.num_rows:
        return slots
    _, series = row_groups(slots, SERIES)
    begins = slots["begin_ms"].to_numpy()
    order = sorted_order(begins, series)
    series, begins = series[order], begins[order]
    bits = bits_for(MOST_SLOTS, series, begins, slot_bits(slots))
    ends = ends_of_runs(series, begins >> bits)
    starts = np.append(0, ends[:-1] + 1)
    cells = np.repeat(np.arange(len(ends)), np.diff(np.append(starts, len(series))))
    ordered = slots.select(["last_ms", "sum", "rest", "count", "peak"]).take(pa.array(order))
    sums, rests = sums_of_groups(cells, ordered["sum"].to_numpy(), ordered["rest"].to_numpy())
    columns = {
        "slot_bits": pa.array(np.full(len(ends), bits, np.int8)),
        "begin_ms": pa.array(begins[starts] >> bits << bits),
        "last_ms": pa.array(np.maximum.reduceat(ordered["last_ms"].to_numpy(), starts)),
        "sum": pa.array(sums),
        "rest": pa.array(rests),
        "count": pa.array(np.add.reduceat(ordered["count"].to_numpy(), starts)),
        "peak": pa.array(np.maximum.reduceat(ordered["peak"].to_numpy(), starts)),
    }
    names = slots.select(SERIES).take(pa.array(order[ends]))
    merged = pa.table({**{name: names[name] for name in SERIES}, **columns}, schema=slots.schema)
    return first_rows(merged, _ORDER, MOST_SLOTS)


def _in_order(slots: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    slots = sort_rows(slots, _ORDER)
    place = slots.schema.get_field_index("sum")
    return slots.set_column(place, "sum", pc.add(slots["sum"], slots["rest"])).drop_columns(["rest"])


_ORDER: Order = tuple((name, "ascending") for name in (*SERIES, "begin_ms"))

AGGREGATOR = Aggregator(
    name="gauge_slots",
    table="metric_sample",
    columns=SAMPLE_COLUMNS,
    reduce=_slots,
    merge=_merge,
    finish=_in_order,
)
