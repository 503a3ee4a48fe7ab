"""Busy time of a subtask that starts: unknown until its first records."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from diagnostics.reconstruction.metrics.series import BUSY, Point, Series, Subtask

RECORDS = ("numRecordsIn", "numRecordsOut")
FEWEST_SEEN = 3
"""Samples without a record from which on a task is stuck rather than starting. Our choice."""
ALWAYS = (0, sys.maxsize)
"""The time in which a task starts that never got a record."""


def without_start_up(series: Sequence[Series]) -> Iterator[Series]:
    """The series; values of busy time from the start of an attempt to the first sample with records are unknown.

    Source: Flink's TaskIOMetricGroup computes busy time as what is neither idle nor back-pressured, also while a task
    is INITIALIZING. An attempt without any record stays as measured, unless it has fewer than FEWEST_SEEN samples: a
    task that did not live to its first record was starting all the time, also where another file has its busy time,
    in as few samples. Of a task whose subtasks were all starting, the subtasks without counters were too.
    """
    records = _records_over_time(series)
    starts = {subtask: list(_start_ups(counted)) for subtask, counted in records.items()}
    began = {subtask[:2] for subtask, counted in records.items() if not _never_began(counted)}
    starting = {subtask[:2] for subtask in records} - began
    for gauge in series:
        spans = starts.get(gauge.subtask_key) if gauge.metric == BUSY else None
        if gauge.metric == BUSY and gauge.subtask_key[:2] in starting and len(gauge.known) < FEWEST_SEEN:
            spans = [ALWAYS]
        yield replace(gauge, points=tuple(map(partial(_unknown_within, spans), gauge.points))) if spans else gauge


def _records_over_time(series: Sequence[Series]) -> Mapping[Subtask, Mapping[int, float]]:
    """Subtask -> epoch ms -> records read and written so far, of subtasks whose busy time is measured."""
    measured = {gauge.subtask_key for gauge in series if gauge.metric == BUSY}
    records: dict[Subtask, dict[int, float]] = defaultdict(lambda: defaultdict(float))
    counters = [each for each in series if each.metric in RECORDS and each.operator is None]
    for counter in counters:
        key = counter.subtask_key
        for point in counter.known if key in measured else ():
            records[key][point.ts_ms or 0] += point.value or 0.0
    return records


def _start_ups(records: Mapping[int, float]) -> Iterator[tuple[int, int]]:
    """The times in which a subtask starts, [from, until): it has no record yet, and gets one later or is seen seldom.

    The sample that counts its first records is within: its value covers the time since the sample before it.
    """
    since: int | None = None
    for ts_ms in sorted(records):
        if records[ts_ms] == 0:
            since = ts_ms if since is None else since
        elif since is not None:
            yield since, ts_ms + 1
            since = None
    if since is not None and len(records) < FEWEST_SEEN:
        yield since, max(records) + 1


def _never_began(records: Mapping[int, float]) -> bool:
    """Whether a subtask has no record in any of its few samples."""
    return len(records) < FEWEST_SEEN and not any(records.values())


def _unknown_within(spans: Sequence[tuple[int, int]], point: Point) -> Point:
    is_within = any(begin <= (point.ts_ms or 0) < end for begin, end in spans)
    return point._replace(value=None) if is_within else point
