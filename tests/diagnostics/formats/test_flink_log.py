"""Flink's logs: layouts of all versions, stack traces, events, ranges, and broken files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats import recognise
from diagnostics.formats.flink_log import FORMAT
from diagnostics.notation.file_range import Range
from tests.diagnostics.formats.log_lines import AT_01_31_39_633, COMPLETED, COORDINATOR, JOB, LAYOUTS, rows
from tests.diagnostics.formats.reading_aids import Read, head_of, read


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


@pytest.mark.parametrize(
    ("layout", "minutes"),
    [
        ("ISO time with zone", 120),
        ("zone apart", 120),
        ("zone by name", 0),
        ("log4j 2", None),
        ("zone of several", None),
    ],
)
def test_only_a_printed_zone_is_reported(layout: str, minutes: int | None, tmp_path: Path) -> None:
    (coverage,) = read(FORMAT, LAYOUTS[layout] + "\n", tmp_path).coverage
    assert coverage.utc_offset_min == minutes
    assert any("named CST" in each for each in coverage.warnings) is (layout == "zone of several")


def test_times_that_go_back_are_counted_but_not_what_threads_disorder(tmp_path: Path) -> None:
    clocks = ("01:31:39,633", "01:31:38,900", "01:31:50,000", "00:31:50,000", "00:31:51,000", "00:31:45,900")
    text = "".join(f"2026-11-21 {clock} INFO  a.B [] - said\n" for clock in clocks)
    (coverage,) = read(FORMAT, text, tmp_path).coverage
    assert (coverage.earlier, coverage.earlier_ms, coverage.earlier_line) == (2, 3_600_000, 4)


def test_colours_and_windows_line_ends_do_not_matter(tmp_path: Path) -> None:
    text = LAYOUTS["log4j 2"].replace("INFO ", "\x1b[32mINFO\x1b[m ") + "\r\n"
    (record,) = rows(text * 2, tmp_path)[:1]
    assert (record["level"], record["message"]) == ("INFO", COMPLETED)


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


def test_the_options_below_a_refused_table_belong_to_its_exception(tmp_path: Path) -> None:
    text = (
        "org.apache.flink.table.api.ValidationException: Unable to create a sink for writing table 'a.b.c'.\n\n"
        "Table options are:\n\n'connector'='doris'\n'fenodes'='fe:8030'\n"
        "\tat org.apache.flink.table.factories.FactoryUtil.createTableSink(FactoryUtil.java:171)\n"
    )
    (row,) = rows(text, tmp_path)
    assert "'connector'='doris'" in row["root_cause_message"]
    assert row["root_cause_frame"] == "org.apache.flink.table.factories.FactoryUtil.createTableSink"


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


@pytest.mark.parametrize(
    "below",
    [
        "",
        "\tSuppressed: java.lang.NullPointerException\n\t\tat com.acme.Source.cancel(Source.java:9)\n",
        "{\n  rejected: 1\n}\n\tat com.acme.Sink.invoke(Sink.java:9) ~[job.jar:?]\n",
    ],
)
def test_an_exception_behind_the_state_of_a_task_needs_no_frame_below_it(below: str, tmp_path: Path) -> None:
    text = (
        f"2026-11-21 01:31:39,633 WARN  org.apache.flink.runtime.taskmanager.Task [] - Map (2/4)#1 ({JOB}_0_1_0) "
        f"switched from RUNNING to FAILED with failure cause: java.io.IOException: cannot write\n{below}"
        "2026-11-21 01:31:40,000 INFO  a.B [] - next\n"
    )
    first, _ = rows(text, tmp_path)
    assert first["root_cause_class"] == "java.io.IOException"
    assert first["root_cause_message"].startswith("cannot write")


def test_a_reason_goes_on_in_the_lines_below_its_record(tmp_path: Path) -> None:
    """YARN states the exit code and the limit of memory there."""
    text = (
        "2026-11-21 01:31:39,633 INFO  org.apache.flink.runtime.resourcemanager.active.ActiveResourceManager [] - "
        "Worker container_e07_1_01_000002 is terminated. Diagnostics: "
        "Container container_e07_1_01_000002 marked as failed.\n Exit code:-104.\n"
        " Diagnostics:[2026-11-21 01:31:39.149]Container [pid=39,containerID=container_e07_1_01_000002] "
        "is running 1688B beyond the 'PHYSICAL' memory limit.\n"
        "2026-11-21 01:31:40,000 INFO  a.B [] - next\n"
    )
    first, second = rows(text, tmp_path)
    assert first["event"] == "res.worker.terminated"
    assert first["reason"].startswith("Container container_e07_1_01_000002 marked as failed. Exit code:-104. ")
    assert first["reason"].endswith("beyond the 'PHYSICAL' memory limit.")
    assert second["reason"] is None


def test_the_same_sentence_of_two_classes_is_distinguished_by_its_logger(tmp_path: Path) -> None:
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


def test_start_up_shows_process_version_settings_and_jvm_options(tmp_path: Path) -> None:
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
        ("environment", "process.entrypoint", "TaskManager", 1),
        ("jvm", "heap.max", "469762048", 2),
        ("jvm", "heap.max", "469762048", 4),
        ("jvm", "gc.collector", "G1", 5),
        ("environment", "process.jvm_options", "", 6),
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


def test_a_subtask_is_the_same_number_whether_a_task_names_it_or_the_message_itself(tmp_path: Path) -> None:
    messages = (
        f"map (1/2)#0 ({JOB}) switched from DEPLOYING to INITIALIZING.",
        "Consumer subtask 0 has no restore state.",
    )
    text = "".join(f"2026-11-21 01:31:39,633 INFO  a.B [] - {message}\n" for message in messages)
    assert [(each["event"], each["subtask"]) for each in rows(text, tmp_path)] == [
        ("task.state", 0),
        ("kafka.legacy.no_state", 0),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Caused by: java.lang.LinkageError: loader constraint violation: when resolving method\n",
        "[ERROR] Could not execute SQL statement. Reason:\njava.net.UnknownHostException: db.internal\n",
        "py4j.protocol.Py4JJavaError: An error occurred while calling o82.\n: java.lang.IllegalStateException: x\n",
    ],
)
def test_an_exception_in_the_output_of_a_client_is_read(text: str, tmp_path: Path) -> None:
    assert FORMAT.recognise(head_of(text)) == 0.4
    assert any(record["root_cause_class"] for record in rows(text, tmp_path))


def test_the_cause_of_a_failed_task_is_kept_without_its_class(tmp_path: Path) -> None:
    head = "2026-11-21 01:31:39,633 INFO  org.apache.flink.runtime.executiongraph.ExecutionGraph [] - "
    failed = "Map (1/2) (a_b_0_0) switched from RUNNING to FAILED on tm @ host (dataPort=1)."
    (record,) = rows(f"{head}{failed}\nNo FileSystem for scheme: oss\n", tmp_path)
    assert (record["exception_class"], record["root_cause_message"]) == (None, "No FileSystem for scheme: oss")
