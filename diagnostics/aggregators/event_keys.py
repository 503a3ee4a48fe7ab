"""Keys of the input events: number of events, and the first, earliest and latest event of each key.

Up to MOST_KEYS keys are complete. With more, a hash of their names selects a sample, the same in every worker, and the
most frequent keys are kept as well. A frequent key may lack events from parts of the files in which MOST_FREQUENT other
keys had more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from zlib import crc32

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.row_choice import with_known
from diagnostics.arithmetic.row_order import sort_rows
from diagnostics.arithmetic.sorted_rows import extreme_rows
from diagnostics.arithmetic.text_codes import coded_texts, text_codes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

MOST_KEYS = 100_000
"""Keys counted; with more, a sample of at most this many, which estimates their number within a hundredth. Our choice:
three events of each take 30 MB.
"""

MOST_FREQUENT = 20_000
"""Keys kept besides the sample, those with the most events. Our choice: a key with a thousandth of all events is among
them in every part of a file in which it has that share.
"""

HASH_BITS = 32


@dataclass(frozen=True, slots=True)
class EventKeys:
    """The keys of the events.

    keys, timed_keys  numbers of distinct keys, and of those with an event that has both times; estimated from the
    sample
                      with more than MOST_KEYS
    ends              up to three events per key: the first, and those with the lowest and the highest lag; ties by
                      (file, line, arrival); `events` of each key is in one of them
    """

    keys: int
    timed_keys: int
    ends: pa.Table

    def most_frequent(self, most: int) -> list[tuple[str, int]]:
        """The keys with the most events; ties by name."""
        import pyarrow.compute as pc

        counted = self.ends.filter(pc.greater(self.ends["events"], 0)).select(["key", "events"])
        order = [("events", "descending"), ("key", "ascending")]
        rows = counted.take(pc.select_k_unstable(counted, most, order)).to_pylist()
        return [(row["key"], row["events"]) for row in rows]

    def events_of(self, keys: Sequence[str]) -> list[dict[str, Any]]:
        """The kept events of some keys."""
        import pyarrow as pa
        import pyarrow.compute as pc

        own = self.ends.filter(pc.is_in(self.ends["key"], pa.array(list(keys), pa.string())))
        events: list[dict[str, Any]] = own.to_pylist()
        return events


def _count(events: pa.Table) -> pa.Table:
    import pyarrow as pa
    import pyarrow.compute as pc

    keyed = with_known(events, ("key",))
    one = pa.repeat(1, keyed.num_rows)
    timed = pc.and_(pc.is_valid(keyed["event_ms"]), pc.is_valid(keyed["arrival_ms"]))
    level = pa.repeat(pa.scalar(0, pa.int8()), keyed.num_rows)
    return _merge(
        keyed.append_column("events", one)
        .append_column("timed", pc.cast(timed, pa.int64()))
        .append_column("level", level)
    )


def _merge(states: pa.Table) -> pa.Table:
    """The kept events of the kept keys."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    names, codes = text_codes(states["key"])
    counts = {
        name: np.bincount(codes, states[name].to_numpy(), len(names)).astype(np.int64) for name in ("events", "timed")
    }
    level, kept = _kept(names, counts["events"], pc.max(states["level"]).as_py() or 0)
    groups = np.where(kept[codes], codes, -1)
    first, *others = _ends(states, groups, len(names))
    is_end = np.zeros(states.num_rows + 1, bool)
    is_end[np.concatenate([first, *others])] = True
    chosen = np.flatnonzero(is_end[:-1])
    top = states.take(chosen)
    top = top.set_column(top.schema.get_field_index("key"), "key", coded_texts(names, codes[chosen]))
    for name, of_key in counts.items():
        whole = np.zeros(states.num_rows, np.int64)
        whole[first[kept]] = of_key[kept]
        top = top.set_column(top.schema.get_field_index(name), name, pa.array(whole[chosen]))
    levels = pa.repeat(pa.scalar(level, pa.int8()), top.num_rows)
    return top.set_column(top.schema.get_field_index("level"), "level", levels)


def _kept(names: pa.Array, events: Numbers, level: int) -> tuple[int, npt.NDArray[np.bool_]]:
    """The level at which the sample of keys is small enough, and which keys are kept."""
    import numpy as np

    if not level and len(names) <= MOST_KEYS:
        return 0, np.ones(len(names), bool)
    hashes = _hashes(names)
    chosen = _is_in_part(hashes, level)
    while chosen.sum() > MOST_KEYS:
        level += 1
        chosen = _is_in_part(hashes, level)
    # `names` differ in each worker; among keys with equal counts the first by name is kept.
    order = np.lexsort((names.to_numpy(zero_copy_only=False), -events))
    chosen[order[:MOST_FREQUENT]] = True
    return level, chosen


def _hashes(names: pa.Array) -> Numbers:
    import numpy as np

    return np.fromiter((crc32(name.as_buffer()) for name in names), np.int64, len(names))


def _is_in_part(hashes: Numbers, level: int) -> npt.NDArray[np.bool_]:
    """Whether the key is in the sample of one in 2^level keys."""
    return hashes < (1 << HASH_BITS >> level)


def _ends(events: pa.Table, groups: Numbers, count: int) -> tuple[Numbers, Numbers, Numbers]:
    """Row indexes of each group's first event, and of those with the lowest and the highest lag."""
    import numpy as np
    import pyarrow.compute as pc

    last = np.iinfo(np.int64).max
    file_id, line, arrival, happened = (
        pc.fill_null(pc.cast(events[name], "int64"), last).to_numpy()
        for name in ("file_id", "line", "arrival_ms", "event_ms")
    )
    place = [file_id, line, arrival]
    timed = pc.and_(pc.is_valid(events["arrival_ms"]), pc.is_valid(events["event_ms"])).to_numpy()
    of_timed = np.where(timed, groups, -1)
    lag = arrival - happened
    return (
        extreme_rows(groups, count, [*place, happened]),
        extreme_rows(of_timed, count, [lag, *place]),
        extreme_rows(of_timed, count, [lag, *place], -1),
    )


def _finish(state: pa.Table) -> EventKeys:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    level = pc.max(state["level"]).as_py() or 0
    state = state.set_column(state.schema.get_field_index("key"), "key", pc.cast(state["key"], pa.string()))
    counted = state.filter(pc.greater(state["events"], 0))
    timed = pc.greater(counted["timed"], 0).to_numpy()
    part = _is_in_part(_hashes(counted["key"].combine_chunks()), level) if level else np.ones(len(timed), bool)
    columns = ("key", "file_id", "line", "arrival_ms", "event_ms")
    ends = sort_rows(state.drop_columns(["timed", "level"]), [(name, "ascending") for name in columns])
    return EventKeys(int(part.sum()) << level, int((part & timed).sum()) << level, ends)


AGGREGATOR: Aggregator[EventKeys] = Aggregator(
    name="event_keys",
    table="event",
    columns=("key", "event_ms", "arrival_ms"),
    reduce=_count,
    merge=_merge,
    finish=_finish,
)
