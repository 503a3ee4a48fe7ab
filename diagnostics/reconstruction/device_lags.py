"""The lag of each device in slices of time, measured in Spark's Python workers.

Quantiles of two hundred thousand small groups are what Spark is slow at: those of 20 million events took two minutes.
Here each worker sorts the events that it reads by device, slice and lag; Spark brings the sorted lags of a device
together; and the quantiles are read off.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from diagnostics.evidence import Evidence, Work
from diagnostics.notation.coded_text import coded
from diagnostics.reconstruction.lag_counts import timed
from diagnostics.reconstruction.ordered_groups import begins_of, in_order

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa
    from pyspark.sql import DataFrame

    Numbers = npt.NDArray[np.int64]

EVENTS_OF_TASK = 2_000_000
"""Events whose lags a task brings together, more where one device sends more. Our choice: some ten megabytes."""

MOST_IN_ROW = 1_000_000
"""Lags of a slice that are handed on in one row; of more there are several. Our choice: 8 MB."""

FEWEST_IN_SLICE = 3
"""How many events of a device make a median of a time slice. Our choice."""

SLICE_DDL = "key STRING, slice BIGINT, first_ms BIGINT, lags BINARY"
DEVICE_DDL = (
    "key STRING, events BIGINT, lowest_ms DOUBLE, highest_ms DOUBLE, scatter_ms DOUBLE, fast_from_ms BIGINT, "
    "typical_ms DOUBLE, first_lag_ms BIGINT, latest_lag_ms BIGINT"
)
OCTETS = 8
"""Of a lag among the `lags` of a slice."""


def device_lags(evidence: Evidence, events: int, from_ms: int, width_ms: float) -> DataFrame:
    """One row for each device, the key of the events that have both times; one for all without a key.

    Reads     event.
    events    how many events have both times
    from_ms   their first arrival, where the first slice begins
    width_ms  length of a slice
    Gives     events; lowest_ms and highest_ms, the lowest and highest median of a slice of FEWEST_IN_SLICE events or
              more; scatter_ms and typical_ms, the medians over all slices of p90 - p10 and of the median; fast_from_ms,
              the first arrival in a slice of so many whose median is below zero; first_lag_ms and latest_lag_ms, the
              lowest and highest lag. A quantile is the lowest value that so large a part does not exceed.
    """
    slices = evidence.worked("event", ("key", "event_ms", "arrival_ms"), _sliced(from_ms, width_ms), SLICE_DDL)
    tasks = -(-events // EVENTS_OF_TASK)
    together = slices.repartition(tasks, "key") if tasks > 1 else slices.coalesce(1)
    return together.mapInArrow(evidence.for_workers(_measured), DEVICE_DDL)


def _sliced(from_ms: int, width_ms: float) -> Work:
    """In a worker: the lags of each device and slice in some rows, as 64-bit numbers one behind the other."""

    def sliced(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa

        parts = [part for part in map(timed, batches) if part.num_rows]
        if not parts:
            return
        rows = pa.Table.from_batches(parts)
        keys, codes = coded(rows["key"])
        arrival = rows["arrival_ms"].to_numpy()
        places = ((arrival - from_ms) / width_ms).astype(np.int64)
        width = int(places.max()) + 1
        groups = codes * width + places
        first = np.full(len(keys) * width, np.iinfo(np.int64).max)
        np.minimum.at(first, groups, arrival)
        ordered, lags = in_order(groups, arrival - rows["event_ms"].to_numpy())
        begins = np.union1d(begins_of(ordered), np.arange(0, len(lags), MOST_IN_ROW))
        found = ordered[begins]
        bounds = (np.append(begins, len(lags)) * OCTETS).astype(np.int32)
        yield pa.RecordBatch.from_arrays(
            [
                pa.array([keys[code] for code in (found // width).tolist()], pa.string()),
                pa.array(found % width),
                pa.array(first[found]),
                pa.Array.from_buffers(
                    pa.binary(), len(found), [None, pa.py_buffer(bounds), pa.py_buffer(np.ascontiguousarray(lags))]
                ),
            ],
            names=["key", "slice", "first_ms", "lags"],
        )

    return sliced


def _measured(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the row of each device, from all lags of its slices."""
    import numpy as np
    import pyarrow as pa

    parts = [batch for batch in batches if batch.num_rows]
    if not parts:
        return
    rows = pa.Table.from_batches(parts)
    keys, codes = coded(rows["key"])
    places = rows["slice"].to_numpy()
    width = int(places.max()) + 1
    groups = codes * width + places
    lengths = np.concatenate([_lengths(chunk) for chunk in rows["lags"].chunks])
    lags = np.concatenate([_lags(chunk) for chunk in rows["lags"].chunks])
    first = np.full(len(keys) * width, np.iinfo(np.int64).max)
    np.minimum.at(first, groups, rows["first_ms"].to_numpy())

    ordered, lags = in_order(np.repeat(groups, lengths), lags)
    begins = begins_of(ordered)
    counts = np.diff(begins, append=len(lags))
    slices = ordered[begins]
    low, middle, high = (lags[begins + _nth(counts, share)] for share in (0.1, 0.5, 0.9))
    enough = counts >= FEWEST_IN_SLICE

    devices = slices // width
    of_device = begins_of(devices)
    known = np.logical_or.reduceat(enough, of_device)
    most, least = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    fast_from = np.minimum.reduceat(np.where(enough & (middle < 0), first[slices], most), of_device)
    lowest = np.minimum.reduceat(np.where(enough, middle, most), of_device)
    highest = np.maximum.reduceat(np.where(enough, middle, least), of_device)
    columns = {
        "key": pa.array([keys[code] for code in devices[of_device].tolist()], pa.string()),
        "events": pa.array(np.add.reduceat(counts, of_device)),
        "lowest_ms": pa.array(lowest.astype(np.float64), mask=~known),
        "highest_ms": pa.array(highest.astype(np.float64), mask=~known),
        "scatter_ms": pa.array(_medians(devices, of_device, high - low).astype(np.float64)),
        "fast_from_ms": pa.array(fast_from, mask=fast_from == most),
        "typical_ms": pa.array(_medians(devices, of_device, middle).astype(np.float64)),
        "first_lag_ms": pa.array(np.minimum.reduceat(lags[begins], of_device)),
        "latest_lag_ms": pa.array(np.maximum.reduceat(lags[begins + counts - 1], of_device)),
    }
    yield pa.RecordBatch.from_pydict(columns)


def _lengths(chunk: pa.BinaryArray) -> Numbers:
    """How many lags each slice has."""
    import pyarrow.compute as pc

    lengths: Numbers = pc.binary_length(chunk).to_numpy(zero_copy_only=False).astype("int64") // OCTETS
    return lengths


def _lags(chunk: pa.BinaryArray) -> Numbers:
    """The lags of all slices, one behind the other."""
    import numpy as np

    _, ends, octets = chunk.buffers()
    bounds = np.frombuffer(ends, np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    return np.frombuffer(octets, np.int64)[bounds[0] // OCTETS : bounds[-1] // OCTETS]


def _nth(counts: Numbers, share: float) -> Numbers:
    """Which of so many ordered values a quantile is, from 0."""
    import numpy as np

    places: Numbers = np.ceil(share * counts).astype(np.int64) - 1
    return places


def _medians(ordered_groups: Numbers, begins: Numbers, values: Numbers) -> Numbers:
    """The median of each group's values."""
    import numpy as np

    _, ordered = in_order(ordered_groups, values)
    medians: Numbers = ordered[begins + _nth(np.diff(begins, append=len(values)), 0.5)]
    return medians
