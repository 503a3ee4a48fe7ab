"""How many events have which lag, of all devices or of each partition, counted where Spark's workers read them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from operator import itemgetter
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from diagnostics.evidence import Evidence, Work
from diagnostics.notation.coded_text import coded
from diagnostics.reconstruction.ordered_groups import begins_of, in_order

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

MOST_LAG_MINUTES = 43_200
"""The furthest class: thirty days."""
CLASSES_MS = ((60_000, 50), (3_600_000, 1_000), (2**63 - 1, 60_000))
"""Lags are counted in classes of 50 ms up to a minute, 1 s up to an hour, one minute beyond."""
MOST_CLASSES = sum(min(upto // step, MOST_LAG_MINUTES) + 1 for upto, step in CLASSES_MS)
"""Classes on either side of zero."""
OTHERS = ""
"""The kind of the devices that no set of keys names."""


def lag_classes(evidence: Evidence, keys: Mapping[str, Collection[str]]) -> Mapping[tuple[str, float], int]:
    """How many events there are of a kind of devices and a class of lag. One Spark job.

    Reads   event: those with both times. Lag is arrival minus event time.
    keys    kind -> keys of its devices; all others are of the kind OTHERS
    Gives   (kind, middle of the class in ms) -> events
    """
    columns = ("key", "event_ms", "arrival_ms")
    counted = evidence.worked("event", columns, _classed(keys), "kind STRING, lag_ms BIGINT, events BIGINT")
    found = counted.groupBy("kind", "lag_ms").agg(sf.sum("events").alias("events")).collect()
    return {(row.kind, float(row.lag_ms)): row.events for row in found}


def partition_lags(evidence: Evidence, most: int) -> Mapping[str, float]:
    """The median lag of each partition in ms, of at most so many, the first by name. One Spark job, none without any.

    Reads   event: those with both times and a partition.
    """
    if not evidence.may_have("event", "partition"):
        return {}
    columns = ("partition", "event_ms", "arrival_ms")
    counted = evidence.worked("event", columns, _by_partition, "partition STRING, lag_ms BIGINT, events BIGINT")
    found = evidence.together("event", counted, "partition", _medians(most), "partition STRING, lag_ms BIGINT")
    rows = sorted(found.to_pylist(), key=itemgetter("partition"))
    return {row["partition"]: float(row["lag_ms"]) for row in rows[:most]}


def timed(batch: pa.RecordBatch) -> pa.RecordBatch:
    """The events that have both times."""
    import pyarrow.compute as pc

    return batch.filter(pc.and_(pc.is_valid(batch.column("event_ms")), pc.is_valid(batch.column("arrival_ms"))))


def _lags(rows: pa.RecordBatch | pa.Table) -> Numbers:
    lags: Numbers = rows.column("arrival_ms").to_numpy() - rows.column("event_ms").to_numpy()
    return lags


def _classed(keys: Mapping[str, Collection[str]]) -> Work:
    """In a worker: the events of each kind and class in some rows."""
    kinds = (OTHERS, *keys)
    kind_of = {key: number for number, kind in enumerate(keys, 1) for key in keys[kind]}

    def classed(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa

        for batch in map(timed, batches):
            texts, codes = coded(batch.column("key"))
            kind = np.array([kind_of.get(text or "", 0) for text in texts])[codes]
            classes = _class_of(_lags(batch))
            for number, name in enumerate(kinds):
                events = np.bincount(classes[kind == number])
                found = np.flatnonzero(events)
                yield pa.RecordBatch.from_arrays(
                    [pa.repeat(pa.scalar(name), len(found)), pa.array(_middle_of(found)), pa.array(events[found])],
                    names=["kind", "lag_ms", "events"],
                )

    return classed


def _class_of(lags: Numbers) -> Numbers:
    """The number of each lag's class, from 0; of two that are as near the one further from zero."""
    import numpy as np

    size = np.abs(lags)
    found = np.zeros(len(lags), np.int64)
    number = 0
    below = -1
    for upto, step in CLASSES_MS:
        chosen = (size > below) & (size <= upto)
        found[chosen] = number + np.minimum(np.floor(size[chosen] / step + 0.5), MOST_LAG_MINUTES)
        number += min(upto // step, MOST_LAG_MINUTES) + 1
        below = upto
    return np.where(lags < 0, -found, found) + MOST_CLASSES


def _middle_of(classes: Numbers) -> Numbers:
    """The lags in the middle of classes, in ms."""
    import numpy as np

    place = np.abs(classes - MOST_CLASSES)
    found = np.zeros(len(classes), np.int64)
    number = 0
    for upto, step in CLASSES_MS:
        chosen = place >= number
        found[chosen] = (place[chosen] - number) * step
        number += min(upto // step, MOST_LAG_MINUTES) + 1
    return np.where(classes < MOST_CLASSES, -found, found)


def _by_partition(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the events of each partition and lag in some rows."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = [part.filter(pc.is_valid(part.column("partition"))) for part in map(timed, batches)]
    told = [part for part in parts if part.num_rows]
    if not told:
        return
    rows = pa.Table.from_batches(told)
    texts, codes = coded(rows["partition"])
    ordered, lags = in_order(codes, _lags(rows))
    begins = begins_of(ordered, lags)
    names = [texts[code] for code in ordered[begins].tolist()]
    events = np.diff(begins, append=len(lags))
    yield pa.RecordBatch.from_arrays(
        [pa.array(names, pa.string()), pa.array(lags[begins]), pa.array(events)],
        names=["partition", "lag_ms", "events"],
    )


def _medians(most: int) -> Callable[[pa.Table], pa.Table]:
    """The median lag of each partition, of the first so many."""

    def medians(counted: pa.Table) -> pa.Table:
        import numpy as np
        import pyarrow as pa

        texts, codes = coded(counted["partition"])
        lags, events = counted["lag_ms"].to_numpy(), counted["events"].to_numpy()
        order = np.lexsort((lags, codes))
        codes, lags, events = codes[order], lags[order], events[order]
        begins = begins_of(codes)
        counts, totals = np.diff(begins, append=len(codes)), np.add.reduceat(events, begins)
        reached = np.cumsum(events) - np.repeat(np.cumsum(totals) - totals, counts)
        half = np.flatnonzero(2 * reached >= np.repeat(totals, counts))
        first = half[begins_of(codes[half])]
        names = pa.array([texts[code] for code in codes[first].tolist()], pa.string())
        return pa.table({"partition": names, "lag_ms": lags[first]}).sort_by("partition")[:most]

    return medians
