"""The latency from source to sink, as Flink's latency markers measure it."""

from __future__ import annotations

from collections import defaultdict
from statistics import median
from typing import Any

from diagnostics.aggregators import latency_markers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject, only_one
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import LATENCY, cited_text


def measure(evidence: Evidence) -> Measured:
    """The 99th percentile of the slowest path of each job.

    Markers queue behind records but overtake what an operator works on or buffers, such as a window: the latency of a
    record is at least this. Source: Flink documentation, "Metrics", End-to-End latency tracking.

    Reads   metric_sample (latency markers, which `metrics.latency.interval` switches on; of the Prometheus reporter
            `latency_source_id_operator_id_operator_subtask_index_latency`).
    Gives   one signal for each job with a marker.
    Units   milliseconds.
    Empty   NotMeasured when no file has a latency marker.
    """
    by_job: dict[str | None, list[Any]] = defaultdict(list)
    only_job = only_one(cluster_of(evidence).job_names)
    for row in named_rows(evidence.answer(latency_markers.AGGREGATOR)):
        by_job[row.job_id or only_job].append(row)
    if not by_job:
        yield NotMeasured("end_to_end_latency", "metric-scrapes", "no file has Flink's latency markers")
    for job, rows in sorted(by_job.items(), key=lambda item: str(item[0])):
        values = [row.value for row in rows]
        slowest = max(rows, key=lambda row: row.value)
        cited = [_cited(row) for row in (slowest, rows[-1])]
        facts = {"p99_ms": median(values), "p99_worst_ms": max(values), "samples": len(values)}
        window = (min(row.ts_ms for row in rows), max(row.ts_ms for row in rows))
        citations = tuple(dict.fromkeys(cited))
        yield Signal("end_to_end_latency", Subject(job=job), known_facts(facts), citations, len(rows), window)


def _cited(row: Any) -> Citation:
    text = cited_text(LATENCY, value=f"{row.value:.15g}")
    return Citation.of(row, "metric", text, name="latency", value=row.value)


FACTS = {
    "p99_ms": "99th percentile of the latency from source to the slowest operator, median over time",
    "p99_worst_ms": "the highest of these percentiles",
    "samples": "times at which it was measured",
}

SIGNALS = (SignalDefinition("end_to_end_latency", "job", FACTS, measure),)
