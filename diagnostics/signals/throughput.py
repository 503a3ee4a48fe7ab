"""Records that the sources of each job emit: rate, change over time, and bursts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain

from diagnostics.arithmetic.bursts import bursts
from diagnostics.arithmetic.rate_change import rate_change
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.metrics.metric_series import Series, metric_series, since_restart
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition


def measure(evidence: Evidence) -> Measured:
    """Records that the sources of a job emit in its last attempt.

    Reads   metric_sample (numRecordsOut of tasks without input).
    Gives   one signal for each job with enough samples.
    Empty   NotMeasured without metrics over time, or when the job graph is not known.
    """
    cluster = cluster_of(evidence)
    counters = metric_series(evidence).by_vertex("numRecordsOut", operators=False)
    sources: dict[str | None, list[Series]] = defaultdict(list)
    for vertex, found in counters.items():
        if _is_source(vertex, cluster.inputs):
            sources[vertex[0]] += found
    measured = [signal for job in sorted(sources, key=repr) if (signal := _signal(job, sources[job]))]
    if not measured:
        yield NotMeasured("throughput", "metric-scrapes", "no samples over time of what the sources emit")
    yield from measured


def _is_source(vertex: VertexKey, inputs: Mapping[VertexKey, object]) -> bool:
    return any(place[0] == vertex[0] for place in inputs) and vertex not in inputs


def _readings(counter: Series) -> list[tuple[int, float]]:
    """Epoch ms and value of the last attempt's samples where both are known."""
    points = since_restart(counter.points)
    return [(point.ts_ms, point.value) for point in points if point.ts_ms is not None and point.value is not None]


def _signal(job: str | None, counters: Sequence[Series]) -> Signal | None:
    readings = [_readings(each) for each in counters]
    by_moment: dict[int, list[float]] = defaultdict(list)
    for ts_ms, value in chain.from_iterable(readings):
        by_moment[ts_ms].append(value)
    summed = [(moment, sum(values)) for moment, values in sorted(by_moment.items()) if len(values) == len(counters)]
    change = rate_change(summed[1:])
    facts: dict[str, FactValue] = {"source_subtasks": len(counters), **_burst_facts(readings)}
    if change is not None:
        facts |= {
            "before_per_s": change.before_per_s,
            "after_per_s": change.after_per_s,
            "changed_at_ms": change.at_ms,
        }
        if change.before_per_s > 0:
            facts["change_ratio"] = change.after_per_s / change.before_per_s
    if len(facts) == 1:
        return None
    shown = [each for each in counters if each.known][:2]
    return Signal(
        key="throughput",
        subject=Subject(job=job),
        facts=facts,
        citations=tuple(each.cite(point) for each in shown for point in (each.known[0], each.known[-1])),
        citation_count=sum(len(each.points) for each in counters),
        window=(min(by_moment), max(by_moment)),
    )


def _burst_facts(readings: Sequence[Sequence[tuple[int, float]]]) -> dict[str, FactValue]:
    """Bursts of the subtask with most readings; processes are scraped at different moments and receive the same
    arrivals.
    """
    found = bursts(max(readings, key=len))
    if found is None:
        return {}
    return {"bursts": found.count, "burst_interval_ms": found.interval_ms, "still_ratio": found.still_ratio}


SIGNALS = (
    SignalDefinition(
        key="throughput",
        level="job",
        facts={
            "source_subtasks": "subtasks of all sources",
            "before_per_s": "records that the sources emit before the rate changed most, 1/s",
            "after_per_s": "the same after it, 1/s",
            "changed_at_ms": "when it changed, epoch ms",
            "change_ratio": "records per second of the sources after the rate changed most, divided by the rate before",
            "bursts": "times at which records began to come after a pause, of a source that gets them in bursts",
            "burst_interval_ms": "mean time between bursts, ms",
            "still_ratio": "part of the time in which it emitted nothing, 0 to 1",
        },
        measure=measure,
    ),
)
