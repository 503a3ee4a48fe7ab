"""Thread dumps and reports of metrics between the records of a log."""

from __future__ import annotations

import json
from pathlib import Path

from diagnostics.evidence.rows import Rows
from diagnostics.formats.flink_log import FORMAT
from diagnostics.notation.file_range import Range
from tests.diagnostics.formats.log_lines import AT_01_31_39_633, LAYOUTS
from tests.diagnostics.formats.reading_aids import read

LINE = LAYOUTS["log4j 2"] + "\n"

DUMP = """\
2026-11-21 01:33:25
Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):

"Window -> Sink (2/4)#0" #93 prio=5 os_prio=0 tid=0x000055681993f390 nid=0x3a63 waiting for monitor entry
   java.lang.Thread.State: BLOCKED (on object monitor)
\tat com.acme.A.b(A.java:1)

"VM Thread" os_prio=0 tid=0x00005568174a7a30 nid=0x3772 runnable

JNI global refs: 5, weak refs: 0

"""

TASK = "10.0.0.7.taskmanager.10.0.0.7:38429-a94cd1.orders.Source: orders -> Map.1"
REPORT = f"""\
2026-11-21 01:31:39,633 INFO  org.apache.flink.metrics.slf4j.Slf4jReporter                 [] - \n\
=========================== Starting metrics report ===========================

-- Counters -------------------------------------------------------------------
{TASK}.numRecordsIn: 41
10.0.0.7.taskmanager.10.0.0.7:38429-a94cd1.orders.Map.1.numRecordsInErrors: 0

-- Gauges ---------------------------------------------------------------------
{TASK}.busyTimeMsPerSecond: 998
{TASK}.currentInputWatermark: -9223372036854775808
jm-0.jobmanager.orders.lastCheckpointExternalPath: n/a
jm-0.jobmanager.orders.numRestarts: 3

-- Histograms -----------------------------------------------------------------
{TASK}.mailboxLatencyMs: count=10, min=0, max=5, mean=1.5, stddev=0.5, p50=1.0, p75=2.0, p95=3.0, p98=3, p99=4, p999=5
=========================== Finished metrics report ===========================
"""


def test_a_thread_dump_between_records_is_read_with_its_lines_and_time(tmp_path: Path) -> None:
    found = read(FORMAT, LINE + DUMP + LINE, tmp_path)
    (thread,) = found.rows["stack_sample"]
    assert (thread["thread"], thread["vertex"], thread["subtask"]) == ("Window -> Sink (2/4)#0", "Window -> Sink", 1)
    assert (thread["state"], thread["frames"]) == ("BLOCKED", ["com.acme.A.b"])
    assert (thread["line"], thread["last_line"], thread["ts_ms"]) == (5, 7, AT_01_31_39_633 + 105_367)
    assert found.rows["log_record"][-1]["message"].startswith("Completed checkpoint")
    assert found.coverage[0].not_understood == 0


def test_a_dump_in_a_log_whose_times_look_different_has_the_time_above_it(tmp_path: Path) -> None:
    short = LAYOUTS["slashes, no fraction"] + "\n"
    (thread,) = read(FORMAT, short + DUMP + short, tmp_path).rows["stack_sample"]
    assert (thread["line"], thread["ts_ms"]) == (5, AT_01_31_39_633 + 105_367)


def test_the_report_of_the_slf4j_reporter_gives_samples_of_metrics(tmp_path: Path) -> None:
    found = read(FORMAT, LINE + REPORT + LINE, tmp_path)
    samples = {(each["metric"], each["quantile"]): each for each in found.rows["metric_sample"]}
    busy = samples["busyTimeMsPerSecond", None]
    assert (busy["value"], busy["ts_ms"], busy["line"]) == (998.0, AT_01_31_39_633, 10)
    assert (busy["vertex"], busy["subtask"], busy["job_name"]) == ("Source: orders -> Map", 1, "orders")
    assert busy["task_manager"] == "10.0.0.7:38429-a94cd1"
    assert samples["numRecordsIn", None]["value"] == 41.0
    assert samples["currentInputWatermark", None]["value"] is None, "Long.MIN_VALUE is unknown"
    assert samples["numRestarts", None]["value"] == 3.0
    assert samples["mailboxLatencyMs", 0.99]["value"] == 4.0
    assert {each.get("exception_class") for each in found.rows["log_record"]} == {None}


def test_a_report_on_one_line_of_json_is_read_too(tmp_path: Path) -> None:
    line = {
        "@timestamp": "2026-11-21T01:31:39.633Z",
        "log.level": "INFO",
        "log.logger": "org.apache.flink.metrics.slf4j.Slf4jReporter",
        "message": REPORT.partition(" - ")[2],
    }
    samples = read(FORMAT, f"{json.dumps(line)}\n" * 2, tmp_path).rows["metric_sample"]
    assert {each["line"] for each in samples} == {1, 2}
    assert len(samples) == 2 * len({(each["metric"], each["quantile"]) for each in samples})


def test_what_the_end_of_a_range_cuts_is_read_once(tmp_path: Path) -> None:
    text = (LINE + REPORT + DUMP + LINE).encode()
    path = tmp_path / "x.log"
    path.write_bytes(text)

    def counted(*cuts: int) -> dict[str, int]:
        counts: dict[str, int] = {}
        for start, end in zip((0, *cuts), (*cuts, len(text)), strict=True):
            for given in FORMAT.read(Range(0, "x.log", str(path), start, end, len(text))):
                if isinstance(given, Rows):
                    rows = given.batch.num_rows if given.batch is not None else len(given.rows)
                    counts[given.table] = counts.get(given.table, 0) + rows
        return counts

    inside_report = text.index(b"\n", text.index(b"busyTime")) + 1
    inside_dump = text.index(b"\n", text.index(b"BLOCKED")) + 1
    assert counted(inside_report) == counted(inside_dump) == counted(inside_report, inside_dump) == counted()
