"""The pauses of each JVM: each by itself while they are few, else those of a short while together.

A GC log of a small case has a hundred lines, and Spark plans for longer than it adds them up: so Spark filters, and
the sums are made here. Of very many pauses its workers hand on those of one while, kind and cause as one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from diagnostics.evidence import TABLES, Evidence, Work, read_once
from diagnostics.table import SPARK_TYPES

if TYPE_CHECKING:
    import numpy.typing as npt
    import pyarrow as pa

FEW_PAUSES = 50_000
"""Pauses up to which each is told by itself. Our choice: 5 MB."""

SLICE_MS = 5_000
"""Pauses are added up over slices of this length, longer ones for logs of many hours. Our choice."""
MOST_SLICES = 4_000
MOST_SLOTS = 400
"""Slots that a chart cuts the time of all logs in. Our choice."""

FULL_KINDS = ("full", "degenerated", "stall")
COUNTED_KINDS = ("young", "mixed", "full")
"""What the collector beans count, which Flink's metrics show. Source: JDK, GarbageCollectorMXBean of each collector."""

STANDING = "pause_ms IS NOT NULL AND kind <> 'concurrent' AND (ts_ms IS NOT NULL OR uptime_ms IS NOT NULL)"
"""Which collections stop the JVM, at a known time."""
AT_MS = "coalesce(CAST(ts_ms AS DOUBLE), uptime_ms)"
"""When: epoch ms, or ms since the JVM's start where its log has no clock."""

COLUMNS = [each for each in TABLES["gc_pause"].columns if each.name not in ("line", "last_line", "pointer")]
READ = [each.name for each in COLUMNS]
MEASURED_DDL = (
    "slice_ms DOUBLE, slot BIGINT, is_full BOOLEAN, pauses BIGINT, counted BIGINT, sum_ms DOUBLE, started_ms DOUBLE, "
    "allocated_bytes DOUBLE, gap_ms BIGINT, step_ms BIGINT"
)
DDL = ", ".join([*(f"{each.name} {SPARK_TYPES[each.type]}" for each in COLUMNS), MEASURED_DDL])

TOGETHER = {
    "pauses": "sum",
    "counted": "sum",
    "sum_ms": "sum",
    "started_ms": "min",
    "allocated_bytes": "sum",
    "gap_ms": "sum",
    "step_ms": "max",
    "collector": "max",
}
"""What is told of all pauses that are told as one; the rest is of the longest."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How the time of all GC logs is cut: in slices from 0, and in slots from the first moment by a clock."""

    slice_ms: int
    from_ms: int
    slot_ms: float

    @classmethod
    def of(cls, first_at_ms: float, last_at_ms: float, from_ms: int | None, to_ms: int | None) -> Cut:
        """The slices and slots between the first and the last moment, and between those by a clock if there are any."""
        slice_ms = max(SLICE_MS, int((last_at_ms - first_at_ms) / MOST_SLICES))
        return cls(slice_ms, from_ms or 0, max(((to_ms or 0) - (from_ms or 0)) / MOST_SLOTS, 1.0))


@read_once
def gc_pauses(evidence: Evidence) -> pa.Table | None:
    """The pauses of all GC logs, None without any. One Spark job, two where there are more than FEW_PAUSES.

    Reads   gc_pause: those that stop the JVM and have a time (one GC log file is one JVM).
    Gives   COLUMNS, and
            slice_ms         where its slice of time begins, in the log's own time
            slot             its slot by the clock, unknown without one
            is_full          whether it is a full collection
            pauses, counted  1, and whether the collector's bean counts it
            sum_ms           its length
            started_ms       when the JVM started, epoch ms
            allocated_bytes, gap_ms, step_ms  by how much the heap had grown since the collection before, how long after
                             its end, and when; unknown where it shrank, or no size is told
    Many are the longest of each slice, slot, kind and cause, with TOGETHER of all those. Of two that no worker holds
    together, since they stand millions apart or in different ranges of a large file, no growth is told.
    """
    if not evidence.has("gc_pause"):
        return None
    standing = evidence["gc_pause"].where(STANDING)
    if evidence.rows["gc_pause"] <= FEW_PAUSES:
        pauses = standing.select(*READ).toArrow()
        return _measured(pauses, _cut(pauses)) if pauses.num_rows else None
    (span,) = standing.selectExpr(f"min({AT_MS})", f"max({AT_MS})", "min(ts_ms)", "max(ts_ms)").collect()
    if span[0] is None:
        return None
    return evidence.worked("gc_pause", READ, _brought_together(Cut.of(*span)), DDL).toArrow()


def together(pauses: pa.Table, *keys: str) -> pa.Table:
    """The pauses with the same keys as one: the longest of them, with TOGETHER of all."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    order = pc.sort_indices(pauses, [(name, "ascending", "at_start") for name in ("pause_ms", "ts_ms")])
    rank = np.empty(pauses.num_rows, np.int64)
    rank[order.to_numpy()] = np.arange(pauses.num_rows)
    groups = pauses.append_column("rank", pa.array(rank)).group_by(list(keys), use_threads=False)
    found = groups.aggregate([("rank", "max"), *TOGETHER.items()])
    longest = pauses.take(order.take(found["rank_max"]))
    for name, how in TOGETHER.items():
        longest = longest.set_column(longest.column_names.index(name), name, found[f"{name}_{how}"])
    return longest


def _brought_together(cut: Cut) -> Work:
    """In a worker: the pauses of each slice, slot, kind and cause as one."""

    def brought_together(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa
        import pyarrow.compute as pc

        schema = TABLES["gc_pause"].arrow_schema()
        plain = pa.schema([schema.field(name) for name in READ])
        rows = pa.Table.from_batches([part.select(READ).cast(plain) for part in batches], plain)
        stops = pc.and_(pc.is_valid(rows["pause_ms"]), pc.not_equal(rows["kind"], "concurrent"))
        timed = pc.or_(pc.is_valid(rows["ts_ms"]), pc.is_valid(rows["uptime_ms"]))
        standing = rows.filter(pc.and_(stops, timed))
        if standing.num_rows:
            pauses = together(_measured(standing, cut), "file_id", "slice_ms", "slot", "kind", "cause")
            yield from pauses.to_batches()

    return brought_together


def _at_ms(pauses: pa.Table) -> pa.ChunkedArray:
    """When, as AT_MS says it."""
    import pyarrow.compute as pc

    return pc.coalesce(pc.cast(pauses["ts_ms"], "float64"), pauses["uptime_ms"])


def _cut(pauses: pa.Table) -> Cut:
    import pyarrow.compute as pc

    at, by_clock = pc.min_max(_at_ms(pauses)), pc.min_max(pauses["ts_ms"])
    return Cut.of(at["min"].as_py(), at["max"].as_py(), by_clock["min"].as_py(), by_clock["max"].as_py())


def _measured(pauses: pa.Table, cut: Cut) -> pa.Table:
    """The pauses with the columns of MEASURED_DDL."""
    import pyarrow as pa
    import pyarrow.compute as pc

    at_ms = _at_ms(pauses)
    by_clock = pc.cast(pauses["ts_ms"], "float64")
    width = float(cut.slice_ms)
    found = {
        "slice_ms": pc.multiply(pc.floor(pc.divide(at_ms, width)), width),
        "slot": pc.cast(pc.divide(pc.subtract(by_clock, float(cut.from_ms)), cut.slot_ms), "int64", safe=False),
        "is_full": pc.is_in(pauses["kind"], pa.array(FULL_KINDS)),
        "pauses": pa.repeat(1, pauses.num_rows),
        "counted": pc.cast(pc.is_in(pauses["kind"], pa.array(COUNTED_KINDS)), "int64"),
        "sum_ms": pauses["pause_ms"],
        "started_ms": pc.subtract(by_clock, pauses["uptime_ms"]),
        **_steps(pauses),
    }
    return pa.table({**{name: pauses[name] for name in READ}, **found})


def _steps(pauses: pa.Table) -> dict[str, pa.Array]:
    """What was allocated before each pause since the one before of the same log, in how long, and until when."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    sized = pc.and_(pc.is_valid(pauses["before_bytes"]), pc.is_valid(pauses["after_bytes"]))
    places = np.flatnonzero(pc.and_(sized, pc.is_valid(pauses["ts_ms"])).to_numpy())
    rows = pauses.take(places)
    order = pc.sort_indices(
        rows, [(name, "ascending", "at_start") for name in ("file_id", "ts_ms", "gc_id")]
    ).to_numpy()
    files, times, before, after = (
        rows[name].to_numpy()[order] for name in ("file_id", "ts_ms", "before_bytes", "after_bytes")
    )
    gaps, grown = np.diff(times), before[1:] - after[:-1]
    known = (np.diff(files) == 0) & (gaps > 0) & (grown >= 0)
    told = places[order[1:][known]]
    unknown = np.ones(pauses.num_rows, bool)
    unknown[told] = False

    def of_pauses(values: npt.NDArray[Any]) -> pa.Array:
        whole = np.zeros(pauses.num_rows, values.dtype)
        whole[told] = values[known]
        return pa.array(whole, mask=unknown)

    return {"allocated_bytes": of_pauses(grown), "gap_ms": of_pauses(gaps), "step_ms": of_pauses(times[1:])}
