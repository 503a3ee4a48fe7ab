"""A single failure at an outside system after which the job ran on for long is a remark."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import exceptions
from tests.diagnostics.hand_made import JOB, MIDDLE, START, hand_made, line_of_jobs, only
from tests.diagnostics.symptoms.judged import judged

HOUR_MS = 3_600_000
ONCE = {
    "failures": 1,
    "unreachable": 1,
    "kind": "it does not answer",
    "said": "TimeoutException: no position",
    "system": "Kafka",
    "opening": False,
    "is_first": True,
    "rounds": 1,
    "reported_by": "failure",
}


@pytest.mark.parametrize(
    ("ran_ms", "state", "severity"),
    [(11 * HOUR_MS, "RUNNING", "info"), (600_000, "RUNNING", "warning"), (11 * HOUR_MS, "FAILED", "warning")],
)
def test_a_single_failure_long_ago_leads_no_verdict(ran_ms: int, state: str, severity: str) -> None:
    document = judged(
        outside_faults=ONCE,
        exceptions={"failures": 1, "ran_since_ms": ran_ms},
        restarts={"restarts": 0, "final_state": state, "gave_up": False},
    )
    (found,) = [each for each in document["findings"] if each["rule"]["id"] == "outside.unreachable"]
    assert found["severity"] == severity
    assert (document["verdict"]["symptom_class"] == "outside_system") == (severity == "warning")


def test_the_time_for_which_a_job_ran_on_begins_at_its_last_failure() -> None:
    def failed(second: int) -> dict[str, Any]:
        return {
            "job_id": JOB,
            "ts_ms": START + second * 1000,
            "exception_class": "java.io.IOException",
            "message": "x",
            "vertex_id": MIDDLE,
        }

    done = {
        "job_id": JOB,
        "checkpoint_id": 9,
        "status": "COMPLETED",
        "trigger_ms": START + HOUR_MS,
        "latest_ack_ms": START + HOUR_MS + 500,
        "end_to_end_ms": 500.0,
    }
    evidence = hand_made(**line_of_jobs(), failure=[failed(0), failed(600)], checkpoint=[done])
    assert only(exceptions.measure(evidence), "exceptions").facts["ran_since_ms"] == HOUR_MS - 600_000
