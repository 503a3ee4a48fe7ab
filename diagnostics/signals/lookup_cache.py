"""Hit rate of a look-up cache, and the hit rate it would need."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.aggregators import lookup_cache
from diagnostics.aggregators.lookup_cache import HITS, MISSES, RATE
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.quantiles import total
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition
from diagnostics.wording.cited_text import sample_text

FEWEST_ASKED = 100.0
"""With fewer look-ups the rate is unreliable. Our choice."""


@dataclass(frozen=True, slots=True)
class _Count:
    """One metric of one subtask: its growth, highest value and last sample."""

    grown: float
    most: float
    last: Any


def measure(evidence: Evidence) -> Measured:
    """Cache hit rate of look-ups, per task that counts them.

    Reads   metric_sample (`cache.hitCount`, `cache.missCount`, `lookupCacheHitRate`).
    Gives   one signal per task whose look-up cache was used.
    Units   ratios 0 to 1; counts of look-ups.
    Empty   NotMeasured without such metrics: a task without a cache reports none.
    """
    by_vertex: dict[tuple[str | None, str], dict[str, list[_Count]]] = defaultdict(lambda: defaultdict(list))
    for each in _counts(evidence):
        row = each.last
        by_vertex[row.job_id, row.vertex_id or normalised(row.vertex)][row.metric].append(each)
    measured = 0
    cluster = cluster_of(evidence)
    for vertex in sorted(by_vertex, key=repr):
        counts_by_metric = by_vertex[vertex]
        facts = _facts(counts_by_metric)
        if not facts:
            continue
        measured += 1
        names = [each.last.vertex for counts in counts_by_metric.values() for each in counts if each.last.vertex]
        graph = job_graph(cluster, vertex[0], {vertex[1]: names[0]} if names else None)
        rows = [each.last for metric in (MISSES, HITS, RATE) for each in counts_by_metric.get(metric, ())][:4]
        subject = Subject(
            job=vertex[0], vertex=graph.name(vertex[1]), vertex_id=vertex[1] if len(vertex[1]) == 32 else None
        )
        yield Signal("lookup_cache", subject, facts, tuple(_cite(row) for row in rows), len(rows))
    if not measured:
        yield NotMeasured("lookup_cache", "vertex-metrics", "no metric shows a cache of look-ups")


def _counts(evidence: Evidence) -> Sequence[_Count]:
    """Metrics of all subtasks."""
    samples: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(lookup_cache.AGGREGATOR)):
        samples[tuple(getattr(row, name) for name in lookup_cache.SERIES)].append(row)
    found = []
    for key in sorted(samples, key=lambda key: [(name is not None, name) for name in key]):
        values = [row.value for row in samples[key]]
        last = max(samples[key], key=lambda row: (row.ts_ms is not None, row.ts_ms))
        found.append(_Count(max(values) - min(values), max(values), last))
    return found


def _facts(counts_by_metric: Mapping[str, Sequence[_Count]]) -> dict[str, FactValue]:
    """Hit rate from the counters' growth, else from their values (a single sample), else from the gauge."""
    for amount in ("grown", "most"):
        by_metric = ((getattr(each, amount) for each in counts_by_metric.get(metric, ())) for metric in (HITS, MISSES))
        hits, misses = (total(counts) or 0.0 for counts in by_metric)
        if hits + misses >= FEWEST_ASKED:
            return {"asked": round(hits + misses), "misses": round(misses), "hit_ratio": hits / (hits + misses)}
    rates = [each.last.value for each in counts_by_metric.get(RATE, ()) if 0 <= each.last.value <= 1]
    return {"hit_ratio": min(rates)} if rates else {}


def _cite(row: Any) -> Citation:
    text = sample_text(row.metric, row.subtask, row.operator or row.vertex, f"{row.value:.15g}")
    return Citation.of(row, "metric", text, name=row.metric, value=row.value)


FACTS = {
    "asked": "look-ups that asked the cache",
    "misses": "look-ups that it could not answer",
    "hit_ratio": "share of look-ups that the cache answered, all subtasks together",
}

SIGNALS = (SignalDefinition("lookup_cache", "vertex", FACTS, measure),)
