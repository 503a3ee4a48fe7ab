"""The course of checkpoints, from REST, from the log alone and from counters alone."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.checkpoint_progress import measure
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only

DURATIONS = {1: 3000.0, 2: 7000.0, 3: 13_000.0, 4: 22_000.0, 5: 28_000.0}


def _completed(number: int, ms: float, **columns: Any) -> dict[str, Any]:
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": "COMPLETED",
        "is_savepoint": False,
        "trigger_ms": START + number * 40_000,
        "latest_ack_ms": START + number * 40_000 + round(ms),
        "end_to_end_ms": ms,
        **columns,
    }


def _expired(number: int) -> dict[str, Any]:
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": "FAILED",
        "trigger_ms": START + number * 40_000,
        "failure_ms": START + number * 40_000 + 30_000,
        "end_to_end_ms": 30_000.0,
        "failure_message": "Checkpoint expired before completing.",
    }


TIMEOUT = {"scope": "job", "job_id": JOB, "key": "execution.checkpointing.timeout", "value": "30000 ms"}


def test_growing_checkpoints_that_expire_in_the_end() -> None:
    rows = [_completed(number, ms) for number, ms in DURATIONS.items()] + [_expired(6), _expired(7)]
    rows.append(_completed(8, 90_000.0, is_savepoint=True))
    facts = only(measure(hand_made(checkpoint=rows, config_option=[TIMEOUT])), "checkpoint_progress").facts
    assert (facts["completed"], facts["failed"], facts["expired_ids"]) == (5, 2, [6, 7])
    assert facts["durations_ms"] == [3000, 7000, 13_000, 22_000, 28_000]
    assert facts["growth_ratio"] == 5  # median of 22 and 28 s over median of 3 and 7 s
    assert (facts["consecutive_failed"], facts["completed_before_failure"]) == (2, 5)
    assert (facts["timeout_ms"], facts["timeout_from"]) == (30_000, "configuration")
    assert facts["max_duration_to_timeout_ratio"] == 28 / 30
    assert facts["proposed_timeout_ms"] == 60_000  # 2 x 30 s


def test_success_rate_and_percentiles_leave_savepoints_out() -> None:
    """Of 3, 7, 13, 22 and 28 s the 95th percentile lies 0.8 of the way from the fourth to the fifth: 26.8 s."""
    rows = [_completed(number, ms) for number, ms in DURATIONS.items()] + [_expired(6), _expired(7)]
    rows.append(_completed(8, 90_000.0, is_savepoint=True))
    facts = only(measure(hand_made(checkpoint=rows)), "checkpoint_progress").facts
    assert facts["success_ratio"] == 5 / 7
    assert facts["median_duration_ms"] == 13_000
    assert facts["p95_duration_ms"] == pytest.approx(26_800)


def _record(event: str, number: int | None, second: float, **columns: Any) -> dict[str, Any]:
    return {
        "event": event,
        "job_id": JOB,
        "checkpoint_id": number,
        "ts_ms": START + round(second * 1000),
        "message": event,
        **columns,
    }


def test_the_log_alone_shows_the_same() -> None:
    records = []
    for number, ms in DURATIONS.items():
        records.append(_record("jm.ckpt.trigger", number, number * 40))
        records.append(_record("jm.ckpt.completed", number, number * 40 + ms / 1000, duration_ms=ms, size_bytes=5e6))
    for number in (6, 7):
        records.append(_record("jm.ckpt.trigger", number, number * 40))
        records.append(_record("jm.ckpt.expired", number, number * 40 + 30))
        records.append(
            _record("jm.ckpt.failed", number, number * 40 + 30, reason="Checkpoint expired before completing.")
        )
    facts = only(measure(hand_made(log_record=records)), "checkpoint_progress").facts
    assert (facts["completed"], facts["expired_ids"], facts["in_progress"]) == (5, [6, 7], 0)
    assert (facts["timeout_ms"], facts["timeout_from"]) == (30_000, "expiry")
    assert facts["since_last_completed_ms"] == 82_000  # 7 x 40 + 30 s, less 5 x 40 + 28 s
    assert facts["goes_back_ms"] == 110_000  # a restart goes back to the trigger, at 5 x 40 s


def test_triggers_before_all_tasks_ran_are_no_failures() -> None:
    reason = "Not all required tasks are currently running."
    records = [_record("jm.ckpt.preflight_failed", None, second, reason=reason) for second in (0, 3, 6)]
    records += [_record("jm.ckpt.trigger", 1, 10), _record("jm.ckpt.completed", 1, 11, duration_ms=900.0)]
    facts = only(measure(hand_made(log_record=records)), "checkpoint_progress").facts
    assert (facts["failed"], facts["not_started"], facts["not_ready"]) == (0, 3, 3)


def test_a_healthy_course_has_room_before_the_timeout() -> None:
    rows = [_completed(number, 150.0) for number in range(1, 11)]
    facts = only(measure(hand_made(checkpoint=rows, config_option=[TIMEOUT])), "checkpoint_progress").facts
    assert (facts["failed"], facts["growth_ratio"], facts["recent_failed"]) == (0, 1, 0)
    assert facts["max_duration_to_timeout_ratio"] == 0.005


def test_the_last_checkpoints_are_not_short_while_they_expire() -> None:
    """Conditions of runbooks such as "less than half of the timeout" must not hold beside an expired one."""
    rows = [_completed(1, 3000.0), _completed(2, 7000.0), _expired(3), _expired(4)]
    facts = only(measure(hand_made(checkpoint=rows, config_option=[TIMEOUT])), "checkpoint_progress").facts
    assert facts["recent_duration_to_timeout_ratio"] == 1
    assert facts["max_duration_to_timeout_ratio"] == 7 / 30


def test_a_checkpoint_in_progress_has_a_duration() -> None:
    running = {"job_id": JOB, "checkpoint_id": 2, "status": "IN_PROGRESS", "trigger_ms": START, "ts_ms": START + 25_000}
    evidence = hand_made(checkpoint=[running], config_option=[TIMEOUT])
    facts = only(measure(evidence), "checkpoint_progress").facts
    assert (facts["in_progress"], facts["running_ms"]) == (1, 25_000)
    assert facts["running_to_timeout_ratio"] == 25 / 30


def _counters(**values: list[float]) -> list[dict[str, Any]]:
    """One sample of each metric every ten seconds."""
    names = {
        "completed": "numberOfCompletedCheckpoints",
        "failed": "numberOfFailedCheckpoints",
        "running": "numberOfInProgressCheckpoints",
        "duration": "lastCheckpointDuration",
    }
    return [
        {"scope": "job", "job_id": JOB, "metric": names[name], "ts_ms": START + step * 10_000, "value": value}
        for name, column in values.items()
        for step, value in enumerate(column)
    ]


def test_one_scrape_without_a_time_shows_how_long_the_last_checkpoint_took() -> None:
    rows = [{**row, "ts_ms": None} for row in _counters(completed=[4], failed=[0], duration=[30_341])]
    rows.append({**rows[0], "metric": "lastCheckpointSize", "value": 12_180_000})
    facts = only(measure(hand_made(metric_sample=rows)), "checkpoint_progress").facts
    assert (facts["completed"], facts["last_duration_ms"]) == (4, 30_341)
    assert facts["max_checkpointed_bytes"] == 12_180_000


def test_scrapes_without_times_show_durations_in_their_order() -> None:
    """The files are uploaded in another order than they were written; what Flink counts orders them."""
    counts, durations = [3, 1, 2], [18_000, 4_000, 13_000]
    rows = [
        {**row, "ts_ms": None, "file_id": place}
        for values in (_counters(completed=counts), _counters(duration=durations))
        for place, row in enumerate(values)
    ]
    facts = only(measure(hand_made(metric_sample=rows)), "checkpoint_progress").facts
    assert (facts["durations_ms"], facts["growth_ratio"]) == ([4_000, 13_000, 18_000], 4.5)


def test_the_jobmanagers_counters_alone_show_the_course() -> None:
    samples = _counters(completed=[1, 2, 3, 4], failed=[0, 0, 0, 0], duration=[100, 110, 90, 90])
    facts = only(measure(hand_made(metric_sample=samples)), "checkpoint_progress").facts
    assert (facts["since_last_completed_ms"], facts["goes_back_ms"]) == (0, 90)
    assert (facts["by_counters"], facts["completed"], facts["failed"]) == (True, 4, 0)
    assert facts["last_durations_ms"] == [100, 110, 90, 90]  # the fourth took as long as the third
    assert (facts["recent_failed"], facts["recent_count"], facts["consecutive_failed"]) == (0, 3, 0)
    assert "expired" not in facts  # a counter does not tell why one failed


def test_counters_show_what_failed_last_and_what_completed_before() -> None:
    samples = _counters(completed=[0, 1, 2, 2, 2, 2], failed=[0, 0, 0, 1, 2, 2], running=[0, 0, 0, 0, 1, 1])
    facts = only(measure(hand_made(metric_sample=samples)), "checkpoint_progress").facts
    assert (facts["completed_before_failure"], facts["completed_after_failure"]) == (2, 0)
    assert (facts["recent_failed"], facts["consecutive_failed"]) == (2, 2)
    assert (facts["since_last_completed_ms"], facts["running_ms"]) == (30_000, 10_000)


def test_counters_show_how_many_failed_in_a_row_and_since_when() -> None:
    failed = [2.0] * 5 + [float(2 + step) for step in range(1, 11)]
    completed = [float(100 + min(step, 4)) for step in range(15)]
    facts = only(
        measure(hand_made(metric_sample=_counters(completed=completed, failed=failed))), "checkpoint_progress"
    ).facts
    assert (facts["consecutive_failed"], facts["recent_failed"], facts["recent_count"]) == (10, 5, 5)
    assert (facts["onset_ms"], facts["onset_at_start"]) == (START + 50_000, False)


def test_triggers_that_were_refused_are_counted_by_flink_and_are_no_failed_checkpoints() -> None:
    """Flink's counter has them, although no checkpoint began."""
    reason = "Not all required tasks are currently running."
    log = [_record("jm.ckpt.preflight_failed", None, second, reason=reason) for second in (10, 20)]
    rows = hand_made(log_record=log, metric_sample=_counters(completed=[0, 0, 0], failed=[0, 1, 2]))
    facts = only(measure(rows), "checkpoint_progress").facts
    assert (facts["not_started"], facts["failed"], facts["counted_failed"]) == (2, 0, 2)
    assert not {"consecutive_failed", "recent_failed", "success_ratio"} & set(facts)


def test_one_look_at_counters_with_a_failure_does_not_show_when_it_was() -> None:
    facts = only(measure(hand_made(metric_sample=_counters(completed=[7], failed=[3]))), "checkpoint_progress").facts
    assert (facts["completed"], facts["failed"]) == (7, 3)
    assert not {"recent_failed", "completed_before_failure"} & set(facts)


def test_a_listed_history_is_not_replaced_by_counters() -> None:
    rows = [_completed(number, 150.0) for number in range(1, 4)]
    samples = _counters(completed=[9, 10], failed=[5, 5])
    facts = only(measure(hand_made(checkpoint=rows, metric_sample=samples)), "checkpoint_progress").facts
    assert (facts["completed"], facts["counted_completed"], facts.get("by_counters")) == (3, 10, None)


CKPT = f"s3://bucket/ckpt/{JOB}"


def _logged(seconds: int, event: str, message: str, **columns: Any) -> dict[str, Any]:
    about = {"ts_ms": START + seconds * 1000, "process": "jobmanager", "event": event, "job_id": JOB}
    return {**about, "message": message, **columns}


def _restored(number: int, folder: str) -> dict[str, Any]:
    text = f"Restoring job {JOB} from Checkpoint {number} @ 1795222757872 for {JOB} located at {folder}/chk-{number}."
    return _logged(number, "jm.ckpt.restore_from", text)


def _logged_as_completed(number: int) -> dict[str, Any]:
    text = f"Completed checkpoint {number} for job {JOB} (17 bytes, checkpointDuration=5 ms, finalizationTime=1 ms)."
    return _logged(number, "jm.ckpt.completed", text, checkpoint_id=number, duration_ms=5.0, size_bytes=17.0)


@pytest.mark.parametrize(
    ("records", "paths"),
    [
        ([_restored(8, CKPT), _logged_as_completed(9)], (f"{CKPT}/chk-9", None)),
        ([_restored(8, "s3://bucket/ckpt/of-another-job"), _logged_as_completed(9)], (None, None)),
        (
            [
                _logged(1, "jm.ckpt.start_from_savepoint", f"Starting job {JOB} from savepoint s3://b/savepoint-1 ()"),
                _logged_as_completed(2),
                _logged(3, "jm.savepoint.stored", f"Savepoint stored in s3://b/savepoint-2. Now cancelling {JOB}."),
            ],
            (None, "s3://b/savepoint-2"),
        ),
        ([_logged_as_completed(2)], (None, None)),
    ],
    ids=["beside the restored one", "of another job", "savepoints", "no path in the log"],
)
def test_the_log_states_where_the_last_checkpoint_and_savepoint_lie(
    records: list[dict[str, Any]], paths: tuple[str | None, str | None]
) -> None:
    facts = only(measure(hand_made(log_record=records)), "checkpoint_progress").facts
    assert (facts.get("last_path"), facts.get("last_savepoint_path")) == paths


def test_nothing_is_measured_without_checkpoints() -> None:
    assert needs(measure(hand_made(config_option=[TIMEOUT]))) == {"checkpoint_progress": "checkpoint-history"}


def test_a_restart_repeats_the_work_up_to_where_the_job_stopped() -> None:
    """The job loses its leader 20 s after the trigger; nothing ran in the minute up to the last look."""
    records = [
        _record("jm.ckpt.trigger", 1, 0),
        _record("jm.ckpt.completed", 1, 2, duration_ms=2000.0),
        {
            **_record("jm.job.state", None, 20, state_from="RUNNING", state_to="SUSPENDED"),
            "message": f"Job orders ({JOB}) switched from state RUNNING to SUSPENDED.",
        },
    ]
    refused = [_record("jm.ckpt.preflight_failed", None, 80, reason="Not all required tasks are currently running.")]

    facts = only(measure(hand_made(log_record=[*records, *refused])), "checkpoint_progress").facts
    assert (facts["goes_back_ms"], facts["not_run_ms"]) == (20_000, 60_000)
    assert facts["down_since_ms"] == records[2]["ts_ms"]

    again = [_record("jm.ckpt.trigger", 2, 40), _record("jm.ckpt.completed", 2, 41, duration_ms=1000.0)]
    facts = only(measure(hand_made(log_record=[*records, *again, *refused])), "checkpoint_progress").facts
    assert facts["goes_back_ms"] == 40_000
    assert "not_run_ms" not in facts
