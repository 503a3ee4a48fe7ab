"""Checkpoints that subtasks skipped, because the barrier of the next one came before they were complete there."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import Any

from diagnostics.aggregators import overtaken_checkpoints
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject, only_one
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

SKIPPED = re.compile(r"before completing current checkpoint (\d{1,18})\. Skipping")
MOST_LISTED = 12
"""How many checkpoints and subtasks a list holds. Our choice: keeps a sentence readable."""


def measure(evidence: Evidence) -> Measured:
    """The checkpoints of each job that its subtasks skipped.

    Reads   log_record.
    Gives   one signal per job with such records.
    Empty   NotMeasured without logs.
    """
    if not evidence.has_logs():
        yield NotMeasured("overtaken_checkpoints", "taskmanager-log", "no log was given")
        return
    by_job: dict[str | None, list[Any]] = defaultdict(list)
    only = only_one(cluster_of(evidence).job_names)
    for row in named_rows(evidence.answer(overtaken_checkpoints.AGGREGATOR)):
        by_job[row.job_id or only].append(row)
    for job in sorted(by_job, key=repr):
        yield _signal(job, by_job[job])


def _signal(job: str | None, rows: list[Any]) -> Signal:
    numbers = sorted({int(hit[1]) for row in rows if (hit := SKIPPED.search(row.message or ""))})
    places = Counter(row.vertex for row in rows if row.vertex)
    vertex = places.most_common(1)[0][0] if places else None
    subtasks = sorted({row.subtask for row in rows if row.vertex == vertex and row.subtask is not None})
    stamps = [row.ts_ms for row in rows if row.ts_ms is not None]
    facts = {
        "skipped": len(numbers),
        "ids": numbers[-MOST_LISTED:],
        "vertex": vertex,
        "subtasks": subtasks[:MOST_LISTED] or None,
        "first_ms": min(stamps, default=None),
        "last_ms": max(stamps, default=None),
    }
    return Signal(
        "overtaken_checkpoints",
        Subject(job=job),
        known_facts(facts),
        tuple(Citation.of(row, "log", (row.message or "")[:300]) for row in rows[:8]),
        citation_count=len(rows),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


FACTS = {
    "skipped": "checkpoints that subtasks skipped, since the barrier of the next one came before they were complete",
    "ids": "which, the last ones",
    "vertex": "task that skipped most of them",
    "subtasks": "subtasks that skipped checkpoints",
    "first_ms": "when the first was skipped, epoch ms",
    "last_ms": "when the last was skipped, epoch ms",
}

SIGNALS = (SignalDefinition("overtaken_checkpoints", "job", FACTS, measure),)
