"""Of a file of several clusters, only the rows of one are read."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from diagnostics.reading.one_cluster import OneCluster

OTHERS = OneCluster(
    frozenset({0}),
    frozenset({("job", "b"), ("task_manager", "10_0_5_20_6122_ab12"), ("host", "jobmanager.beta")}),
)


def own(**columns: list[Any]) -> list[dict[str, Any]]:
    batch = pa.RecordBatch.from_pydict(
        {name: pa.array(values, pa.string()) for name, values in columns.items()},
    )
    return OTHERS.own_rows(batch).to_pylist()


def test_rows_about_a_job_or_a_taskmanager_of_another_cluster_are_left_out() -> None:
    rows = own(job_id=["a", "b", None, None], task_manager=[None, None, "10.0.5.20:6122-ab12", "10.0.4.20:6122-cd34"])
    assert [row["job_id"] or row["task_manager"] for row in rows] == ["a", "10.0.4.20:6122-cd34"]


def test_a_jobmanagers_host_counts_where_a_row_names_nothing_else() -> None:
    rows = own(job_id=["a", None, None], task_manager=[None, None, None], host=["jobmanager.beta"] * 2 + [None])
    assert [row["job_id"] for row in rows] == ["a", None]


def test_rows_that_name_no_cluster_are_kept() -> None:
    assert own(host=["jobmanager.beta"]) == [{"host": "jobmanager.beta"}]
