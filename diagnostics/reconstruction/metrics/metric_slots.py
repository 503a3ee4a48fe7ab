"""Every metric in time slots, aggregated over the subtasks of a task; counters as rates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import counter_samples, gauge_slots
from diagnostics.aggregators.gauge_slots import SERIES
from diagnostics.arithmetic.exact_sum import sums_of_groups
from diagnostics.arithmetic.row_groups import ends_of_runs, row_groups, sorted_order
from diagnostics.arithmetic.row_order import Order, sort_rows
from diagnostics.arithmetic.thinning import slot_bits
from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.notation.metric_unit import is_counter

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from diagnostics.arithmetic.row_groups import Numbers
    from diagnostics.evidence import Evidence

    Floats = npt.NDArray[np.float64]

LEAST_VARIATION = 0.001
"""Smallest variation (see `variations`) of a series that counts as varying. Our choice."""

_MOST_VARYING_FIRST: Order = (("variation", "descending"), *((name, "ascending") for name in SERIES))
_READING = (*SERIES, "begin_ms", "sum", "count", "peak")


@dataclass(frozen=True, slots=True)
class SlottedSeries:
    """A metric over all subtasks of a task or an operator, or of one process.

    is_rate       whether the metric is a counter, converted to its increase per second
    means, peaks  index of a slot from 0 -> mean and highest reading; slots without a reading are missing
    """

    metric: str
    job_id: str | None
    vertex_id: str | None
    vertex: str | None
    operator: str | None
    task_manager: str | None
    is_rate: bool
    means: Mapping[int, float]
    peaks: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class VaryingMetrics:
    """The metrics of an analysis in time slots.

    from_ms, to_ms  time of the first and of the last sample, epoch ms; the first slot begins at from_ms
    slot_ms         length of a slot
    series          the series that vary most, in descending order
    left_out        number of further series that vary
    """

    from_ms: int
    to_ms: int
    slot_ms: int
    series: Sequence[SlottedSeries]
    left_out: int


def varying_metrics(evidence: Evidence, most_slots: int, least_ms: int, most: int) -> VaryingMetrics | None:
    """The series that vary most.

    Reads       metric_sample: rows with a time and a value that are neither aggregates nor quantiles.
    most_slots  largest number of slots
    least_ms    shortest length of a slot
    most        largest number of series
    Empty       None when all samples have the same time.

    The rate of a counter is computed between two samples of one subtask in one file. When the aggregator has already
    combined very many samples into slots, a slot here consists of whole slots of the aggregator.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    gauges, counters = evidence.answer(gauge_slots.AGGREGATOR), evidence.answer(counter_samples.AGGREGATOR)
    begins = pa.chunked_array([*gauges["begin_ms"].chunks, *counters["ts_ms"].chunks], pa.int64())
    ends = pa.chunked_array([*gauges["last_ms"].chunks, *counters["ts_ms"].chunks], pa.int64())
    from_ms, to_ms = pc.min(begins).as_py(), pc.max(ends).as_py()
    if from_ms == to_ms:
        return None
    bits = max(slot_bits(gauges), slot_bits(counters), 0)
    from_ms = from_ms >> bits << bits
    length = -(-slot_ms(from_ms, to_ms, most_slots, least_ms) >> bits) << bits
    series = _in_slots(pa.concat_tables([gauges.select(_READING), rates(counters)]), from_ms, length)
    varying = series.filter(pc.greater(series["variation"], LEAST_VARIATION))
    most_varying = [_series(row) for row in sort_rows(varying, _MOST_VARYING_FIRST).slice(0, most).to_pylist()]
    return VaryingMetrics(from_ms, to_ms, length, most_varying, varying.num_rows - len(most_varying))


def _series(row: Mapping[str, Any]) -> SlottedSeries:
    return SlottedSeries(
        **{name: row[name] for name in SERIES},
        is_rate=is_counter(row["metric"]),
        means=dict(zip(row["places"], row["means"], strict=True)),
        peaks=dict(zip(row["places"], row["peaks"], strict=True)),
    )


def rates(counters: pa.Table) -> pa.Table:
    """The increase of counters per second, as readings at the time of the later one of two samples.

    counters  rows with `counter_samples.COUNTED`, `ts_ms` and `value`, in any order
    """
    import numpy as np
    import pyarrow as pa

    _, series = row_groups(counters, counter_samples.COUNTED)
    places, grown = growth(series, counters["ts_ms"].to_numpy(), counters["value"].to_numpy())
    later = counters.select([*SERIES, "ts_ms"]).take(pa.array(places)).rename_columns([*SERIES, "begin_ms"])
    columns = {"sum": grown, "count": np.ones(len(grown), np.int64), "peak": grown}
    for name, column in columns.items():
        later = later.append_column(name, pa.array(column))
    return later


def growth(series: Numbers, times: Numbers, values: Floats) -> tuple[Numbers, Floats]:
    """The increase of counters per second: the indices of the samples for which it is known, and the values.

    series  number of the series of each sample; the samples are in any order
    times   epoch ms

    It is not known for the first sample of a series, for samples with the same time, and after a restart.
    """
    import numpy as np

    order = sorted_order(times, series)
    passed, grown = np.diff(times[order]), np.diff(values[order])
    known = (np.diff(series[order]) == 0) & (passed > 0) & (grown >= 0)
    return order[1:][known], grown[known] * 1000 / passed[known]


def _in_slots(readings: pa.Table, from_ms: int, length: int) -> pa.Table:
    """One row for each series: SERIES, `places` of its slots with their `means` and `peaks`, and its `variation`."""
    import numpy as np
    import pyarrow as pa

    first, series = row_groups(readings, SERIES)
    places = (readings["begin_ms"].to_numpy() - from_ms) // length
    order = sorted_order(places, series)
    series, places = series[order], places[order]
    ends = ends_of_runs(series, places)
    begins = np.append(0, ends[:-1] + 1)[: len(ends)]
    cells = np.repeat(np.arange(len(ends)), np.diff(np.append(begins, len(series))))
    sums, rests = sums_of_groups(cells, readings["sum"].to_numpy()[order], np.zeros(len(order)))
    means = (sums + rests) / np.add.reduceat(readings["count"].to_numpy()[order], begins)
    peaks = np.maximum.reduceat(readings["peak"].to_numpy()[order], begins)
    series, places = series[begins], places[begins]
    bounds = pa.array(np.searchsorted(series, np.arange(len(first) + 1)), pa.int32())
    found = readings.select(SERIES).take(pa.array(first))
    for name, column in (("places", places), ("means", means), ("peaks", peaks)):
        found = found.append_column(name, pa.ListArray.from_arrays(bounds, pa.array(column)))
    return found.append_column("variation", pa.array(variations(series, means, len(first))))


def variations(series: Numbers, means: Floats, count: int) -> Floats:
    """The variation of each series: standard deviation of the means of its slots / mean of their absolute values.

    series  number of the series of each mean, below `count`
    Empty   0 for a series without a slot
    """
    import numpy as np

    slots = np.maximum(np.bincount(series, minlength=count), 1)
    centres = np.bincount(series, means, count) / slots
    scatter = np.sqrt(np.bincount(series, (means - centres[series]) ** 2, count) / slots)
    found: Floats = scatter / (np.bincount(series, np.abs(means), count) / slots + 1e-9)
    return found
