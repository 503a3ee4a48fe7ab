"""One hot subtask, several, or an even load."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import load_balance
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


def subtasks(
    vertex: str, records: list[int], ts_ms: int = START, out: bool = False, **rest: Any
) -> list[dict[str, Any]]:
    return [
        {
            "job_id": JOB,
            "vertex_id": vertex,
            "subtask": subtask,
            "ts_ms": ts_ms,
            "attempt": 0,
            "read_records": 0 if out else count,
            "write_records": count,
            "duration_ms": 100_000,
            **rest,
        }
        for subtask, count in enumerate(records)
    ]


def busy(vertex: str, ratios: list[float]) -> list[dict[str, Any]]:
    return [
        {"job_id": JOB, "vertex_id": vertex, "subtask": subtask, "ts_ms": START, "busy_ratio": ratio}
        for subtask, ratio in enumerate(ratios)
    ]


def test_a_hot_subtask_is_named_with_its_share_and_the_salts_it_needs() -> None:
    evidence = hand_made(
        **line_of_jobs(),
        subtask=[*subtasks(SOURCE, [5_000, 5_000], out=True), *subtasks(SINK, [90_000, 4_000, 3_000, 3_000])],
        back_pressure=[
            *busy(SINK, [1.0, 0.1, 0.08, 0.08]),
            {"job_id": JOB, "vertex_id": SOURCE, "subtask": 0, "ts_ms": START, "back_pressured_ratio": 0.99},
        ],
    )
    signals = {
        signal.subject.vertex_id: signal for signal in signals_of_key(load_balance.measure(evidence), "load_balance")
    }
    facts = signals[SINK].facts
    assert signals[SINK].subject.vertex == "Sink: documents"
    assert (facts["hot_subtask"], facts["hot_records"], facts["total_records"]) == (0, 90_000, 100_000)
    assert facts["skew_ratio"] == pytest.approx(0.9 * 4)
    assert (facts["hot_busy_ratio"], facts["others_busy_max_ratio"]) == (1.0, 0.1)
    assert (facts["keyed"], facts["inherited"], facts["is_sink"]) == (True, False, True)
    assert (facts["upstream_vertex"], facts["upstream_back_pressured_ratio"]) == ("Source: orders", 0.99)
    assert signals[SOURCE].facts["direction"] == "out"
    assert signals[SINK].citations[0].text.startswith("subtask 0: read-records 90000")


def test_without_a_graph_the_tasks_that_are_no_sinks_are_those_that_wait() -> None:
    """Metrics hold no edges: the source that waits is still held back by the only task that is busy."""
    tables = line_of_jobs()
    del tables["edge"]
    evidence = hand_made(
        **tables,
        subtask=subtasks(MIDDLE, [5_000, 5_000]),
        back_pressure=[
            *busy(MIDDLE, [0.0, 1.0]),
            {"job_id": JOB, "vertex_id": SOURCE, "subtask": 0, "ts_ms": START, "back_pressured_ratio": 1.0},
            {"job_id": JOB, "vertex_id": SINK, "subtask": 0, "ts_ms": START, "back_pressured_ratio": 0.0},
        ],
    )
    facts = only(load_balance.measure(evidence), "load_balance").facts
    assert (facts["upstream_vertex"], facts["upstream_back_pressured_ratio"]) == ("Source: orders", 1.0)


def test_how_an_input_is_distributed_is_not_said_where_no_file_shows_it() -> None:
    """Derived edges name no strategy: the task may well be keyed, and rebalance() would break its state."""
    graph = line_of_jobs()
    graph["edge"] = [{**edge, "ship_strategy": None} for edge in graph["edge"]]
    rows = [*subtasks(MIDDLE, [90_000, 10_000]), *subtasks(SINK, [5_000, 5_000])]
    signals = signals_of_key(load_balance.measure(hand_made(**graph, subtask=rows)), "load_balance")
    assert "keyed" not in next(each.facts for each in signals if each.subject.vertex_id == MIDDLE)


def test_skew_that_a_forward_edge_hands_on_is_inherited() -> None:
    tables = line_of_jobs()
    tables["edge"] = [{"job_id": JOB, "source_id": MIDDLE, "target_id": SINK, "ship_strategy": "FORWARD"}]
    evidence = hand_made(**tables, subtask=[*subtasks(MIDDLE, [9_000, 1_000]), *subtasks(SINK, [9_000, 1_000])])
    inherited = {
        signal.subject.vertex_id: signal.facts.get("inherited")
        for signal in signals_of_key(load_balance.measure(evidence), "load_balance")
    }
    assert inherited == {MIDDLE: False, SINK: True}


def test_equal_shares_along_a_derived_edge_are_inherited_unless_the_hot_subtask_is_at_its_limit() -> None:
    """No strategy is known of such an edge; what comes behind a window has the window's skew with fewer records."""
    graph = line_of_jobs()
    graph["edge"] = [{**edge, "ship_strategy": None} for edge in graph["edge"]]
    rows = [*subtasks(MIDDLE, [90_000, 10_000]), *subtasks(SINK, [9_100, 900])]
    busy_sink = {"back_pressure": busy(SINK, [1.0, 0.1])}
    for tables, expected in (({}, True), (busy_sink, False)):
        signals = signals_of_key(load_balance.measure(hand_made(**graph, subtask=rows, **tables)), "load_balance")
        assert next(each.facts for each in signals if each.subject.vertex_id == SINK)["inherited"] is expected


def test_before_flink_1_13_full_buffers_show_who_waits_for_the_hot_subtask() -> None:
    def pool(vertex: str, name: str, *uses: float) -> list[dict[str, Any]]:
        place = {"job_id": JOB, "vertex_id": vertex, "vertex": vertex, "metric": f"buffers.{name}PoolUsage"}
        return [{**place, "subtask": subtask, "value": value} for subtask, value in enumerate(uses)]

    rows = [*pool(SOURCE, "out", 1.0, 1.0), *pool(MIDDLE, "in", 1.0, 0.1), *pool(MIDDLE, "out", 0.0, 0.0)]
    evidence = hand_made(**line_of_jobs(), subtask=subtasks(MIDDLE, [90_000, 10_000]), metric_sample=rows)
    facts = only(load_balance.measure(evidence), "load_balance").facts
    assert (facts["upstream_vertex"], facts["upstream_back_pressured_ratio"]) == ("Source: orders", 1.0)
    assert facts["back_pressured_ratio"] == 0.0
    assert (facts["hot_input_ratio"], facts["others_input_max_ratio"]) == (1.0, 0.1)


def test_skew_that_came_later_is_not_hidden_by_the_time_before() -> None:
    even, later = [10_000, 10_000, 10_000], [10_500, 30_000, 10_500]
    evidence = hand_made(
        **line_of_jobs(), subtask=[*subtasks(SINK, even), *subtasks(SINK, later, ts_ms=START + 60_000)]
    )
    (signal,) = signals_of_key(load_balance.measure(evidence), "load_balance")
    assert signal.facts["hot_subtask"] == 1
    assert signal.facts["hot_share_ratio"] == pytest.approx(20_000 / 21_000)
    assert signal.facts["since_ms"] == START


def test_subtasks_of_different_age_are_compared_by_rate() -> None:
    old = subtasks(SINK, [10_000, 10_000], duration_ms=100_000)
    old[1] |= {"read_records": 1_000, "duration_ms": 10_000}
    evidence = hand_made(**line_of_jobs(), subtask=old)
    (signal,) = signals_of_key(load_balance.measure(evidence), "load_balance")
    assert (signal.facts["by_rate"], signal.facts["skew_ratio"]) == (True, pytest.approx(1.0))


def test_attempts_that_have_ended_are_not_compared_by_rate() -> None:
    """As REST listed them in a real run: one failed after 4.5 s, and another was being cancelled for 36 s more."""
    ended = subtasks(SINK, [11_143, 11_144])
    ended[0] |= {"status": "CANCELING", "duration_ms": 40_417}
    ended[1] |= {"status": "FAILED", "duration_ms": 4_514}
    (signal,) = signals_of_key(load_balance.measure(hand_made(**line_of_jobs(), subtask=ended)), "load_balance")
    assert (signal.facts["by_rate"], signal.facts["skew_ratio"]) == (False, pytest.approx(1.0, abs=0.01))


@pytest.mark.parametrize("jobs", [{}, line_of_jobs()])
def test_subtasks_that_a_job_scaled_down_has_no_longer_are_left_out(jobs: dict[str, Any]) -> None:
    place = {"job_id": JOB, "vertex_id": SINK, "vertex": "Sink:_documents", "metric": "numRecordsIn"}
    before = [
        {**place, "subtask": subtask, "ts_ms": START + moment * 10_000, "value": moment * 1_000.0}
        for subtask in range(4)
        for moment in range(4)
    ]
    after = [
        {**place, "subtask": subtask, "ts_ms": START + (10 + moment) * 10_000, "value": moment * 900.0}
        for subtask in range(2)
        for moment in range(4)
    ]
    (signal,) = signals_of_key(load_balance.measure(hand_made(**jobs, metric_sample=before + after)), "load_balance")
    assert (signal.facts["subtasks_seen"], signal.facts["skew_ratio"]) == (2, pytest.approx(1.0))


def test_scraped_counters_show_the_same_without_rest() -> None:
    samples = [
        {
            "metric": "numRecordsIn",
            "job_id": JOB,
            "vertex_id": SINK,
            "vertex": "Sink:_documents",
            "subtask": subtask,
            "ts_ms": START + moment * 5_000,
            "value": moment * rate,
        }
        for subtask, rate in enumerate([100.0, 900.0])
        for moment in range(10)
    ]
    (signal,) = signals_of_key(load_balance.measure(hand_made(metric_sample=samples)), "load_balance")
    assert (signal.facts["hot_subtask"], signal.facts["records"]) == (1, [900, 8_100])


@pytest.mark.parametrize(("every_s", "hot", "skew"), [(60, 1, 1.8), (5, 0, 1.0)])
def test_what_is_read_now_is_judged_and_not_what_a_long_run_has_read(every_s: int, hot: int, skew: float) -> None:
    """After weeks the totals of both subtasks are alike although one of them gets nine of ten records today; less than
    five minutes of it are no skew yet.
    """
    place = {"job_id": JOB, "vertex_id": SINK, "vertex": "Sink:_documents", "metric": "numRecordsIn"}
    samples = [
        {**place, "subtask": subtask, "ts_ms": START + moment * every_s * 1000, "value": 1e9 + moment * every_s * rate}
        for subtask, rate in enumerate([100.0, 900.0])
        for moment in range(10)
    ]
    (signal,) = signals_of_key(load_balance.measure(hand_made(metric_sample=samples)), "load_balance")
    assert signal.facts["skew_ratio"] == pytest.approx(skew, abs=0.01)
    if hot:
        assert (signal.facts["hot_subtask"], signal.facts["since_ms"]) == (1, START)


def test_few_records_are_not_judged() -> None:
    evidence = hand_made(**line_of_jobs(), subtask=subtasks(SINK, [90, 5]))
    assert needs(load_balance.measure(evidence)) == {"load_balance": "job-rest"}


def test_without_evidence_nothing_is_measured() -> None:
    assert needs(load_balance.measure(hand_made())) == {"load_balance": "job-rest"}


def test_busy_time_over_the_whole_time_is_a_mean_as_in_the_chart() -> None:
    def samples(ratios: list[list[float]]) -> list[dict[str, Any]]:
        return [
            {**row, "ts_ms": START + moment * 10_000}
            for moment, at_once in enumerate(ratios)
            for row in busy(SINK, at_once)
        ]

    evidence = hand_made(
        **line_of_jobs(),
        subtask=subtasks(SINK, [90_000, 4_000]),
        back_pressure=samples([[0.9, 0.3], [1.0, 0.1], [1.0, 0.2]]),
    )
    [signal] = signals_of_key(load_balance.measure(evidence), "load_balance")
    assert signal.facts["hot_mean_busy_ratio"] == pytest.approx(2.9 / 3)
    assert signal.facts["others_mean_busy_max_ratio"] == pytest.approx(0.2)
