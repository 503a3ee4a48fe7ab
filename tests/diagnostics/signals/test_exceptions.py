"""The first failure of each job, and of the whole case."""

from __future__ import annotations

from diagnostics.signals.exceptions import measure_first
from tests.diagnostics.hand_made import START, hand_made, needs, only


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
