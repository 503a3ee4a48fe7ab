"""How long a job has not restarted again is said only where its tasks run; the start itself is part of that time."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnostics.symptoms.judged import judged

RESTARTED = {"restarts": 1, "final_state": "RUNNING", "last_ms": 1_700_000_060_000, "steady_ms": 80_000}


def said(**facts: dict[str, Any]) -> str:
    finding = next(each for each in judged(**facts)["findings"] if each["rule"]["id"] == "restart.single")
    return f"{finding['title']} {finding['statement']}"


def test_a_job_whose_tasks_run_has_run_since() -> None:
    told = said(restarts={**RESTARTED, "tasks_run": True}, slots={"missing": 0})
    assert "It has not restarted again in the 80 s since then." in told


@pytest.mark.parametrize(
    ("tasks", "slots"), [({}, {}), ({"tasks_run": False}, {}), ({"tasks_run": True}, {"missing": 2})]
)
def test_nothing_is_said_of_a_job_whose_tasks_are_not_seen(tasks: dict[str, Any], slots: dict[str, Any]) -> None:
    assert "since then" not in said(restarts={**RESTARTED, **tasks}, slots=slots)


def test_a_recovery_by_a_new_job_manager_is_told_apart_from_restarts() -> None:
    recovered = {"jobmanager_restarts": 2, "restored_from": [15, 29]}
    assert "recovered the job from checkpoints 15 and 29" in said(restarts=RESTARTED, high_availability=recovered)
    assert "recovered" not in said(restarts=RESTARTED)
