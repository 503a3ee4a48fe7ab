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
