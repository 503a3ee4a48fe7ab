"""The disorder bound in effect: how far the watermark stays behind the highest event time that had arrived."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.evidence import Evidence, Work
from diagnostics.reconstruction.lag_counts import timed
from diagnostics.reconstruction.series import MetricSeries

if TYPE_CHECKING:
    import pyarrow as pa

MOST_MOMENTS = 60
"""At how many moments the highest event time is compared with the watermark. Our choice."""
MOST_PARTITIONS = 64


def bound_estimates(evidence: Evidence, series: MetricSeries) -> Iterator[float]:
    """Highest event time so far (of the slowest partition) minus the watermark, at moments when both are known, ms.

    Reads  event: those with both times; of MOST_PARTITIONS, the first by name. One Spark job, none without a watermark.
    """
    watermarks = _furthest_watermarks(series)
    if not watermarks:
        return
    step = max(1, len(watermarks) // MOST_MOMENTS)
    moments = sorted(watermarks)[::step]
    ddl = "part STRING, slot BIGINT, event_ms BIGINT"
    slotted = evidence.worked("event", ("partition", "event_ms", "arrival_ms"), _slotted(moments), ddl)
    highest = _highest(evidence.together("event", slotted, "part", _highest, ddl)).to_pylist()
    by_part: dict[str, dict[int, int]] = defaultdict(dict)
    for row in highest:
        by_part[row["part"]][row["slot"]] = row["event_ms"]
    last_slot = max((max(slots) for slots in by_part.values()), default=-1)
    so_far = dict.fromkeys(by_part, float("-inf"))
    for slot, moment in enumerate(moments[:last_slot]):
        for part, slots in by_part.items():
            so_far[part] = max(so_far[part], slots.get(slot, float("-inf")))
        reached = min(so_far.values())
        if reached > float("-inf"):
            yield reached - watermarks[moment]


def _slotted(moments: Sequence[int]) -> Work:
    """In a worker: the highest event time of each partition between two moments, among some events."""

    def slotted(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import numpy as np
        import pyarrow as pa

        for batch in map(timed, batches):
            rows = {
                "part": batch.column("partition").cast(pa.string()).fill_null(""),
                "slot": pa.array(np.searchsorted(moments, batch.column("arrival_ms").to_numpy())),
                "event_ms": batch.column("event_ms"),
            }
            yield from _highest(pa.table(rows)).to_batches()

    return slotted


def _highest(slotted: pa.Table) -> pa.Table:
    """The highest event time of each partition and slot, of as many as are told, in their order."""
    found = slotted.group_by(["part", "slot"]).aggregate([("event_ms", "max")]).rename_columns(slotted.column_names)
    return found.sort_by([("part", "ascending"), ("slot", "ascending")])[: MOST_PARTITIONS * 2 * MOST_MOMENTS]


def _furthest_watermarks(series: MetricSeries) -> Mapping[int, float]:
    """Moment -> watermark of the task that is furthest, which is where watermarks are made; of its slowest subtask."""
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
    """Moment -> lowest watermark, at the moments when every subtask has one."""
    by_moment: dict[int, list[float]] = defaultdict(list)
    count = 0
    for gauge in siblings:
        count += 1
        for point in gauge.known:
            if point.ts_ms is not None:
                by_moment[point.ts_ms].append(point.value)
    return {moment: min(values) for moment, values in by_moment.items() if len(values) == count}
