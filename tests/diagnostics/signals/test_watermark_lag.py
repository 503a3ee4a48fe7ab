"""How far a watermark is behind the wall clock, with and without the time of the metrics."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import watermark_lag
from tests.diagnostics.hand_made import JOB, SINK, SOURCE, START, hand_made, only

HOUR = 3_600_000


def watermark(behind_ms: float, *, subtask: int = 0, ts_ms: int | None = None, **more: Any) -> dict[str, Any]:
    """A sample of a task's input watermark, so far behind START."""
    place = {"metric": "currentInputWatermark", "job_id": JOB, "vertex_id": SINK, "subtask": subtask, "ts_ms": ts_ms}
    return {**place, "value": START - behind_ms, **more}


def of_job(metric: str, value: float) -> dict[str, Any]:
    return {"metric": metric, "job_id": JOB, "value": value}


def facts_of(*rows: dict[str, Any], **tables: list[dict[str, Any]]) -> dict[str, Any]:
    return dict(only(watermark_lag.measure(hand_made(metric_sample=rows, **tables)), "watermark_lag").facts)


def test_one_sample_with_a_time_shows_the_lag() -> None:
    facts = facts_of(watermark(2 * HOUR, ts_ms=START))
    assert (facts["behind_ms"], facts["is_bound"]) == (2 * HOUR, False)
    assert "undated" not in facts


def test_nothing_is_said_of_the_lag_where_nothing_dates_the_scrape() -> None:
    facts = facts_of(watermark(2 * HOUR))
    assert facts["undated"] is True
    assert "behind_ms" not in facts


def test_a_scrape_is_later_than_the_restore_that_it_shows() -> None:
    facts = facts_of(watermark(2 * HOUR), of_job("lastCheckpointRestoreTimestamp", START - 60_000))
    assert (facts["behind_ms"], facts["is_bound"], facts["bound_by"]) == (2 * HOUR - 60_000, True, "restored")
    assert facts["bound_elsewhere"] is False


def test_the_latest_moment_bounds_the_scrape() -> None:
    facts = facts_of(
        watermark(2 * HOUR),
        of_job("lastCheckpointRestoreTimestamp", START - HOUR),
        of_job("lastCheckpointCompletedTimestamp", START - 5_000),
    )
    assert (facts["bound_ms"], facts["bound_by"]) == (START - 5_000, "completed")


def test_a_restore_before_the_watermark_bounds_nothing() -> None:
    facts = facts_of(watermark(3_000), of_job("lastCheckpointRestoreTimestamp", START - HOUR))
    assert facts["undated"] is True
    assert "behind_ms" not in facts


def test_start_and_running_time_of_a_job_date_the_scrape() -> None:
    started = [{"ts_ms": START + 9_000, "job_id": JOB, "state": "RUNNING", "start_ms": START - 3 * HOUR}]
    facts = facts_of(watermark(2 * HOUR), of_job("uptime", 3 * HOUR - 4_000), job=started)
    assert (facts["behind_ms"], facts["bound_by"]) == (2 * HOUR - 4_000, "running")


def test_as_many_checkpoints_cannot_have_completed_before_the_last_of_them_was_triggered() -> None:
    listed = [
        {"job_id": JOB, "checkpoint_id": number, "status": "COMPLETED", "trigger_ms": START - (9 - number) * 60_000}
        for number in range(1, 9)
    ]
    facts = facts_of(watermark(2 * HOUR), of_job("numberOfCompletedCheckpoints", 5), checkpoint=listed)
    assert (facts["bound_ms"], facts["bound_by"]) == (START - 4 * 60_000, "triggered")


def test_a_bound_of_another_file_is_marked() -> None:
    restored = {**of_job("lastCheckpointRestoreTimestamp", START), "file_id": 1}
    assert facts_of(watermark(2 * HOUR), restored)["bound_elsewhere"] is True


def test_an_idle_subtask_does_not_make_its_task_late() -> None:
    facts = facts_of(watermark(5 * HOUR, ts_ms=START), watermark(1_000, subtask=1, ts_ms=START))
    assert facts["behind_ms"] == 1_000


def test_an_idle_source_does_not_make_the_job_late() -> None:
    old = {"metric": "currentOutputWatermark", "job_id": JOB, "vertex_id": SOURCE, "operator": "orders", "subtask": 0}
    facts = facts_of({**old, "ts_ms": START, "value": START - 5 * HOUR}, watermark(1_000, ts_ms=START))
    assert facts["behind_ms"] == 1_000


def test_a_job_without_records_is_idle() -> None:
    rate = {"metric": "numRecordsInPerSecond", "job_id": JOB, "vertex_id": SINK, "subtask": 0, "ts_ms": START}
    assert facts_of(watermark(2 * HOUR, ts_ms=START), {**rate, "value": 0.0})["idle"] is True
    assert facts_of(watermark(2 * HOUR, ts_ms=START), {**rate, "value": 7.0})["idle"] is False
