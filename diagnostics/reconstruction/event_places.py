"""Where the first and the last event of some keys stand, found in Spark's Python workers.

Apart from what is told of all events: their places are dear to carry along, and of nearly all nobody asks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from diagnostics.evidence import TABLES, Evidence, Work

if TYPE_CHECKING:
    import pyarrow as pa

PLACE = ("file_id", "line", "last_line", "pointer", "arrival_ms")
DDL = "key STRING, file_id INT, line BIGINT, last_line BIGINT, pointer STRING, arrival_ms BIGINT, lag_ms BIGINT"


@dataclass(frozen=True, slots=True)
class EventPlace:
    """Where an event stands, when it arrived (epoch ms), and how long after its event time (ms)."""

    key: str
    file_id: int
    line: int | None
    last_line: int | None
    pointer: str | None
    arrival_ms: int | None
    lag_ms: int | None


def first_and_last(
    evidence: Evidence, keys: Sequence[str], *, by_lag: bool = False
) -> Mapping[str, tuple[EventPlace, EventPlace]]:
    """Key -> its first and its last event as they stand in the files. One Spark job, none without keys.

    Reads   event.
    keys    a few, each of which has an event
    by_lag  its events with the lowest and the highest lag instead
    """
    if not keys:
        return {}
    order = ("lag_ms", *PLACE) if by_lag else PLACE
    told = evidence.worked("event", ("key", "event_ms", *PLACE), _ends(keys, order), DDL).toArrow()
    found = {}
    for key in keys:
        first, last = _ends_of(told, key, order).to_pylist()
        found[key] = EventPlace(**first), EventPlace(**last)
    return found


def _ends(keys: Sequence[str], order: Sequence[str]) -> Work:
    """In a worker: the first and the last event of each key in some rows."""

    def ends(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        schema = TABLES["event"].arrow_schema()
        plain = pa.schema([schema.field(name) for name in ("key", *PLACE)])
        for batch in batches:
            rows = batch.filter(pc.is_in(batch.column("key"), pa.array(keys)))
            lag = pc.subtract(rows.column("arrival_ms"), rows.column("event_ms"))
            events = pa.table(rows).select(plain.names).cast(plain).append_column("lag_ms", lag)
            for key in keys:
                yield from _ends_of(events, key, order).to_batches()

    return ends


def _ends_of(events: pa.Table, key: str, order: Sequence[str]) -> pa.Table:
    """The first and the last of the key's events, which may be the same; none where it has none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    own = events.filter(pc.equal(events["key"], key))
    ends = [pc.select_k_unstable(own, 1, [(name, way) for name in order]) for way in ("ascending", "descending")]
    return own.take(pa.concat_arrays(ends))
