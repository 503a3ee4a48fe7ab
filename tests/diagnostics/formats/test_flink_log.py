"""Flink's logs: layouts of all versions, prefixes of containers, stack traces, events, ranges, and broken files."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from diagnostics.format import Coverage, Range, Rows
from diagnostics.formats import recognise
from diagnostics.formats.flink_log import FORMAT
from tests.diagnostics.formats.reading_aids import Read, head_of, read, read_path

PUBLIC = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "public"

COORDINATOR = "org.apache.flink.runtime.checkpoint.CheckpointCoordinator"
JOB = "a3b1c2d4e5f60718293a4b5c6d7e8f90"
COMPLETED = (
    f"Completed checkpoint 17 for job {JOB} (1048576 bytes, checkpointDuration=5230 ms, finalizationTime=12 ms)."
)
AT_01_31_39_633 = 1_795_224_699_633
"""2026-11-21T01:31:39.633Z"""

LAYOUTS = {
    "log4j 2": f"2026-11-21 01:31:39,633 INFO  {COORDINATOR:<60} [] - {COMPLETED}",
    "log4j 1": f"2026-11-21 01:31:39,633 INFO  {COORDINATOR:<60}  - {COMPLETED}",
    "logback": f"2026-11-21 01:31:39.633 [main] INFO  {COORDINATOR}  - {COMPLETED}",
    "thread before the logger": f"2026-11-21 01:31:39,633 INFO  [main] {COORDINATOR} [] - {COMPLETED}",
    "thread as context": f"2026-11-21 01:31:39,633 INFO  {COORDINATOR:<60} [main] - {COMPLETED}",
    "unpadded": f"2026-11-21 01:31:39,633 INFO {COORDINATOR} - {COMPLETED}",
    "long logger": f"2026-11-21 01:31:39,633 INFO  org.apache.flink.a.very.long.package.{COORDINATOR} [] - {COMPLETED}",
    "ISO time with zone": f"2026-11-21T03:31:39.633+02:00 INFO  {COORDINATOR} [] - {COMPLETED}",
    "brackets": f"[2026-11-21 01:31:39,633] INFO {COORDINATOR} - {COMPLETED}",
    "logback with MDC": f"2026-11-21 01:31:39.633 [Map [x] (1/2)#0] INFO  {COORDINATOR} task-1 - {COMPLETED}",
    "slashes, no fraction": f"26/11/21 01:31:39 INFO {COORDINATOR}: {COMPLETED}",
}

PREFIXES = {
    "containerd": "2026-11-21T01:31:40.000000000Z stdout F ",
    "kubectl --timestamps": "2026-11-21T01:31:40.123456789Z ",
    "kubectl --prefix": "[pod/orders-taskmanager-1-1/flink-main-container] ",
    "docker compose": "taskmanager-1  | ",
    "docker service": "flink_taskmanager.1.abc@node-1    | ",
    "journald": "Nov 21 01:31:40 worker-1 flink[123]: ",
    "syslog": "2026-11-21T01:31:40.123+00:00 worker-1 flink[123]: ",
    "stern": "orders-taskmanager-1-1 flink-main-container ",
}


def rows(text: str, folder: Path) -> list[dict[str, Any]]:
    return read(FORMAT, text, folder).rows["log_record"]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_record_is_read_in_every_layout(layout: str, tmp_path: Path) -> None:
    line = LAYOUTS[layout] + "\n"
    assert FORMAT.recognise(head_of(line)) > 0.9
    (record,) = rows(line, tmp_path)
    without_fraction = layout == "slashes, no fraction"
    assert record["ts_ms"] == AT_01_31_39_633 - (633 if without_fraction else 0)
    assert record["level"] == "INFO"
    assert record["logger"].endswith("CheckpointCoordinator")
    assert record["message"] == COMPLETED
    thread = "Map [x] (1/2)#0" if "MDC" in layout else "main"
    assert record["thread"] == (thread if layout.startswith(("logback", "thread")) else None)
    assert record["event"] == "jm.ckpt.completed"
    assert (record["checkpoint_id"], record["job_id"]) == (17, JOB)
    assert (record["duration_ms"], record["size_bytes"]) == (5230.0, 1048576.0)


@pytest.mark.parametrize(("layout", "minutes"), [("ISO time with zone", 120), ("log4j 2", None)])
def test_a_printed_zone_is_told_and_none_is_made_up(layout: str, minutes: int | None, tmp_path: Path) -> None:
    (coverage,) = read(FORMAT, LAYOUTS[layout] + "\n", tmp_path).coverage
    assert coverage.utc_offset_min == minutes


@pytest.mark.parametrize("prefix", PREFIXES)
def test_what_a_container_puts_before_lines_is_taken_away(prefix: str, tmp_path: Path) -> None:
    lines = [LAYOUTS["log4j 2"], "java.io.IOException: gone", "\tat com.acme.A.b(A.java:1)", LAYOUTS["log4j 2"]]
    text = "".join(f"{PREFIXES[prefix]}{line}\n" for line in lines)
    assert FORMAT.recognise(head_of(text)) > 0.9
    first, second = rows(text, tmp_path)
    assert (first["ts_ms"], first["line"], first["last_line"]) == (AT_01_31_39_633, 1, 3)
    assert (first["exception_class"], first["user_frame"]) == ("java.io.IOException", "com.acme.A.b")
    assert (second["line"], second["last_line"], second["message"]) == (4, 4, COMPLETED)


def test_dockers_json_lines_are_read_as_what_the_process_wrote(tmp_path: Path) -> None:
    lines = [LAYOUTS["log4j 2"], 'java.io.IOException: a "quoted" reason', "\tat com.acme.A.b(A.java:1)"]
    text = "".join(
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2026-11-21T01:31:40Z"}) + "\n" for line in lines
    ).replace('": ', '":')
    (record,) = rows(text, tmp_path)
    assert (record["message"], record["last_line"]) == (COMPLETED, 3)
    assert record["exception_message"] == 'a "quoted" reason'


def test_colours_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    text = LAYOUTS["log4j 2"].replace("INFO ", "\x1b[32mINFO\x1b[m ") + "\r\n"
    (record,) = rows(text * 2, tmp_path)[:1]
    assert (record["level"], record["message"]) == ("INFO", COMPLETED)


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


CLOCKS = (
    "23:59:59.000 [Map [x] (1/2)#0] INFO  a.B - first\n"
    "java.io.IOException: gone\n"
    "23:59:58.900 [main] INFO  a.B - a little disorder\n"
    "00:00:01.000 [main] INFO  a.B - next day\n"
)


@pytest.mark.parametrize(
    ("name", "before"),
    [("logs/app-2026-11-21.log", ""), ("app.20261121.log", ""), ("app.log", "2026-11-21 23:59:00 started by cron\n")],
)
def test_times_without_a_date_take_the_day_of_name_or_content_and_go_past_midnight(
    name: str, before: str, tmp_path: Path
) -> None:
    found = read(FORMAT, before + CLOCKS, tmp_path, name)
    first, second, third = [each for each in found.rows["log_record"] if each["level"]]
    assert first["thread"] == "Map [x] (1/2)#0"
    assert first["ts_ms"] == 1_795_305_599_000
    assert second["ts_ms"] == first["ts_ms"] - 100
    assert third["ts_ms"] == first["ts_ms"] + 2_000
    assert "2026-11-21" in found.warnings[0]


def test_the_trigger_time_of_a_checkpoint_tells_the_day_before_the_name_does(tmp_path: Path) -> None:
    said = f"Triggering checkpoint 1 (type=CHECKPOINT) @ 1795305599000 for job {JOB}."
    text = f"23:59:00.000 [main] INFO  a.B - one\n23:59:59.000 [main] INFO  {COORDINATOR} - {said}\n"
    found = read(FORMAT, text, tmp_path, "collected-2026-12-24.log")
    assert [each["ts_ms"] for each in found.rows["log_record"]] == [1_795_305_540_000, 1_795_305_599_000]


def test_records_whose_day_nothing_tells_have_no_time_and_a_warning(tmp_path: Path) -> None:
    found = read(FORMAT, CLOCKS, tmp_path, "app.log")
    assert {each["ts_ms"] for each in found.rows["log_record"]} == {None}
    assert "no date" in found.warnings[0]


def test_a_range_knows_the_midnights_before_it(tmp_path: Path) -> None:
    path = tmp_path / "app-2026-11-21.log"
    early = "".join(f"{hour:02}:00:00.000 [main] INFO  a.B - {'x' * 5_000}\n" for hour in range(24)) * 3
    path.write_text(early + "01:00:00.000 [main] INFO  a.B - the fourth day\n")
    size = path.stat().st_size
    (given, _) = FORMAT.read(Range(0, path.name, str(path), len(early), size, size))
    assert isinstance(given, Rows)
    assert given.batch is not None
    assert given.batch.to_pylist()[0]["ts_ms"] == 1_795_219_200_000 + 3 * 86_400_000 + 3_600_000


def test_a_thread_name_of_thousands_of_characters_with_brackets_is_read(tmp_path: Path) -> None:
    thread = "Source: Values(tuples=[[{ 0 }]]) -> " + "Calc(select=[a, b]) -> " * 200 + "Sink (1/1)#0"
    text = f"2026-11-21 01:31:39.633 [{thread}] WARN  org.apache.flink.metrics.MetricGroup - too long\n"
    assert FORMAT.recognise(head_of(text)) > 0.9
    (record,) = rows(text, tmp_path)
    assert (record["thread"], record["message"]) == (thread, "too long")


def test_what_powershell_wrote_around_a_clients_exception_does_not_hide_it(tmp_path: Path) -> None:
    text = (
        "Traceback (most recent call last):\n"
        '  File "job.py", line 1, in <module>\n'
        "ModuleNotFoundError: No module named 'x'\n"
        "docker : org.apache.flink.client.program.ProgramAbortException: java.lang.RuntimeException: Python failed\n"
        "At line:1 char:1\n"
        "+ docker exec jobmanager flink run -py job.py\n"
        "    + CategoryInfo          : NotSpecified\n"
        "\tat org.apache.flink.client.python.PythonDriver.main(PythonDriver.java:134)\n"
        "Caused by: java.lang.RuntimeException: Python failed\n"
        "\tat org.apache.flink.client.python.PythonDriver.main(PythonDriver.java:124)\n"
    )
    assert recognise(head_of(text)).format_id == FORMAT.id
    thrown = rows(text, tmp_path)[-1]
    assert thrown["exception_class"] == "org.apache.flink.client.program.ProgramAbortException"
    assert (thrown["root_cause_class"], thrown["line"]) == ("java.lang.RuntimeException", 4)


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the corpus is not here")
@pytest.mark.parametrize(
    ("name", "records"), [("flink-2022-11-20_09", 37), ("flink-2022-11-24_11", 10), ("flink-2022-11-25_21", 183)]
)
def test_public_logs_without_dates_have_as_many_records_as_lines_that_begin_with_a_clock(
    name: str, records: int
) -> None:
    """Counted with `grep -cE '^[0-9:.]{12} '`."""
    found = read_path(FORMAT, PUBLIC / "minicluster" / f"{name}.log", f"{name}.log")
    assert len(found.rows["log_record"]) == records
    assert found.coverage[0].not_understood == 0


def test_a_stack_trace_belongs_to_its_head_line_and_names_its_innermost_cause(tmp_path: Path) -> None:
    text = (
        f"2026-11-21 01:31:39,633 WARN  org.apache.flink.runtime.taskmanager.Task [] - Map (2/4)#1 ({JOB}_0_1_0) "
        "switched from RUNNING to FAILED with failure cause:\n"
        "java.lang.RuntimeException: outer\n"
        "\tat org.apache.flink.streaming.runtime.tasks.StreamTask.invoke(StreamTask.java:1) ~[flink-dist.jar:1.20.5]\n"
        "Caused by: java.io.IOException: middle\n"
        "\tat com.acme.Sink.invoke(Sink.java:9) ~[job.jar:?]\n"
        "Caused by: java.net.ConnectException: Connection refused\n"
        "\tat java.base/sun.nio.ch.Net.connect0(Native Method) ~[?:?]\n"
        "\t... 3 more\n"
        "2026-11-21 01:31:40,000 INFO  a.B [] - next\n"
    )
    first, second = rows(text, tmp_path)
    assert (first["line"], first["last_line"], second["line"]) == (1, 8, 9)
    assert first["event"] == "task.failed.tm"
    assert (first["vertex"], first["subtask"], first["attempt"]) == ("Map", 1, 1)
    assert (first["exception_class"], first["exception_message"]) == ("java.lang.RuntimeException", "outer")
    assert (first["root_cause_class"], first["root_cause_message"]) == (
        "java.net.ConnectException",
        "Connection refused",
    )
    assert first["root_cause_frame"] == "sun.nio.ch.Net.connect0"
    assert first["user_frame"] == "com.acme.Sink.invoke"
    assert second["exception_class"] is None


def test_the_same_sentence_of_two_classes_is_told_apart_by_its_logger(tmp_path: Path) -> None:
    said = "JDBC executeBatch error, retry times = 1"
    line = f"2026-11-21 01:31:39,633 ERROR org.apache.flink.connector.jdbc.{{}} [] - {said}\n"
    look_up = line.format("table.JdbcRowDataLookupFunction")
    sink = line.format("internal.JdbcOutputFormat")
    assert [record["event"] for record in rows(look_up + sink, tmp_path)] == ["jdbc.lookup.retry", "jdbc.sink.retry"]


def test_a_decline_names_where_the_task_ran(tmp_path: Path) -> None:
    text = (
        f"2026-11-21 01:31:39,633 INFO  {COORDINATOR} [] - Decline checkpoint 14 by task {JOB}_f97a_0_0 of job {JOB} "
        "at 10.0.0.7:38429-a94cd1 @ worker-1 (dataPort=40431).\n"
    )
    (record,) = rows(text, tmp_path)
    assert (record["event"], record["checkpoint_id"]) == ("jm.ckpt.decline", 14)
    assert (record["task_manager"], record["host"]) == ("10.0.0.7:38429-a94cd1", "worker-1")


def test_an_out_file_without_any_layout_is_read_line_by_line(tmp_path: Path) -> None:
    text = (
        "java.lang.OutOfMemoryError: Java heap space\n"
        "Dumping heap to /tmp/java_pid7.hprof ...\n"
        'Exception in thread "main" java.lang.IllegalStateException: no\n'
        "\tat com.acme.Main.main(Main.java:3)\n"
    )
    assert FORMAT.recognise(head_of(text, "flink-root-taskexecutor-0.out")) > 0.5
    heap, dump, thrown = rows(text, tmp_path)
    assert (heap["event"], heap["exception_class"]) == ("mem.oom.heap", "java.lang.OutOfMemoryError")
    assert (heap["ts_ms"], heap["level"]) == (None, None)
    assert dump["event"] == "mem.oom.dump"
    assert (thrown["line"], thrown["last_line"], thrown["user_frame"]) == (3, 4, "com.acme.Main.main")


def test_lines_before_the_first_time_stamp_are_kept_and_counted_as_not_understood(tmp_path: Path) -> None:
    found = read(FORMAT, "Starting Task Manager\n\n" + LAYOUTS["log4j 2"] + "\n", tmp_path)
    first, second = found.rows["log_record"]
    assert (first["message"], first["line"], first["ts_ms"]) == ("Starting Task Manager", 1, None)
    assert second["line"] == 3
    (coverage,) = found.coverage
    assert (coverage.records, coverage.not_understood, coverage.samples) == (2, 1, ((1, "Starting Task Manager"),))


def test_start_up_tells_process_version_settings_and_jvm_options(tmp_path: Path) -> None:
    runner = f"{'org.apache.flink.runtime.taskexecutor.TaskManagerRunner':<60} [] - "
    loading = f"{'org.apache.flink.configuration.GlobalConfiguration':<60} [] - Loading configuration property:"
    time = "2026-11-21 01:31:39,633 INFO  "
    text = "".join(
        f"{time}{line}\n"
        for line in (
            f"{runner} Starting TaskManager (Version: 1.20.5, Scala: 2.12, Rev:0980485, Date:2026-06-08)",
            f"{runner} Maximum heap size: 448 MiBytes",
            f"{runner} JVM Options:",
            f"{runner}    -Xmx469762048",
            f"{runner}    -XX:+UseG1GC",
            f"{runner} Program Arguments:",
            f"{runner}    -D",
            f"{runner}    taskmanager.memory.network.min=67108864b",
            f"{runner}    --configDir",
            f"{runner} Classpath: /opt/flink/lib",
            f"{runner}    not=an.option",
            f"{loading} a.b, c, d",
            f"{loading} s3.secret-key, x",
        )
    )
    found = read(FORMAT, text, tmp_path)
    (coverage,) = found.coverage
    assert (coverage.role, coverage.flink_version) == ("taskmanager", "1.20.5")
    options = [(row["scope"], row["key"], row["value"], row["line"]) for row in found.rows["config_option"]]
    assert options == [
        ("jvm", "heap.max", "469762048", 2),
        ("jvm", "heap.max", "469762048", 4),
        ("jvm", "gc.collector", "G1", 5),
        ("cluster", "taskmanager.memory.network.min", "67108864b", 8),
        ("cluster", "a.b", "c, d", 12),
        ("cluster", "s3.secret-key", "******", 13),
    ]
    assert {row["process"] for row in found.rows["log_record"]} == {"taskmanager"}


@pytest.mark.parametrize("cut", [1, 40, 97, 150, 290, 333, 470])
def test_ranges_of_one_file_give_the_records_of_the_whole_file(cut: int, tmp_path: Path) -> None:
    text = (LAYOUTS["log4j 2"] + "\njava.io.IOException: gone\n\tat com.acme.A.b(A.java:1)\n") * 3
    path = tmp_path / "whole.log"
    path.write_text(text)
    at = text.index("\n", cut) + 1
    whole = records_of(path, [(0, len(text))])
    parts = records_of(path, [(0, at), (at, len(text))])
    assert len(whole) == 3
    assert parts == whole


def records_of(path: Path, ranges: list[tuple[int, int]]) -> list[tuple[Any, ...]]:
    """(line, last line, message, exception) with lines counted through the file."""
    text = path.read_bytes()
    found = []
    for start, end in ranges:
        before = text[:start].count(b"\n")
        for given in FORMAT.read(Range(0, "x.log", str(path), start, end, len(text))):
            if isinstance(given, Rows) and given.batch is not None:
                for row in given.batch.to_pylist():
                    trace = row.get("exception_class")
                    found.append((row["line"] + before, row["last_line"] + before, row["message"], trace))
    return found


def test_a_range_without_a_head_line_has_no_records(tmp_path: Path) -> None:
    text = LAYOUTS["log4j 2"] + "\n" + "\tat com.acme.A.b(A.java:1)\n" * 20
    path = tmp_path / "trace.log"
    path.write_text(text)
    start = text.index("\n", 300) + 1
    given = list(FORMAT.read(Range(0, "x.log", str(path), start, len(text), len(text))))
    assert given == [Coverage()]


def test_a_message_is_kept_to_2000_characters_and_text_of_other_languages_stays_whole(tmp_path: Path) -> None:
    long, chinese = rows(
        f"2026-11-21 01:31:39,633 INFO  a.B [] - {'x' * 5000}\n2026-11-21 01:31:39,634 WARN  a.B [] - 订单延迟\n",
        tmp_path,
    )
    assert len(long["message"]) == 2000
    assert chinese["message"] == "订单延迟"


def test_numbers_too_long_for_their_column_are_unknown(tmp_path: Path) -> None:
    said = f"Checkpoint {'9' * 30} of job {JOB} expired before completing."
    (record,) = rows(f"2026-11-21 01:31:39,633 INFO  {COORDINATOR} [] - {said}\n", tmp_path)
    assert (record["event"], record["checkpoint_id"]) == ("jm.ckpt.expired", None)


def test_a_log_of_another_program_is_not_mistaken_for_flinks() -> None:
    postgres = "2026-11-21 01:17:22.428 UTC [11976] LOG:  duration: 31.933 ms  execute S_1: SELECT 1\n" * 5
    gc = "[2026-11-21T01:31:39.633+0000][0.012s][info][gc] Using G1\n" * 5
    prose = "Dear colleague,\n\nthe job is slow again.\n"
    assert [FORMAT.recognise(head_of(text)) for text in (postgres, gc, prose, "")] == [0.0, 0.0, 0.0, 0.0]


def test_zookeepers_server_log_is_read_too(tmp_path: Path) -> None:
    said = "Expiring session 0x10, timeout of 12000ms exceeded"
    line = f"2026-11-21 01:23:49,080 [myid:] - INFO  [SessionTracker:ZooKeeperServer@628] - {said}\n"
    found: Read = read(FORMAT, line, tmp_path)
    (record,) = found.rows["log_record"]
    assert (record["event"], record["duration_ms"], record["logger"]) == (
        "zk.server.expired",
        12000.0,
        "ZooKeeperServer",
    )
    assert found.coverage[0].role == "zookeeper"
    assert record["process"] is None
