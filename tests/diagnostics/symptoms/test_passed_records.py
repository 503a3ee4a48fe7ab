"""When the step about a poison record is done."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import exits, runbooks
from tests.diagnostics.runbook.test_runbook import stored

SUBJECT = {"job": "a" * 32}


@pytest.mark.parametrize(
    ("facts", "is_passed"),
    [
        ({"restarts": 0, "final_state": "RUNNING"}, True),
        ({"restarts": 8, "final_state": "RUNNING", "steady_ms": 20_000}, False),  # between two restarts
        ({"restarts": 8, "final_state": "RUNNING", "steady_ms": 1_800_000}, True),
        ({"restarts": 0, "final_state": "FAILED"}, False),
    ],
)
def test_a_record_is_passed_only_when_the_job_stays_up(facts: dict[str, Any], is_passed: bool) -> None:
    signals = [stored("restarts", "job", SUBJECT, **facts)]
    exit_of_record = exits(runbooks()["user-code"], {"subject": SUBJECT}, signals, signals)["record"]
    assert exit_of_record.holds is is_passed
