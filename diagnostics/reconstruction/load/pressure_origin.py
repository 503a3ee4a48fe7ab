"""The origin of back pressure: a task that is not back-pressured itself while its upstream tasks are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.arithmetic.quantiles import highest
from diagnostics.reconstruction.job.graph import JobGraph
from diagnostics.reconstruction.load.timeline import Moment, Timeline
from diagnostics.vocabulary.load_levels import OK_MOST

OWN_PART = 0.5
"""Largest back-pressured ratio of an origin, as a share of the highest ratio among its direct upstream tasks. Our
choice."""
AS_BUSY = 0.6
"""Smallest busy ratio of an origin as a share of the busiest origin's ratio at the same time. Our choice."""


@dataclass(frozen=True, slots=True)
class OriginMoment:
    """A task at one time at which it was an origin of back pressure.

    own              load of the task itself
    upstream_ratio   the highest back-pressured ratio (0 to 1) among the upstream tasks on the back-pressured path
    upstream_vertex  id of the upstream task with that ratio
    upstream_load    load of that upstream task
    below_busy       the highest busy ratio among the downstream tasks, None if not known
    """

    ts_ms: int
    own: Moment
    upstream_ratio: float
    upstream_vertex: str
    upstream_load: Moment
    below_busy: float | None


def origins(timeline: Timeline, graph: JobGraph) -> Mapping[str, list[OriginMoment]]:
    """Task -> the times at which it was an origin of back pressure, in time order.

    A task is a candidate when a direct upstream task is back-pressured and the task itself is not, or clearly less. A
    candidate that is back-pressured itself is dropped when one of its downstream tasks is a candidate. Of the remaining
    ones, those that are far less busy than the busiest are dropped.
    """
    by_moment: dict[int, dict[str, Moment]] = {}
    for vertex, moments in timeline.items():
        for moment in moments:
            by_moment.setdefault(moment.ts_ms, {})[vertex] = moment
    found: dict[str, list[OriginMoment]] = {}
    for ts_ms in sorted(by_moment):
        for vertex, origin in _origins_at(ts_ms, by_moment[ts_ms], graph).items():
            found.setdefault(vertex, []).append(origin)
    return found


def _origins_at(ts_ms: int, now: Mapping[str, Moment], graph: JobGraph) -> Mapping[str, OriginMoment]:
    candidates: dict[str, OriginMoment] = {}
    for vertex, own in now.items():
        direct = [(now[each].held_max or 0.0, each) for each in graph.above(vertex) if each in now]
        worst = max(direct, default=None)
        if worst is None or worst[0] <= OK_MOST or (own.held_max or 0.0) > OWN_PART * worst[0]:
            continue
        path = _back_pressured_path(vertex, now, graph)
        upstream, name = max(path or [worst])
        below = highest(now[each].busy_max for each in graph.all_below(vertex) if each in now)
        candidates[vertex] = OriginMoment(ts_ms, own, upstream, name, now[name], below)
    kept = {
        vertex: origin
        for vertex, origin in candidates.items()
        if (origin.own.held_max or 0.0) <= OK_MOST or not any(each in candidates for each in graph.all_below(vertex))
    }
    busiest = highest(origin.own.busy_max for origin in kept.values())
    return {
        vertex: origin
        for vertex, origin in kept.items()
        if origin.own.busy_max is None or busiest is None or origin.own.busy_max >= AS_BUSY * busiest
    }


def _back_pressured_path(vertex: str, now: Mapping[str, Moment], graph: JobGraph) -> list[tuple[float, str]]:
    """(back-pressured ratio, task) of the upstream tasks, as far as the path of back-pressured tasks is unbroken."""
    if not graph.edges_known:
        return [(now[each].held_max or 0.0, each) for each in graph.above(vertex) if each in now]
    ratios: dict[str, float] = {}
    front = [vertex]
    while front:
        above = {each for place in front for each in graph.above(place) if each in now and each not in ratios}
        front = [each for each in sorted(above) if (now[each].held_max or 0.0) > OK_MOST]
        ratios.update({each: now[each].held_max or 0.0 for each in front})
    return [(ratio, each) for each, ratio in ratios.items()]
