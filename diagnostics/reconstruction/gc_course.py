"""The course of garbage collection in each JVM: its pauses, what the heap held before and after, what was allocated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as sf

from diagnostics.reconstruction.gc_timeline import FULL_KINDS, timelines
from diagnostics.reconstruction.series import metric_series

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_SLOTS = 400
"""Slots of time of one process; of each its longest pause, and its longest full collection, are kept."""
MOST_FILES = 200
MOST_CAUSES = 12
"""Causes of one process that are told, those that took most time. Our choice: HotSpot has some thirty."""


def collections_of(evidence: Evidence) -> list[dict[str, Any]]:
    """The collections of each GC log, the process that stood still longest first; nothing without such a log.

    Reads   gc_pause (one GC log file is one JVM).
    Gives   {file_id, process, collector, pauses, pause_ms, full, collections, allocation, causes, heap} as the chart of
            garbage collection tells them; of each slot of time the longest pause, and the longest full one.
    """
    if not evidence.has("gc_pause"):
        return []
    dated = evidence["gc_pause"].where("ts_ms IS NOT NULL AND kind <> 'concurrent' AND pause_ms IS NOT NULL")
    span = dated.agg(sf.min("ts_ms").alias("from_ms"), sf.max("ts_ms").alias("to_ms"))
    slot_ms = f"GREATEST((to_ms - from_ms) / {MOST_SLOTS}, 1)"
    full = ", ".join(f"'{kind}'" for kind in FULL_KINDS)
    chosen = (
        dated.crossJoin(sf.broadcast(span))
        .selectExpr(
            "file_id",
            f"CAST((ts_ms - from_ms) / {slot_ms} AS INT) AS slot",
            f"kind IN ({full}) AS full",
            "pause_ms",
            "STRUCT(pause_ms, ts_ms, kind, cause, collector, before_bytes, after_bytes, total_bytes) AS collection",
        )
        .groupBy("file_id", "slot", "full")
        .agg({"collection": "max", "pause_ms": "sum", "slot": "count"})
        .selectExpr(
            "file_id", "full", "`max(collection)` AS longest", "`sum(pause_ms)` AS sum_ms", "`count(slot)` AS count"
        )
        .limit(MOST_FILES * MOST_SLOTS)
    )
    by_file: dict[int, list[dict[str, Any]]] = {}
    for row in chosen.collect():
        by_file.setdefault(row.file_id, []).append(row.asDict(recursive=True))
    causes = _causes(dated)
    allocation = _allocation(dated, span, slot_ms)
    names = {each.file_id: each.process for each in timelines(evidence)}
    processes = [
        _process(file_id, names.get(file_id), rows)
        | {"allocation": allocation.get(file_id, []), "causes": causes.get(file_id, [])}
        for file_id, rows in sorted(by_file.items())
    ]
    return sorted(processes, key=lambda each: (-each["pause_ms"], each["file_id"]))


def _causes(dated: DataFrame) -> Mapping[int, list[list[Any]]]:
    """File -> [cause, count, pause_ms, longest_ms], what took most time first."""
    grouped = dated.selectExpr("file_id", "COALESCE(cause, kind) AS cause", "pause_ms").groupBy("file_id", "cause")
    counted = grouped.agg({"pause_ms": "sum", "cause": "count"}).selectExpr(
        "file_id", "cause", "`count(cause)` AS count", "`sum(pause_ms)` AS pause_ms"
    )
    longest = grouped.agg({"pause_ms": "max"}).withColumnRenamed("max(pause_ms)", "longest_ms")
    found: dict[int, list[list[Any]]] = {}
    for row in counted.join(longest, ["file_id", "cause"]).limit(MOST_FILES * MOST_CAUSES).collect():
        told = [row["cause"], row["count"], round(row["pause_ms"], 1), round(row["longest_ms"], 1)]
        found.setdefault(row["file_id"], []).append(told)
    return {
        file_id: sorted(rows, key=lambda each: (-each[2], each[0]))[:MOST_CAUSES] for file_id, rows in found.items()
    }


def _allocation(dated: DataFrame, span: DataFrame, slot_ms: str) -> Mapping[int, list[list[Any]]]:
    """File -> [epoch ms, bytes a second], one for each slot of time with two collections that tell their sizes."""
    before = "OVER (PARTITION BY file_id ORDER BY ts_ms, gc_id)"
    steps = (
        dated.where("before_bytes IS NOT NULL AND after_bytes IS NOT NULL")
        .selectExpr(
            "file_id",
            "ts_ms",
            f"before_bytes - LAG(after_bytes) {before} AS allocated",
            f"ts_ms - LAG(ts_ms) {before} AS gap_ms",
        )
        .where("allocated >= 0 AND gap_ms > 0")
        .crossJoin(sf.broadcast(span))
        .selectExpr("file_id", f"CAST((ts_ms - from_ms) / {slot_ms} AS INT) AS slot", "ts_ms", "allocated", "gap_ms")
    )
    slots = steps.groupBy("file_id", "slot").agg(
        sf.max("ts_ms").alias("ts_ms"), sf.sum("allocated").alias("allocated"), sf.sum("gap_ms").alias("gap_ms")
    )
    found: dict[int, list[list[Any]]] = {}
    for row in slots.orderBy("file_id", "slot").limit(MOST_FILES * MOST_SLOTS).collect():
        rate = round(row["allocated"] * 1000 / row["gap_ms"])
        found.setdefault(row["file_id"], []).append([row["ts_ms"], rate])
    return found


def _process(file_id: int, name: str | None, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    longest = sorted((row["longest"] for row in rows), key=lambda each: (each["ts_ms"], each["pause_ms"]))
    columns = ("ts_ms", "kind", "pause_ms", "before_bytes", "after_bytes", "total_bytes", "cause")
    return {
        "file_id": file_id,
        "process": name,
        "collector": next((each["collector"] for each in longest if each["collector"]), None),
        "pauses": sum(row["count"] for row in rows),
        "pause_ms": round(sum(row["sum_ms"] for row in rows), 1),
        "full": sum(row["count"] for row in rows if row["full"]),
        "collections": [[each[column] for column in columns] for each in longest],
        "heap": [],
    }


def heap_of(evidence: Evidence) -> list[dict[str, Any]]:
    """The used heap of each process as the metrics tell it, the largest first.

    Reads   metric_sample (Status.JVM.Memory.Heap.Used and .Max).
    """
    series = metric_series(evidence)
    limits = {each.task_manager: each.known for each in series.of("Status.JVM.Memory.Heap.Max")}
    processes = []
    for each in series.of("Status.JVM.Memory.Heap.Used"):
        limit = limits.get(each.task_manager) or ()
        most = limit[-1].value if limit else None
        heap = [[point.ts_ms, point.value, most] for point in each.points if point.ts_ms is not None]
        if heap:
            processes.append(
                {
                    "file_id": None,
                    "process": each.task_manager or "jobmanager",
                    "collector": None,
                    "pauses": None,
                    "pause_ms": None,
                    "full": None,
                    "collections": [],
                    "heap": heap,
                }
            )
    return sorted(processes, key=lambda each: (-max(row[1] or 0 for row in each["heap"]), str(each["process"])))
