"""How often a job restarted, for which reason, and whether it has run since."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import restarts
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs, only, signals_of_key
from tests.diagnostics.signals.incident_rows import failed, record, switched

STRATEGY = "FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts=2, backoffTimeMS=10000)"
THRESHOLD = "Exceeded checkpoint tolerable failure threshold."


def test_restarts_are_counted_with_their_pace_and_end() -> None:
    log = [
        record(
            0,
            f"Using restart back off time strategy {STRATEGY} for orders (a).",
        )
    ]
    for second in (10, 20):
        log += [switched(second, "RUNNING", "RESTARTING"), switched(second + 5, "RESTARTING", "RUNNING")]
    log += [switched(30, "RUNNING", "FAILING"), switched(31, "FAILING", "FAILED")]
    log[-1] |= {"exception_class": "x.JobException", "exception_message": "Recovery is suppressed by FixedDelay"}
    facts = only(restarts.measure(hand_made(log_record=log)), "restarts").facts
    assert (facts["restarts"], facts["running_again"], facts["final_state"], facts["gave_up"]) == (2, 2, "FAILED", True)
    assert (facts["interval_ms"], facts["strategy"], facts["attempts_allowed"]) == (
        10_000,
        "FixedDelayRestartBackoffTimeStrategy",
        2,
    )


def test_each_job_of_a_session_cluster_has_its_own_strategy_and_end() -> None:
    other = "b" * 32
    rate = "FailureRateRestartBackoffTimeStrategy(failuresIntervalMS=60000,backoffTimeMS=0,maxFailuresPerInterval=2)"
    log = [
        record(0, f"Using restart back off time strategy {STRATEGY} for orders ({JOB}).", job_id=JOB),
        record(1, f"Using restart back off time strategy {rate} for clicks ({other}).", job_id=other),
        *(switched(second, "RUNNING", "FAILED") | {"job_id": job} for second, job in ((30, JOB), (40, other))),
    ]
    log[-1] |= {"exception_class": "x.JobException", "exception_message": "Recovery is suppressed by FailureRate"}
    found = {
        each.subject.job: each.facts for each in signals_of_key(restarts.measure(hand_made(log_record=log)), "restarts")
    }
    orders, clicks = found[JOB], found[other]
    assert (orders["strategy"], orders["attempts_allowed"], orders["gave_up"]) == (
        "FixedDelayRestartBackoffTimeStrategy",
        2,
        False,
    )
    assert (clicks["strategy"], clicks.get("attempts_allowed"), clicks["gave_up"]) == (
        "FailureRateRestartBackoffTimeStrategy",
        None,
        True,
    )


@pytest.mark.parametrize("log", [[], [switched(30, "RUNNING", "FAILING"), switched(31, "FAILING", "FAILED")]])
def test_a_job_has_failed_since_it_failed_and_not_since_somebody_asked(log: list[dict[str, Any]]) -> None:
    asked = {"job_id": JOB, "name": "orders", "state": "FAILED", "ts_ms": START + 90_000, "end_ms": START + 31_000}
    facts = only(restarts.measure(hand_made(log_record=log, job=[asked])), "restarts").facts
    assert (facts["final_state"], facts["final_ms"]) == ("FAILED", START + 31_000)


def test_a_job_has_run_steadily_until_its_log_ends() -> None:
    log = [switched(10, "RUNNING", "RESTARTING"), switched(15, "RESTARTING", "RUNNING"), record(70, "Completed it.")]
    assert only(restarts.measure(hand_made(log_record=log)), "restarts").facts["steady_ms"] == 60_000


AGAIN = [switched(10, "RUNNING", "RESTARTING"), switched(15, "RESTARTING", "RUNNING"), record(70, "Completed it.")]


def task_switched(second: int, state: str) -> dict[str, Any]:
    message = f"Map (1/2) (abc) switched from DEPLOYING to {state}."
    return record(second, message, event="task.state", job_id=JOB, vertex="Map", subtask=0, state_to=state)


def counted(*samples: tuple[int, float]) -> list[dict[str, Any]]:
    place = {"scope": "subtask", "job_id": JOB, "vertex": "Map", "vertex_id": "b" * 32, "subtask": 0}
    return [
        {**place, "metric": "numRecordsIn", "ts_ms": START + second * 1000, "value": value} for second, value in samples
    ]


@pytest.mark.parametrize(
    ("tables", "tasks_run"),
    [
        ({}, False),
        ({"log_record": [task_switched(5, "RUNNING"), task_switched(20, "DEPLOYING")]}, False),
        ({"log_record": [task_switched(20, "RUNNING")]}, True),
        ({"vertex": [{"job_id": JOB, "vertex_id": "b" * 32, "status": "SCHEDULED", "ts_ms": START + 60_000}]}, False),
        ({"vertex": [{"job_id": JOB, "vertex_id": "b" * 32, "status": "RUNNING", "ts_ms": START + 60_000}]}, True),
        ({"metric_sample": counted((5, 10), (40, 10), (60, 10))}, False),
        ({"metric_sample": counted((5, 10), (40, 10), (60, 30))}, True),
    ],
)
def test_a_job_without_a_running_task_has_not_run_since_its_restart(tables: dict[str, Any], tasks_run: bool) -> None:
    log = [*AGAIN, *tables.get("log_record", ())]
    evidence = hand_made(**{**tables, "log_record": log})
    assert only(restarts.measure(evidence), "restarts").facts["tasks_run"] is tasks_run


def test_a_restart_after_a_requested_task_manager_end_is_not_for_a_failure() -> None:
    told = record(9, "RECEIVED SIGNAL 15: SIGTERM. Shutting down as requested.", process="taskmanager")
    shut = failed(10, "org.apache.flink.util.FlinkException", "The TaskExecutor is shutting down.", "x.Y.z")
    log = [shut, switched(10, "RUNNING", "RESTARTING"), switched(15, "RESTARTING", "RUNNING")]
    alone = only(restarts.measure(hand_made(log_record=log)), "restarts").facts
    ordered = only(restarts.measure(hand_made(log_record=[told | {"event": "process.signal"}, *log])), "restarts").facts
    assert (alone["for_faults"], alone["for_ended"]) == (1, 0)
    assert (ordered["for_faults"], ordered["for_ended"]) == (0, 1)


def test_a_restart_for_too_many_failed_checkpoints_is_for_a_failure() -> None:
    texts = {"exception_class": "x.FlinkRuntimeException", "exception_message": THRESHOLD}
    report = record(10, "Trying to recover from a global failure.", job_id=JOB, **texts)
    log = [report, switched(10, "RUNNING", "RESTARTING"), switched(15, "RESTARTING", "RUNNING")]
    assert only(restarts.measure(hand_made(log_record=log)), "restarts").facts["for_faults"] == 1


def test_what_failed_after_a_restart_is_not_the_fault_that_caused_it() -> None:
    texts = {"exception_class": "x.FlinkRuntimeException", "exception_message": THRESHOLD}
    report = record(10, "Trying to recover from a global failure.", job_id=JOB, **texts)
    fenced = failed(23, "x.ProducerFencedException", "There is a newer producer.", "x.Y.z")
    restarted = [report, switched(10, "RUNNING", "RESTARTING")]
    facts = only(restarts.measure(hand_made(log_record=[*restarted, fenced])), "restarts").facts
    assert "first_fault" not in facts
    again = only(
        restarts.measure(hand_made(log_record=[*restarted, fenced, switched(24, "RUNNING", "RESTARTING")])), "restarts"
    )
    assert again.facts["first_fault"] == "ProducerFencedException: There is a newer producer"


def test_a_job_that_triggers_a_checkpoint_after_its_restart_runs_again() -> None:
    begun = {"job_id": JOB, "checkpoint_id": 7, "status": "IN_PROGRESS", "ts_ms": START + 70_000}
    log = [switched(10, "RUNNING", "RESTARTING")]
    assert only(restarts.measure(hand_made(log_record=log)), "restarts").facts["final_state"] == "RESTARTING"
    for second, state in ((60, "RUNNING"), (5, "RESTARTING")):
        checkpoint = begun | {"trigger_ms": START + second * 1000}
        facts = only(restarts.measure(hand_made(log_record=log, checkpoint=[checkpoint])), "restarts").facts
        assert facts["final_state"] == state


def test_a_job_that_never_restarted_says_so() -> None:
    facts = only(restarts.measure(hand_made(**line_of_jobs())), "restarts").facts
    assert (facts["restarts"], facts["final_state"], facts["gave_up"]) == (0, "RUNNING", False)


def test_the_counter_alone_shows_restarts_and_how_long_there_was_none() -> None:
    counts = [(0, 1), (10, 2), (20, 2), (50, 2)]
    samples = [
        {"scope": "job", "job_id": JOB, "metric": "numRestarts", "ts_ms": START + second * 1000, "value": float(value)}
        for second, value in counts
    ]
    facts = only(restarts.measure(hand_made(metric_sample=samples)), "restarts").facts
    assert (facts["restarts"], facts["steady_ms"]) == (2, 40_000)
    one_look = only(restarts.measure(hand_made(metric_sample=samples[:1])), "restarts").facts
    assert one_look["restarts"] == 1
    assert "steady_ms" not in one_look


def sampled(metric: str, *samples: tuple[int, float]) -> list[dict[str, Any]]:
    """A metric of the job: minute -> value."""
    place = {"scope": "job", "job_id": JOB, "metric": metric}
    return [{**place, "ts_ms": START + minute * 60_000, "value": value} for minute, value in samples]


@pytest.mark.parametrize(
    ("samples", "number"),
    [
        ([*sampled("numRestarts", (0, 57)), *sampled("uptime", (0, 14_400_000))], 0),  # one look, four hours later
        ([*sampled("numRestarts", (0, 57)), *sampled("uptime", (0, 60_000))], 57),
        ([*sampled("numRestarts", (0, 57), (20, 57), (40, 57))], 0),
        ([*sampled("numRestarts", (0, 57), (5, 57), (10, 57))], 57),  # it may restart each quarter of an hour
        ([*sampled("numRestarts", (0, 3), (10, 3), (20, 4)), *sampled("uptime", (0, 14_400_000), (20, 30_000))], 1),
        ([*sampled("numRestarts", (0, 3), (1, 4), (2, 5)), *sampled("uptime", (0, 30_000), (2, 20_000))], 5),
    ],
)
def test_restarts_of_long_ago_that_only_a_counter_has_are_not_counted(
    samples: list[dict[str, Any]], number: int
) -> None:
    assert only(restarts.measure(hand_made(metric_sample=samples)), "restarts").facts["restarts"] == number


def test_a_counter_shows_when_restarts_began_and_were_last() -> None:
    samples = [*sampled("numRestarts", (0, 0), (1, 0), (2, 1), (3, 4), (4, 4)), *sampled("uptime", (4, 70_000))]
    facts = only(restarts.measure(hand_made(metric_sample=samples)), "restarts").facts
    assert (facts["first_ms"], facts["last_ms"]) == (START + 120_000, START + 180_000)
    assert facts["steady_ms"] == 70_000


def test_a_long_message_of_the_first_fault_ends_with_a_sentence_or_a_word() -> None:
    def first(message: str) -> Any:
        failed = record(
            9, "a (1/2) switched from RUNNING to FAILED", state_from="RUNNING", state_to="FAILED", job_id=JOB
        )
        failed |= {"exception_class": "x.IOException", "exception_message": message}
        log = [failed, switched(10, "RUNNING", "RESTARTING")]
        return only(restarts.measure(hand_made(log_record=log)), "restarts").facts["first_fault"]

    assert (
        first("Insufficient buffers. " + "You can increase this number by options " * 9)
        == "IOException: Insufficient buffers"
    )
    assert first("word " * 90).endswith("word …")


@pytest.mark.parametrize(
    ("samples", "down_ms"),
    [
        ([*sampled("restartingTime", (0, 0), (10, 600_000), (20, 1_200_000)), *sampled("uptime", (20, 0))], 1_200_000),
        (sampled("downtime", (0, 0), (10, 600_000)), 600_000),
        ([*sampled("restartingTime", (0, 5_000), (20, 5_000)), *sampled("uptime", (20, 0))], None),  # the last restart
        ([*sampled("downtime", (0, 5_000), (1, 8_000)), *sampled("uptime", (1, 2_000))], None),
        (sampled("downtime", (0, -1), (10, -1)), None),  # it has ended
        (sampled("downtime", (10, 600_000)), None),  # one look does not show that it lasts
    ],
)
def test_gauges_of_time_show_that_a_job_does_not_come_up(samples: list[dict[str, Any]], down_ms: int | None) -> None:
    shown = signals_of_key(restarts.measure(hand_made(metric_sample=samples)), "restarts")
    assert [each.facts["down_ms"] for each in shown if "down_ms" in each.facts] == [down_ms] * (down_ms is not None)
