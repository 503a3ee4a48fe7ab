"""When back pressure began, and how long it lasted: to the second where counters of back-pressured time are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import median

from diagnostics.arithmetic.onset import Onset, onset
from diagnostics.arithmetic.quantiles import highest, longest_run
from diagnostics.reconstruction.load.task_rates import HeldTime
from diagnostics.reconstruction.load.timeline import MOMENT_MS, Moment, Timeline
from diagnostics.vocabulary.load_levels import LOW_MOST

GAP_STEPS = 2.5
"""Moments further apart than this many usual steps belong to different runs. Our choice: bridges one missed scrape."""
FEWEST_MOMENTS = 3
"""With fewer moments a duration cannot be measured. Our choice."""
FEW_LOOKS = 6
"""With fewer readings that lie far apart, a single high one gives no duration; with more, it is a short burst. Our
choice.
"""
LASTS_MS = 30_000
"""HIGH back pressure of at least this time is no burst. Source: the bound of the rules on back pressure (bp.held-back).
"""

Span = tuple[int, int]
"""A time since and until, epoch ms."""


def moments_of(timeline: Timeline) -> list[int]:
    """The moments at which some task was looked at, epoch ms."""
    return sorted({moment.ts_ms for each in timeline.values() for moment in each})


def course_of(timeline: Timeline) -> list[int]:
    """The moments in time: those without one belong to no course, unless there are no others."""
    moments = moments_of(timeline)
    return [each for each in moments if each >= 0] or moments


def window_of(moments: Iterable[int]) -> Span | None:
    """The first and the last of the moments that have a time."""
    dated = [each for each in moments if each >= 0]
    return (min(dated), max(dated)) if dated else None


def widest_gap_ms(timeline: Timeline) -> float:
    """Moments further apart belong to different runs, in milliseconds."""
    return GAP_STEPS * max(_step_ms(course_of(timeline)), MOMENT_MS)


def _step_ms(moments: Sequence[int]) -> float:
    """Median distance between two moments, in milliseconds."""
    return median([later - earlier for earlier, later in pairwise(moments)]) if len(moments) > 1 else float(MOMENT_MS)


def pressed_span(moment: Moment) -> Span:
    """The time in which a moment shows its task back-pressured."""
    return moment.held_ms or (moment.ts_ms, moment.ts_ms + MOMENT_MS)


def run_ms(spans: Mapping[int, Span], timeline: Timeline) -> float:
    """Milliseconds of the longest run of moments with back pressure.

    spans  such a moment -> the time in which it shows back pressure
    """
    run = _longest(spans, timeline)
    return float(spans[run[-1]][1] - spans[run[0]][0]) if run else 0.0


def _longest(spans: Mapping[int, Span], timeline: Timeline) -> list[int]:
    moments = [(ts_ms, ts_ms in spans) for ts_ms in course_of(timeline)]
    return longest_run(moments, widest_gap_ms(timeline))


def pressed_spans(timeline: Timeline) -> Mapping[int, Span]:
    """The moments at which back pressure of some task is HIGH -> the time in which they show it."""
    spans: dict[int, Span] = {}
    for each in (moment for moments in timeline.values() for moment in moments):
        if each.held_max is not None and each.held_max > LOW_MOST:
            since_ms, until_ms = pressed_span(each)
            first_ms, last_ms = spans.get(each.ts_ms, (since_ms, until_ms))
            spans[each.ts_ms] = min(since_ms, first_ms), max(until_ms, last_ms)
    return spans


def lasting_spans(timeline: Timeline) -> Mapping[int, Span]:
    """The longest run of `pressed_spans`; empty where the back pressure was a burst, or has no times."""
    spans = pressed_spans(timeline)
    if not spans or min(spans) < 0 or run_ms(spans, timeline) < LASTS_MS:
        return {}
    return {ts_ms: spans[ts_ms] for ts_ms in _longest(spans, timeline)}


def lasted_ms(spans: Mapping[int, Span], timeline: Timeline, times: Sequence[HeldTime]) -> float | None:
    """Duration of the back pressure in milliseconds: its longest run of moments, or the time that tasks upstream
    accumulated.

    None when there are too few moments and the accumulated time may lie anywhere in the job's life.
    """
    run = run_ms(spans, timeline)
    moments = course_of(timeline)
    dense = highest(each.dense_ms for each in times)
    if dense:
        return max(run, dense)
    are_few = len(moments) < FEW_LOOKS and _step_ms(moments) > FEWEST_MOMENTS * MOMENT_MS
    if len(moments) >= FEWEST_MOMENTS and not (run <= MOMENT_MS and are_few):
        return run
    whole = highest(each.total_ms for each in times)
    return whole if whole is not None and whole < FEWEST_MOMENTS * MOMENT_MS else None


def pressed_since(spans: Mapping[int, Span], timeline: Timeline) -> Onset | None:
    """When the back pressure began that lasted until the last of its moments; None without any."""
    found = onset((ts_ms, ts_ms in spans) for ts_ms in course_of(timeline))
    return Onset(spans[found.ts_ms][0], found.at_start) if found else None
