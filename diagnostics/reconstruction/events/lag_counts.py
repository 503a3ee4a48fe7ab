"""Number of events by lag, for all devices or for groups of devices."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from diagnostics.aggregators import device_lag_cells, lag_class_counts
from diagnostics.arithmetic.lag_class import class_middles, class_numbers
from diagnostics.evidence import Evidence

OTHERS = ""
"""The group of the devices that are in no set of keys."""


def all_lags(evidence: Evidence) -> Mapping[float, int]:
    """Middle of a class of lags in ms -> number of events.

    Reads   event: rows with event time and arrival time. Lag is arrival minus event time.
    """
    return {float(lag): events for lag, events in evidence.answer(lag_class_counts.AGGREGATOR).items()}


def lag_classes(evidence: Evidence, keys: Mapping[str, Collection[str]]) -> Mapping[tuple[str, float], int]:
    """Number of events by group of devices and class of lags.

    Reads   event: rows with event time and arrival time. For very many events, lags are those of the cells in which
            the aggregator counts them.
    keys    group -> keys of its devices; all other devices are in the group OTHERS
    Gives   (group, middle of the class in ms) -> number of events
    """
    import numpy as np

    lag_cells = evidence.answer(device_lag_cells.AGGREGATOR)
    kinds = (OTHERS, *keys)
    kind_of = {key: number for number, kind in enumerate(keys, 1) for key in keys[kind]}
    kind_by_device = np.array([*(kind_of.get(device, 0) for device in lag_cells.devices), 0])
    kind = kind_by_device[lag_cells.cells["device"].to_numpy()]
    classes = class_numbers(lag_cells.cells["lag_ms"].to_numpy())
    events = lag_cells.cells["events"].to_numpy()
    by_class: dict[tuple[str, float], int] = {}
    for number, name in enumerate(kinds):
        counts = np.bincount(classes[kind == number], events[kind == number]).astype(np.int64)
        there = np.flatnonzero(counts)
        lags = zip(class_middles(there).tolist(), counts[there].tolist(), strict=True)
        by_class |= {(name, float(lag)): count for lag, count in lags}
    return by_class
