"""What a job does by design and people take for a trouble."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.expected_behaviour import SHAPES, measure
from diagnostics.vocabulary.expected_behaviour import expected_behaviour
from tests.diagnostics.hand_made import JOB, SOURCE, START, hand_made, line_of_jobs, only, signals_of_key

CDC = "Source: MySQL CDC Source"


def job_with(source: str, parallelism: int = 4) -> dict[str, list[dict[str, Any]]]:
    rows = line_of_jobs()
    rows["vertex"][0] |= {"name": source, "parallelism": parallelism}
    return rows


def handed_out(*records: int) -> list[dict[str, Any]]:
    return [
        {"job_id": JOB, "vertex_id": SOURCE, "subtask": place, "attempt": 0, "ts_ms": START, "write_records": count}
        for place, count in enumerate(records)
    ]


def samples(metric: str, first: float, last: float, **place: Any) -> list[dict[str, Any]]:
    where = {"job_id": JOB, "vertex_id": SOURCE, "vertex": "Source: orders", "operator": "Source: orders", **place}
    ends = ((0, first), (60, last))
    return [{**where, "metric": metric, "ts_ms": START + at * 1000, "value": value} for at, value in ends]


def kinds(**rows: Any) -> list[str]:
    found = signals_of_key(measure(hand_made(**rows)), "expected_behaviour")
    return [str(kind) for each in found for kind in each.facts["kinds"]]  # type: ignore[union-attr]


def test_each_entry_has_a_shape_that_is_looked_for() -> None:
    assert {each.shape for each in expected_behaviour().values()} == set(SHAPES)


@pytest.mark.parametrize(
    ("source", "records", "expected"),
    [
        (CDC, (91_243, 0, 0, 0), ["one-reader"]),
        (CDC, (91_243, 7, 0, 0), []),
        (CDC, (3, 0, 0, 0), []),
        ("Source: orders", (91_243, 0, 0, 0), []),
    ],
)
def test_one_subtask_reads_the_changes(source: str, records: tuple[int, ...], expected: list[str]) -> None:
    assert kinds(**job_with(source), subtask=handed_out(*records)) == expected


def test_a_table_tells_which_source_reads_changes() -> None:
    declared = [{"kind": "table", "name": "orders mysql-cdc", "line": 1}]
    rows = job_with("Source: TableSourceScan(table=[[default_catalog, default_database, orders]])")
    assert kinds(**rows, subtask=handed_out(91_243, 0), code_call=declared) == ["one-reader"]


@pytest.mark.parametrize(("source", "expected"), [(CDC, ["one-task"]), ("Source: orders", [])])
def test_a_source_of_changes_stays_one_task(source: str, expected: list[str]) -> None:
    assert kinds(**job_with(source, 1)) == expected


def test_a_job_of_parallelism_one_is_nothing_to_explain() -> None:
    rows = job_with(CDC, 1)
    for each in rows["vertex"]:
        each["parallelism"] = 1
    assert kinds(**rows) == []


@pytest.mark.parametrize(
    ("pending", "counted", "subtask", "expected"),
    [
        (0, (100_000, 100_000), 0, ["waits-for-more"]),
        (0, (100_000, 100_000), None, ["waits-for-more"]),
        (7, (100_000, 100_000), 0, []),
        (0, (100_000, 120_000), 0, []),
    ],
)
def test_an_unbounded_source_waits_when_all_is_read(
    pending: float, counted: tuple[float, float], subtask: int | None, expected: list[str]
) -> None:
    rows = [
        *samples("pendingRecords", pending, pending, subtask=subtask),
        *samples("numRecordsIn", *counted, subtask=subtask),
    ]
    assert kinds(**line_of_jobs(), metric_sample=rows) == expected


def test_a_source_that_counts_no_backlog_is_not_judged() -> None:
    rows = samples("numRecordsIn", 100, 100, subtask=0)
    assert kinds(**line_of_jobs(), metric_sample=rows) == []


@pytest.mark.parametrize(("interval", "expected"), [(True, ["shown-with-checkpoints"]), (False, [])])
def test_rows_of_a_lake_table_come_with_checkpoints(interval: bool, expected: list[str]) -> None:
    trap = [{"kind": "statement-trap", "name": "shown-by-checkpoints orders", "line": 3}]
    stated = [{"key": "execution.checkpointing.interval", "value": "10 s"}] if interval else []
    assert kinds(code_call=trap, config_option=stated) == expected


def test_rows_that_wait_for_checkpoints_which_are_off_are_no_design() -> None:
    trap = [{"kind": "statement-trap", "name": "shown-by-checkpoints orders", "line": 3}]
    stated = [{"key": "execution.checkpointing.interval", "value": value} for value in ("10 s", "disabled")]
    assert kinds(code_call=trap, config_option=stated) == []


def test_what_is_by_design_says_so_first() -> None:
    facts = only(measure(hand_made(**job_with(CDC), subtask=handed_out(5_000, 0))), "expected_behaviour").facts
    assert isinstance(facts["says"], list)
    assert str(facts["says"][0]).startswith("This is by design, and nothing is to be repaired")


@pytest.mark.parametrize(
    ("name", "read", "expected"),
    [
        ("Sink: Print to Std. Out", 170.0, ["printed-by-task-managers"]),
        ("Sink: Print to Std. Out", 0.0, []),
        ("Sink: orders", 170.0, []),
    ],
)
def test_a_sink_that_prints_does_so_where_it_runs(name: str, read: float, expected: list[str]) -> None:
    rows = line_of_jobs()
    rows["vertex"][-1] |= {"name": name}
    place = {"job_id": JOB, "vertex_id": rows["vertex"][-1]["vertex_id"], "ts_ms": START}
    counted = [{**place, "metric": "numRecordsIn", "aggregate": "sum", "value": read}]
    assert kinds(**rows, metric_sample=counted) == expected


@pytest.mark.parametrize(
    ("handed", "read", "expected"), [(2.0, 1.0, ["counted-twice"]), (1.0, 1.0, []), (0.0, 0.0, []), (3.0, 1.0, [])]
)
def test_a_count_of_a_source_that_is_doubled(handed: float, read: float, expected: list[str]) -> None:
    rows = [
        *samples("numRecordsOut", handed, handed, subtask=0),
        *samples("numRecordsIn", read, read, subtask=0, vertex="map", operator="map"),
    ]
    assert kinds(metric_sample=rows) == expected


@pytest.mark.parametrize(
    ("lags", "expected"),
    [((3, 0, None), ["partitions-without-position"]), ((3, 0, 1), []), ((None, None, None), [])],
)
def test_a_group_without_a_position_in_some_partitions(lags: tuple[int | None, ...], expected: list[str]) -> None:
    place = {"ts_ms": None, "consumer_group": "orders", "topic": "orders"}
    rows = [{**place, "partition": at, "lag": lag} for at, lag in enumerate(lags)]
    assert kinds(consumer_position=rows) == expected


@pytest.mark.parametrize(("used", "expected"), [(536_870_912.0, ["managed-memory-reserved"]), (33_554_432.0, [])])
def test_managed_memory_is_used_as_a_whole(used: float, expected: list[str]) -> None:
    place = {"scope": "taskmanager", "task_manager": "tm-1", "ts_ms": START}
    read = {"Status.Flink.Memory.Managed.Used": used, "Status.Flink.Memory.Managed.Total": 536_870_912.0}
    rows = [{**place, "metric": name, "value": value} for name, value in read.items()]
    assert kinds(metric_sample=rows) == expected
    assert kinds(metric_sample=[*rows, *samples("numRecordsIn", 5, 9, subtask=0)]) == []


@pytest.mark.parametrize(("pending", "expected"), [(0.0, ["group-behind-its-source"]), (5.0, [])])
def test_the_lag_of_a_group_is_no_backlog_of_its_source(pending: float, expected: list[str]) -> None:
    positions = [{"ts_ms": None, "consumer_group": "orders", "topic": "orders", "partition": 0, "lag": 52_011}]
    rows = samples("pendingRecords", pending, pending, subtask=0)
    assert kinds(consumer_position=positions, metric_sample=rows) == expected
