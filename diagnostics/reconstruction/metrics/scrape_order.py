"""The order of files whose samples have no time, by the counters in them: what Flink counts only grows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.arithmetic.row_groups import Numbers

GROWING = (
    *("numRecordsIn", "numRecordsOut", "numBytesIn", "numLateRecordsDropped", "uptime"),
    *("accumulateBusyTimeMs", "accumulateBackPressuredTimeMs", "Status.JVM.CPU.Time"),
    *("numRestarts", "fullRestarts", "numberOfCompletedCheckpoints", "numberOfFailedCheckpoints"),
)
"""Metrics that grow as long as their process or job lives. Source: Flink, "Metrics"."""


def file_places(samples: pa.Table, later: Mapping[int, float]) -> Numbers:
    """The place of each sample's file among all files.

    later  as `scrape_order` gives it
    """
    import numpy as np

    files, of_sample = np.unique(samples["file_id"].to_numpy(), return_inverse=True)
    ordered = sorted(range(len(files)), key=lambda each: (later.get(int(files[each]), 0.0), each))
    place_of = np.empty(len(files), np.int64)
    place_of[ordered] = np.arange(len(files))
    places: Numbers = place_of[of_sample]
    return places


def scrape_order(samples: pa.Table, series: Numbers) -> Mapping[int, float]:
    """Files without times, by id: the higher its number, the later a file was written. Without those that no counter
    sets apart from others.

    series  the number of the series of each sample

    The number is the sum of a file's places among the values of each counter; the middle one is 0. A process that was
    started anew counts from 0 again, so one counter does not suffice.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    is_counter = pc.is_in(samples["metric"].cast(pa.string()), pa.array(GROWING))
    rows = np.flatnonzero(pc.and_(pc.and_(is_counter, samples["ts_ms"].is_null()), samples["value"].is_valid()))
    counts: dict[int, dict[int, float]] = defaultdict(dict)
    files, values = (samples[name].take(pa.array(rows)).to_pylist() for name in ("file_id", "value"))
    for number, file_id, value in zip(series[rows].tolist(), files, values, strict=True):
        counts[number][file_id] = max(value, counts[number].get(file_id, value))
    later: dict[int, float] = defaultdict(float)
    for of_files in counts.values():
        place_of = {value: place for place, value in enumerate(sorted(set(of_files.values())))}
        for file_id, value in of_files.items() if len(place_of) > 1 else ():
            later[file_id] += place_of[value] - (len(place_of) - 1) / 2
    return later
