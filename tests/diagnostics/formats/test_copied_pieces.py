"""Pieces that people copy are read like the whole they are of; what only looks like them is left."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read


def format_of(text: str) -> str | None:
    return recognise(head_of(text, "pasted.txt")).format_id


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("rest.address: 10.0.0.7\n", {"rest.address": "10.0.0.7"}),
        ("execution.checkpointing.timeout 600000\n", {"execution.checkpointing.timeout": "600000"}),
        ("table.exec.source.idle-timeout = 10s\n", {"table.exec.source.idle-timeout": "10s"}),
        (
            "  state.backend: rocksdb\n  heartbeat.timeout: 3 min\n",
            {"state.backend": "rocksdb", "heartbeat.timeout": "3 min"},
        ),
        ("flink run -p 4 -yD state.backend=rocksdb a.jar", {"state.backend": "rocksdb"}),
        (
            "./bin/flink run-application \\\n -Dstate.backend=rocksdb \\\n local:///x.jar\n",
            {"state.backend": "rocksdb"},
        ),
    ],
)
def test_a_few_options_are_a_configuration(text: str, options: dict[str, str], tmp_path: Path) -> None:
    assert format_of(text) == "flink-configuration"
    rows = read(FORMATS["flink-configuration"], text, tmp_path).rows["config_option"]
    assert {row["key"]: row["value"] for row in rows} == options


@pytest.mark.parametrize(
    "text",
    [
        "security.user.name: a\n",
        "server.port: 80\nspring.datasource.url: a\n",
        "hello: world\n",
        "The option state.backend is set to rocksdb in our cluster\n",
        "hello, this is a note about FlinkSource.x\n",
        "numRecordsInPerSecond of the window > 0, numRecordsOut stays 0\n",
        "jobs done: 12\nusers = 3\n",
        "ID\tName\tRecords Received\n1\ta\t3\n",
        "Completed: 3\nFailed: 1\n",
    ],
)
def test_what_only_looks_like_a_piece_is_left(text: str) -> None:
    assert format_of(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "WatermarkStrategy.<Event>forBoundedOutOfOrderness(Duration.ofSeconds(10))\n    .withIdleness(x);\n",
        "DataStream<RowData> stream = FlinkSource.forRowData()\n    .env(env)\n    .build();\n",
        "stream.keyBy(x -> x.id).window(TumblingEventTimeWindows.of(Time.seconds(5))).sum(1)\n",
        "env.enableCheckpointing(5000);\n",
        "SELECT a, COUNT(*)\nFROM t GROUP BY a\n",
        "CREATE TABLE hive_table (...) WITH (...)\n",
        "'json.timestamp-format.standard' = 'SQL'\n",
    ],
)
def test_a_piece_of_a_job_is_its_source(text: str) -> None:
    assert format_of(text) == "flink-job-code"


@pytest.mark.parametrize(
    "text",
    [
        "java.lang.IllegalStateException: x\n\tat org.a.KafkaSource.read(KafkaSource.java:3)\n",
        "[ERROR] Could not execute SQL statement. Reason:\norg.a.TableException: x\nSELECT 1 FROM t\n",
        "INSERT INTO t SELECT a FROM t;\n[ERROR] Could not execute SQL statement. Reason:\njava.io.IOException: x\n",
    ],
)
def test_an_error_beside_a_statement_stays_an_error(text: str) -> None:
    assert format_of(text) in ("flink-log", "copied-message")


def test_metrics_without_labels_have_the_units_of_flink(tmp_path: Path) -> None:
    text = (
        "lastCheckpointSize: 1 GB\n1.Map.numRecordsIn = 1,234,567\nisBackPressured true\n"
        "currentOutputWatermark -9223372036854775808\n"
    )
    assert format_of(text) == "copied-metrics"
    rows = read(FORMATS["copied-metrics"], text, tmp_path, "pasted.txt").rows["metric_sample"]
    assert [(row["metric"], row["subtask"], row["value"]) for row in rows] == [
        ("lastCheckpointSize", None, 1024.0**3),
        ("numRecordsIn", 1, 1234567.0),
        ("isBackPressured", None, 1.0),
        ("currentOutputWatermark", None, None),
    ]


def test_counts_of_the_web_ui_may_stand_one_below_the_other(tmp_path: Path) -> None:
    text = (
        "Checkpoint Counts\nTriggered: 57\nIn Progress: 1\nCompleted: 0\nFailed: 56\n\n"
        "Latest Failed Checkpoint\nID: 56\nCause: expired\n"
    )
    assert format_of(text) == "flink-web-ui"
    rows = read(FORMATS["flink-web-ui"], text, tmp_path, "pasted.txt").rows
    assert [row["value"] for row in rows["metric_sample"]] == [57.0, 1.0, 0.0, 56.0]
    assert [(row["checkpoint_id"], row["status"]) for row in rows["checkpoint"]] == [(56, "FAILED")]


def test_counts_alone_are_something_that_was_read(tmp_path: Path) -> None:
    counted = read(FORMATS["flink-rest-checkpoints"], '{"counts":{"completed":0,"failed":57}}', tmp_path)
    assert sum(each.records for each in counted.coverage) == 2


def test_a_savepoint_and_what_was_restored_are_not_the_latest_checkpoint_of_the_web_ui(tmp_path: Path) -> None:
    text = (
        "Latest Failed Checkpoint  ID: 57 | Failure Time: 2026-11-22 10:00:00 | Cause: Checkpoint expired.\n"
        "Latest Savepoint  ID: 12 | End to End Duration: 10m 0s | Checkpointed Data Size: 50 GB\n"
        "Latest Restore  ID: 44 | Restore Time: 2026-11-20 10:00:00 | Type: Checkpoint\n"
        "Triggered: 57 | In Progress: 0 | Completed: 56 | Failed: 1\n"
    )
    assert format_of(text) == "flink-web-ui"
    [failed] = read(FORMATS["flink-web-ui"], text, tmp_path, "pasted.txt").rows["checkpoint"]
    assert (failed["checkpoint_id"], failed["status"]) == (57, "FAILED")
    assert (failed.get("end_to_end_ms"), failed.get("checkpointed_bytes")) == (None, None)
