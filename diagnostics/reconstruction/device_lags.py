"""The lag of each device in slices of time, measured in Spark's Python workers.

Quantiles of two hundred thousand small groups are what Spark is slow at: those of 20 million events took two minutes.
Here each worker sorts the events that it reads by device, slice and lag; the sorted lags of a device are brought
together; and the quantiles are read off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from diagnostics.evidence import Evidence, Work
from diagnostics.notation.coded_text import coded
from diagnostics.reconstruction.clock_offset import DeviceLag
from diagnostics.reconstruction.lag_counts import timed
from diagnostics.reconstruction.ordered_groups import begins_of, in_order

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

MOST_IN_ROW = 1_000_000
"""Lags of a slice that are handed on in one row; of more there are several. Our choice: 8 MB."""

FEWEST_IN_SLICE = 3
"""How many events of a device make a median of a time slice. Our choice."""

MOST_TYPICAL = 10_000
"""Typical lags that a task hands on, evenly chosen where it has more devices. Our choice: 80 kB."""

SLICE_DDL = "key STRING, slice BIGINT, first_ms BIGINT, lags BINARY"
DEVICE = ("key", "events", "lowest_ms", "highest_ms", "scatter_ms", "fast_from_ms")
TOLD_DDL = (
    "events BIGINT, devices BIGINT, measured BIGINT, lowest_lag_ms BIGINT, highest_lag_ms BIGINT, "
    "typical_ms ARRAY<DOUBLE>, furthest ARRAY<STRUCT<key: STRING, events: BIGINT, lowest_ms: DOUBLE, "
    "highest_ms: DOUBLE, scatter_ms: DOUBLE, fast_from_ms: BIGINT>>"
)
OCTETS = 8
"""Of a lag among the `lags` of a slice."""


@dataclass(frozen=True, slots=True)
class DeviceLags:
    """The events that have both times, by device. Lags are in ms.

    events, devices  how many there are; a device is a key
    usual_lag_ms     median over the devices, those without a key being one, of their typical lag
    lowest_lag_ms, highest_lag_ms  of all events
    furthest         devices furthest from the usual lag, these first
    """

    events: int
    devices: int
    usual_lag_ms: float
    lowest_lag_ms: int
    highest_lag_ms: int
    furthest: Sequence[DeviceLag]


def device_lags(evidence: Evidence, from_ms: int, width_ms: float, most: int) -> DeviceLags:
    """The devices furthest from the usual lag, and what is told of all. One Spark job.

    Reads     event: those with both times, of which there is one at least.
    from_ms   their first arrival, where the first slice begins
    width_ms  length of a slice
    most      how many devices are told, of those that have a slice of FEWEST_IN_SLICE events or more

    The typical lag of a device is the median over its slices of their medians, its scatter that of p90 - p10; its
    lowest and highest are of slices of so many events, as is the first whose median is below zero. A quantile is the
    lowest value that so large a part does not exceed; the usual lag may be off by one in MOST_TYPICAL devices.
    """
    slices = evidence.worked("event", ("key", "event_ms", "arrival_ms"), _sliced(from_ms, width_ms), SLICE_DDL)
    told = evidence.together("event", slices, "key", _told(most), TOLD_DDL).to_pylist()
    usual = _usual(told)
    devices = [DeviceLag(**row) for each in told for row in each["furthest"]]
    devices.sort(key=lambda each: (-max(usual - each.lowest_ms, each.highest_ms - usual), each.key))
    return DeviceLags(
        events=sum(each["events"] for each in told),
        devices=sum(each["devices"] for each in told),
        usual_lag_ms=usual,
        lowest_lag_ms=min(each["lowest_lag_ms"] for each in told),
        highest_lag_ms=max(each["highest_lag_ms"] for each in told),
        furthest=devices[:most],
    )


def _usual(told: Sequence[Mapping[str, Any]]) -> float:
    """The median of the typical lags, each of which stands for as many devices as its task left out."""
    weighted = sorted(
        (value, each["measured"] / len(each["typical_ms"])) for each in told for value in each["typical_ms"]
    )
    half = sum(weight for _, weight in weighted) / 2
    reached = accumulate(weight for _, weight in weighted)
    return float(next(value for (value, _), so_far in zip(weighted, reached, strict=True) if so_far >= half))


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


def _told(most: int) -> Callable[[pa.Table], pa.Table]:
    """What is told of some devices, in one row, from all lags of their slices.

    The distance of a device is that of its lowest lag below the usual one or of its highest above it: whatever is
    usual, the furthest are among those with the lowest and those with the highest.
    """

    def told(slices: pa.Table) -> pa.Table:
        import numpy as np
        import pyarrow as pa
        import pyarrow.compute as pc

        devices = _measured(slices)
        known = devices.filter(pc.and_(devices["key"].is_valid(), devices["lowest_ms"].is_valid()))
        ends = [
            pc.select_k_unstable(known, most, [(name, way), ("key", "ascending")])
            for name, way in (("lowest_ms", "ascending"), ("highest_ms", "descending"))
        ]
        furthest = known.take(pc.unique(pa.concat_arrays(ends))).select(DEVICE)
        typical = np.sort(devices["typical_ms"].to_numpy())
        chosen = np.linspace(0, len(typical) - 1, min(len(typical), MOST_TYPICAL)).astype(np.int64)
        return pa.table(
            {
                "events": [pc.sum(devices["events"]).as_py()],
                "devices": [pc.count(devices["key"]).as_py()],
                "measured": [devices.num_rows],
                "lowest_lag_ms": [pc.min(devices["first_lag_ms"]).as_py()],
                "highest_lag_ms": [pc.max(devices["latest_lag_ms"]).as_py()],
                "typical_ms": [typical[chosen]],
                "furthest": pa.array([furthest.to_pylist()], pa.list_(pa.struct(list(furthest.schema)))),
            }
        )

    return told


def _measured(rows: pa.Table) -> pa.Table:
    """The row of each device; one for all without a key."""
    import numpy as np
    import pyarrow as pa

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
    return pa.table(
        {
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
    )


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
