"""A job that ended, and a cluster that runs none, beside jobs that run."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnostics.symptoms.judged import judged

QUIET: dict[str, dict[str, Any]] = {"exceptions": {"failures": 0, "kinds": 0}, "restarts": {"restarts": 0}}


@pytest.mark.parametrize("state", ["FINISHED", "CANCELED"])
def test_a_job_that_ended_without_a_failure_is_healthy(state: str) -> None:
    document = judged(job_overview={"name": "orders", "state": state}, **QUIET)
    assert document["verdict"]["symptom_class"] == "healthy"
    assert state in document["verdict"]["summary"]


@pytest.mark.parametrize("state", ["RUNNING", "RESTARTING", "FAILED"])
def test_a_job_that_did_not_end_is_not_healthy_for_want_of_failures(state: str) -> None:
    document = judged(job_overview={"name": "orders", "state": state}, **QUIET)
    assert document["verdict"]["symptom_class"] != "healthy"


def test_a_job_that_was_cancelled_under_back_pressure_is_not_called_healthy() -> None:
    document = judged(
        job_overview={"name": "orders", "state": "CANCELED"}, back_pressure_job={"high_share_ratio": 0.6}, **QUIET
    )
    assert document["verdict"]["symptom_class"] != "healthy"


def test_a_cluster_without_a_job_is_healthy_and_names_who_would_submit_one() -> None:
    document = judged(
        free_cluster={"running_jobs_most": 0, "slots": 4, "free_slots": 4, "slots_in_use_most": 0, "task_managers": 2}
    )
    assert document["verdict"]["symptom_class"] == "healthy"
    assert "4 of 4 slots are free" in document["verdict"]["summary"]


def test_a_cluster_in_which_a_submission_failed_is_not_healthy() -> None:
    document = judged(free_cluster={"registrations": 2, "disturbances": 1, "waited_ms": 60_000})
    assert document["verdict"]["symptom_class"] != "healthy"


@pytest.mark.parametrize(("completed", "failed", "is_healthy"), [(24, 1, True), (4, 1, False), (24, 3, False)])
def test_one_failure_among_many_checkpoints_of_a_single_reading_is_no_trouble(
    completed: int, failed: int, is_healthy: bool
) -> None:
    document = judged(
        checkpoint_progress={"completed": completed, "failed": failed},
        back_pressure_job={"high_share_ratio": 0.0, "worst_ratio": 0.0},
        restarts={"restarts": 0},
        heap_pressure={"share_ratio": 0.001},
    )
    assert (document["verdict"]["symptom_class"] == "healthy") is is_healthy


def test_a_job_that_recovered_from_a_row_of_restarts_says_how_long_it_has_run_since() -> None:
    document = judged(restarts={"restarts": 7, "final_state": "RUNNING", "steady_ms": 82_000, "for_faults": 7})
    [said] = [each["statement"] for each in document["findings"] if each["rule"]["id"] == "restart.repeated"]
    assert "It has run for 82 s since." in said


@pytest.mark.parametrize(("throttled", "is_healthy"), [(0.1, True), (0.88, False)])
def test_a_job_whose_container_is_throttled_most_of_the_time_is_not_called_healthy(
    throttled: float, is_healthy: bool
) -> None:
    document = judged(
        checkpoint_progress={"completed": 20, "failed": 0, "recent_failed": 0},
        back_pressure_job={"high_share_ratio": 0.0, "worst_ratio": 0.0},
        restarts={"restarts": 0},
        heap_pressure={"share_ratio": 0.001},
        host_load={"samples": 4, "throttled_ratio": throttled},
    )
    assert (document["verdict"]["symptom_class"] == "healthy") is is_healthy
