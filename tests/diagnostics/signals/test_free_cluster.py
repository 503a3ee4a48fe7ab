"""A session cluster without a job: free and ready, or not known to be."""

from __future__ import annotations

from typing import Any

from diagnostics.signals import free_cluster
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only
from tests.diagnostics.signals.incident_rows import record

BANNER = record(0, " Starting StandaloneSessionClusterEntrypoint (Version: 2.1.0, Scala: 2.12)", event="layout.banner")
REGISTERED = record(9, "Registering TaskManager with ResourceID host-2:4001-0a1b2c (pekko.tcp://x) at ResourceManager")


def gauges(second: int, **values: float) -> list[dict[str, Any]]:
    rows = [{"ts_ms": START + second * 1000, "metric": name, "value": value} for name, value in values.items()]
    return [{**row, "pointer": "/25"} for row in rows]


def test_a_cluster_without_a_job_states_its_free_slots_in_every_answer() -> None:
    rows = [
        *gauges(0, numRunningJobs=0, taskSlotsTotal=4, taskSlotsAvailable=4, numRegisteredTaskManagers=2),
        *gauges(20, numRunningJobs=0, taskSlotsTotal=4, taskSlotsAvailable=4, numRegisteredTaskManagers=2),
    ]

    facts = only(free_cluster.measure(hand_made(metric_sample=rows)), "free_cluster").facts

    assert facts == {
        "running_jobs_most": 0,
        "task_managers": 2,
        "slots": 4,
        "free_slots": 4,
        "slots_in_use_most": 0,
    }


def test_a_scrape_does_not_show_whether_a_job_was_to_run() -> None:
    rows = gauges(0, numRunningJobs=0, taskSlotsTotal=4, taskSlotsAvailable=4)
    scraped = [{**row, "pointer": None} for row in rows]

    assert needs(free_cluster.measure(hand_made(metric_sample=scraped))) == {"free_cluster": "job-rest"}


def test_slots_that_a_job_held_earlier_are_seen() -> None:
    rows = [
        *gauges(0, numRunningJobs=1, taskSlotsTotal=4, taskSlotsAvailable=1),
        *gauges(20, numRunningJobs=0, taskSlotsTotal=4, taskSlotsAvailable=4),
    ]

    facts = only(free_cluster.measure(hand_made(metric_sample=rows)), "free_cluster").facts

    assert (facts["running_jobs_most"], facts["slots_in_use_most"]) == (1, 3)


def test_a_log_from_its_start_on_shows_that_nothing_was_submitted() -> None:
    last = record(69, "Some later line")

    facts = only(free_cluster.measure(hand_made(log_record=[BANNER, REGISTERED, last])), "free_cluster").facts

    assert facts == {"registrations": 1, "disturbances": 0, "waited_ms": 60_000}


def test_a_failed_submission_disturbs_a_free_cluster() -> None:
    submitted = record(20, f"Received JobGraph submission 'orders' ({JOB}).")

    facts = only(free_cluster.measure(hand_made(log_record=[BANNER, REGISTERED, submitted])), "free_cluster").facts

    assert facts["disturbances"] == 1


def test_a_log_without_its_start_shows_no_free_cluster() -> None:
    assert needs(free_cluster.measure(hand_made(log_record=[REGISTERED]))) == {"free_cluster": "job-rest"}


def test_a_job_that_files_name_is_judged_itself() -> None:
    rows = gauges(0, numRunningJobs=0, taskSlotsTotal=4, taskSlotsAvailable=4)

    measured = free_cluster.measure(hand_made(metric_sample=rows, job=[{"job_id": JOB, "name": "orders"}]))

    assert needs(measured) == {"free_cluster": "job-rest"}
