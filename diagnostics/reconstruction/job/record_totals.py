"""What tasks have read and written since the job runs, by the newest REST answer about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.aggregators import jobs, task_totals
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.cluster import VertexKey


@dataclass(frozen=True, slots=True)
class RecordTotals:
    """Records of one task; None where the answer does not count them.

    observed_ms  time over which they were counted; None where that is not known
    """

    read: int | None
    written: int | None
    observed_ms: int | None


@read_once
def record_totals(evidence: Evidence) -> Mapping[VertexKey, RecordTotals]:
    """The records of each task for which an answer counts some, since the job began to run."""
    started = {row["job_id"]: row["start_ms"] for row in evidence.answer(jobs.AGGREGATOR).to_pylist()}
    newest: dict[VertexKey, dict[str, int]] = {}
    at: dict[VertexKey, int] = {}
    for row in evidence.answer(task_totals.AGGREGATOR).to_pylist():
        vertex = (row["job_id"], row["vertex_id"])
        newest.setdefault(vertex, {}).setdefault(row["metric"], round(row["value"]))
        at.setdefault(vertex, row["ts_ms"] or 0)
    return {
        vertex: RecordTotals(
            counted.get("numRecordsIn"),
            counted.get("numRecordsOut"),
            at[vertex] - start if (start := started.get(vertex[0])) and at[vertex] > start else None,
        )
        for vertex, counted in newest.items()
    }
