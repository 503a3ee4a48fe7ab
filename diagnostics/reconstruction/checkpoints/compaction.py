"""What RocksDB's compaction writes: an incremental checkpoint uploads rewritten files too."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from itertools import pairwise

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Series

COUNTER = "rocksdb.compact_write_bytes"
"""Bytes that compaction wrote since the instance was opened. Source: Flink documentation, RocksDB native metrics."""
LOGGED = "rocksdb.log.compaction_written_bytes"
"""Bytes of one compaction, at its end, from RocksDB's own log."""

Written = tuple[int, float]
"""Epoch ms and bytes."""


def compacted_bytes(evidence: Evidence, job_id: str | None, window_ms: float) -> float | None:
    """Most bytes that compaction wrote in `window_ms` in all subtasks; None where less time than that was measured.

    Counter and log are two looks at the same writes, and each may lack a subtask: the one that saw more counts.
    """
    looks = [
        _most_within([written for each in series for written in read(each)], window_ms)
        for metric, read in ((COUNTER, _counted), (LOGGED, _logged))
        if _covers(series := [each for each in metric_series(evidence).of(metric) if each.job_id == job_id], window_ms)
    ]
    return max(looks, default=None)


def _covers(series: Iterable[Series], window_ms: float) -> bool:
    stamps = [point.ts_ms for each in series for point in each.known if point.ts_ms is not None]
    return bool(stamps) and max(stamps) - min(stamps) >= window_ms


def _counted(series: Series) -> Iterator[Written]:
    for before, after in pairwise(series.known):
        grown = (after.value or 0.0) - (before.value or 0.0)
        if grown > 0 and after.ts_ms is not None:
            yield after.ts_ms, grown


def _logged(series: Series) -> Iterator[Written]:
    for point in series.known:
        if point.ts_ms is not None:
            yield point.ts_ms, point.value or 0.0


def _most_within(written: Iterable[Written], window_ms: float) -> float:
    recent: deque[Written] = deque()
    most = total = 0.0
    for moment, count in sorted(written):
        recent.append((moment, count))
        total += count
        while moment - recent[0][0] > window_ms:
            total -= recent.popleft()[1]
        most = max(most, total)
    return most
