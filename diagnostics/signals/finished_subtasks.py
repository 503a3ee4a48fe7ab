"""How long the subtasks of a task took that have finished, as those of a batch job do."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

from diagnostics.aggregators import subtask_counters
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import sample_text

MOST_CITED = 4
FINISHED = "FINISHED"


def measure(evidence: Evidence) -> Measured:
    """The subtask of each task that took longest, against the others.

    Reads   subtask (REST).
    Gives   one signal for each task with two or more subtasks that have finished.
    Empty   NotMeasured without subtasks.
    """
    if not evidence.has("subtask"):
        yield NotMeasured("finished_subtasks", "job-rest", "no file shows the subtasks of a task")
        return
    newest: dict[tuple[str | None, str], dict[int, Any]] = defaultdict(dict)
    for row in named_rows(evidence.answer(subtask_counters.AGGREGATOR)):
        if row.status == FINISHED and row.duration_ms:
            newest[row.job_id, row.vertex_id].setdefault(row.subtask, row)
    cluster = cluster_of(evidence)
    for vertex in sorted(newest, key=repr):
        rows = sorted(newest[vertex].values(), key=lambda row: (-row.duration_ms, row.subtask))
        if len(rows) < 2:
            continue
        usual = median(row.duration_ms for row in rows[1:])
        read = [row.read_records or row.write_records for row in rows]
        others = [count for count in read[1:] if count]
        yield Signal(
            key="finished_subtasks",
            subject=cluster.vertex_subject(*vertex),
            facts=known_facts(
                {
                    "subtasks": len(rows),
                    "longest_ms": float(rows[0].duration_ms),
                    "usual_ms": float(usual),
                    "apart_ms": float(rows[0].duration_ms - usual),
                    "multiple": rows[0].duration_ms / usual,
                    "slowest": rows[0].subtask,
                    "records_multiple": read[0] / median(others) if read[0] and others else None,
                }
            ),
            citations=tuple(_cite(row) for row in rows[:MOST_CITED]),
            citation_count=len(rows),
        )


def _cite(row: Any) -> Citation:
    text = sample_text("duration", row.subtask, row.vertex_id, str(row.duration_ms))
    return Citation.of(row, "rest", text, name="duration", value=float(row.duration_ms))


SIGNALS = (
    SignalDefinition(
        key="finished_subtasks",
        level="vertex",
        facts={
            "subtasks": "subtasks of the task that have finished",
            "longest_ms": "time that the slowest of them took",
            "usual_ms": "median of the time that the others took",
            "apart_ms": "difference of the two",
            "multiple": "time of the slowest as a multiple of that median",
            "slowest": "index of the slowest",
            "records_multiple": "records of the slowest as a multiple of the median of the others",
        },
        measure=measure,
    ),
)
