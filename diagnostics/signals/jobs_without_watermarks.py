"""Jobs in which no task has ever had a watermark: what in them waits for one, and which source gives none."""

from __future__ import annotations

import re
from collections import defaultdict

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.events.event_time_names import assigns_watermarks, may_fire_early, needs_watermarks
from diagnostics.reconstruction.job.planner_names import PROGRAM_FACTS, program_facts
from diagnostics.reconstruction.metrics.metric_series import WATERMARKS, MetricSeries, metric_series
from diagnostics.reconstruction.metrics.series import Series, increase
from diagnostics.signals.signal import Measured, Signal, SignalDefinition, known_facts

FEWEST_READ = 1_000
"""Records that an operator must have read to be called silent. Our choice: a filter seldom drops a thousand."""
SINK_NAME = re.compile(r"[Ss]ink|[Ww]riter|[Cc]ommitter|[Pp]rint|[Oo]utput|[Ss]ource")
"""Names of operators that emit nothing because they are the end of a job, or read no other's records."""
SOURCE_NAME = re.compile(r"Source|TableSourceScan")
"""Names of operators that read for the job. Source: Flink's StreamExecutionEnvironment and its planner."""
FILTER = "Filter"
"""Name of DataStream.filter() unless the job gives another. Source: Flink's DataStream."""
MOST_SHOWN = 6


def measure(evidence: Evidence) -> Measured:
    """The jobs whose watermark gauges were read and have never had a watermark.

    Reads   metric_sample (currentInputWatermark, currentOutputWatermark, numRecordsIn, numRecordsOut).
    Gives   one signal per such job.
    Empty   nothing for a job that has a watermark; what lacks metrics is said by the signal `watermarks`.
    """
    if not evidence.has("metric_sample"):
        return
    series = metric_series(evidence)
    by_job: dict[str | None, list[Series]] = defaultdict(list)
    by_operators: dict[str | None, list[Series]] = defaultdict(list)
    for metric, operators in (("currentInputWatermark", False), ("currentOutputWatermark", True)):
        for gauge in series.of(metric):
            if gauge.points and (gauge.operator is not None) == operators:
                by_job[gauge.job_id].append(gauge)
    for gauge in series.of("currentInputWatermark"):  # people paste the operators' gauges alone
        if gauge.points and gauge.operator and gauge.job_id not in by_job:
            by_operators[gauge.job_id].append(gauge)
    for job_id, gauges in sorted((by_operators | by_job).items(), key=lambda item: str(item[0])):
        if not any(gauge.known for gauge in gauges):
            program = program_facts(evidence, job_id)
            facts = known_facts(
                {
                    "gauges": len(gauges),
                    "only_watermarks": set(series.metrics()) <= set(WATERMARKS) or None,
                    "silent_operator": _silent_operator(job_id, series),
                    "idle_reader": _idle_reader(job_id, series, is_beam=program["is_beam"] is True),
                    "assigner": _assigner_without(job_id, series),
                    **program,
                }
            )
            cited = tuple(gauge.cite(gauge.points[-1]) for gauge in gauges[:MOST_SHOWN])
            yield Signal("watermarks.job", Subject(job=job_id), facts, cited, len(gauges))


def _silent_operator(job_id: str | None, series: MetricSeries) -> str | None:
    """The operator that read most records and emitted none, of those that are no sink by their name and may keep
    records until a watermark.
    """
    read: dict[tuple[str, str], float] = defaultdict(float)
    written: dict[tuple[str, str], float] = defaultdict(float)
    names: dict[tuple[str, str], str] = {}
    for metric, counts in (("numRecordsIn", read), ("numRecordsOut", written)):
        for each in series.of(metric):
            if each.job_id == job_id and each.operator:
                place = each.vertex_id or each.vertex or "", each.operator
                counts[place] += increase(each.points)
                names[place] = each.vertex or ""
    silent = {
        place: count
        for place, count in read.items()
        if count >= FEWEST_READ
        and written.get(place) == 0.0
        and not SINK_NAME.search(place[1])
        and place[1] != FILTER
        and not _is_inside_chain(place[1], names[place])
    }
    return max(silent, key=lambda place: (silent[place], place))[1] if silent else None


def _is_inside_chain(operator: str, vertex: str) -> bool:
    """Whether a task's name has the operator behind another one, which it follows without an exchange of records.

    Windows, timers, patterns and joins work on partitioned records, and an exchange begins a chain: such an operator is
    a filter. A local window is one of SQL, whose global part follows the exchange. Source: Flink documentation,
    "Task Chaining and Resource Groups"; Flink's StreamingJobGraphGenerator, isChainable.
    """
    name, chain = normalised(operator), normalised(vertex)
    return name in chain and not chain.startswith(name) and "window" not in name.lower()


def _idle_reader(job_id: str | None, series: MetricSeries, *, is_beam: bool) -> str | None:
    """The source with a subtask that has read nothing, where a window or join emits nothing or waits for a watermark.

    is_beam  whether the job is a pipeline of Beam, whose grouping waits for a watermark, whatever it is called
    """
    counts = [each for each in series.of("numRecordsOut") if each.job_id == job_id and each.operator and each.known]
    still = [each for each in counts if not any(point.value for point in each.known)]
    sources = [each for each in still if SOURCE_NAME.search(each.operator or "")]
    if any(map(_waits, still)):
        without = {(each.operator, each.subtask) for each in _unknown("currentOutputWatermark", job_id, series)}
        if named := next((each.operator for each in sources if (each.operator, each.subtask) in without), None):
            return named
    if is_beam or any(map(_waits, _unknown("currentInputWatermark", job_id, series))):
        reading = {each.operator for each in counts if any(point.value for point in each.known)}
        return next((each.operator for each in sources if each.operator in reading), None)
    return None


def _assigner_without(job_id: str | None, series: MetricSeries) -> str | None:
    """The operator that assigns watermarks, has read records and gives none, where a window or join waits for one."""
    waiting = [*_unknown("currentInputWatermark", job_id, series)]
    if not any(map(_waits, waiting)):
        return None
    read = {each.operator for each in series.of("numRecordsIn") if each.job_id == job_id and increase(each.points)}
    names = (each.operator or "" for each in _unknown("currentOutputWatermark", job_id, series))
    return next((name for name in names if name in read and assigns_watermarks([name])), None)


def _unknown(metric: str, job_id: str | None, series: MetricSeries) -> list[Series]:
    """The gauges of a job's operators that were read and have never had a watermark."""
    return [each for each in series.of(metric) if each.job_id == job_id and each.operator and not each.known]


def _waits(series: Series) -> bool:
    name = series.operator or ""
    return needs_watermarks(name, assigned=True) and not may_fire_early(name)


SIGNALS = (
    SignalDefinition(
        key="watermarks.job",
        level="job",
        facts={
            "gauges": "watermark gauges that were read, none of which has ever had a watermark",
            "only_watermarks": "whether these gauges are the only metrics that were given; unknown where they are not",
            **PROGRAM_FACTS,
            "silent_operator": "operator that read many records and emitted none, in a job without any watermark",
            "idle_reader": "source with a subtask that has read nothing and has no watermark, in front of a window or "
            "join that emits nothing or waits for a watermark",
            "assigner": "operator that assigns watermarks, has read records and gives none, in front of a window or "
            "join that waits for one",
        },
        measure=measure,
    ),
)
