"""Jobs, tasks and places where only metrics name them."""

from __future__ import annotations

from typing import Any

from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs

NAMES = {SOURCE: "Source:_orders", MIDDLE: "enrich", SINK: "Sink:_documents"}


def counters(**columns: Any) -> list[dict[str, Any]]:
    """Records of three tasks in a row, sampled five times: source, middle, sink."""
    rows = []
    for (vertex, name), (read, written) in zip(NAMES.items(), ((0, 100), (100, 20), (20, 0)), strict=True):
        place = {"job_id": JOB, "job_name": "orders", "vertex_id": vertex, "vertex": name, "task_manager": "tm_1"}
        for step in range(5):
            shared = {**place, "scope": "task", "ts_ms": START + step * 10_000, "subtask": 1, **columns}
            rows.append({**shared, "metric": "numRecordsIn", "value": float(read * step)})
            rows.append({**shared, "metric": "numRecordsOut", "value": float(written * step)})
    return rows


def test_metrics_alone_name_jobs_tasks_and_places() -> None:
    cluster = cluster_of(hand_made(metric_sample=counters()))
    assert cluster.job_names == {JOB: "orders"}
    assert {task.name: task.parallelism for task in cluster.tasks.values()} == dict.fromkeys(NAMES.values(), 2)
    assert (cluster.homes[JOB, MIDDLE, 1], cluster.job_of("tm_1")) == ("tm_1", JOB)


def test_a_task_has_its_name_although_a_series_before_states_only_its_id() -> None:
    nameless = [{**row, "vertex": None, "metric": "rocksdb_num_immutable_mem_table"} for row in counters()]
    cluster = cluster_of(hand_made(metric_sample=nameless + counters()))
    assert {task.name for task in cluster.tasks.values()} == set(NAMES.values())


def test_the_job_graph_is_derived_and_said_to_be_so() -> None:
    cluster = cluster_of(hand_made(metric_sample=counters()))
    graph = job_graph(cluster, JOB)
    assert (graph.edges_known, graph.edges_derived) == (True, True)
    assert [graph.position(each) for each in (SOURCE, MIDDLE, SINK)] == ["source", "middle", "sink"]
    assert graph.all_above(SINK) == (MIDDLE, SOURCE)


def test_one_scrape_suffices_for_the_job_graph() -> None:
    last = [row for row in counters() if row["ts_ms"] == START + 40_000]
    scrape = [{**row, "ts_ms": None} for row in last]
    assert job_graph(cluster_of(hand_made(metric_sample=scrape)), JOB).all_above(SINK) == (MIDDLE, SOURCE)
    per_second = [{**row, "metric": f"{row['metric']}PerSecond", "value": row["value"] / 60} for row in scrape]
    graph = job_graph(cluster_of(hand_made(metric_sample=per_second)), JOB)
    assert (graph.edges_derived, graph.all_above(SINK)) == (True, (MIDDLE, SOURCE))


def test_a_job_in_rest_is_used_and_nothing_is_derived() -> None:
    cluster = cluster_of(hand_made(**line_of_jobs(), metric_sample=counters()))
    assert (cluster.derived, cluster.tasks[JOB, SINK].name) == (frozenset(), "Sink: documents")
    assert cluster.inputs[JOB, MIDDLE] == ((SOURCE, "REBALANCE"),)


def test_a_look_up_is_one_by_the_planners_name_or_by_what_people_call_it() -> None:
    names = {
        "a": "LookupJoin[5]_->_Sink:_out",
        "b": "lookup-customer-address",
        "c": "async wait operator",
        "d": "Source:_customer-lookup-topic",
        "e": "Sink:_lookup-cache",
        "f": "look_up_prices",
        "g": "enrich",
    }
    graph = job_graph(cluster_of(hand_made()), JOB, names)
    assert {each for each in names if graph.named_look_up(each)} == {"a", "b", "c", "f"}


def test_metrics_without_tasks_name_no_graph() -> None:
    rows = [{"scope": "job", "job_id": JOB, "metric": "numRestarts", "ts_ms": START, "value": 0.0}]
    cluster = cluster_of(hand_made(metric_sample=rows))
    assert (list(cluster.job_names), cluster.tasks, cluster.inputs) == ([JOB], {}, {})


def test_no_graph_is_derived_where_the_records_of_a_task_are_not_known() -> None:
    busy = {"scope": "task", "metric": "busyTimeMsPerSecond", "value": 10.0, "ts_ms": START, "subtask": 0}
    unknown = {**busy, "job_id": JOB, "job_name": "orders", "vertex_id": "d" * 32, "vertex": "Sink: archive"}
    graph = job_graph(cluster_of(hand_made(metric_sample=[*counters(), unknown])), JOB)
    assert not graph.edges_known
    assert graph.position(MIDDLE) is None
