"""Garbage collection of each JVM as charts draw it: pauses, heap before and after, causes, allocation rate."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from diagnostics.reconstruction.gc.pauses import combined, gc_pauses
from diagnostics.reconstruction.gc.timeline import Timeline, timelines
from diagnostics.reconstruction.metrics.metric_series import metric_series

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.evidence import Evidence

MOST_CAUSES = 12
"""Causes of one process that are listed, those that took most time. Our choice: HotSpot has some thirty."""
SHORTEST_MS = 1_000
LEAST_BYTES = 16 * 1024**2
"""Time between collections, or growth of the heap, from which a rate is stated. Our choice: logs round both sizes of a
growth to 1 MiB, so that 3 MiB within 28 ms between two pauses would read 107 MiB/s."""


def collections_of(evidence: Evidence) -> list[dict[str, Any]]:
    """The collections of each GC log, the process with the longest pauses in total first; empty without GC logs.

    Reads   gc_pause (one GC log file is one JVM).
    Gives   {file_id, file, process, role, collector, pauses, pause_ms, full, collections, allocation, causes, heap}:
            the points of the chart of garbage collection; `collections` has the longest pause and the longest full one
            of each slot.
    """
    pauses = gc_pauses(evidence)
    if pauses is None:
        return []
    dated = pauses.filter(pauses["slot"].is_valid())
    by_file: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in combined(dated, "file_id", "slot", "is_full").to_pylist():
        by_file[row["file_id"]].append(row)
    allocation, causes = _allocation(dated), _causes(dated)
    named = {each.file_id: each for each in timelines(evidence)}
    processes = [
        _process(file_id, named.get(file_id), rows)
        | {"file": evidence.file_name(file_id)}
        | {"allocation": allocation.get(file_id, []), "causes": causes.get(file_id, [])}
        for file_id, rows in sorted(by_file.items())
    ]
    return sorted(processes, key=lambda each: (-each["pause_ms"], each["file_id"]))


def _causes(dated: pa.Table) -> Mapping[int, list[list[Any]]]:
    """File -> [cause, count, pause_ms, longest_ms], the cause that took most time first."""
    import pyarrow.compute as pc

    named = dated.append_column("named", pc.coalesce(dated["cause"], dated["kind"]))
    found: dict[int, list[list[Any]]] = defaultdict(list)
    for row in combined(named, "file_id", "named").to_pylist():
        cause = [row["named"], row["pauses"], round(row["sum_ms"], 1), round(row["pause_ms"], 1)]
        found[row["file_id"]].append(cause)
    return {
        file_id: sorted(rows, key=lambda each: (-each[2], each[0]))[:MOST_CAUSES] for file_id, rows in found.items()
    }


def _allocation(dated: pa.Table) -> Mapping[int, list[list[Any]]]:
    """File -> [epoch ms, bytes a second], one for each time slot with two collections of known heap size.

    A slot with less than SHORTEST_MS between collections and less than LEAST_BYTES of growth is counted with the next.
    """
    rates: dict[int, list[list[Any]]] = defaultdict(list)
    grown: dict[int, tuple[float, float]] = {}
    slots = combined(dated.filter(dated["step_ms"].is_valid()), "file_id", "slot").sort_by("step_ms")
    for row in slots.to_pylist():
        file_id = row["file_id"]
        size, gap_ms = grown.pop(file_id, (0.0, 0.0))
        size, gap_ms = size + row["allocated_bytes"], gap_ms + row["gap_ms"]
        if gap_ms < SHORTEST_MS and size < LEAST_BYTES:
            grown[file_id] = size, gap_ms
        else:
            rates[file_id].append([row["step_ms"], round(size * 1000 / gap_ms)])
    return rates


def _process(file_id: int, timeline: Timeline | None, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    longest = sorted(rows, key=itemgetter("ts_ms", "pause_ms"))
    columns = ("ts_ms", "kind", "pause_ms", "before_bytes", "after_bytes", "total_bytes", "cause")
    return {
        "file_id": file_id,
        "process": timeline.process if timeline and timeline.is_named else None,
        "role": timeline.role if timeline else None,
        "collector": next((each["collector"] for each in longest if each["collector"]), None),
        "pauses": sum(row["pauses"] for row in rows),
        "pause_ms": round(sum(row["sum_ms"] for row in rows), 1),
        "full": sum(row["pauses"] for row in rows if row["is_full"]),
        "collections": [[each[column] for column in columns] for each in longest],
        "heap": [],
    }


def heap_of(evidence: Evidence) -> list[dict[str, Any]]:
    """The used heap of each process from metrics, the largest first.

    Reads   metric_sample (Status.JVM.Memory.Heap.Used and .Max).
    """
    series = metric_series(evidence)
    limits = {each.task_manager: each.known for each in series.of("Status.JVM.Memory.Heap.Max")}
    processes = []
    for gauge in series.of("Status.JVM.Memory.Heap.Used"):
        limit = limits.get(gauge.task_manager) or ()
        most = limit[-1].value if limit else None
        heap = [[point.ts_ms, point.value, most] for point in gauge.points if point.ts_ms is not None]
        if heap:
            processes.append(
                {
                    "file_id": None,
                    "process": gauge.task_manager or "jobmanager",
                    "collector": None,
                    "pauses": None,
                    "pause_ms": None,
                    "full": None,
                    "collections": [],
                    "heap": heap,
                }
            )
    return sorted(processes, key=lambda each: (-max(row[1] or 0 for row in each["heap"]), str(each["process"])))
