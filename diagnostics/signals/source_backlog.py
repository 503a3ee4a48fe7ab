"""Records that wait to be read by each job's sources, and their growth, from Flink's metrics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostics.aggregators import watermark_alignment
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.arithmetic.onset import ONSET_FACTS, Onset, onset_facts
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.declared_tables import declared_tables
from diagnostics.reconstruction.load.subtasks import mean_time_ratios
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.operators_at_limit import behind_of, reads_change_log, relief_of_change_log

FEWEST_LOOKS = 6
"""How many readings show a course. Our choice: three in each half."""
FEWEST_MS = 60_000
"""Time that the readings must cover. Our choice: shorter growth may be one fetch."""
NEAR = 0.1
"""A backlog no higher above the least one than this part of the growth is still the old one. Our choice: what sources
fetch at once makes the backlog uneven."""
MOST_CITED = 4
PENDING, LAG = "pendingRecords", "currentFetchEventTimeLag"
"""Standard metrics of sources (FLIP-33); sources of changes report the second alone."""
OF_PARTITIONS = ("KafkaSourceReader.KafkaConsumer.records-lag-max", "KafkaConsumer.records-lag-max")
"""Records that wait in the partition of a Kafka consumer with most of them, so at least as many wait for its subtask.
Source: Apache Kafka documentation, "Monitoring", consumer fetch metrics.
"""


def measure(evidence: Evidence) -> Measured:
    """The source with the largest backlog of each job.

    Reads   metric_sample (pendingRecords and currentFetchEventTimeLag of sources, since Flink 1.14; without the first
            the lag of Kafka consumers, which is at most that), and how busy and back-pressured the source is.
    Gives   one signal for each job whose sources count the records that wait for them, or how old those are.
    Units   records; records per second; milliseconds; ratios 0 to 1.
    Empty   NotMeasured without metrics; a source that cannot count its backlog gives no signal.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("source_backlog", "metric-scrapes", "no metric shows how many records wait for the sources")
        return
    series = metric_series(evidence)
    of_partitions = [_known_series(series, metric) for metric in OF_PARTITIONS]
    sources = {**of_partitions[1], **of_partitions[0], **_known_series(series, PENDING)}
    lags = _known_series(series, LAG)
    cluster, loads, tables = cluster_of(evidence), mean_time_ratios(evidence), declared_tables(evidence).connectors
    for job in sorted({job for job, _ in (*sources, *lags)}, key=str):
        facts = {
            vertex: _facts(sources.get(vertex, ())) | _lag_facts(lags.get(vertex, ()))
            for vertex in dict.fromkeys((*sources, *lags))
            if vertex[0] == job
        }
        worst = max(facts, key=lambda vertex: (*_size(facts[vertex]), repr(vertex)))
        task = cluster.tasks.get(worst)
        of_worst = [*sources.get(worst, ()), *lags.get(worst, ())]
        shown = [each for each in of_worst if each.known][:MOST_CITED]
        named = task.name if task else series.name_of(worst)
        yield Signal(
            key="source_backlog",
            subject=Subject(job=job),
            facts=known_facts(
                {
                    "vertex": named,
                    **facts[worst],
                    "busy_max_ratio": max(loads[0].get(worst, {}).values(), default=None),
                    "back_pressured_max_ratio": max(loads[1].get(worst, {}).values(), default=None),
                    "aligned": _is_aligned(evidence, job) or None,
                    "behind": behind_of(named or "", tables),
                    "relief": relief_of_change_log() if reads_change_log(named or "") else None,
                }
            ),
            citations=tuple(each.cite(each.known[-1]) for each in shown),
            citation_count=sum(len(each.points) for each in of_worst),
        )


def _source_series(series: MetricSeries, metric: str) -> Mapping[VertexKey, Sequence[Series]]:
    """The series of a metric of sources by task; those of operators where both are printed."""
    of_tasks, of_operators = (series.by_vertex(metric, operators=each, with_sums=True) for each in (False, True))
    return {**of_tasks, **of_operators}


def _known_series(series: MetricSeries, metric: str) -> Mapping[VertexKey, Sequence[Series]]:
    """Those of the series whose task has a value."""
    of_sources = _source_series(series, metric)
    return {vertex: of_task for vertex, of_task in of_sources.items() if any(each.known for each in of_task)}


def _is_aligned(evidence: Evidence, job: str | None) -> bool:
    """Whether subtasks or splits of the job's sources wait for slower ones, whose watermarks they are aligned with."""
    rows = named_rows(evidence.answer(watermark_alignment.AGGREGATOR))
    return any(row.value > 0 for row in rows if row.job_id == job)


def _size(facts: Mapping[str, FactValue]) -> tuple[float, float]:
    pending, lag = (facts.get(name) for name in ("pending", "lag_ms"))
    return (float(pending) if isinstance(pending, (int, float)) else 0.0), (
        float(lag) if isinstance(lag, (int, float)) else 0.0
    )


def _lag_facts(of_task: Sequence[Series]) -> dict[str, FactValue]:
    """How far the newest record that was fetched lies behind, of the subtask whose lag grows most."""
    courses = [course for each in of_task if len(course := _readings(each)) >= FEWEST_LOOKS]
    courses = [course for course in courses if course[-1][0] - course[0][0] >= FEWEST_MS]
    if not courses:
        return {}
    growths = [(_growth(course), course[-1][1]) for course in courses]
    ratio, lag = max((growth / between_ms, last) for (growth, _, between_ms), last in growths)
    return {"lag_ms": round(lag), "lag_growth_ratio": ratio}


def _growth(readings: Sequence[tuple[int, float]]) -> tuple[float, float, int]:
    """Growth of the least value from the first to the second half, that of the second, and ms between the two."""
    half = len(readings) // 2
    before = min(readings[:half], key=lambda each: each[1])
    after = min(readings[half:], key=lambda each: each[1])
    return after[1] - before[1], after[1], after[0] - before[0]


def _facts(of_task: Sequence[Series]) -> dict[str, FactValue]:
    """The backlog at the end; its growth compares the least backlog of the two halves, since each fetch lowers it."""
    readings = _summed_over(of_task)
    if not readings:
        return {}
    facts: dict[str, FactValue] = {"pending": round(readings[-1][1]), "subtasks": len(of_task)}
    if len(readings) < FEWEST_LOOKS or readings[-1][0] - readings[0][0] < FEWEST_MS:
        return facts
    growth, after, between_ms = _growth(readings)
    facts |= {"growth": round(growth), "growth_per_s": growth / between_ms * 1000}
    facts["growth_ratio"] = growth / after if after > 0 else 0.0
    if growth > 0:
        facts |= onset_facts(_rising_since(readings, after - growth, growth))
    return facts


def _rising_since(readings: Sequence[tuple[int, float]], least: float, growth: float) -> Onset:
    """The foot of the rise: the last moment near the least backlog, and back from there as far as it only rose."""
    foot = max(place for place, (_, pending) in enumerate(readings) if pending <= least + NEAR * growth)
    while foot and readings[foot - 1][1] < readings[foot][1]:
        foot -= 1
    return Onset(readings[foot][0], foot == 0)


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
    largest = max(
        of_task, key=lambda each: max((point.value or 0.0 for point in each.known), default=0.0), default=None
    )
    return _readings(largest) if largest else []


def _readings(series: Series) -> list[tuple[int, float]]:
    return [(point.ts_ms, point.value) for point in series.known if point.ts_ms is not None and point.value is not None]


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
            "growth_ratio": "part of the records that wait in the second half which the growth is, 0 to 1",
            "busy_max_ratio": "part of the time for which the busiest subtask of the source is busy",
            "lag_ms": "age of the newest record that the source fetched, at the end",
            "lag_growth_ratio": "growth of that lag for each unit of time; 1 where the source reads nothing new",
            **ONSET_FACTS,
            "behind": "act that lets a source of this connector read its records sooner",
            "relief": "act that gives the one reader of a change log room",
            "aligned": "whether its subtasks or splits wait for slower ones, with which their watermarks are aligned",
            "back_pressured_max_ratio": "part of the time for which the most held back subtask of the source waits",
        },
        measure=measure,
    ),
)
