"""How many input events there are, of how many keys, and between which times they arrived."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.coded_text import coded

if TYPE_CHECKING:
    import pyarrow as pa

MOST_FREQUENT = 10
"""How many keys are told by name. Our choice."""

COUNTED_DDL = "key STRING, events BIGINT, timed BIGINT, first_ms BIGINT, last_ms BIGINT"
TOTALS_DDL = (
    "keyed BIGINT, keys BIGINT, timed BIGINT, timed_keys BIGINT, from_ms BIGINT, to_ms BIGINT, "
    "frequent ARRAY<STRING>, events ARRAY<BIGINT>"
)


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
    counted = evidence.worked("event", ("key", "event_ms", "arrival_ms"), _counted, COUNTED_DDL)
    told = evidence.together("event", counted, "key", _totalled, TOTALS_DDL).to_pylist()
    frequent = [pair for each in told for pair in zip(each["frequent"], each["events"], strict=True)]
    return EventTotals(
        **{name: sum(each[name] for each in told) for name in ("keyed", "keys", "timed", "timed_keys")},
        from_ms=min((each["from_ms"] for each in told if each["from_ms"] is not None), default=None),
        to_ms=max((each["to_ms"] for each in told if each["to_ms"] is not None), default=None),
        frequent=sorted(frequent, key=lambda pair: (-pair[1], pair[0]))[:MOST_FREQUENT],
    )


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


def _totalled(counted: pa.Table) -> pa.Table:
    """The totals of the events of some keys, in one row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    by_key = counted.group_by("key").aggregate([("events", "sum"), ("timed", "sum")])
    known = by_key.filter(by_key["key"].is_valid())
    first = [("events_sum", "descending"), ("key", "ascending")]
    frequent = known.take(pc.select_k_unstable(known, MOST_FREQUENT, first))
    return pa.table(
        {
            "keyed": [pc.sum(known["events_sum"]).as_py() or 0],
            "keys": [known.num_rows],
            "timed": [pc.sum(by_key["timed_sum"]).as_py() or 0],
            "timed_keys": [pc.sum(pc.greater(known["timed_sum"], 0)).as_py() or 0],
            "from_ms": pa.array([pc.min(counted["first_ms"]).as_py()], pa.int64()),
            "to_ms": pa.array([pc.max(counted["last_ms"]).as_py()], pa.int64()),
            "frequent": pa.array([frequent["key"].to_pylist()], pa.list_(pa.string())),
            "events": pa.array([frequent["events_sum"].to_pylist()], pa.list_(pa.int64())),
        }
    )
