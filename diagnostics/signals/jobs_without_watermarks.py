"""Jobs in which no task has ever had a watermark: what in them waits for one, and which source gives none."""

from __future__ import annotations

import re
from collections import defaultdict

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import Subject
from diagnostics.reconstruction.events.event_time_names import may_fire_early, needs_watermarks
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
    for metric, operators in (("currentInputWatermark", False), ("currentOutputWatermark", True)):
        for gauge in series.of(metric):
            if gauge.points and (gauge.operator is not None) == operators:
                by_job[gauge.job_id].append(gauge)
    for job_id, gauges in sorted(by_job.items(), key=lambda item: str(item[0])):
        if not any(gauge.known for gauge in gauges):
            facts = known_facts(
                {
                    "gauges": len(gauges),
                    "only_watermarks": set(series.metrics()) <= set(WATERMARKS) or None,
                    "silent_operator": _silent_operator(job_id, series),
                    "idle_reader": _idle_reader(job_id, series),
                    **program_facts(evidence, job_id),
                }
            )
            cited = tuple(gauge.cite(gauge.points[-1]) for gauge in gauges[:MOST_SHOWN])
            yield Signal("watermarks.job", Subject(job=job_id), facts, cited, len(gauges))


def _silent_operator(job_id: str | None, series: MetricSeries) -> str | None:
    """The operator that read most records and emitted none, of those that are no sink by their name."""
    read: dict[tuple[str, str], float] = defaultdict(float)
    written: dict[tuple[str, str], float] = defaultdict(float)
    for metric, counts in (("numRecordsIn", read), ("numRecordsOut", written)):
        for each in series.of(metric):
            if each.job_id == job_id and each.operator:
                counts[each.vertex_id or each.vertex or "", each.operator] += increase(each.points)
    silent = {
        place: count
        for place, count in read.items()
        if count >= FEWEST_READ and written.get(place) == 0.0 and not SINK_NAME.search(place[1])
    }
    return max(silent, key=lambda place: (silent[place], place))[1] if silent else None


def _idle_reader(job_id: str | None, series: MetricSeries) -> str | None:
    """The source with a subtask that has read nothing and gives no watermark, where a window or join emits nothing."""
    counts = [each for each in series.of("numRecordsOut") if each.job_id == job_id and each.operator and each.known]
    still = [each for each in counts if not any(point.value for point in each.known)]
    waiting = (each.operator or "" for each in still)
    if not any(needs_watermarks(name, assigned=True) and not may_fire_early(name) for name in waiting):
        return None
    without = {
        (each.operator, each.subtask)
        for each in series.of("currentOutputWatermark")
        if each.job_id == job_id and each.points and not each.known
    }
    readers = (each.operator for each in still if (each.operator, each.subtask) in without)
    return next((name for name in readers if name and SOURCE_NAME.search(name)), None)


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
            "join that emits nothing",
        },
        measure=measure,
    ),
)
