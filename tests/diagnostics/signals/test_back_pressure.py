"""Where back pressure begins: chains, forks, joins, bursts, unknown busy times, unknown graphs."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.citation import Citation
from diagnostics.reconstruction.job.graph import JobGraph
from diagnostics.reconstruction.load.pressure_origin import origins
from diagnostics.reconstruction.load.timeline import Moment, Reading
from diagnostics.signals.back_pressure import measure
from tests.diagnostics.hand_made import (
    JOB,
    MIDDLE,
    SINK,
    SOURCE,
    START,
    hand_made,
    line_of_jobs,
    needs,
    only,
    signals_of_key,
)

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
    reading = Reading(held, HERE)
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


def _ratios(second: int, **by_vertex: tuple[float | None, float]) -> list[dict[str, Any]]:
    ids = {"source": SOURCE, "middle": MIDDLE, "sink": SINK}
    return [
        {
            "ts_ms": START + second * 1000,
            "job_id": JOB,
            "vertex_id": ids[vertex],
            "subtask": subtask,
            "busy_ratio": busy,
            "back_pressured_ratio": held,
        }
        for vertex, (busy, held) in by_vertex.items()
        for subtask in (0, 1)
    ]


def test_lasting_back_pressure_is_measured_with_its_sink() -> None:
    calm = [row for second in (0, 10) for row in _ratios(second, source=(0.2, 0.0), middle=(0.1, 0.0), sink=(0.2, 0.0))]
    hard = [
        row
        for second in range(20, 70, 10)
        for row in _ratios(second, source=(None, 1.0), middle=(0.05, 0.95), sink=(1.0, 0.0))
    ]
    evidence = hand_made(**line_of_jobs(), back_pressure=calm + hard)
    origin = only(measure(evidence), "back_pressure.origin")
    assert (origin.subject.vertex, origin.facts["position"]) == ("Sink: documents", "sink")
    assert origin.facts["upstream_vertices"] == ["Source: orders", "enrich"]
    assert (origin.facts["busy_min_ratio"], origin.facts["upstream_ratio"]) == (1.0, 1.0)
    assert origin.facts["lasted_ms"] == 50_000  # five moments of ten seconds
    assert origin.facts["share_ratio"] == pytest.approx(5 / 7)
    assert origin.citations[0].text.startswith("subtask")


def test_a_burst_that_passes_did_not_last() -> None:
    rows = [
        row
        for second in range(0, 120, 10)
        for row in _ratios(second, source=(0.1, 0.9 if second % 60 == 0 else 0.0), middle=(0.3, 0.0), sink=(0.2, 0.0))
    ]
    evidence = hand_made(**line_of_jobs(), back_pressure=rows)
    job = only(measure(evidence), "back_pressure.job")
    assert job.facts["high_lasted_ms"] == 10_000
    assert job.facts["high_share_ratio"] == pytest.approx(2 / 12)


def test_a_single_look_says_nothing_of_how_long_it_lasted() -> None:
    evidence = hand_made(
        **line_of_jobs(), back_pressure=_ratios(0, source=(0.0, 1.0), middle=(0.0, 1.0), sink=(1.0, 0.0))
    )
    assert "lasted_ms" not in only(measure(evidence), "back_pressure.origin").facts


def test_one_high_look_among_few_that_lie_far_apart_says_nothing_of_how_long_it_lasted() -> None:
    looks = [(0, 0.0), (120, 0.9), (240, 0.0)]
    rows = [row for at, held in looks for row in _ratios(at, source=(0.1, held), middle=(0.1, held), sink=(0.9, 0.0))]
    evidence = hand_made(**line_of_jobs(), back_pressure=rows)
    assert "lasted_ms" not in only(measure(evidence), "back_pressure.origin").facts


def test_back_pressure_that_begins_with_the_job_and_ends_is_a_backlog_that_is_worked_off() -> None:
    for until, worked_off in ((60, True), (180, False)):
        rows = [
            row
            for at in range(10, 190, 10)
            for row in _ratios(at, source=(0.1, 0.9 if at <= until else 0.0), middle=(0.1, 0.0), sink=(0.1, 0.0))
        ]
        tables = line_of_jobs()
        tables["job"] = [{**each, "start_ms": START} for each in tables["job"]]
        evidence = hand_made(**tables, back_pressure=rows)
        assert only(measure(evidence), "back_pressure.origin").facts["catch_up"] is worked_off


def test_accumulated_times_tell_how_long_when_there_is_a_single_look() -> None:
    accumulated = [
        {
            "job_id": JOB,
            "vertex_id": SOURCE,
            "subtask": subtask,
            "attempt": 0,
            "ts_ms": START,
            "duration_ms": 100_000,
            "back_pressured_ms": 80_000.0,
        }
        for subtask in (0, 1)
    ]
    look = _ratios(0, source=(0.0, 1.0), middle=(0.0, 1.0), sink=(1.0, 0.0))
    evidence = hand_made(**line_of_jobs(), back_pressure=look, subtask=accumulated)
    assert only(measure(evidence), "back_pressure.origin").facts["lasted_ms"] == 80_000


def test_nothing_is_measured_without_ratios() -> None:
    measured = list(measure(hand_made(**line_of_jobs())))
    assert signals_of_key(measured, "back_pressure.origin") == []
    assert needs(measured)["back_pressure.origin"] == "back-pressure"


def test_metrics_alone_tell_the_sink_by_its_name() -> None:
    """No job graph: the name that the reporter prints says where the task stands."""
    busy, held = "busyTimeMsPerSecond", "backPressuredTimeMsPerSecond"
    values = {(SOURCE, "Source:_orders"): (0.0, 1000.0), (SINK, "Sink:_documents"): (1000.0, 0.0)}
    rows = [
        {
            "ts_ms": START + second * 1000,
            "scope": "task",
            "job_id": JOB,
            "vertex_id": vertex,
            "vertex": name,
            "subtask": 0,
            "metric": metric,
            "value": value,
        }
        for second in range(0, 60, 10)
        for (vertex, name), pair in values.items()
        for metric, value in zip((busy, held), pair, strict=True)
    ]
    origin = only(measure(hand_made(metric_sample=rows)), "back_pressure.origin")
    assert (origin.subject.vertex, origin.subject.vertex_id) == ("Sink:_documents", SINK)
    assert (origin.facts["position"], origin.facts["graph_known"]) == ("sink", False)
    assert origin.facts["upstream_vertices"] == ["Source:_orders"]
    assert origin.facts["lasted_ms"] == 60_000
