"""The first failure of each job, and of the whole case."""

from __future__ import annotations

from diagnostics.evidence import Evidence
from diagnostics.signals.exceptions import measure, measure_first
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only


def test_rules_of_the_case_read_the_first_failure_of_any_job() -> None:
    message = "Could not read from ZooKeeper: KeeperErrorCode = NoAuth for /flink/leader"
    failed = {
        "ts_ms": START,
        "root_cause_class": "org.apache.zookeeper.KeeperException$NoAuthException",
        "root_cause_message": message,
        "causes": f"org.apache.zookeeper.KeeperException$NoAuthException: {message}",
    }
    first = only(measure_first(hand_made(failure=[failed])), "first_failure")
    assert (first.subject.job, first.facts["origin"]) == (None, "high_availability")
    assert "setAcl" in first.facts["remedy"]


def test_without_a_failure_there_is_no_first_one() -> None:
    fine = {"ts_ms": START, "message": "Starting", "level": "INFO"}
    assert [*measure_first(hand_made(log_record=[fine]))] == []
    assert needs(measure_first(hand_made())) == {"first_failure": "jobmanager-log"}


def shut_down(ts_ms: int, message: str = "The TaskExecutor is shutting down.") -> dict[str, object]:
    name = "org.apache.flink.util.FlinkExpectedException"
    return {
        "job_id": JOB,
        "ts_ms": ts_ms,
        "root_cause_class": name,
        "root_cause_message": message,
        "causes": f"{name}: {message}",
    }


def test_failures_of_tasks_whose_task_managers_ended_in_order_are_told_from_others() -> None:
    """As when a job in reactive mode is scaled down by a signal to one of its TaskManagers."""
    ended = only(measure(hand_made(failure=[shut_down(START)])), "exceptions")
    mixed = only(measure(hand_made(failure=[shut_down(START), shut_down(START + 90_000, "no room")])), "exceptions")

    assert ended.facts["only_shut_down"] is True
    assert "only_shut_down" not in mixed.facts


def test_an_answer_about_failures_without_an_entry_says_that_nothing_failed() -> None:
    answered = Evidence({}, formats=["flink-rest-exceptions"])
    assert only(measure(answered), "exceptions").facts["failures"] == 0
    assert needs(measure_first(answered)) == {}
    assert needs(measure(Evidence({}))) == {"exceptions": "jobmanager-log"}
