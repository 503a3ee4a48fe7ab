"""The latency from source to sink, as Flink's latency markers measure it, and a setting that holds records back."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from statistics import median
from typing import Any

from diagnostics.aggregators import latency_markers
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject, only_one
from diagnostics.reconstruction.configuration.stated_settings import stated_options
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.held_records import longest_hold
from diagnostics.wording.cited_text import LATENCY, LATENCY_MEDIAN, cited_text


def measure(evidence: Evidence) -> Measured:
    """The 99th percentile and the median of the slowest path of each job.

    Markers queue behind records but overtake what an operator works on or buffers, such as a window: the latency of a
    record is at least this. Source: Flink documentation, "Metrics", End-to-End latency tracking.

    Reads   metric_sample (latency markers, which `metrics.latency.interval` switches on; of the Prometheus reporter
            `latency_source_id_operator_id_operator_subtask_index_latency`), config_option.
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
        highest = [row for row in rows if row.quantile == latency_markers.QUANTILE]
        shown = highest or rows
        slow = [row.value for row in highest]
        usual = [row.value for row in rows if row.quantile == latency_markers.MEDIAN]
        slowest = max(shown, key=lambda row: row.value)
        cited = [_cited(row) for row in (slowest, shown[-1])]
        facts: dict[str, FactValue] = {
            "p99_ms": median(slow) if slow else None,
            "p99_worst_ms": max(slow, default=None),
            "median_ms": median(usual) if usual else None,
            "samples": len({row.ts_ms for row in rows}),
            **_held(evidence, median(usual or slow)),
        }
        window = (min(row.ts_ms for row in rows), max(row.ts_ms for row in rows))
        citations = tuple(dict.fromkeys(cited))
        yield Signal("end_to_end_latency", Subject(job=job), known_facts(facts), citations, len(shown), window)


def _held(evidence: Evidence, latency_ms: float) -> dict[str, FactValue]:
    """The setting that lets a record wait longest, where that is longer than the latency."""
    options: Sequence[tuple[str, str]] = [(each.key, each.value or "") for each in stated_options(evidence)]
    found = longest_hold(options)
    if found is None or found[1] < latency_ms:
        return {}
    hold, held_ms = found
    return {"held_option": hold.option, "held_ms": held_ms, "held_what": hold.what, "held_act": hold.act}


def _cited(row: Any) -> Citation:
    of = LATENCY if row.quantile == latency_markers.QUANTILE else LATENCY_MEDIAN
    text = cited_text(of, value=f"{row.value:.15g}")
    return Citation.of(row, "metric", text, name="latency", value=row.value)


FACTS = {
    "p99_ms": "99th percentile of the latency from source to the slowest operator, median over time",
    "p99_worst_ms": "the highest of these percentiles",
    "median_ms": "median of the latency from source to the slowest operator, median over time",
    "held_option": "setting that lets a record wait for longer than this latency",
    "held_ms": "longest wait of a record by the setting that batches",
    "held_what": "what waits by that setting",
    "held_act": "what shortens the wait",
    "samples": "times at which it was measured",
}

SIGNALS = (SignalDefinition("end_to_end_latency", "job", FACTS, measure),)
