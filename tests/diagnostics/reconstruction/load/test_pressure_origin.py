"""The origin of back pressure: chains, forks, joins, unknown busy times."""

from __future__ import annotations

from diagnostics.citation import Citation
from diagnostics.reconstruction.job.graph import JobGraph
from diagnostics.reconstruction.load.pressure_origin import origins
from diagnostics.reconstruction.load.timeline import Moment, Reading
from tests.diagnostics.hand_made import JOB, START

HERE = Citation(file_id=0, line=1, kind="rest", text="")


def _graph(*edges: tuple[str, str]) -> JobGraph:
    names = dict.fromkeys(name for edge in edges for name in edge)
    parents: dict[str, tuple[str, ...]] = {}
    children: dict[str, tuple[str, ...]] = {}
    for above, below in edges:
        parents[below] = (*parents.get(below, ()), above)
        children[above] = (*children.get(above, ()), below)
    return JobGraph(JOB, {name: name for name in names}, {}, parents, children, edges_known=True)


def _now(busy: float | None, held: float) -> list[Moment]:
    reading = Reading(held, HERE, START - 10_000, START)
    return [Moment(START, () if busy is None else (busy,), (held,), None, reading)]


def test_in_a_chain_the_busy_task_behind_the_waiting_ones_is_the_origin() -> None:
    graph = _graph(("source", "map"), ("map", "sink"))
    timeline = {"source": _now(0.0, 1.0), "map": _now(0.1, 0.9), "sink": _now(1.0, 0.0)}
    found = origins(timeline, graph)
    assert list(found) == ["sink"]
    assert (found["sink"][0].upstream_ratio, found["sink"][0].upstream_vertex) == (1.0, "source")


def test_an_origin_in_the_middle_leaves_the_sink_alone() -> None:
    graph = _graph(("source", "map"), ("map", "sink"))
    timeline = {"source": _now(None, 1.0), "map": _now(1.0, 0.0), "sink": _now(0.02, 0.0)}
    assert list(origins(timeline, graph)) == ["map"]


def test_a_half_held_back_task_gives_way_to_the_one_behind_it() -> None:
    graph = _graph(("source", "map"), ("map", "sink"))
    timeline = {"source": _now(0.0, 1.0), "map": _now(0.6, 0.4), "sink": _now(1.0, 0.0)}
    found = origins(timeline, graph)
    assert list(found) == ["sink"]
    assert found["sink"][0].upstream_ratio == 1.0, "the pressure goes through the task between them"


def test_of_two_branches_only_the_busy_one_counts() -> None:
    graph = _graph(("source", "fast sink"), ("source", "slow sink"))
    timeline = {"source": _now(0.1, 0.9), "fast sink": _now(0.1, 0.0), "slow sink": _now(0.98, 0.0)}
    assert list(origins(timeline, graph)) == ["slow sink"]


def test_two_busy_branches_are_two_origins() -> None:
    graph = _graph(("a", "sink a"), ("b", "sink b"))
    timeline = {"a": _now(0.0, 1.0), "b": _now(0.0, 1.0), "sink a": _now(1.0, 0.0), "sink b": _now(0.9, 0.0)}
    assert sorted(origins(timeline, graph)) == ["sink a", "sink b"]


def test_a_join_behind_two_sources_is_the_origin_of_both() -> None:
    graph = _graph(("left", "join"), ("right", "join"), ("join", "sink"))
    timeline = {"left": _now(0.0, 0.9), "right": _now(0.4, 0.2), "join": _now(1.0, 0.0), "sink": _now(0.1, 0.0)}
    assert list(origins(timeline, graph)) == ["join"]


def test_an_unknown_busy_time_does_not_hide_an_origin() -> None:
    graph = _graph(("source", "sink"))
    assert list(origins({"source": _now(None, 0.9), "sink": _now(None, 0.0)}, graph)) == ["sink"]


def test_without_back_pressure_there_is_no_origin() -> None:
    graph = _graph(("source", "sink"))
    assert origins({"source": _now(0.5, 0.05), "sink": _now(0.99, 0.0)}, graph) == {}
