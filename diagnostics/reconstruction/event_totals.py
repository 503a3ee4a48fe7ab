"""How many input events there are, of how many keys, and between which times they arrived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as sf

from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.coded_text import coded

if TYPE_CHECKING:
    import pyarrow as pa

MOST_FREQUENT = 10
"""How many keys are told by name. Our choice."""


@dataclass(frozen=True, slots=True)
class EventTotals:
    """The events of an analysis.

    keyed, keys            events with a key, and different keys
    timed, timed_keys      events with both times, and the different keys among them
    from_ms, to_ms         first and last arrival of an event with both times, epoch ms
    frequent               the most frequent keys with their events, the most frequent first
    """

    keyed: int = 0
    keys: int = 0
    timed: int = 0
    timed_keys: int = 0
    from_ms: int | None = None
    to_ms: int | None = None
    frequent: Sequence[tuple[str, int]] = ()


@read_once
def event_totals(evidence: Evidence) -> EventTotals:
    """The totals of an analysis. One Spark job, done once for each Evidence.

    Reads   event.
    """
    if not evidence.has("event"):
        return EventTotals()
    ddl = "key STRING, events BIGINT, timed BIGINT, first_ms BIGINT, last_ms BIGINT"
    by_key = (
        evidence.worked("event", ("key", "event_ms", "arrival_ms"), _counted, ddl)
        .groupBy("key")
        .agg(
            sf.sum("events").alias("events"),
            sf.sum("timed").alias("timed_events"),
            sf.min("first_ms").alias("first_ms"),
            sf.max("last_ms").alias("last_ms"),
        )
    )
    counted = by_key.selectExpr(
        "key",
        "events",
        "coalesce(sum(CASE WHEN key IS NOT NULL THEN events END) OVER (), 0) AS keyed",
        "count(key) OVER () AS keys",
        "sum(timed_events) OVER () AS timed",
        "count(CASE WHEN timed_events > 0 THEN key END) OVER () AS timed_keys",
        "min(first_ms) OVER () AS from_ms",
        "max(last_ms) OVER () AS to_ms",
    )
    rows = counted.orderBy(sf.expr("key IS NULL"), sf.desc("events"), "key").limit(MOST_FREQUENT).collect()
    if not rows:
        return EventTotals()
    names = ("keyed", "keys", "timed", "timed_keys", "from_ms", "to_ms")
    frequent = [(row.key, row.events) for row in rows if row.key is not None]
    return EventTotals(**{name: rows[0][name] for name in names}, frequent=frequent)


def _counted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """In a worker: the events of each key in some rows, and the first and last arrival among all of these."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = list(batches)
    if not parts:
        return
    rows = pa.Table.from_batches(parts)
    keys, codes = coded(rows["key"])
    timed = pc.and_(pc.is_valid(rows["event_ms"]), pc.is_valid(rows["arrival_ms"]))
    span = pc.min_max(rows["arrival_ms"].filter(timed))
    events = np.bincount(codes, minlength=len(keys))
    there = np.flatnonzero(events)
    yield pa.RecordBatch.from_arrays(
        [
            pa.array([keys[place] for place in there.tolist()], pa.string()),
            pa.array(events[there]),
            pa.array(np.bincount(codes[timed.to_numpy()], minlength=len(keys))[there]),
            pa.repeat(span["min"], len(there)),
            pa.repeat(span["max"], len(there)),
        ],
        names=["key", "events", "timed", "first_ms", "last_ms"],
    )
