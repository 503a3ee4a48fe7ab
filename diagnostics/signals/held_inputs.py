"""Tasks with several inputs. One of these holds the watermark, while that of another one advances."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue
from diagnostics.notation.flink_values import END_OF_INPUT
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.events.event_time_names import ASSIGNS, assigns_watermarks, needs_watermarks
from diagnostics.reconstruction.events.watermark_progress import Moments, growth_between, still_since
from diagnostics.reconstruction.job.cluster import Cluster, VertexKey, cluster_of
from diagnostics.reconstruction.job.graph import SOURCE_NAMES
from diagnostics.reconstruction.job.planner_names import PROGRAM_FACTS, printed_names_by_job, program_facts
from diagnostics.reconstruction.metrics.metric_series import MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series, increase
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

SIDES = ("currentInput1Watermark", "currentInput2Watermark")


@dataclass(frozen=True, slots=True)
class Input:
    """The watermark of one input of a task.

    name    the task that creates it; `input 1` where only the side is known
    course  (epoch ms, lowest watermark of its subtasks); empty where none of them ever had one
    passed  records that it emitted while it was observed; None where no file counts them
    """

    name: str
    course: Moments
    passed: int | None

    @property
    def has_ended(self) -> bool:
        """Whether its last watermark is the highest that Flink has."""
        return bool(self.course) and self.course[-1][1] >= END_OF_INPUT

    @property
    def still_ms(self) -> int:
        """Time for which it has not advanced at its last sample."""
        return self.course[-1][0] - still_since(self.course) if self.course else 0

    @property
    def moves(self) -> bool:
        """Whether it advanced while it was observed."""
        return len(self.course) > 1 and not self.has_ended and self.course[-1][1] > self.course[0][1]


def measure(evidence: Evidence) -> Measured:
    """The input that holds the watermark of a task, where the watermark of another input advances.

    Reads   metric_sample (currentInputWatermark, currentInput1Watermark, currentInput2Watermark,
            currentOutputWatermark, numRecordsIn, numRecordsOut), vertex, edge.
    Gives   one signal for each task whose watermark is that of one input that has none or stands still.
    Units   milliseconds.
    Empty   NotMeasured without metrics; nothing where one task alone creates watermarks.
    """
    if not evidence.has("metric_sample"):
        yield NotMeasured("held_inputs", "metric-scrapes", "no file holds metrics")
        return
    series, cluster, names = metric_series(evidence), cluster_of(evidence), printed_names_by_job(evidence)
    created = _created(series, cluster)
    seen: set[VertexKey] = set()
    for operators in (True, False):
        for vertex, gauges in sorted(
            series.by_vertex("currentInputWatermark", operators=operators).items(), key=lambda item: repr(item[0])
        ):
            if vertex in created or vertex in seen:
                continue
            inputs = _inputs(vertex, created, series, cluster)
            held = _held(_course(gauges), inputs)
            if held is None:
                continue
            seen.add(vertex)
            name = series.name_of(vertex) or ""
            assigned = assigns_watermarks(names.get(vertex[0], ()))
            operator_names = {each.operator or name for each in gauges}
            facts = {
                **_facts(*held),
                **_passed_by(vertex, series),
                "by_event_time": any(needs_watermarks(each, assigned) for each in operator_names) or None,
                **program_facts(evidence, vertex[0]),
            }
            yield Signal(
                key="held_inputs",
                subject=cluster.vertex_subject(*vertex, name=name or None),
                facts=known_facts(facts),
                citations=tuple(gauge.cite(gauge.points[-1]) for gauge in gauges if gauge.points)[:4],
                citation_count=sum(len(gauge.points) for gauge in gauges),
            )


def _created(series: MetricSeries, cluster: Cluster) -> Mapping[VertexKey, Input]:
    """The tasks that create watermarks, by the graph, else by name."""
    inputs: dict[VertexKey, Input] = {}
    with_edges = {job for job, _ in cluster.inputs}
    for vertex, gauges in series.by_vertex("currentOutputWatermark", operators=True).items():
        name = cluster.vertex_subject(*vertex).vertex or series.name_of(vertex) or vertex[1]
        printed = normalised(name).lower()
        named = printed.startswith(SOURCE_NAMES) or any(part in printed for part in ASSIGNS)
        if (vertex not in cluster.inputs) if vertex[0] in with_edges else named:
            inputs[vertex] = Input(name, _last_of_chain(gauges), _emitted(vertex, series))
    return inputs


def _last_of_chain(gauges: Sequence[Series]) -> Moments:
    """The watermark of the operator that has one, of a chain whose first operators may have none."""
    by_operator: dict[str | None, list[Series]] = defaultdict(list)
    for gauge in gauges:
        by_operator[gauge.operator].append(gauge)
    return max((_course(each) for each in by_operator.values()), key=len, default=())


def _course(gauges: Sequence[Series]) -> Moments:
    """The lowest watermark over the subtasks at each moment; nothing where a subtask never had one."""
    values: dict[int, list[float]] = defaultdict(list)
    for gauge in gauges:
        for point in gauge.known:
            values[point.ts_ms or 0].append(point.value or 0.0)
    if not all(gauge.known for gauge in gauges):
        return ()
    return [(moment, min(known)) for moment, known in sorted(values.items()) if len(known) == len(gauges)]


def _emitted(vertex: VertexKey, series: MetricSeries) -> int | None:
    """The records that a source passed on, by the counters of the task or the largest of its operators."""
    counts: dict[str | None, float] = defaultdict(float)
    for operators in (False, True):
        for each in series.by_vertex("numRecordsOut", operators=operators).get(vertex, ()):
            counts[each.operator] += increase(each.points)
        if counts:
            return round(max(counts.values()))
    return None


def _inputs(
    vertex: VertexKey, created: Mapping[VertexKey, Input], series: MetricSeries, cluster: Cluster
) -> Sequence[Input]:
    """The inputs of a task: those above it in the graph, else all of its job, else its two sides."""
    above = set(cluster.upstream(vertex)) if any(job == vertex[0] for job, _ in cluster.inputs) else None
    of_job = [each for place, each in created.items() if place[0] == vertex[0] and (above is None or place in above)]
    return of_job if len(of_job) > 1 else list(_sides(vertex, series))


def _sides(vertex: VertexKey, series: MetricSeries) -> Iterator[Input]:
    for side, metric in enumerate(SIDES, 1):
        if gauges := series.by_vertex(metric, operators=True).get(vertex):
            yield Input(f"input {side}", _course(gauges), None)


def _held(own: Moments, inputs: Sequence[Input]) -> tuple[Input, Input] | None:
    """The input that holds a task's watermark, and the furthest one that moves; None where none holds it."""
    moving = [each for each in inputs if each.moves]
    holding = [each for each in inputs if not each.moves and not each.has_ended]
    if not moving or len(holding) != 1:
        return None
    holder, furthest = holding[0], max(moving, key=lambda each: each.course[-1][1])
    if not holder.course:
        return None if own else (holder, furthest)
    follows = bool(own) and own[-1][1] <= holder.course[-1][1] < furthest.course[-1][1]
    return (holder, furthest) if follows else None


def _facts(holder: Input, furthest: Input) -> dict[str, FactValue]:
    facts: dict[str, FactValue] = {
        "holder": holder.name,
        "other": furthest.name,
        "holder_has_watermark": bool(holder.course),
        "holder_records": holder.passed,
        "observed_ms": furthest.course[-1][0] - furthest.course[0][0],
    }
    if holder.course:
        facts |= {"still_ms": holder.still_ms, "spread_ms": furthest.course[-1][1] - holder.course[-1][1]}
    return facts


def _passed_by(vertex: VertexKey, series: MetricSeries) -> dict[str, FactValue]:
    """Records that the task read and emitted; operators are counted apart, and the one with fewest emits the result."""
    for operators in (False, True):
        read = series.by_vertex("numRecordsIn", operators=operators).get(vertex, ())
        written = series.by_vertex("numRecordsOut", operators=operators).get(vertex, ())
        if read and written:
            spans = [growth_between(_stamped(each), 0, 2**62) for each in read]
            return {
                "records_in": round(max(spans)),
                "records_out": round(sum(increase(each.points) for each in written)),
            }
    return {}


def _stamped(counter: Series) -> Moments:
    return [(point.ts_ms or 0, point.value or 0.0) for point in counter.known]


FACTS = {
    "holder": "task that creates the watermark that holds the others back, or its side of the task",
    "other": "task whose watermark is furthest of those that advance",
    "holder_has_watermark": "whether the input that holds the others back ever had a watermark",
    "holder_records": "records that the input that holds the others back emitted while it was observed",
    "observed_ms": "time for which the inputs were observed, ms",
    "still_ms": "time for which the input that holds the others back has not advanced, ms",
    "spread_ms": "distance between the watermarks of the furthest input and of the one that holds it back, ms",
    "records_in": "records that the task with several inputs read while it was observed",
    "records_out": "records that the task with several inputs emitted while it was observed",
    "by_event_time": "whether its name is of an operator that emits by a watermark only; unknown where it is not",
    **PROGRAM_FACTS,
}

SIGNALS = (SignalDefinition("held_inputs", "vertex", FACTS, measure),)
