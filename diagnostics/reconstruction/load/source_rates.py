"""Records that the sources of each job emit in its last attempt, its largest change, and the rate with nothing held."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise

from diagnostics.arithmetic.rate_change import RateChange, rate_change
from diagnostics.evidence import Evidence, read_once
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.metrics.series import Point, Series, Subtask, since_restart
from diagnostics.vocabulary.load_levels import OK_MOST

SETTLED_MS = 5_000
"""How far a source that nothing holds back may seem to be behind: Flink updates its counters every 5 s. Source: Flink's
View.UPDATE_INTERVAL_SECONDS."""
Readings = Sequence[tuple[int, float]]
"""(epoch ms, records so far)."""


@dataclass(frozen=True, slots=True)
class SourceRate:
    """The sources of one job.

    counters  numRecordsOut of their subtasks
    readings  those of each subtask in its last attempt
    summed    the sum over the subtasks at moments at which all were sampled
    change    where the rate of the sum changed most; None with too few samples
    unheld    what each subtask emits while nothing holds it back, 1/s; None where it has no such time
    is_held   whether each subtask was held back at every look
    """

    counters: Sequence[Series]
    readings: Sequence[Readings]
    summed: Readings
    change: RateChange | None
    unheld: Sequence[float | None]
    is_held: bool

    @property
    def unheld_per_s(self) -> float | None:
        """What they emit while nothing holds them back, 1/s; None where some subtask has no such time."""
        known = [each for each in self.unheld if each is not None]
        return sum(known) if known and len(known) == len(self.unheld) else None

    def held_at(self, at_ms: float | None = None) -> float | None:
        """Records that the sources could not emit by a moment, epoch ms, or by their last readings, though they would
        have, had nothing held them back; None where that is not known of each.
        """
        held = [
            _held_at(each, per_s, at_ms if at_ms is not None else each[-1][0] if each else None)
            for each, per_s in zip(self.readings, self.unheld, strict=True)
        ]
        known = [each for each in held if each is not None]
        return sum(known) if known and len(known) == len(held) else None


@read_once
def source_rates(evidence: Evidence) -> Mapping[str | None, SourceRate]:
    """Job -> what its sources emit, computed once for each Evidence.

    Reads   metric_sample (numRecordsOut of tasks without input, their back-pressured time), edge.
    """
    cluster = cluster_of(evidence)
    counters = metric_series(evidence).by_vertex("numRecordsOut", operators=False)
    held = {each.subtask_key: each.known for each in metric_series(evidence).of("backPressuredTimeMsPerSecond")}
    sources: dict[str | None, list[Series]] = defaultdict(list)
    for vertex, found in counters.items():
        if _is_source(vertex, cluster.inputs):
            sources[vertex[0]] += found
    return {job_id: _rate(sources[job_id], held) for job_id in sorted(sources, key=repr)}


def _is_source(vertex: VertexKey, inputs: Mapping[VertexKey, object]) -> bool:
    return any(place[0] == vertex[0] for place in inputs) and vertex not in inputs


def _rate(counters: Sequence[Series], held: Mapping[Subtask, Sequence[Point]]) -> SourceRate:
    readings = [_readings(each) for each in counters]
    by_moment: dict[int, list[float]] = defaultdict(list)
    for ts_ms, value in chain.from_iterable(readings):
        by_moment[ts_ms].append(value)
    summed = [(moment, sum(values)) for moment, values in sorted(by_moment.items()) if len(values) == len(counters)]
    unheld = [_unheld_per_s(each, held.get(of.subtask_key, ())) for each, of in zip(readings, counters, strict=True)]
    looks = [[point.value or 0.0 for point in held.get(each.subtask_key, ())] for each in counters]
    is_held = all(each and min(each) > OK_MOST * 1000 for each in looks)
    return SourceRate(counters, readings, summed, rate_change(summed[1:]), unheld, is_held)


def _held_at(readings: Readings, per_s: float | None, at_ms: float | None) -> float | None:
    """What a subtask is behind a source that emits at this rate since it was ahead of it most."""
    before = [each for each in readings if at_ms is not None and each[0] <= at_ms]
    if not before or per_s is None or at_ms is None:
        return None
    (last_ms, last), after = before[-1], readings[len(before) :]
    emitted = last
    if after and at_ms > last_ms:
        (next_ms, following), *_ = after
        emitted += (following - last) * (at_ms - last_ms) / (next_ms - last_ms)
    due = max(value + (at_ms - ts_ms) / 1000 * per_s for ts_ms, value in before)
    behind = due - emitted
    return behind if behind >= per_s * SETTLED_MS / 1000 else 0.0


def _unheld_per_s(readings: Readings, held: Sequence[Point]) -> float | None:
    """The rate in the longest time in which a subtask is not held back, 1/s.

    held  its back-pressured time in the order of time, ms per second
    An interval counts when the next one is free, too: Flink updates these counters every 5 s, so that back pressure
    which began in an interval may be read at the end of the next.
    """
    looked_ms, values = [point.ts_ms or 0 for point in held], [point.value or 0.0 for point in held]
    longest, run = (0, 0.0), (0, 0.0)
    for place, ((since_ms, before), (until_ms, after)) in enumerate(pairwise(readings)):
        next_ms = readings[min(place + 2, len(readings) - 1)][0]
        seen = values[bisect_right(looked_ms, since_ms) : bisect_right(looked_ms, next_ms)]
        is_free = bool(seen) and max(seen) <= OK_MOST * 1000
        run = (run[0] + until_ms - since_ms, run[1] + after - before) if is_free else (0, 0.0)
        longest = max(longest, run)
    spent_ms, emitted = longest
    return emitted / spent_ms * 1000 if spent_ms else None


def _readings(counter: Series) -> Readings:
    """Epoch ms and value of the last attempt's samples where both are known."""
    points = since_restart(counter.points)
    return [(point.ts_ms, point.value) for point in points if point.ts_ms is not None and point.value is not None]
