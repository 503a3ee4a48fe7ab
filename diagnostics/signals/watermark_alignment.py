"""Watermark alignment: how far subtasks of a source drifted apart, and how long splits and subtasks are paused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from diagnostics.aggregators import watermark_alignment
from diagnostics.aggregators.watermark_alignment import DRIFT, PAUSED
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.citation import Citation
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.wording.cited_text import sample_text


@dataclass(frozen=True, slots=True)
class _Gauge:
    """A gauge of one subtask or split: the median of its readings, and the first sample of its highest value."""

    usual: float
    highest: Any


def measure(evidence: Evidence) -> Measured:
    """The drift of each source's subtasks and how long their splits are paused.

    Reads   metric_sample (`watermarkAlignmentDrift` since Flink 1.15, paused time of splits since 2.1).
    Gives   one signal for each source whose watermarks are aligned.
    Units   milliseconds; ratios of time 0 to 1.
    Empty   NotMeasured without such metrics: a source without alignment reports none that grows.
    """
    by_vertex: dict[VertexKey, dict[str, list[_Gauge]]] = defaultdict(lambda: defaultdict(list))
    for each in _gauges(evidence):
        row = each.highest
        by_vertex[row.job_id, row.vertex_id or normalised(row.vertex)][row.metric].append(each)
    if not by_vertex:
        yield NotMeasured("watermark_alignment", "metric-scrapes", "no metric shows aligned watermarks")
        return
    cluster = cluster_of(evidence)
    for vertex in sorted(by_vertex, key=repr):
        rows_by_metric = by_vertex[vertex]
        names = [each.highest.vertex for rows in rows_by_metric.values() for each in rows if each.highest.vertex]
        graph = job_graph(cluster, vertex[0], {vertex[1]: names[0]} if names else None)
        shown = [max(rows, key=lambda row: row.usual) for rows in rows_by_metric.values()]
        yield Signal(
            "watermark_alignment",
            Subject(job=vertex[0], vertex=graph.name(vertex[1]), vertex_id=vertex[1]),
            _facts(rows_by_metric),
            tuple(_cite(each.highest) for each in shown),
            citation_count=sum(len(rows) for rows in rows_by_metric.values()),
        )


def _gauges(evidence: Evidence) -> Sequence[_Gauge]:
    """Gauges of all subtasks and splits."""
    readings: dict[tuple[Any, ...], list[Any]] = defaultdict(list)
    for row in named_rows(evidence.answer(watermark_alignment.AGGREGATOR)):
        readings[tuple(getattr(row, name) for name in watermark_alignment.SERIES)].append(row)
    return [
        _Gauge(median(row.value for row in readings[key]), max(readings[key], key=lambda row: row.value))
        for key in sorted(readings, key=lambda key: [(name is not None, name) for name in key])
    ]


def _facts(told: Mapping[str, Sequence[_Gauge]]) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {}
    if drifts := [row.usual for row in told.get(DRIFT, ())]:
        slowest = min(told[DRIFT], key=lambda row: row.usual)
        facts |= {"drift_max_ms": max(drifts), "drift_min_ms": min(drifts), "slowest_subtask": slowest.highest.subtask}
    if paused := [row.usual / 1000 for row in told.get(PAUSED, ())]:
        facts |= {
            "splits": len(paused),
            "paused_splits": sum(share > 0 for share in paused),
            "paused_ratio": max(paused),
            "paused_min_ratio": min(paused),
        }
    return known_facts(facts)


def _cite(row: Any) -> Citation:
    text = sample_text(row.metric, row.subtask, row.operator or row.vertex, f"{row.value:.15g}")
    return Citation.of(row, "metric", text, name=row.metric, value=row.value)


FACTS = {
    "drift_max_ms": "usual drift of the subtask that is furthest ahead of its group",
    "drift_min_ms": "usual drift of the slowest subtask",
    "slowest_subtask": "that subtask",
    "splits": "splits whose paused time is known",
    "paused_splits": "how many of them are usually paused for some time",
    "paused_ratio": "usual part of the time in which the most paused split is paused",
    "paused_min_ratio": "median part of the time in which the least paused split is paused; the others wait for it",
}

SIGNALS = (SignalDefinition("watermark_alignment", "vertex", FACTS, measure),)
