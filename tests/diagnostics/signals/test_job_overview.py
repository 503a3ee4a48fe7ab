"""The overview of a job, observations of its operation, and requests to outside systems in logs."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import job_overview, outside_system
from tests.diagnostics.hand_made import JOB, SINK, START, hand_made, line_of_jobs, needs, only, signals_of_key


def test_a_job_is_known_by_rest() -> None:
    facts = only(job_overview.measure(hand_made(**line_of_jobs())), "job_overview").facts
    assert (facts["name"], facts["state"], facts["vertices"], facts["parallelism"]) == ("orders", "RUNNING", 3, 2)
    assert (facts["started_ms"], facts["observed_ms"]) == (START, 300_000)


def test_a_job_starts_when_flink_has_it_and_not_when_its_client_asks() -> None:
    asked = {"ts_ms": START - 1_000, "message": f"Submitting job 'orders' ({JOB})."}
    facts = only(job_overview.measure(hand_made(**line_of_jobs(), log_record=[asked])), "job_overview").facts
    assert facts["started_ms"] == START


def test_of_rest_and_the_log_whichever_saw_a_job_last_tells_its_state() -> None:
    """A snapshot from before the trouble does not make a job run that has failed since."""
    asked_ms = START + 300_000

    def state_with(changed_ms: int) -> object:
        change = {
            "ts_ms": changed_ms,
            "process": "jobmanager",
            "event": "job.state",
            "state_to": "FAILED",
            "job_id": JOB,
        }
        message = f"Job orders ({JOB}) switched from state FAILING to FAILED."
        evidence = hand_made(**line_of_jobs(), log_record=[{**change, "message": message}])
        return only(job_overview.measure(evidence), "job_overview").facts["state"]

    assert state_with(asked_ms + 60_000) == "FAILED"
    assert state_with(asked_ms - 60_000) == "RUNNING"


def test_a_job_is_known_by_the_log_alone() -> None:
    records = [
        {"ts_ms": START, "message": " Starting StandaloneSessionClusterEntrypoint (Version: 1.18.1, Scala: 2.12)"},
        {"ts_ms": START + 1000, "message": f"Received JobGraph submission 'orders' ({JOB})."},
        {"ts_ms": START + 9000, "job_id": JOB, "message": "Completed checkpoint 1"},
    ]
    facts = only(job_overview.measure(hand_made(log_record=records)), "job_overview").facts
    assert (facts["name"], facts["flink_version"], facts["observed_ms"]) == ("orders", "1.18.1", 8000)


@pytest.mark.parametrize(
    "message",
    [
        f"Job orders by region ({JOB}) switched from state RUNNING to RESTARTING.",
        f"Starting execution of job 'orders by region' ({JOB}) under job master id 00000000.",
        f"Received ExecutionPlan submission 'orders by region' ({JOB}).",
        f"Submitting job {JOB} (orders by region).",
        f"JobManager runner for job orders by region ({JOB}) was granted leadership with session id 0-0 at host.",
    ],
)
def test_every_record_that_states_the_name_of_a_job_names_it(message: str) -> None:
    records = [
        {"ts_ms": START, "job_id": JOB, "event": "job.state", "message": message},
        {
            "ts_ms": START,
            "job_id": JOB,
            "event": "jm.ckpt.completed",
            "message": f"Completed checkpoint 1 for job {JOB}",
        },
    ]
    facts = only(job_overview.measure(hand_made(log_record=records)), "job_overview").facts
    assert facts["name"] == "orders by region"


def test_a_job_is_named_by_its_metrics_and_the_log_counts_more() -> None:
    sample = {"job_id": JOB, "job_name": "orders_by_region", "metric": "numRestarts", "ts_ms": START, "value": 0.0}
    named = {"ts_ms": START, "job_id": JOB, "message": f"Job orders-by-region ({JOB}) switched from state A to B."}
    by_metrics = hand_made(metric_sample=[sample])
    by_both = hand_made(metric_sample=[sample], log_record=[named])
    names = [only(job_overview.measure(each), "job_overview").facts["name"] for each in (by_metrics, by_both)]
    assert names == ["orders_by_region", "orders-by-region"]


def test_rest_alone_shows_the_version() -> None:
    told = [{"scope": "environment", "key": "flink.version", "value": "2.0.1"}]
    facts = only(job_overview.measure(hand_made(**line_of_jobs(), config_option=told)), "job_overview").facts
    assert facts["flink_version"] == "2.0.1"


def test_healthy_observations_are_reported_with_numbers() -> None:
    completed = [
        {"job_id": JOB, "checkpoint_id": number, "status": "COMPLETED", "end_to_end_ms": 100.0 * number}
        for number in (1, 2, 3)
    ]
    evidence = hand_made(**line_of_jobs(), checkpoint=completed)
    facts = only(job_overview.measure(evidence), "job_overview.operation").facts
    assert (facts["completed"], facts["failed"], facts["longest_ms"]) == (3, 0, 300)
    assert "back_pressured_ratio" not in facts


def test_nothing_is_measured_when_no_job_is_named() -> None:
    measured = list(job_overview.measure(hand_made()))
    assert needs(measured) == {"job_overview": "job-rest", "job_overview.operation": "job-rest"}


def test_refused_and_slow_requests_are_counted() -> None:
    warning = {"level": "WARN", "process": "taskmanager"}
    records = [
        {**warning, "ts_ms": START, "message": "Bulk request rejected with HTTP 429, backing off"},
        {**warning, "ts_ms": START + 1, "message": "Bulk request of 250 documents took 1544 ms"},
        {**warning, "ts_ms": START + 2, "message": "Bulk request of 250 documents took 90 ms"},
        {**warning, "ts_ms": START + 3, "message": "Checkpoint 429 is fine"},
        {"level": "INFO", "process": "taskmanager", "ts_ms": START + 4, "message": "HTTP 429 seen"},
        {"level": "WARN", "process": "jobmanager", "ts_ms": START + 5, "message": "REST answered with HTTP 429"},
    ]
    facts = only(outside_system.measure(hand_made(log_record=records)), "outside_system").facts
    assert (facts["refused"], facts["slow_requests"], facts["slowest_ms"]) == (1, 1, 1544)
    assert facts["write_ratio"] == 1


def test_what_was_slow_before_it_was_refused_is_stated_with_the_largest_share_that_can_have_been_refused() -> None:
    warning = {"level": "WARN", "process": "taskmanager"}
    refused = {**warning, "message": "Bulk request rejected with HTTP 429, backing off"}
    slow = {**warning, "message": "Bulk request of 250 documents took 1544 ms"}
    records = [
        *({**slow, "ts_ms": START + second * 1000} for second in (0, 40, 70, 80, 90, 300)),
        *({**refused, "ts_ms": START + second * 1000} for second in (60, 100)),
    ]
    facts = only(outside_system.measure(hand_made(log_record=records)), "outside_system").facts
    assert facts["slow_before_ms"] == 60_000
    assert (facts["refused_most_ratio"], facts["slow_beside_refused"]) == (0.4, 3)  # 2 of at least 5


def test_slow_requests_are_stated_before_and_since_the_first_refusal_with_the_shortest_of_them() -> None:
    """A sink that logs only requests of more than 1.5 s has a median next to that, whatever the system did."""
    warning = {"level": "WARN", "process": "taskmanager"}
    records = [
        {**warning, "ts_ms": START + 60_000, "message": "Bulk request rejected with HTTP 429, backing off"},
        *(
            {**warning, "ts_ms": START + second * 1000, "message": f"Bulk request of 250 documents took {took_ms} ms"}
            for second, took_ms in ((0, 1501), (20, 1540), (40, 1560), (70, 2100), (80, 2160), (90, 2700))
        ),
    ]
    facts = only(outside_system.measure(hand_made(log_record=records)), "outside_system").facts
    assert facts["least_slow_ms"] == 1501
    assert (facts["slow_unrefused_ms"], facts["slow_refused_ms"]) == (1540, 2160)
    assert (
        "slow_refused_ms" not in only(outside_system.measure(hand_made(log_record=records[1:])), "outside_system").facts
    )


def test_slow_requests_that_ask_for_something_are_no_writes() -> None:
    warning = {"level": "WARN", "process": "taskmanager", "ts_ms": START}
    records = [
        {**warning, "message": "Look-up of customer 7 took 1544 ms"},
        {**warning, "message": "Flushing 20 rows took 900 ms"},
    ]
    facts = only(outside_system.measure(hand_made(log_record=records)), "outside_system").facts
    assert (facts["slow_requests"], facts["write_ratio"]) == (2, 0.5)


def test_slow_requests_are_those_of_the_job_that_the_log_names() -> None:
    """Of two jobs of a cluster, the one whose tasks the TaskManager does not run has no part in them."""
    named = {"level": "INFO", "process": "taskmanager", "event": "res.tm.slot.receive", "job_id": JOB}
    slow = {"level": "WARN", "process": "taskmanager", "ts_ms": START, "message": "Flushing 20 rows took 900 ms"}
    other = [{"job_id": each, "name": each[:1], "state": "RUNNING", "start_ms": START} for each in (JOB, "b" * 32)]

    def jobs_of(*records: dict[str, Any]) -> list[str | None]:
        signals = outside_system.measure(hand_made(log_record=records, job=other))
        return [each.subject.job for each in signals_of_key(signals, "outside_system")]

    assert jobs_of({**named, "message": "Receive slot request"}, slow) == [JOB]
    assert sorted(map(str, jobs_of(slow))) == sorted([JOB, "b" * 32])


def test_a_quiet_log_gives_no_signal() -> None:
    records = [{"level": "WARN", "process": "taskmanager", "ts_ms": START, "message": "Checkpoint storage is slow"}]
    assert signals_of_key(outside_system.measure(hand_made(log_record=records)), "outside_system") == []


def test_whether_the_load_was_seen_while_requests_were_slow() -> None:
    """A REST snapshot from before the trouble does not outvote the log that tells of it."""
    slow = {"level": "WARN", "process": "taskmanager", "ts_ms": START, "message": "Flushing 20 rows took 900 ms"}

    def is_seen(asked_ms: int) -> object:
        look = {"ts_ms": asked_ms, "job_id": JOB, "vertex_id": SINK, "subtask": 0, "back_pressured_ratio": 0.0}
        evidence = hand_made(log_record=[slow], back_pressure=[look])
        return only(outside_system.measure(evidence), "outside_system").facts["load_seen"]

    assert is_seen(START - 600_000) is False
    assert is_seen(START) is True
