"""Files are those of the cluster that they name, else of the one around them, else of all."""

from __future__ import annotations

from typing import Any

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.job.cluster_files import ClusterFiles, files_of_clusters
from tests.diagnostics.hand_made import JOB, START, hand_made

OTHER = "0000000000000000000000000000000b"


def job(job_id: str, file_id: int, name: str, start_ms: int | None = None) -> dict[str, Any]:
    return {
        "job_id": job_id,
        "name": name,
        "state": "RUNNING",
        "ts_ms": START,
        "start_ms": start_ms,
        "file_id": file_id,
    }


def case(*files: str, second_name: str = "payments") -> Evidence:
    jobs = [job(JOB, 0, "orders"), job(OTHER, 1, second_name)]
    return hand_made(files=("a/rest/jobs.json", "b/rest/jobs.json", *files), job=jobs)


def test_a_file_beside_those_of_one_cluster_is_of_it() -> None:
    assert files_of_clusters(case("a/gc.log", "b/host/cpu.txt", "b/conf/flink-conf.yaml")) == [
        ClusterFiles(frozenset({JOB}), frozenset({0, 2}), frozenset({("job", OTHER)})),
        ClusterFiles(frozenset({OTHER}), frozenset({1, 3, 4}), frozenset({("job", JOB)})),
    ]


def test_a_file_that_nothing_assigns_is_of_every_cluster() -> None:
    first, second = files_of_clusters(case("events.csv", "c/gc.log"))
    assert (first.files, second.files) == (frozenset({0, 2, 3}), frozenset({1, 2, 3}))


def test_jobs_of_one_name_stay_together() -> None:
    assert files_of_clusters(case("a/gc.log", second_name="orders")) == ()


def test_jobs_of_one_name_that_run_at_the_same_time_are_of_two_clusters() -> None:
    both = [job(JOB, 0, "orders", START - 600_000), job(OTHER, 1, "orders", START - 900_000)]
    first, second = files_of_clusters(hand_made(files=("prod/jobs.json", "test/jobs.json", "prod/gc.log"), job=both))
    assert (first.files, second.files) == (frozenset({0, 2}), frozenset({1}))


def test_a_job_that_began_when_the_one_of_its_name_ended_is_of_the_same_cluster() -> None:
    ended = {**job(OTHER, 1, "orders", START - 900_000), "end_ms": START - 500_000, "state": "FINISHED"}
    both = [job(JOB, 0, "orders", START - 510_000), ended]
    assert files_of_clusters(hand_made(files=("new/jobs.json", "old/jobs.json"), job=both)) == ()


def test_one_cluster_is_not_told_apart() -> None:
    assert files_of_clusters(hand_made(files=("jobs.json",), job=[job(JOB, 0, "orders")])) == ()


def test_clusters_that_share_all_their_files_are_not_told_apart() -> None:
    jobs = [job(JOB, 0, "orders"), job(OTHER, 0, "payments")]
    assert files_of_clusters(hand_made(files=("jobs.json",), job=jobs)) == ()


def test_clusters_that_share_their_files_are_told_apart_by_the_taskmanagers_of_their_metrics() -> None:
    places = [(JOB, "orders", "10.0.4.20:6122-ab12"), (OTHER, "payments", "10.0.5.20:6122-cd34")]
    samples = [
        {
            "job_id": job_id,
            "job_name": name,
            "task_manager": place,
            "metric": "numRecordsIn",
            "ts_ms": START,
            "value": 1.0,
        }
        for job_id, name, place in places
    ]
    first, second = files_of_clusters(hand_made(files=("export.json",), metric_sample=samples))
    assert first.files == second.files == frozenset({0})
    assert first.others == {("job", OTHER), ("task_manager", "10_0_5_20_6122_cd34")}
