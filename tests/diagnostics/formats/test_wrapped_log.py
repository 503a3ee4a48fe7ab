"""Lines of Flink's log inside others: what containers put before them, JSON layouts, wrappers of log stores."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diagnostics.formats import format_by_id, recognise
from diagnostics.formats.flink_log import FORMAT
from tests.diagnostics.formats.log_lines import AT_01_31_39_633, COMPLETED, COORDINATOR, LAYOUTS, rows
from tests.diagnostics.formats.reading_aids import head_of, read

PREFIXES = {
    "containerd": "2026-11-21T01:31:40.000000000Z stdout F ",
    "kubectl --timestamps": "2026-11-21T01:31:40.123456789Z ",
    "kubectl --prefix": "[pod/orders-taskmanager-1-1/flink-main-container] ",
    "docker compose": "taskmanager-1  | ",
    "docker service": "flink_taskmanager.1.abc@node-1    | ",
    "journald": "Nov 21 01:31:40 worker-1 flink[123]: ",
    "syslog": "2026-11-21T01:31:40.123+00:00 worker-1 flink[123]: ",
    "stern": "orders-taskmanager-1-1 flink-main-container ",
    "logcli --forward": '2026-11-21T01:31:40Z {app="flink", pod="orders-taskmanager-1-1"}   ',
}


@pytest.mark.parametrize("prefix", PREFIXES)
def test_what_a_container_puts_before_lines_is_taken_away(prefix: str, tmp_path: Path) -> None:
    lines = [LAYOUTS["log4j 2"], "java.io.IOException: gone", "\tat com.acme.A.b(A.java:1)", LAYOUTS["log4j 2"]]
    text = "".join(f"{PREFIXES[prefix]}{line}\n" for line in lines)
    assert FORMAT.recognise(head_of(text)) > 0.9
    first, second = rows(text, tmp_path)
    assert (first["ts_ms"], first["line"], first["last_line"]) == (AT_01_31_39_633, 1, 3)
    assert (first["exception_class"], first["user_frame"]) == ("java.io.IOException", "com.acme.A.b")
    assert (second["line"], second["last_line"], second["message"]) == (4, 4, COMPLETED)


@pytest.mark.parametrize(
    "line",
    [
        LAYOUTS["log4j 2"],
        json.dumps({"@timestamp": "2026-11-21T01:31:39.633Z", "log.level": "INFO", "message": COMPLETED}),
    ],
)
def test_a_line_that_containerd_wrote_in_parts_is_one(line: str, tmp_path: Path) -> None:
    time = "2026-11-21T01:31:40.000000000Z stdout"
    parts = f"{time} P {line[:40]}\n{time} P {line[40:99]}\n{time} F {line[99:]}\n"
    first, second, third = rows(f"{time} F {line}\n{parts}{time} F {line}\n", tmp_path)
    assert {(each["ts_ms"], each["message"]) for each in (first, second, third)} == {(AT_01_31_39_633, COMPLETED)}
    assert [each["line"] for each in (first, second, third)] == [1, 2, 5]


def test_dockers_json_lines_are_read_as_what_the_process_wrote(tmp_path: Path) -> None:
    lines = [LAYOUTS["log4j 2"], 'java.io.IOException: a "quoted" reason', "\tat com.acme.A.b(A.java:1)"]
    text = "".join(
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026-11-21T01:31:40Z"}) + "\n" for line in lines
    ).replace('": ', '":')
    (record,) = rows(text, tmp_path)
    assert (record["message"], record["last_line"]) == (COMPLETED, 3)
    assert record["exception_message"] == 'a "quoted" reason'


JSON_TIME = "2026-11-21T01:31:39.633Z"
TRACE = "java.lang.RuntimeException: outer\n\tat com.acme.A.b(A.java:1)\nCaused by: java.io.IOException: gone"

JSON_LAYOUTS: dict[str, dict[str, Any]] = {
    "ECS": {
        "@timestamp": JSON_TIME,
        "ecs.version": "1.2.0",
        "log.level": "INFO",
        "message": COMPLETED,
        "process.thread.name": "main",
        "log.logger": COORDINATOR,
        "error.type": "java.lang.RuntimeException",
        "error.message": "outer",
        "error.stack_trace": TRACE,
    },
    "ECS in objects": {
        "@timestamp": JSON_TIME,
        "log": {"level": "INFO", "logger": COORDINATOR},
        "message": COMPLETED,
        "process": {"thread": {"name": "main"}},
        "error": {"stack_trace": TRACE},
    },
    "JsonLayout": {
        "instant": {"epochSecond": AT_01_31_39_633 // 1000, "nanoOfSecond": 633_000_000},
        "thread": "main",
        "level": "INFO",
        "loggerName": COORDINATOR,
        "message": COMPLETED,
        "thrown": {
            "name": "java.lang.RuntimeException",
            "message": "outer",
            "extendedStackTrace": [{"class": "com.acme.A", "method": "b", "file": "A.java", "line": 1}],
            "cause": {"name": "java.io.IOException", "message": "gone", "extendedStackTrace": []},
        },
    },
    "JsonLayout of log4j 2.10": {
        "timeMillis": AT_01_31_39_633,
        "thread": "main",
        "level": "INFO",
        "loggerName": COORDINATOR,
        "message": COMPLETED,
        "thrown": {"name": "java.lang.RuntimeException", "extendedStackTrace": TRACE},
    },
    "Logstash": {
        "@version": 1,
        "@timestamp": JSON_TIME,
        "logger_name": COORDINATOR,
        "level": "INFO",
        "thread_name": "main",
        "message": COMPLETED,
        "exception": {"exception_class": "java.lang.RuntimeException", "stacktrace": TRACE},
    },
    "GELF": {
        "version": "1.1",
        "short_message": COMPLETED,
        "full_message": TRACE,
        "timestamp": AT_01_31_39_633 / 1000,
        "level": 6,
        "_logger": COORDINATOR,
        "_thread": "main",
    },
    "Google Cloud": {
        "timestamp": JSON_TIME,
        "severity": "INFO",
        "message": COMPLETED,
        "_logger": COORDINATOR,
        "_thread": "main",
        "_exception": TRACE,
    },
}

MANAGED_FLINK = {
    "applicationARN": "arn:aws:kinesisanalytics:eu-west-1:123456789012:application/orders",
    "applicationVersionId": "2",
    "locationInformation": f"{COORDINATOR}.completePendingCheckpoint(CheckpointCoordinator.java:1)",
    "logger": COORDINATOR,
    "message": COMPLETED,
    "messageSchemaVersion": "1",
    "messageType": "INFO",
    "threadName": "main",
    "throwableInformation": TRACE,
}
"""As Amazon's service writes it to CloudWatch: the time is that of the entry."""

ENTRIES_OF_MANAGED_FLINK = {
    "aws logs tail": f"2026-11-21T01:31:39.633000+00:00 orders/application {json.dumps(MANAGED_FLINK)}\n" * 2,
    "aws logs tail --format short": f"2026-11-21T01:31:39 {json.dumps(MANAGED_FLINK)}\n" * 2,
    "entries by line": f"{json.dumps({'timestamp': AT_01_31_39_633, 'message': json.dumps(MANAGED_FLINK)})}\n" * 2,
    "get-log-events": json.dumps(
        {"events": [{"timestamp": AT_01_31_39_633, "message": json.dumps(MANAGED_FLINK), "ingestionTime": 1}] * 2}
    ),
    "Logs Insights": json.dumps([{"@timestamp": "2026-11-21 01:31:39.633", "@message": MANAGED_FLINK}] * 2),
}


@pytest.mark.parametrize("given", ENTRIES_OF_MANAGED_FLINK)
def test_a_record_of_amazons_managed_flink_has_the_time_of_its_entry(given: str, tmp_path: Path) -> None:
    text = ENTRIES_OF_MANAGED_FLINK[given]
    claimed = recognise(head_of(text))
    assert claimed.confidence > 0.9
    first, _ = read(format_by_id(claimed.format_id or ""), text, tmp_path).rows["log_record"]
    assert first["ts_ms"] == AT_01_31_39_633 - (633 if given.endswith("short") else 0)
    assert (first["level"], first["logger"], first["thread"]) == ("INFO", COORDINATOR, "main")
    assert (first["event"], first["root_cause_class"]) == ("jm.ckpt.completed", "java.io.IOException")


WRAPPERS: dict[str, Callable[[str], dict[str, Any]]] = {
    "Docker": lambda line: {"log": f"{line}\n", "stream": "stdout", "time": "2026-11-21T01:31:40Z"},
    "Docker, other order": lambda line: {"time": "2026-11-21T01:31:40Z", "stream": "stdout", "log": f"{line}\n"},
    "Fluent Bit": lambda line: {"@timestamp": "2026-11-21T01:31:41Z", "log": line, "kubernetes": {"pod_name": "x"}},
    "Elasticsearch": lambda line: {"_source": {"@timestamp": "2026-11-21T01:31:41Z", "message": line, "stream": "x"}},
    "Loki": lambda line: {"labels": {"app": "flink"}, "line": line, "timestamp": "2026-11-21T01:31:40.1Z"},
    "CloudWatch": lambda line: {"timestamp": 1_795_224_699_700, "message": line, "ingestionTime": 1_795_224_699_900},
    "coloured": lambda line: {"log": f"\x1b[32m{line}\x1b[0m\n", "stream": "stdout"},
}


@pytest.mark.parametrize("layout", JSON_LAYOUTS)
def test_a_record_is_read_in_every_json_layout(layout: str, tmp_path: Path) -> None:
    text = f"{json.dumps(JSON_LAYOUTS[layout])}\n" * 2
    assert recognise(head_of(text)).format_id == FORMAT.id
    first, second = rows(text, tmp_path)
    assert (first["ts_ms"], first["level"], first["logger"]) == (AT_01_31_39_633, "INFO", COORDINATOR)
    assert (first["message"], first["thread"], first["event"]) == (COMPLETED, "main", "jm.ckpt.completed")
    assert (first["exception_class"], first["root_cause_class"]) == (
        "java.lang.RuntimeException",
        "java.io.IOException",
    )
    assert first["user_frame"] == "com.acme.A.b"
    assert [(each["line"], each["last_line"]) for each in (first, second)] == [(1, 1), (2, 2)]


@pytest.mark.parametrize("wrapper", WRAPPERS)
@pytest.mark.parametrize("inner", ["plain", "JSON"])
def test_a_line_is_read_out_of_every_wrapper(wrapper: str, inner: str, tmp_path: Path) -> None:
    line = LAYOUTS["log4j 2"] if inner == "plain" else json.dumps(JSON_LAYOUTS["ECS"])
    text = f"{json.dumps(WRAPPERS[wrapper](line))}\n" * 2
    found = [(each["ts_ms"], each["message"], each["line"]) for each in rows(text, tmp_path)]
    if (wrapper, inner) != ("coloured", "JSON"):
        assert found == [(AT_01_31_39_633, COMPLETED, 1), (AT_01_31_39_633, COMPLETED, 2)]


def test_lines_of_one_trace_that_were_wrapped_one_by_one_stay_one_record(tmp_path: Path) -> None:
    lines = [LAYOUTS["log4j 2"], "java.io.IOException: gone", "\tat com.acme.A.b(A.java:1)", LAYOUTS["log4j 2"]]
    text = "".join(f"{json.dumps(WRAPPERS['Loki'](line))}\n" for line in lines)
    first, second = rows(text, tmp_path)
    assert (first["line"], first["last_line"], first["user_frame"]) == (1, 3, "com.acme.A.b")
    assert second["line"] == 4


def test_an_object_that_is_broken_or_no_record_is_counted_as_not_understood(tmp_path: Path) -> None:
    good = json.dumps(JSON_LAYOUTS["ECS"])
    found = read(FORMAT, f'{good}\n{good[:80]}\n{{"a": 1}}\n{good}\n{good}\n{good}\n', tmp_path)
    (coverage,) = found.coverage
    assert (coverage.records, coverage.not_understood) == (6, 2)
    assert [line for line, _ in coverage.samples] == [2, 3]


@pytest.mark.parametrize("line", ['{"log":' * 5_000, '{"log":"' + "\\" * 70_000, '{"message":' + "9" * 60_000 + "}"])
def test_hostile_objects_are_read_without_harm(line: str, tmp_path: Path) -> None:
    good = json.dumps(JSON_LAYOUTS["ECS"])
    assert len(rows(f"{good}\n{line}\n{good}\n", tmp_path)) == 3


def test_a_json_record_in_a_cell_of_csv_is_read(tmp_path: Path) -> None:
    cell = json.dumps(MANAGED_FLINK).replace('"', '""')
    text = f'@timestamp,@message\n2026-11-21 01:31:39.633,"{cell}"\n'
    claimed = recognise(head_of(text))
    assert (claimed.format_id, claimed.confidence) == ("flink-log-csv", 0.98)
    (record,) = read(format_by_id("flink-log-csv"), text, tmp_path).rows["log_record"]
    assert (record["ts_ms"], record["event"], record["line"]) == (AT_01_31_39_633, "jm.ckpt.completed", 2)


def test_csv_whose_quotes_never_close_is_read_up_to_there(tmp_path: Path) -> None:
    good = f'2026-11-21 01:31:39.633,"{LAYOUTS["log4j 2"]}"\n'
    found = read(format_by_id("flink-log-csv"), f'@timestamp,@message\n{good}x,"{"y" * 200_000}', tmp_path)
    assert len(found.rows["log_record"]) == 1
    assert "from line 3 on" in found.warnings[-1]


@pytest.mark.parametrize(
    "text", ["device_id,event_time,message\na,1795224420970,hello\n", "a,message\n1,2\n", "message\n"]
)
def test_other_tables_with_messages_are_no_log(text: str) -> None:
    assert recognise(head_of(text)).format_id != "flink-log-csv"


def test_the_time_of_a_layout_is_not_that_of_a_container_whatever_dates_its_messages_hold(tmp_path: Path) -> None:
    banner = "Starting TaskManager (Version: 1.20.5, Scala: 2.12, Rev:0980485, Date:2026-06-08T09:21:06+02:00)"
    first = LAYOUTS["ISO time with zone"]
    text = f"{first}\n{first.replace(COMPLETED, banner)}\n{first}\n"
    assert FORMAT.recognise(head_of(text)) > 0.9
    assert [each["ts_ms"] for each in rows(text, tmp_path)] == [AT_01_31_39_633] * 3
