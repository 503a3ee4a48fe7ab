"""Which of the files are of another cluster than a job, and what the JobManager of its own cluster states."""

from __future__ import annotations

from typing import Any

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.job.clusters import clusters_of
from diagnostics.reconstruction.job.jobmanager_gauge import gauge_of
from diagnostics.signals import slots, task_manager_loss
from tests.diagnostics.hand_made import JOB, START, hand_made, signals_of_key

OTHER = "0000000000000000000000000000000b"
TWO_FOLDERS = ("first/overview.json", "first/jobs.json", "second/overview.json", "second/jobs.json")


def registered(number: int, second: int | None, file_id: int, host: str | None = None) -> dict[str, Any]:
    ts_ms = None if second is None else START + second * 1000
    told = {"metric": "numRegisteredTaskManagers", "scope": "jobmanager", "value": float(number), "host": host}
    return {**told, "ts_ms": ts_ms, "file_id": file_id}


def job(job_id: str, file_id: int) -> dict[str, Any]:
    return {"job_id": job_id, "name": "orders", "state": "RUNNING", "ts_ms": START, "file_id": file_id}


def two_dumps(second_job: str) -> Evidence:
    samples = [registered(4, 0, 0), registered(2, 60, 2)]
    return hand_made(files=TWO_FOLDERS, metric_sample=samples, job=[job(JOB, 1), job(second_job, 3)])


def losses(evidence: Evidence) -> dict[str | None, Any]:
    found = signals_of_key(task_manager_loss.measure_all(evidence), "task_manager_loss.all")
    return {each.subject.job: each.facts for each in found}


def test_two_dumps_with_different_jobs_are_of_two_clusters() -> None:
    clusters = clusters_of(two_dumps(OTHER))
    assert clusters.are_several
    assert [clusters.are_apart(JOB, file_id) for file_id in range(4)] == [False, False, True, True]


def test_two_dumps_with_the_same_job_are_of_one_cluster() -> None:
    clusters = clusters_of(two_dumps(JOB))
    assert not clusters.are_several
    assert not any(clusters.are_apart(JOB, file_id) for file_id in range(4))


def test_two_dumps_that_share_a_task_manager_are_of_one_cluster() -> None:
    places = [{"task_manager": "tm-1:6122-aa", "file_id": file_id} for file_id in (0, 2)]
    jobs = [job(JOB, 1), job(OTHER, 3)]
    assert not clusters_of(hand_made(files=TWO_FOLDERS, task_manager=places, job=jobs)).are_several


def test_the_smaller_of_two_clusters_has_lost_no_task_manager() -> None:
    facts = losses(two_dumps(OTHER))
    assert {job_id: (each["registered_end"], each.get("gone", 0)) for job_id, each in facts.items() if job_id} == {
        JOB: (4, 0),
        OTHER: (2, 0),
    }
    assert "gone" not in facts[None], "the case as a whole has no number of its own"


def test_a_cluster_with_fewer_task_managers_than_in_an_earlier_dump_has_lost_some() -> None:
    facts = losses(two_dumps(JOB))
    assert (facts[None]["registered_end"], facts[None]["gone"]) == (2, 2)


def test_slots_of_another_cluster_are_none_of_the_job() -> None:
    samples = [
        {**registered(total, second, file_id), "metric": "taskSlotsTotal"}
        for total, second, file_id in ((8, 0, 0), (2, 60, 2))
    ]
    evidence = hand_made(files=TWO_FOLDERS, metric_sample=samples, job=[job(JOB, 1), job(OTHER, 3)])
    facts = {each.subject.job: each.facts for each in signals_of_key(slots.measure(evidence), "slots")}
    assert {job_id: (each["total_end"], each["fell_by"]) for job_id, each in facts.items()} == {
        JOB: (8, 0),
        OTHER: (2, 0),
    }


def test_metrics_of_two_jobmanagers_are_told_apart_by_their_hosts() -> None:
    of_jobs = [
        {"metric": "numRestarts", "scope": "job", "job_id": job_id, "host": host, "ts_ms": START, "value": 0.0}
        for job_id, host in ((JOB, "jm-a"), (OTHER, "jm-b"))
    ]
    samples = [registered(number, at, 0, host) for at in (0, 60) for number, host in ((4, "jm-a"), (1, "jm-b"))]
    facts = losses(hand_made(metric_sample=[*of_jobs, *samples]))
    assert {job_id: (facts[job_id]["registered_end"], facts[job_id].get("gone", 0)) for job_id in (JOB, OTHER)} == {
        JOB: (4, 0),
        OTHER: (1, 0),
    }


def test_a_standby_jobmanager_without_task_managers_hides_none_of_its_leader() -> None:
    samples = [registered(number, at, 0, host) for at in (0, 60) for number, host in ((4, "jm-a"), (0, "jm-b"))]
    gauge = gauge_of(hand_made(metric_sample=samples), "numRegisteredTaskManagers", None)
    assert gauge is not None
    assert (gauge.newest, gauge.most) == (4, 4)


def test_after_a_change_of_leader_the_new_one_states_the_number() -> None:
    samples = [registered(4, 0, 0, "jm-a"), registered(4, 30, 0, "jm-a"), registered(2, 60, 0, "jm-b")]
    gauge = gauge_of(hand_made(metric_sample=samples), "numRegisteredTaskManagers", None)
    assert gauge is not None
    assert (gauge.newest, gauge.most) == (2, 4)


def test_the_last_of_several_scrapes_without_times_is_the_newest_number() -> None:
    gauge = gauge_of(
        hand_made(metric_sample=[registered(4, None, 0), registered(2, None, 0)]), "numRegisteredTaskManagers", None
    )
    assert gauge is not None
    assert (gauge.newest, gauge.most) == (2, 4)


def test_the_local_host_is_no_sign_that_two_jobs_share_a_cluster() -> None:
    samples = [
        {**registered(1, 0, file_id, host="localhost"), "job_id": job_id} for file_id, job_id in ((0, JOB), (2, OTHER))
    ]
    jobs = [job(JOB, 1), job(OTHER, 3)]
    assert clusters_of(hand_made(files=TWO_FOLDERS, metric_sample=samples, job=jobs)).are_several


def test_a_cluster_without_any_task_manager_is_seen_by_metrics_alone() -> None:
    running = {**registered(1, None, 0), "metric": "numRunningJobs"}
    evidence = hand_made(files=("overview.json",), metric_sample=[registered(0, None, 0), running])
    (all_of_case,) = signals_of_key(task_manager_loss.measure_all(evidence), "task_manager_loss.all")
    assert (all_of_case.facts["registered_end"], all_of_case.facts["running_jobs"]) == (0, 1)
    assert "lost" not in all_of_case.facts
