"""The lag of each device in slices of time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.aggregators import device_lag_cells, event_keys, event_span
from diagnostics.arithmetic.row_groups import group_starts
from diagnostics.arithmetic.sorted_rows import row_order, sums
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.events.device_clocks import DeviceLag

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

FEWEST_IN_SLICE = 3
"""Events of a device in a time slice that are needed for a median. Our choice."""


@dataclass(frozen=True, slots=True)
class DeviceLags:
    """The lags of all events with event time and arrival time, in ms. A device is a key.

    events, devices  number of events and of devices
    usual_lag_ms     median of the devices' typical lags; all events without a key count as one device
    lowest_lag_ms, highest_lag_ms  of all events
    furthest         the devices furthest from the usual lag, the furthest first
    """

    events: int
    devices: int
    usual_lag_ms: float
    lowest_lag_ms: int
    highest_lag_ms: int
    furthest: Sequence[DeviceLag]


def device_lags(evidence: Evidence, from_ms: int, width_ms: float, most: int) -> DeviceLags:
    """The devices furthest from the usual lag, and the totals of all devices.

    Reads     event: rows with event time and arrival time; at least one must exist.
    from_ms   the first arrival, where the first time slice begins
    width_ms  length of a time slice
    most      largest number of devices in `furthest`; only devices with a slice of FEWEST_IN_SLICE events are listed

    The typical lag of a device is the median of the medians of its slices, its scatter the median of their p90 - p10.
    Lowest and highest median are taken from slices of FEWEST_IN_SLICE events or more. A device runs ahead from the
    first event that is half as far ahead as the lowest median, in a slice with a negative one; that may begin before.
    A quantile q is the lowest value that a share of q does not exceed. For very many events, times and lags
    are those of the cells in which the aggregator counts them.
    """
    import numpy as np

    span = evidence.answer(event_span.AGGREGATOR)
    lag_cells = evidence.answer(device_lag_cells.AGGREGATOR)
    devices = _measured(lag_cells.cells, from_ms, width_ms)
    typical = np.sort(devices["typical_ms"])
    usual = float(typical[(len(typical) - 1) // 2])
    known = np.flatnonzero((devices["device"] < len(lag_cells.devices)) & devices["is_known"])
    lowest, highest = devices["lowest_ms"][known], devices["highest_ms"][known]
    names = np.array([lag_cells.devices[device] for device in devices["device"][known].tolist()], object)
    order = np.lexsort((names, -np.maximum(usual - lowest, highest - usual)))[:most]
    return DeviceLags(
        events=span.timed,
        devices=evidence.answer(event_keys.AGGREGATOR).timed_keys,
        usual_lag_ms=usual,
        lowest_lag_ms=span.lowest_lag_ms or 0,
        highest_lag_ms=span.highest_lag_ms or 0,
        furthest=[
            DeviceLag(
                key=names[place],
                events=int(devices["events"][row]),
                lowest_ms=float(devices["lowest_ms"][row]),
                highest_ms=float(devices["highest_ms"][row]),
                scatter_ms=float(devices["scatter_ms"][row]),
                fast_from_ms=int(devices["fast_from_ms"][row]) if devices["is_fast"][row] else None,
            )
            for place, row in zip(order.tolist(), known[order].tolist(), strict=True)
        ],
    )


def _measured(cells: pa.Table, from_ms: int, width_ms: float) -> Mapping[str, Numbers]:
    """One row for each device and one for all events without a key; `is_known`: it has a slice with enough events."""
    import numpy as np

    device, arrival, lags, width, events = (
        cells[name].to_numpy() for name in ("device", "arrival_ms", "lag_ms", "width_ms", "events")
    )
    # The time slot of a cell may begin before the first arrival.
    arrival = np.maximum(arrival, from_ms)
    slices = ((arrival - from_ms) / width_ms).astype(np.int64)
    order = row_order([device, slices, lags])
    device, slices, lags, width, events, arrival = (
        each[order] for each in (device, slices, lags, width, events, arrival)
    )
    begins = group_starts(device, slices)
    counts, reached = sums(events, begins), np.cumsum(events)
    before = reached[begins] - events[begins]

    def quantile(share: float) -> Numbers:
        """A quantile of the lags of each slice; lags are taken as evenly distributed within their class."""
        wanted = before + np.ceil(share * counts).astype(np.int64)
        cell = np.searchsorted(reached, wanted)
        within = (wanted - reached[cell] - 0.5) / events[cell] + 0.5
        values: Numbers = lags[cell] + np.rint(within * width[cell]).astype(np.int64)
        return values

    low, middle, high = map(quantile, (0.1, 0.5, 0.9))
    enough = counts >= FEWEST_IN_SLICE
    is_fast = enough & (middle < 0)
    of_slices = device[begins]
    of_device = group_starts(of_slices)
    most, least = np.iinfo(np.int64).max, np.iinfo(np.int64).min
    lowest = np.minimum.reduceat(np.where(enough, middle, most), of_device)
    lowest_of_slice = np.repeat(lowest, np.diff(of_device, append=len(begins)))
    is_ahead = (lags < 0) & (lags <= np.repeat(lowest_of_slice, np.diff(begins, append=len(lags))) // 2)
    first = np.minimum.reduceat(np.where(is_ahead, arrival, most), begins)
    return {
        "device": of_slices[of_device],
        "events": sums(counts, of_device),
        "is_known": np.logical_or.reduceat(enough, of_device),
        "lowest_ms": lowest,
        "highest_ms": np.maximum.reduceat(np.where(enough, middle, least), of_device),
        "scatter_ms": _medians(of_slices, of_device, high - low),
        "typical_ms": _medians(of_slices, of_device, middle),
        "is_fast": np.logical_or.reduceat(is_fast, of_device),
        "fast_from_ms": np.minimum.reduceat(np.where(is_fast, first, most), of_device),
    }


def _medians(ordered_groups: Numbers, begins: Numbers, values: Numbers) -> Numbers:
    """The median of each group's values."""
    import numpy as np

    ordered = values[row_order([ordered_groups, values])]
    counts = np.diff(begins, append=len(values))
    medians: Numbers = ordered[begins + (counts + 1) // 2 - 1]
    return medians
