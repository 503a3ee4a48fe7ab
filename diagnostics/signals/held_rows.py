"""Rows that a sink which loads into a warehouse takes and keeps, although checkpoints complete."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.history import checkpoint_histories
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series, increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.operators_at_limit import entry_of_connector

LOADED: Mapping[str, str] = {
    "totalFlushRows": "starrocks",
    "totalFlushLoadedRows": "doris",
}
"""Counter of the rows that a sink has loaded -> its connector. Source: StarRocksSinkManager, DorisWriteMetrics."""
READ = "numRecordsIn"
COUNTER = "numberOfCompletedCheckpoints"


def measure(evidence: Evidence) -> Measured:
    """Sinks that count what they load and have loaded nothing, with the rows that they took.

    Reads   metric_sample (numRecordsIn, totalFlushRows, totalFlushLoadedRows), the histories of checkpoints.
    Gives   one signal per task whose counter of loaded rows is zero.
    Units   rows since the attempt began.
    Empty   NotMeasured without such a counter.
    """
    series = metric_series(evidence)
    cluster = cluster_of(evidence)
    taken = series.by_vertex(READ, operators=True)
    is_counted = False
    for metric, connector in LOADED.items():
        for vertex, loaded in series.by_vertex(metric, operators=True).items():
            is_counted = True
            sinks = {each.operator for each in loaded}
            read = [each for each in taken.get(vertex, ()) if each.operator in sinks and each.known]
            window = _window(loaded)
            if not read or window is None or any(point.value for each in loaded for point in each.known):
                continue
            name = job_graph(cluster, vertex[0], {vertex[1]: series.name_of(vertex) or ""}).name(vertex[1])
            entry = entry_of_connector(connector)
            facts: dict[str, FactValue] = {
                "taken": round(sum(each.known[-1].value or 0.0 for each in read)),
                "checkpoints": _completed(evidence, vertex[0], window),
                "act": entry.held if entry else None,
            }
            yield Signal(
                "held_rows",
                cluster.vertex_subject(*vertex, name=name),
                known_facts(facts),
                tuple(each.cite(each.points[-1]) for each in (*loaded, *read) if each.points)[:4],
                citation_count=sum(len(each.points) for each in (*loaded, *read)),
            )
    if not is_counted:
        yield NotMeasured("held_rows", "vertex-metrics", "no metric counts rows that a sink has loaded")


def _window(counters: Sequence[Series]) -> tuple[int, int] | None:
    """First and last time at which the counters were seen, epoch ms."""
    stamps = [point.ts_ms for each in counters for point in each.known if point.ts_ms is not None]
    return (min(stamps), max(stamps)) if stamps else None


def _completed(evidence: Evidence, job: str | None, window: tuple[int, int]) -> int:
    """Checkpoints that completed in the window, by their own times, or as the JobManager's counter grew."""
    begin, end = window
    shown = sum(
        each.ended_ms is not None and begin <= each.ended_ms <= end
        for of_job, history in checkpoint_histories(evidence).items()
        if of_job == job or None in (of_job, job)
        for each in history.select_statuses("completed")
    )
    counted = [each for each in metric_series(evidence).of(COUNTER) if each.job_id == job or None in (each.job_id, job)]
    grown = [increase([point for point in each.points if _is_in(point.ts_ms, window)]) for each in counted]
    return max([shown, *map(round, grown)])


def _is_in(stamp: int | None, window: tuple[int, int]) -> bool:
    return stamp is not None and window[0] <= stamp <= window[1]


FACTS: Mapping[str, str] = {
    "taken": "rows that the sink took, none of which it has loaded",
    "checkpoints": "checkpoints that completed meanwhile",
    "act": "act for a sink of this connector that loads nothing",
}

SIGNALS = (SignalDefinition(key="held_rows", level="vertex", facts=FACTS, measure=measure),)
