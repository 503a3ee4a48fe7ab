"""Counters of records where a metrics store kept only their rates."""

from __future__ import annotations

from typing import Any

from diagnostics.reconstruction.load.metered_intervals import metered_intervals
from diagnostics.reconstruction.load.subtasks import load_snapshots
from diagnostics.reconstruction.metrics.metric_series import metric_series
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made


def sampled(metric: str, subtask: int, values: list[float]) -> list[dict[str, Any]]:
    place = {"scope": "task", "job_id": JOB, "vertex_id": MIDDLE, "vertex": "enrich", "subtask": subtask}
    return [
        {**place, "metric": metric, "ts_ms": START + each * 10_000, "value": value} for each, value in enumerate(values)
    ]


def test_rates_add_up_to_the_records_of_each_subtask() -> None:
    rows = sampled("numRecordsInPerSecond", 0, [90.0] * 10) + sampled("numRecordsInPerSecond", 1, [10.0] * 10)
    taken = load_snapshots(hand_made(metric_sample=rows))[JOB, MIDDLE]
    assert [taken[-1][subtask].records_in for subtask in (0, 1)] == [8_100, 900]  # nine steps of ten seconds
    assert "by its rate" in (taken[-1][0].place.text or "")


def test_a_counter_that_is_there_counts_before_its_rate() -> None:
    rows = sampled("numRecordsInPerSecond", 0, [90.0] * 10)
    rows += sampled("numRecordsIn", 0, [each * 700.0 for each in range(10)])
    assert load_snapshots(hand_made(metric_sample=rows))[JOB, MIDDLE][-1][0].records_in == 6_300


def test_intervals_hold_records_and_busy_time() -> None:
    rows = sampled("numRecordsInPerSecond", 0, [50.0] * 10) + sampled("busyTimeMsPerSecond", 0, [1000.0] * 10)
    first = next(iter(metered_intervals(metric_series(hand_made(metric_sample=rows)))))
    assert (first.length_ms, first.records, first.busy_ms) == (30_000, 1_500, 30_000)


def test_intervals_cover_all_of_the_time_between_the_first_and_the_last_sample() -> None:
    """Of 80 s the last 20 s were left out, in which a record may cost less than before."""
    rows = sampled("numRecordsIn", 0, [each * 700.0 for each in range(9)])
    found = list(metered_intervals(metric_series(hand_made(metric_sample=rows))))
    assert [each.length_ms for each in found] == [30_000, 50_000]
    assert sum(each.records or 0 for each in found) == 5_600
    late = {**rows[-1], "ts_ms": rows[-1]["ts_ms"] + 3_000, "value": rows[-1]["value"] + 2}
    with_late = list(metered_intervals(metric_series(hand_made(metric_sample=[*rows, late]))))
    assert [each.length_ms for each in with_late] == [30_000, 50_000], "REST's value is older than its answer"


def test_one_sample_of_a_rate_gives_no_record_count() -> None:
    rows = sampled("numRecordsInPerSecond", 0, [50.0])
    assert list(metered_intervals(metric_series(hand_made(metric_sample=rows)))) == []
