"""Operators of SQL that read rows and hand out none, or lose some, without an error."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.configuration.stated_settings import stated_options
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.job.record_totals import record_totals
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.silent_operators import SilentOperator, silent_operators

NEXT = " -> "
"""Between the operators of a task's name."""
READ, WRITTEN = "numRecordsIn", "numRecordsOut"
SOURCES = ("Source", "TableSourceScan")
FEWEST_ROWS = 100
"""Rows that an operator read until it counts as silent. Our choice: a hundred rows without one result are no chance."""


@dataclass(frozen=True, slots=True)
class _Counts:
    """What the subtasks of one operator counted since their attempt began."""

    name: str
    read: int
    written: int
    series: Sequence[Series]

    @property
    def is_source(self) -> bool:
        """Whether it is a source, whose rows out some releases of Flink do not count."""
        return self.name.startswith(SOURCES)


def measure(evidence: Evidence) -> Measured:
    """The first operator of each task that is silent, by its catalogue.

    Reads   metric_sample (numRecordsIn and numRecordsOut of operators, else of tasks), vertex, edge, config_option.
    Gives   one signal per task with such an operator: of those that are certain, else of all, the one that reads most.
    Units   records since the attempt began.
    Empty   NotMeasured without metrics.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("silent_operators", "metric-scrapes", "no file holds metrics")
        return
    options = [(each.key, each.value or "") for each in stated_options(evidence)]
    cluster = cluster_of(evidence)
    counted = list(_counted(evidence))
    passed: defaultdict[str | None, int] = defaultdict(int)
    for vertex, _, counts in counted:
        passed[vertex[0]] = max([passed[vertex[0]], *(each.read for each in counts if not each.is_source)])
    for vertex, name, counts in counted:
        silent = [(*of_kind, each) for each in counts if (of_kind := _kind(each, options, passed[vertex[0]]))]
        if not silent:
            continue
        kind, entry, of = max(silent, key=lambda each: (each[1].certain, each[2].read, each[2].name))
        facts: dict[str, FactValue] = {
            "kind": kind,
            "operator": of.name,
            "certain": entry.certain,
            "what": entry.what,
            "advice": entry.advice,
            "rows_in": of.read,
            "rows_out": of.written,
            "rows_lost": of.read - of.written,
        }
        points = [(each, each.known[-1]) for each in of.series if each.known]
        yield Signal(
            key="silent_operators",
            subject=cluster.vertex_subject(*vertex, name=name),
            facts=known_facts(facts),
            citations=tuple(each.cite(point) for each, point in points[:4]),
            citation_count=len(points),
        )


def _counted(evidence: Evidence) -> Iterator[tuple[VertexKey, str | None, list[_Counts]]]:
    """The counts of the operators of each task that count both what they read and what they hand out."""
    series = metric_series(evidence)
    read, written = (series.by_vertex(metric, operators=True, with_sums=True) for metric in (READ, WRITTEN))
    for vertex in sorted(written, key=repr):
        counts = []
        by_operator: Mapping[str, tuple[list[Series], list[Series]]] = defaultdict(lambda: ([], []))
        for place, of_metric in enumerate((read.get(vertex, []), written[vertex])):
            for each in of_metric:
                by_operator[normalised(each.operator or "")][place].append(each)
        for ins, outs in by_operator.values():
            if outs and all(each.known for each in (*ins, *outs)):
                counts.append(_Counts(outs[0].operator or "", _last(ins), _last(outs), [*ins, *outs]))
        yield vertex, series.name_of(vertex), counts
    yield from _task_counts(evidence, frozenset(written))


def _task_counts(
    evidence: Evidence, known: frozenset[VertexKey]
) -> Iterator[tuple[VertexKey, str | None, list[_Counts]]]:
    """The counts of tasks in the middle of the graph, by the newest REST answer about the job, as those of the operator
    that they begin with.

    known  tasks whose operators are counted
    """
    cluster = cluster_of(evidence)
    totals = record_totals(evidence)
    for vertex in sorted(set(totals) - known, key=repr):
        total, graph = totals[vertex], job_graph(cluster, vertex[0])
        name = graph.names.get(vertex[1])
        if name and graph.position(vertex[1]) == "middle" and total.read is not None and total.written is not None:
            yield vertex, name, [_Counts(name.split(NEXT)[0], total.read, total.written, [])]


def _kind(counts: _Counts, options: Sequence[tuple[str, str]], passed: int) -> tuple[str, SilentOperator] | None:
    """What the operator is known for where it is silent; a source behind which rows arrived is not, whatever it counts.

    passed  rows that the operator of this job read that read most, without its sources
    """
    if counts.is_source and passed:
        return None
    for name, entry in silent_operators().items():
        is_silent = counts.written == 0 and (counts.read >= FEWEST_ROWS if entry.reads else counts.read == 0)
        if (is_silent or (entry.loses and counts.read > counts.written)) and entry.fits(counts.name, options):
            return name, entry
    return None


def _last(series: Sequence[Series]) -> int:
    return round(sum(each.known[-1].value or 0.0 for each in series))


FACTS = {
    "kind": "id of what the operator is known for",
    "operator": "the operator",
    "certain": "whether rows are lost whatever the query",
    "what": "what it does, as the rest of a sentence that begins with its name",
    "advice": "what to do",
    "rows_in": "rows that it read",
    "rows_out": "rows that it handed out",
    "rows_lost": "rows that it read and did not hand out",
}

SIGNALS = (SignalDefinition("silent_operators", "vertex", FACTS, measure),)
