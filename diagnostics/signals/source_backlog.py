"""Records that wait to be read by each job's sources, and their growth, from Flink's metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

FEWEST_LOOKS = 6
"""How many readings show a course. Our choice: three in each half."""
FEWEST_MS = 60_000
"""Time that the readings must cover. Our choice: shorter growth may be one fetch."""
MOST_CITED = 4


def measure(evidence: Evidence) -> Measured:
    """The source with the largest backlog of each job.

    Reads   metric_sample (pendingRecords of sources, since Flink 1.14).
    Gives   one signal for each job whose sources count the records that wait for them.
    Units   records; records per second.
    Empty   NotMeasured without metrics; a source that cannot count its backlog gives no signal.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("source_backlog", "metric-scrapes", "no metric shows how many records wait for the sources")
        return
    series = metric_series(evidence)
    found: dict[VertexKey, Sequence[Series]] = {}
    for operators in (False, True):
        found.update(series.by_vertex("pendingRecords", operators=operators))
    sources = {vertex: of_task for vertex, of_task in found.items() if any(each.known for each in of_task)}
    cluster = cluster_of(evidence)
    for job in sorted({job for job, _ in sources}, key=str):
        facts = {vertex: _facts(of_task) for vertex, of_task in sources.items() if vertex[0] == job}
        worst = max(facts, key=lambda vertex: (_size(facts[vertex]), repr(vertex)))
        task = cluster.tasks.get(worst)
        shown = [each for each in sources[worst] if each.known][:MOST_CITED]
        yield Signal(
            key="source_backlog",
            subject=Subject(job=job),
            facts=known_facts({"vertex": task.name if task else series.name_of(worst), **facts[worst]}),
            citations=tuple(each.cite(each.known[-1]) for each in shown),
            citation_count=sum(len(each.points) for each in sources[worst]),
        )


def _size(facts: Mapping[str, FactValue]) -> float:
    pending = facts.get("pending")
    return float(pending) if isinstance(pending, (int, float)) else 0.0


def _facts(of_task: Sequence[Series]) -> dict[str, FactValue]:
    """The backlog at the end; its growth compares the least backlog of the two halves, since each fetch lowers it."""
    readings = _summed_over(of_task)
    facts: dict[str, FactValue] = {"pending": round(readings[-1][1]) if readings else None, "subtasks": len(of_task)}
    half = len(readings) // 2
    if len(readings) < FEWEST_LOOKS or readings[-1][0] - readings[0][0] < FEWEST_MS:
        return facts
    before = min(readings[:half], key=lambda each: each[1])
    after = min(readings[half:], key=lambda each: each[1])
    growth = after[1] - before[1]
    facts |= {"growth": round(growth), "growth_per_s": growth / (after[0] - before[0]) * 1000}
    return facts


def _summed_over(of_task: Sequence[Series]) -> list[tuple[int, float]]:
    """Epoch ms and the sum over the subtasks, at the moments at which all of them are known."""
    at: dict[int, list[float]] = {}
    for each in of_task:
        for point in each.known:
            if point.ts_ms is not None and point.value is not None:
                at.setdefault(point.ts_ms, []).append(point.value)
    complete = [(ts_ms, sum(values)) for ts_ms, values in sorted(at.items()) if len(values) == len(of_task)]
    if complete:
        return complete
    # Subtasks on several TaskManagers are scraped at different moments: the largest backlog stands for all.
    largest = max(of_task, key=lambda each: max((point.value or 0.0 for point in each.known), default=0.0))
    return [
        (point.ts_ms, point.value) for point in largest.known if point.ts_ms is not None and point.value is not None
    ]


SIGNALS = (
    SignalDefinition(
        key="source_backlog",
        level="job",
        facts={
            "vertex": "the source for which most records wait",
            "subtasks": "subtasks of the source for which most records wait",
            "pending": "records that wait to be read at the end",
            "growth": "growth of the records that wait, from the first to the second half of the readings",
            "growth_per_s": "growth of the records that wait, per second",
        },
        measure=measure,
    ),
)
