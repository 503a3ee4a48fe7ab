"""Back pressure by the origin's signal: how long it lasted, bursts, catching up, unknown graphs."""

from __future__ import annotations

from typing import Any

import pytest

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
    ratios,
    signals_of_key,
)


def test_lasting_back_pressure_is_measured_with_its_sink() -> None:
    calm = [row for second in (0, 10) for row in ratios(second, source=(0.2, 0.0), middle=(0.1, 0.0), sink=(0.2, 0.0))]
    hard = [
        row
        for second in range(20, 70, 10)
        for row in ratios(second, source=(None, 1.0), middle=(0.05, 0.95), sink=(1.0, 0.0))
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
        for row in ratios(second, source=(0.1, 0.9 if second % 60 == 0 else 0.0), middle=(0.3, 0.0), sink=(0.2, 0.0))
    ]
    evidence = hand_made(**line_of_jobs(), back_pressure=rows)
    job = only(measure(evidence), "back_pressure.job")
    assert job.facts["high_lasted_ms"] == 10_000
    assert job.facts["high_share_ratio"] == pytest.approx(2 / 12)


def test_a_single_sample_gives_no_duration() -> None:
    evidence = hand_made(
        **line_of_jobs(), back_pressure=ratios(0, source=(0.0, 1.0), middle=(0.0, 1.0), sink=(1.0, 0.0))
    )
    assert "lasted_ms" not in only(measure(evidence), "back_pressure.origin").facts


def test_one_high_sample_among_few_distant_ones_gives_no_duration() -> None:
    looks = [(0, 0.0), (120, 0.9), (240, 0.0)]
    rows = [row for at, held in looks for row in ratios(at, source=(0.1, held), middle=(0.1, held), sink=(0.9, 0.0))]
    evidence = hand_made(**line_of_jobs(), back_pressure=rows)
    assert "lasted_ms" not in only(measure(evidence), "back_pressure.origin").facts


def test_back_pressure_that_begins_with_the_job_and_ends_is_a_backlog_that_is_worked_off() -> None:
    for until, worked_off in ((60, True), (180, False)):
        rows = [
            row
            for at in range(10, 190, 10)
            for row in ratios(at, source=(0.1, 0.9 if at <= until else 0.0), middle=(0.1, 0.0), sink=(0.1, 0.0))
        ]
        tables = line_of_jobs()
        tables["job"] = [{**each, "start_ms": START} for each in tables["job"]]
        evidence = hand_made(**tables, back_pressure=rows)
        assert only(measure(evidence), "back_pressure.origin").facts["catch_up"] is worked_off


def test_back_pressure_that_comes_again_after_the_start_is_no_backlog() -> None:
    rows = [
        row
        for at in range(10, 190, 10)
        for row in ratios(at, source=(0.1, 0.9 if at in (10, 20, 80, 90) else 0.0), middle=(0.1, 0.0), sink=(0.1, 0.0))
    ]
    tables = line_of_jobs()
    tables["job"] = [{**each, "start_ms": START} for each in tables["job"]]
    origin = only(measure(hand_made(**tables, back_pressure=rows)), "back_pressure.origin")
    assert origin.facts["catch_up"] is False
    assert origin.facts["ended_ms"] == START + 100_000


def test_back_pressure_has_not_ended_while_a_task_upstream_waits_or_the_evidence_is_too_short() -> None:
    for until, again, ends in ((60, (), True), (170, (), False), (60, (180,), False), (60, (190,), True)):
        rows = [
            row
            for at in range(10, 200, 10)
            for row in ratios(
                at, source=(0.1, 0.9 if at <= until or at in again else 0.0), middle=(0.1, 0.0), sink=(0.1, 0.0)
            )
        ]
        origin = only(measure(hand_made(**line_of_jobs(), back_pressure=rows)), "back_pressure.origin")
        assert ("ended_ms" in origin.facts) is ends


def test_a_single_high_moment_at_the_end_dates_neither_the_end_nor_the_beginning_of_what_is_over() -> None:
    rows = [
        row
        for at in range(10, 200, 10)
        for row in ratios(at, source=(0.1, 0.9 if at <= 60 or at == 190 else 0.0), middle=(0.1, 0.0), sink=(0.1, 0.0))
    ]
    facts = only(measure(hand_made(**line_of_jobs(), back_pressure=rows)), "back_pressure.origin").facts
    assert (facts["onset_ms"], facts["ended_ms"]) == (START, START + 70_000)


def test_accumulated_times_show_how_long_when_there_is_a_single_look() -> None:
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
    look = ratios(0, source=(0.0, 1.0), middle=(0.0, 1.0), sink=(1.0, 0.0))
    evidence = hand_made(**line_of_jobs(), back_pressure=look, subtask=accumulated)
    assert only(measure(evidence), "back_pressure.origin").facts["lasted_ms"] == 80_000


def _metered(metric: str, vertex: str, *values: float) -> list[dict[str, Any]]:
    about = {"scope": "task", "job_id": JOB, "vertex_id": vertex, "subtask": 0, "metric": metric}
    return [{**about, "ts_ms": START + 3_000 + place * 5_000, "value": value} for place, value in enumerate(values)]


def test_counters_of_back_pressured_time_date_its_beginning_and_duration_to_the_second() -> None:
    """The look-up has no time left from the first sample on; records queue for a minute before the source waits."""
    waits = [0.0] * 13 + [700.0 + 5_000 * place for place in range(12)]
    rows = [
        *_metered("accumulateBackPressuredTimeMs", SOURCE, *waits),
        *_metered("backPressuredTimeMsPerSecond", SOURCE, *[0.0] * 25),
        *_metered("busyTimeMsPerSecond", MIDDLE, *[1000.0] * 25),
        *_metered("backPressuredTimeMsPerSecond", MIDDLE, *[0.0] * 25),
    ]
    facts = only(measure(hand_made(**line_of_jobs(), metric_sample=rows)), "back_pressure.origin").facts

    first_waiting, last = START + 3_000 + 13 * 5_000, START + 3_000 + 24 * 5_000
    assert (facts["held_since_ms"], facts["held_since_at_start"]) == (first_waiting, False)
    assert facts["lasted_ms"] == last - first_waiting
    assert facts["onset_at_start"] is True
    assert facts["queued_ms"] >= 60_000


def test_metrics_without_a_time_beside_dated_answers_make_no_back_pressure_of_years() -> None:
    scraped = [
        {**row, "ts_ms": None}
        for row in [
            *_metered("backPressuredTimeMsPerSecond", SOURCE, 1000.0),
            *_metered("busyTimeMsPerSecond", SINK, 1000.0),
        ]
    ]
    asked = [
        row for place in range(4) for row in ratios(place * 10, source=(0.0, 1.0), middle=(0.0, 1.0), sink=(1.0, 0.0))
    ]
    measured = list(measure(hand_made(**line_of_jobs(), back_pressure=asked, metric_sample=scraped)))
    job, origin = only(measured, "back_pressure.job"), only(measured, "back_pressure.origin")
    assert (job.facts["high_lasted_ms"], origin.facts["lasted_ms"]) == (40_000, 40_000)
    assert job.window == (START, START + 30_000)


def test_nothing_is_measured_withoutload_of_line() -> None:
    measured = list(measure(hand_made(**line_of_jobs())))
    assert signals_of_key(measured, "back_pressure.origin") == []
    assert needs(measured)["back_pressure.origin"] == "back-pressure"


def test_metrics_alone_show_the_sink_by_its_name() -> None:
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


@pytest.mark.parametrize(("rate", "stopped"), [(0.0, True), (12.0, False)])
def test_a_sink_that_takes_no_record_in_any_reading_stands_still(rate: float, stopped: bool) -> None:
    hard = [
        row
        for second in range(0, 70, 10)
        for row in ratios(second, source=(None, 1.0), middle=(0.05, 0.95), sink=(1.0, 0.0))
    ]
    about = {"job_id": JOB, "vertex_id": SINK, "subtask": 0, "metric": "numRecordsInPerSecond"}
    rates = [{**about, "ts_ms": START + second * 1000, "value": rate} for second in range(0, 70, 10)]
    evidence = hand_made(**line_of_jobs(), back_pressure=hard, metric_sample=rates)
    assert only(measure(evidence), "back_pressure.origin").facts["stands_still"] is stopped


def test_the_levels_of_tasks_show_the_origin_where_no_ratio_is_known() -> None:
    levels = {"Source: orders": "high", "enrich": "high", "Sink: documents": "ok"}
    rows = [{"vertex_id": vertex, "level": level} for vertex, level in levels.items()]
    origin = only(measure(hand_made(back_pressure=rows)), "back_pressure.origin")
    assert (origin.subject.vertex, origin.facts["level"]) == ("Sink: documents", "high")
    assert "lasted_ms" not in origin.facts


def test_calm_levels_have_no_origin() -> None:
    rows = [{"vertex_id": vertex, "level": "ok"} for vertex in ("Source: orders", "enrich", "Sink: documents")]
    assert not signals_of_key(measure(hand_made(back_pressure=rows)), "back_pressure.origin")


def _pools(second: int, **by_vertex: dict[str, float]) -> list[dict[str, Any]]:
    ids = {"source": SOURCE, "middle": MIDDLE, "sink": SINK}
    return [
        {
            "ts_ms": START + second * 1000,
            "job_id": JOB,
            "vertex_id": ids[vertex],
            "subtask": 0,
            "metric": f"buffers.{pool}PoolUsage",
            "value": used,
        }
        for vertex, pools in by_vertex.items()
        for pool, used in pools.items()
    ]


def test_full_output_pools_show_the_origin_where_no_time_is_measured() -> None:
    """Flink measures how long tasks are held back since 1.13."""
    rows = [
        row
        for second in range(0, 120, 10)
        for row in _pools(second, source={"out": 1.0}, middle={"in": 1.0, "out": 1.0}, sink={"in": 1.0})
    ]
    origin = only(measure(hand_made(**line_of_jobs(), metric_sample=rows)), "back_pressure.origin")
    assert (origin.subject.vertex, origin.facts["upstream_ratio"]) == ("Sink: documents", 1.0)
    assert (origin.facts["busy_known"], origin.facts["upstream_vertices"]) == (False, ["Source: orders", "enrich"])
    assert (origin.facts["by_pools"], origin.facts["least_input_ratio"]) == (True, 1.0)
    assert "buffers.outPoolUsage" in origin.citations[0].text


@pytest.mark.parametrize("used", [0.0, 0.5, 0.95])
def test_output_pools_with_room_hold_nobody_back(used: float) -> None:
    rows = [
        row
        for second in range(0, 120, 10)
        for row in _pools(second, source={"out": used}, middle={"in": 1.0, "out": used}, sink={"in": 1.0})
    ]
    assert not signals_of_key(measure(hand_made(**line_of_jobs(), metric_sample=rows)), "back_pressure.origin")


def test_pools_count_only_where_no_time_is_measured() -> None:
    calm = [row for second in range(0, 120, 10) for row in ratios(second, source=(0.2, 0.0), sink=(0.2, 0.0))]
    full = [row for second in range(0, 120, 10) for row in _pools(second, source={"out": 1.0}, sink={"in": 1.0})]
    evidence = hand_made(**line_of_jobs(), back_pressure=calm, metric_sample=full)
    assert not signals_of_key(measure(evidence), "back_pressure.origin")


def test_a_task_whose_busy_time_flink_does_not_measure_is_named() -> None:
    rows = [row for at in (0, 10, 20) for row in ratios(at, source=(None, 0.0), middle=(0.1, 0.0), sink=(0.2, 0.0))]
    job = only(measure(hand_made(**line_of_jobs(), back_pressure=rows)), "back_pressure.job")
    assert (job.facts["unmeasured_vertex"], job.facts["busy_vertex"]) == ("Source: orders", "Sink: documents")
