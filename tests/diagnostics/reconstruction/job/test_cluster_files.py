"""Files are those of the cluster that they name, else of the one around them, else of all."""

from __future__ import annotations

from typing import Any

from diagnostics.evidence import Evidence
from diagnostics.reconstruction.job.cluster_files import ClusterFiles, files_of_clusters
from tests.diagnostics.hand_made import JOB, START, hand_made

OTHER = "0000000000000000000000000000000b"


def job(job_id: str, file_id: int, name: str) -> dict[str, Any]:
    return {"job_id": job_id, "name": name, "state": "RUNNING", "ts_ms": START, "file_id": file_id}


def case(*files: str, second_name: str = "payments") -> Evidence:
    jobs = [job(JOB, 0, "orders"), job(OTHER, 1, second_name)]
    return hand_made(files=("a/rest/jobs.json", "b/rest/jobs.json", *files), job=jobs)


def test_a_file_beside_those_of_one_cluster_is_of_it() -> None:
    assert files_of_clusters(case("a/gc.log", "b/host/cpu.txt", "b/conf/flink-conf.yaml")) == [
        ClusterFiles(frozenset({JOB}), frozenset({0, 2})),
        ClusterFiles(frozenset({OTHER}), frozenset({1, 3, 4})),
    ]


def test_a_file_that_nothing_assigns_is_of_every_cluster() -> None:
    first, second = files_of_clusters(case("events.csv", "c/gc.log"))
    assert (first.files, second.files) == (frozenset({0, 2, 3}), frozenset({1, 2, 3}))


def test_jobs_of_one_name_stay_together() -> None:
    assert files_of_clusters(case("a/gc.log", second_name="orders")) == ()


def test_one_cluster_is_not_told_apart() -> None:
    assert files_of_clusters(hand_made(files=("jobs.json",), job=[job(JOB, 0, "orders")])) == ()


def test_clusters_that_share_all_their_files_are_not_told_apart() -> None:
    jobs = [job(JOB, 0, "orders"), job(OTHER, 0, "payments")]
    assert files_of_clusters(hand_made(files=("jobs.json",), job=jobs)) == ()
