"""Answers of Flink's REST API in every spelling since 1.10, in both layouts of a dump, and from hostile files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.formats import FORMATS, recognise
from diagnostics.notation.rest_document import rest_path
from tests.diagnostics.formats.reading_aids import Read, head_of, read

JOB = "62c0ae9f2958cc5d669a5f9058cc4097"
VERTEX = "0fcda262ddc259703435ec6b5d9af99f"


def read_answer(answer: Any, folder: Path, name: str = "answer.json", **context: Any) -> Read:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    format_id = recognise(head_of(text, name)).format_id
    assert format_id is not None
    return read(FORMATS[format_id], text, folder, name, context)


@pytest.mark.parametrize(
    "name",
    [
        f"rest/t1/jobs_{JOB}_vertices_{VERTEX}_backpressure-0.json",
        f"rest/snap-2/jobs/{JOB}/vertices/{VERTEX}/backpressure.json",
        f"case.zip!/a b/jobs/{JOB}/vertices/{VERTEX}/backpressure.json",
        f"rest\\jobs\\{JOB}\\vertices\\{VERTEX}\\backpressure.json",
    ],
)
def test_ids_come_from_the_path_in_every_layout(name: str) -> None:
    found = rest_path(name)
    assert (found.job_id, found.vertex_id, found.task_manager) == (JOB, VERTEX, None)


@pytest.mark.parametrize(
    ("name", "task_manager"),
    [
        ("rest/taskmanagers_localhost_18040-ef0dc3_metrics.json", "localhost:18040-ef0dc3"),
        ("rest/taskmanagers/127.0.0.1:19031-43537b/thread-dump.json.gz", "127.0.0.1:19031-43537b"),
        ("rest/taskmanagers/flink-taskmanager-1-1/metrics.json", "flink-taskmanager-1-1"),
        ("rest/taskmanagers_flink-taskmanager-1-1_metrics.json", "flink-taskmanager-1-1"),
        (f"rest/jobs_{JOB}_vertices_{VERTEX}_taskmanagers.json", None),
        ("rest/taskmanagers.json", None),
    ],
)
def test_a_resource_id_comes_from_the_path(name: str, task_manager: str | None) -> None:
    assert rest_path(name).task_manager == task_manager


def test_a_checkpoint_and_its_vertex_come_from_the_path() -> None:
    found = rest_path(f"rest/end/jobs_{JOB}_checkpoints_details_12_subtasks_{VERTEX}.json")
    assert (found.job_id, found.checkpoint_id, found.vertex_id, found.subtask) == (JOB, 12, VERTEX, None)


def test_a_digest_that_is_no_id_is_no_id() -> None:
    assert rest_path(f"sha256/{'a' * 64}/checkpoints.json").job_id is None


def test_the_snapshot_time_of_the_folder_fills_answers_without_a_time(tmp_path: Path) -> None:
    metrics = read_answer([{"id": "uptime", "value": "5"}], tmp_path, snapshot_ms=1795222136708)
    assert metrics.rows["metric_sample"][0]["ts_ms"] == 1795222136708


def test_a_time_in_the_answer_is_better_than_that_of_the_folder(tmp_path: Path) -> None:
    answer = {"jid": JOB, "name": "n", "state": "FAILED", "now": 1795222136799, "timestamps": {}, "vertices": []}
    job = read_answer(answer, tmp_path, snapshot_ms=1).rows["job"][0]
    assert (job["ts_ms"], job["state"]) == (1795222136799, "FAILED")


def test_a_subtask_of_1_10_has_a_host_and_start_time_in_the_old_spelling(tmp_path: Path) -> None:
    subtask = {"subtask": 0, "status": "RUNNING", "attempt": 2, "host": "worker-1", "start_time": 1514779500000}
    answer = {"id": VERTEX, "name": "map", "parallelism": 1, "now": 1514779600000, "subtasks": [subtask]}
    row = read_answer(answer, tmp_path).rows["subtask"][0]
    assert (row["host"], row["start_ms"], row["task_manager"]) == ("worker-1", 1514779500000, None)


def test_a_pretty_printed_answer_has_the_real_lines(tmp_path: Path) -> None:
    text = json.dumps(
        {"id": VERTEX, "name": "map", "parallelism": 2, "subtasks": [{"subtask": 0}, {"subtask": 1}]}, indent=1
    )
    rows = read_answer(text, tmp_path).rows["subtask"]
    # 1 {  2 "id"  3 "name"  4 "parallelism"  5 "subtasks": [  6 {  7 "subtask": 0  8 },  9 {  10 "subtask": 1  11 }
    assert [(row["line"], row["last_line"], row["pointer"]) for row in rows] == [
        (6, 8, "/subtasks/0"),
        (9, 11, "/subtasks/1"),
    ]


def test_a_failed_checkpoint_of_1_14_says_why(tmp_path: Path) -> None:
    failed = {
        "@class": "failed",
        "id": 7,
        "status": "FAILED",
        "is_savepoint": False,
        "trigger_timestamp": 1514779500000,
        "latest_ack_timestamp": -1,
        "state_size": 0,
        "end_to_end_duration": 600001,
        "num_subtasks": 4,
        "num_acknowledged_subtasks": 3,
        "failure_timestamp": 1514780100001,
        "failure_message": "Checkpoint expired before completing.",
        "tasks": {},
    }
    name = f"jobs/{JOB}/checkpoints/details/7/index.json"
    row = read_answer(failed, tmp_path, name).rows["checkpoint"][0]
    assert row["failure_message"] == "Checkpoint expired before completing."
    assert (row["job_id"], row["latest_ack_ms"], row["checkpointed_bytes"]) == (JOB, None, None)
    assert (row["num_acknowledged"], row["num_subtasks"], row["end_to_end_ms"]) == (3, 4, 600001.0)


def test_network_buffers_of_a_taskmanager_before_1_12(tmp_path: Path) -> None:
    metrics = {"heapUsed": 1, "heapMax": -1, "memorySegmentsAvailable": 90, "memorySegmentsTotal": 100}
    answer = {"id": "tm-1", "path": "akka.tcp://flink@10.1.2.3:6122/user/rpc/x", "slotsNumber": 4, "metrics": metrics}
    row = read_answer(answer, tmp_path).rows["task_manager"][0]
    assert (row["host"], row["segments_total"], row["segments_used"], row["heap_max_bytes"]) == (
        "10.1.2.3",
        100,
        10,
        None,
    )


def test_names_without_values_are_said_to_be_so(tmp_path: Path) -> None:
    found = read_answer([{"id": "uptime"}, {"id": "numRestarts"}], tmp_path)
    assert found.rows["metric_sample"] == []
    assert "2 metrics are listed by name only" in found.warnings[0]


def test_an_error_answer_is_a_warning_with_its_text(tmp_path: Path) -> None:
    found = read_answer({"errors": ["Job 1 not found\n\tat x"]}, tmp_path)
    assert found.rows == {}
    assert found.warnings == ["Flink answered with an error instead of what was asked: Job 1 not found at x"]


def test_a_flame_graph_that_is_switched_off_says_how_to_switch_it_on(tmp_path: Path) -> None:
    assert "rest.flamegraph.enabled: true" in read_answer({"endTimestamp": -2, "data": None}, tmp_path).warnings[0]


@pytest.mark.parametrize(
    ("name", "mode"),
    [
        ("jobs_x_flamegraph_on_cpu.json", "on-cpu"),
        ("flamegraph-off_cpu.json", "off-cpu"),
        ("flamegraph?type=ON_CPU.json", "on-cpu"),
        ("flamegraph-full.json", "full"),
        ("flamegraph.json", "full"),
    ],
)
def test_the_mode_of_a_flame_graph_comes_from_its_name(name: str, mode: str, tmp_path: Path) -> None:
    tree = {"name": "root", "value": 1, "children": [{"name": "a.B.c:1", "value": 1, "children": []}]}
    rows = read_answer({"endTimestamp": 1, "data": tree}, tmp_path, name).rows["stack_sample"]
    assert [(row["mode"], row["frames"]) for row in rows] == [(mode, ["a.B.c"])]


def test_a_truncated_answer_says_where_it_ends(tmp_path: Path) -> None:
    text = '{"jid":"62c0ae9f2958cc5d669a5f9058cc4097","name":"x","state":"RUNNING","vertices":[{"id":"a","na'
    assert recognise(head_of(text)).format_id == "flink-rest-job"
    with pytest.raises(UnreadableInput, match=r"ends in the middle.*line 1, column"):
        read_answer(text, tmp_path)


def test_broken_json_says_where_it_breaks(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match=r"not valid JSON.*line 2, column 9"):
        read_answer('{"jid":"a",\n"state":x,"vertices":[]}', tmp_path)


def test_nesting_without_end_is_refused(tmp_path: Path) -> None:
    with pytest.raises(LimitExceeded, match="nested too deeply"):
        read_answer('{"endTimestamp":1,"data":' + '{"name":"a","value":1,"children":[' * 100_000, tmp_path)


def test_a_number_of_a_million_digits_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="number"):
        read_answer('[{"id":"uptime","value":' + "9" * 1_000_000 + "}]", tmp_path)


def test_a_number_beyond_64_bits_is_not_known(tmp_path: Path) -> None:
    answer = {"id": VERTEX, "name": "m", "parallelism": 1, "subtasks": [{"subtask": 10**30, "duration": 10**300}]}
    row = read_answer(answer, tmp_path).rows["subtask"][0]
    assert (row["subtask"], row["duration_ms"]) == (None, None)


def test_a_document_beyond_the_bound_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnostics.notation.json_document.MOST_DOCUMENT_BYTES", 100)
    with pytest.raises(LimitExceeded, match="at most 100 are read"):
        read_answer([{"id": "uptime", "value": "1" * 200}], tmp_path)


@pytest.mark.parametrize(
    "answer",
    [
        '{"jobs":[{"jid":"a","state":"b"}, 7]}',
        '{"id":"a","name":"b","parallelism":1,"subtasks":["x"]}',
        '[{"id":"a","value":"1"}, null]',
        '{"counts":{"completed":1,"failed":0},"history":[3]}',
        '{"endTimestamp":1,"data":{"value":1,"children":[4]}}',
        '{"taskmanagers":[{"id":"a","slotsNumber":1},{}]}',
    ],
)
def test_an_answer_of_another_shape_than_it_seems_is_refused(answer: str, tmp_path: Path) -> None:
    with pytest.raises(UnreadableInput, match="not the shape"):
        read_answer(answer, tmp_path)


def test_half_a_character_does_not_break_a_batch(tmp_path: Path) -> None:
    rows = read_answer('{"jobs":[{"jid":"a","state":"b","name":"x\\ud800y"}]}', tmp_path).rows["job"]
    assert rows[0]["name"] == "x?y"


def test_not_a_number_and_no_number_are_not_known(tmp_path: Path) -> None:
    text = '[{"id":"a","value":NaN},{"id":"b","value":"Infinity"},{"id":"c","value":-1},{"id":"d","value":"file:/x"}]'
    assert [row["value"] for row in read_answer(text, tmp_path).rows["metric_sample"]] == [None] * 4
