"""Collections that stop a JVM: single ones while they are few, else aggregated over short time slots."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diagnostics.aggregators.aggregator import Aggregator
from diagnostics.arithmetic.coarse_cells import few_cells, slot_starts
from diagnostics.arithmetic.row_choice import is_any, is_true, with_known
from diagnostics.arithmetic.row_groups import group_starts
from diagnostics.arithmetic.row_order import sort_rows
from diagnostics.arithmetic.sorted_rows import counted_rows, row_order
from diagnostics.arithmetic.text_codes import in_name_order
from diagnostics.evidence.tables import TABLES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

MOST_PAUSES = 50_000
"""Single pauses, or rows of aggregated ones when there are more. Our choice: 12 MB."""

SHIFTS = (*range(10, 44), 62, 62)
"""Pauses of the same file, kind, cause and slot of 2^n ms form one row from level 1 on; at the last level the cause is
ignored. Our choice.
"""

FULL_KINDS = ("full", "degenerated", "stall")
COUNTED_KINDS = ("young", "mixed", "full")
"""Kinds that the collector beans count, as Flink's metrics show. Source: JDK, GarbageCollectorMXBean of each
collector.
"""

READ = tuple(each.name for each in TABLES["gc_pause"].own_columns)

LARGEST = 2**63 - 1


def standing(pauses: pa.Table) -> pa.Table:
    """Pauses that stop the JVM, with a known time and duration."""
    import pyarrow.compute as pc

    long = with_known(pauses, ("pause_ms",))
    stops = is_true(pc.not_equal(long["kind"], "concurrent"))
    return long.filter(pc.and_(stops, pc.or_(pc.is_valid(long["ts_ms"]), pc.is_valid(long["uptime_ms"]))))


def at_ms(pauses: pa.Table) -> pa.ChunkedArray:
    """Epoch ms, or ms since the JVM's start when its log has no clock."""
    import pyarrow.compute as pc

    return pc.coalesce(pc.cast(pauses["ts_ms"], "float64"), pauses["uptime_ms"])


def _reduce(rows: pa.Table) -> pa.Table:
    """One row per pause, with the columns that aggregation merges."""
    import pyarrow as pa
    import pyarrow.compute as pc

    pauses = standing(rows).select([*READ, "file_id", "line"])
    sized = pc.and_(pc.is_valid(pauses["before_bytes"]), pc.is_valid(pauses["after_bytes"]))
    sized = pc.and_(sized, pc.is_valid(pauses["ts_ms"]))

    def sized_column(name: str) -> pa.ChunkedArray:
        return pc.if_else(sized, pauses[name], pa.scalar(None, pauses.schema.field(name).type))

    measured = {
        "pauses": pa.repeat(1, pauses.num_rows),
        "counted": pc.cast(is_any(pauses["kind"], COUNTED_KINDS), "int64"),
        "sum_ms": pauses["pause_ms"],
        "started_ms": pc.subtract(pc.cast(pauses["ts_ms"], "float64"), pauses["uptime_ms"]),
        "before_sum": sized_column("before_bytes"),
        "after_sum": sized_column("after_bytes"),
        "first_ms": sized_column("ts_ms"),
        "first_id": sized_column("gc_id"),
        "first_before": sized_column("before_bytes"),
        "last_ms": sized_column("ts_ms"),
        "last_id": sized_column("gc_id"),
        "last_after": sized_column("after_bytes"),
        "level": pa.repeat(pa.scalar(0, pa.int8()), pauses.num_rows),
    }
    return _merge(pa.table({**{name: pauses[name] for name in pauses.column_names}, **measured}))


def _merge(states: pa.Table) -> pa.Table:
    return few_cells(states, MOST_PAUSES, len(SHIFTS), _grouped, _slots)


def _slots(pauses: pa.Table, level: int) -> int:
    """The number of slots of a level in all files, or of single pauses."""
    import numpy as np

    if not level:
        return int(pauses.num_rows)
    return len(counted_rows(_places(pauses, level), np.ones(pauses.num_rows, np.int64))[1])


def _places(pauses: pa.Table, level: int) -> list[Numbers]:
    """The file and the slot of each pause."""
    import numpy as np

    return [_filled(pauses, "file_id"), slot_starts(at_ms(pauses).to_numpy().astype(np.int64), SHIFTS[level - 1])]


def _grouped(pauses: pa.Table, level: int) -> pa.Table:
    """The pauses of each file, kind, cause and slot as one row: the longest, with sums and ends of all."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not level or not pauses.num_rows:
        return pauses
    kinds, causes = (in_name_order(pauses[name])[1] for name in ("kind", "cause"))
    files, slots = _places(pauses, level)
    keys = [files, kinds, causes * (level < len(SHIFTS)), slots]
    rank = np.empty(pauses.num_rows, np.int64)
    by_length = (_filled(pauses, "line"), _filled(pauses, "ts_ms", -1), pauses["pause_ms"].to_numpy())
    rank[np.lexsort(by_length)] = np.arange(pauses.num_rows)
    order = row_order([*keys, rank])
    begins = group_starts(*(key[order] for key in keys))
    ends = np.append(begins[1:], len(order)) - 1
    merged = pauses.take(pa.array(order[ends]))

    def put(name: str, column: pa.Array) -> None:
        nonlocal merged
        merged = merged.set_column(merged.schema.get_field_index(name), merged.schema.field(name), column)

    for name in ("pauses", "counted", "sum_ms", "before_sum", "after_sum"):
        known = pauses[name].is_valid().to_numpy()[order]
        values = pc.fill_null(pauses[name], 0).to_numpy()[order]
        put(name, pa.array(np.add.reduceat(values, begins), mask=~np.logical_or.reduceat(known, begins)))
    starts = np.minimum.reduceat(pc.fill_null(pauses["started_ms"], np.inf).to_numpy()[order], begins)
    put("started_ms", pa.array(starts, mask=np.isinf(starts)))
    names, places = in_name_order(pauses["collector"])
    # An unknown name has the index after the last one.
    last = np.maximum.reduceat(np.where(places < len(names), places, -1)[order], begins)
    put("collector", names.take(pa.array(last, mask=last < 0)))
    for end, place in (("first", begins), ("last", ends)):
        moments = _filled(pauses, f"{end}_ms", LARGEST if end == "first" else -LARGEST)
        by_time = row_order([*keys, moments, _filled(pauses, f"{end}_id", -1)])
        chosen = pauses.take(pa.array(by_time[place]))
        for name in (f"{end}_ms", f"{end}_id", "first_before" if end == "first" else "last_after"):
            put(name, chosen[name].combine_chunks())
    return merged


def _filled(pauses: pa.Table, name: str, unknown: int = LARGEST) -> Numbers:
    import pyarrow.compute as pc

    numbers: Numbers = pc.fill_null(pc.cast(pauses[name], "int64"), unknown).to_numpy()
    return numbers


def _finish(state: pa.Table) -> pa.Table:
    """The pauses in the order of the files, with `allocated_bytes`, `gap_ms` and `step_ms`."""
    rows = sort_rows(state, [(name, "ascending") for name in ("file_id", "line", "ts_ms", "gc_id", "kind", "cause")])
    for name, column in _growth(rows).items():
        rows = rows.append_column(name, column)
    kept = [*READ, "file_id", "pauses", "counted", "sum_ms", "started_ms", "allocated_bytes", "gap_ms", "step_ms"]
    return rows.select(kept)


def _growth(rows: pa.Table) -> dict[str, pa.Array]:
    """Growth of a log's heap before each row since the row before, and within the row, with its duration and end. Only
    positive growth that takes time; among rows of one slot only one has it.
    """
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    level = pc.max(rows["level"]).as_py() or 0
    places = np.flatnonzero(rows["first_ms"].is_valid().to_numpy())
    sized = rows.take(pa.array(places))
    files, first_ms, last_ms = (_filled(sized, name) for name in ("file_id", "first_ms", "last_ms"))
    sums = {name: sized[name].to_numpy() for name in ("before_sum", "after_sum", "first_before", "last_after")}
    slots = slot_starts(first_ms, SHIFTS[level - 1]) if level else first_ms
    order = row_order([files, slots, first_ms, _filled(sized, "first_id", -1)])
    begins = group_starts(files[order], slots[order]) if level else np.arange(len(order))
    ends = np.append(begins[1:], len(order)) - 1
    values: dict[str, Any] = {}
    if len(order):
        by_last = row_order([files, slots, last_ms, _filled(sized, "last_id", -1)])
        first, last = order[begins], by_last[ends]
        before, after = (np.add.reduceat(sums[name][order], begins) for name in ("before_sum", "after_sum"))
        inner = before - sums["first_before"][first] - after + sums["last_after"][last]
        inner_ms = last_ms[last] - first_ms[first]
        grown, gaps = np.zeros(len(first)), np.zeros(len(first), np.int64)
        grown[1:] = sums["first_before"][first[1:]] - sums["last_after"][last[:-1]]
        gaps[1:] = first_ms[first[1:]] - last_ms[last[:-1]]
        same = np.append(False, files[first[1:]] == files[first[:-1]])
        between = same & (gaps > 0) & (grown >= 0)
        within = (inner_ms > 0) & (inner >= 0)
        comparable = between | within
        values = {
            "allocated_bytes": (grown * between + inner * within)[comparable],
            "gap_ms": (gaps * between + inner_ms * within)[comparable],
            "step_ms": last_ms[last][comparable],
        }
        at = places[last[comparable]]
    columns = {}
    for name, kind in (("allocated_bytes", np.float64), ("gap_ms", np.int64), ("step_ms", np.int64)):
        whole, unknown = np.zeros(rows.num_rows, kind), np.ones(rows.num_rows, bool)
        if values:
            whole[at], unknown[at] = values[name], False
        columns[name] = pa.array(whole, mask=unknown)
    return columns


AGGREGATOR: Aggregator[pa.Table] = Aggregator(
    name="gc_pauses",
    table="gc_pause",
    columns=READ,
    reduce=_reduce,
    merge=_merge,
    finish=_finish,
)
