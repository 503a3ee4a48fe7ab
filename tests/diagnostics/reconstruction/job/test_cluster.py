"""What runs where."""

from __future__ import annotations

from typing import Any

from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.failures.fault import job_of_vertex
from diagnostics.reconstruction.job.cluster import Cluster, cluster_from_rows


def place(kind: str, **columns: Any) -> dict[str, Any]:
    return {**dict.fromkeys(("job_id", "id", "other", "name", "number", "ts_ms")), "kind": kind, **columns}


ROWS = [
    place("job", job_id="a", name="orders"),
    place("vertex", job_id="a", id="v1", name="Source: orders", number=2, other="128"),
    place("vertex", job_id="a", id="v2", name="score", number=4, other="128"),
    place("vertex", job_id="a", id="v3", name="Sink: risks", number=2, other="128"),
    place("edge", job_id="a", id="v2", other="v1", name="HASH"),
    place("edge", job_id="a", id="v3", other="v2", name="REBALANCE"),
    place("subtask", job_id="a", id="v2", number=0, other="10.0.0.1:6122-aa", name="10.0.0.1"),
]


def test_tasks_above_are_found_nearest_first() -> None:
    assert cluster_from_rows(ROWS).upstream(("a", "v3")) == [("a", "v2"), ("a", "v1")]


def test_a_task_manager_is_known_in_every_spelling() -> None:
    cluster = cluster_from_rows(ROWS)
    assert cluster.task_manager("10_0_0_1:6122_aa") == "10.0.0.1:6122-aa"
    assert cluster.task_manager("unheard-of") == "unheard-of"
    assert normalised("10.0.0.1:6122-aa") == "10_0_0_1_6122_aa"


def test_the_job_of_a_task_manager_is_the_only_one_that_runs_there() -> None:
    both = [
        *ROWS,
        place("job", job_id="b", name="clicks"),
        place("subtask", job_id="b", id="w", number=0, other="tm-2"),
    ]
    cluster = cluster_from_rows(both)
    assert cluster.job_of("10.0.0.1:6122-aa") == "a"
    assert cluster.job_of("tm-2") == "b"
    assert cluster.job_of("tm-3") is None


def test_the_only_job_is_the_one_of_a_task_manager_that_nothing_is_known_of() -> None:
    assert cluster_from_rows(ROWS).job_of("tm-9") == "a"


def test_a_task_that_no_listed_job_has_is_of_the_job_whose_tasks_no_file_lists() -> None:
    other = [*ROWS, place("log_record", job_id="b")]
    assert job_of_vertex("refund -> Sink: y", cluster_from_rows(other)) == "b"
    assert job_of_vertex("Sink:_risks", cluster_from_rows(other)) == "a"
    assert job_of_vertex(None, cluster_from_rows(other)) is None
    assert job_of_vertex("refund -> Sink: y", cluster_from_rows([*other, place("log_record", job_id="c")])) is None


def test_of_no_rows_nothing_is_known() -> None:
    assert cluster_from_rows([]) == Cluster()
