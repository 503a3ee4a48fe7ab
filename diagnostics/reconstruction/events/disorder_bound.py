"""The disorder bound in effect: how far the watermark stays behind the highest event time that has arrived."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from diagnostics.aggregators import highest_event_times
from diagnostics.evidence import Evidence
from diagnostics.reconstruction.metrics.metric_series import MetricSeries

MOST_MOMENTS = 60
"""Points in time at which the highest event time is compared with the watermark. Our choice."""


def bound_estimates(evidence: Evidence, series: MetricSeries) -> Iterator[float]:
    """Highest event time so far (of the slowest partition) minus the watermark, in ms, at times when both are known.

    Reads  event: rows with event time and arrival time.
    """
    watermarks = _furthest_watermarks(series)
    if not watermarks:
        return
    step = max(1, len(watermarks) // MOST_MOMENTS)
    moments = sorted(watermarks)[::step]
    arrived = evidence.answer(highest_event_times.AGGREGATOR)
    last = max((arrivals[-1] for arrivals, _ in arrived.values()), default=moments[0])
    for moment in moments[: bisect_left(moments, last)]:
        places = {part: bisect_right(arrivals, moment) for part, (arrivals, _) in arrived.items()}
        if all(places.values()):
            yield min(arrived[part][1][place - 1] for part, place in places.items()) - watermarks[moment]


def _furthest_watermarks(series: MetricSeries) -> Mapping[int, float]:
    """Time -> watermark of the most advanced task, which generates the watermarks: the lowest of its subtasks."""
    furthest: dict[int, float] = {}
    jobs: set[str | None] = set()
    for metric, of_operators in (("currentOutputWatermark", True), ("currentInputWatermark", False)):
        for vertex, gauges in series.by_vertex(metric, operators=of_operators).items():
            by_operator: dict[str | None, list[Any]] = defaultdict(list)
            for gauge in gauges:
                by_operator[gauge.operator].append(gauge)
            for siblings in by_operator.values():
                slowest = _slowest(siblings)
                if slowest:
                    jobs.add(vertex[0])
                for moment, watermark in slowest.items():
                    furthest[moment] = max(watermark, furthest.get(moment, watermark))
    return furthest if len(jobs) == 1 else {}


def _slowest(siblings: Iterable[Any]) -> Mapping[int, float]:
    """Time -> lowest watermark, at the times at which every subtask has one."""
    by_moment: dict[int, list[float]] = defaultdict(list)
    count = 0
    for gauge in siblings:
        count += 1
        for point in gauge.known:
            if point.ts_ms is not None:
                by_moment[point.ts_ms].append(point.value)
    return {moment: min(values) for moment, values in by_moment.items() if len(values) == count}
