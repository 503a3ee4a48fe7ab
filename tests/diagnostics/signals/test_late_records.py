"""Dropped late records."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import late_records
from tests.diagnostics.hand_made import JOB, SINK, START, hand_made, needs, only


def counter(metric: str, subtask: int, per_s: list[float], operator: str | None) -> list[dict[str, Any]]:
    value, rows = 0.0, []
    for moment, rate in enumerate(per_s):
        value += 5 * rate
        rows.append(
            {
                "metric": metric,
                "job_id": JOB,
                "vertex_id": SINK,
                "operator": operator,
                "subtask": subtask,
                "ts_ms": START + moment * 5_000,
                "value": value,
            }
        )
    return rows


def test_drops_are_summed_over_subtasks_and_the_jump_is_found() -> None:
    rates = [1.0] * 8 + [40.0] * 12
    rows = [row for subtask in (0, 1) for row in counter("numLateRecordsDropped", subtask, rates, "window")]
    rows += [row for subtask in (0, 1) for row in counter("numRecordsIn", subtask, [100.0] * 20, None)]
    facts = only(late_records.measure(hand_made(metric_sample=rows)), "late_records").facts
    dropped = 2 * 5 * (8 * 1 + 12 * 40)
    assert (facts["dropped"], facts["records_in"]) == (dropped, 2 * 5 * 100 * 20)
    assert facts["vertex_id"] == SINK
    assert facts["dropped_ratio"] == pytest.approx(dropped / 20_000)
    assert (facts["rate_before_per_s"], facts["rate_after_per_s"]) == (2.0, 80.0)
    assert facts["dropped_since_jump"] == 2 * 5 * 12 * 40
    assert (facts["dropped_before_ratio"], facts["dropped_since_ratio"]) == pytest.approx((0.01, 0.4))


def test_a_steady_rate_has_no_moment_at_which_it_changed() -> None:
    rows = counter("numLateRecordsDropped", 0, [40.0] * 20, "window") + counter("numRecordsIn", 0, [100.0] * 20, None)
    facts = only(late_records.measure(hand_made(metric_sample=rows)), "late_records").facts
    assert facts["rate_jump_ratio"] == pytest.approx(1.0)
    assert not {"changed_at_ms", "changed_after_ms", "rate_before_per_s", "rate_after_per_s"} & set(facts)


def test_an_answer_of_rest_that_repeats_a_value_of_before_does_not_lower_the_rate() -> None:
    """REST fetches metrics every 10 s: its last answer had grown by a tenth of what the scrapes before it had."""
    rows = counter("numLateRecordsDropped", 0, [1.0] * 8 + [40.0] * 12, "window")
    rows += counter("numRecordsIn", 0, [100.0] * 20, None)
    last = rows[19]
    answer = {**last, "ts_ms": last["ts_ms"] + 3_000, "value": last["value"] + 1, "pointer": "/3", "file_id": 9}
    facts = only(late_records.measure(hand_made(metric_sample=[*rows, answer])), "late_records").facts
    assert facts["rate_after_per_s"] == 40.0


def test_without_a_jump_one_share_says_it_all() -> None:
    rows = counter("numLateRecordsDropped", 0, [2.0] * 20, "window") + counter("numRecordsIn", 0, [100.0] * 20, None)
    facts = only(late_records.measure(hand_made(metric_sample=rows)), "late_records").facts
    assert facts["dropped_ratio"] == pytest.approx(0.02)
    assert "dropped_since_ratio" not in facts


@pytest.mark.parametrize(("given", "part"), [(1_000, 0.5), (1_950, None), (0, None)])
def test_events_that_are_fewer_than_the_records_read_are_a_sample(given: int, part: float | None) -> None:
    rows = counter("numLateRecordsDropped", 0, [2.0] * 20, "window") + counter("numRecordsIn", 0, [20.0] * 20, None)
    events = [{"key": "a", "event_ms": START, "arrival_ms": START + 1} for _ in range(given)]
    facts = only(late_records.measure(hand_made(metric_sample=rows, event=events)), "late_records").facts
    assert facts["records_in"] == 2_000
    assert facts.get("events_given_ratio") == part


def test_a_job_that_drops_nothing_says_so() -> None:
    rows = counter("numLateRecordsDropped", 0, [0.0] * 10, "window")
    facts = only(late_records.measure(hand_made(metric_sample=rows)), "late_records").facts
    assert (facts["dropped"], facts["dropped_per_s"]) == (0, 0.0)


def test_without_the_counter_nothing_is_measured() -> None:
    assert needs(late_records.measure(hand_made())) == {"late_records": "metric-scrapes"}
