"""An invalid value costs only that value, or at most its line: the rest of the file is read."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from diagnostics.formats import FORMATS
from tests.diagnostics.formats.reading_aids import read

HUGE = "9" * 400
"""JSON has integers of any length; no float is as large."""


@pytest.mark.parametrize(
    ("format_id", "told", "instead", "table"),
    [
        ("collapsed-stacks", " 124\n", " ²\n", "stack_sample"),
        ("kafka-consumer-groups", "orders  0 ", "orders  ² ", "consumer_position"),
        ("kafka-consumer-groups", "41000", "²", "consumer_position"),
        ("kubernetes-text", "137", "²", "log_record"),
        ("jmx-beans", '"Value":0.5', f'"Value":{HUGE}', "metric_sample"),
        ("prometheus-query", '"1000"', HUGE, "metric_sample"),
        ("datadog-series", "998.0", HUGE, "metric_sample"),
        ("flink-log-export", '"1795224699633000000"', f"-{HUGE}", "log_record"),
        ("gc-log-before-9", "2022-08-01T17:17:33", "2022-02-31T17:17:33", "gc_pause"),
        ("tcp-connections", "10.77.0.12:53980", f"10.77.0.12:{HUGE}", "tcp_sample"),
    ],
)
def test_a_value_that_is_no_number_or_time(format_id: str, told: str, instead: str, table: str, tmp_path: Path) -> None:
    sample = FORMATS[format_id].samples[0]
    assert isinstance(sample.text, str)
    assert told in sample.text
    whole = read(FORMATS[format_id], sample.text, tmp_path, sample.name)
    found = read(FORMATS[format_id], sample.text.replace(told, instead), tmp_path, sample.name)
    assert len(found.rows[table]) >= len(whole.rows[table]) - 1


@pytest.mark.parametrize(
    "instant",
    [f'{{"epochSecond":{HUGE}}}', f'{{"epochSecond":1,"nanoOfSecond":{HUGE}}}', f"-{HUGE}", HUGE, "1e999", "NaN"],
)
def test_a_json_record_with_an_invalid_time(instant: str, tmp_path: Path) -> None:
    good = (
        '{"instant":{"epochSecond":1795224699,"nanoOfSecond":0},"level":"WARN","loggerName":"a.B","message":"slow"}\n'
    )
    bad = good.replace('{"epochSecond":1795224699,"nanoOfSecond":0}', instant)
    found = read(FORMATS["flink-log"], good * 3 + bad + good, tmp_path)
    assert [row["message"] for row in found.rows["log_record"]].count("slow") >= 4


def test_an_event_of_rocksdb_at_no_time_is_passed_over(tmp_path: Path) -> None:
    sample = FORMATS["rocksdb-log"].samples[0]
    assert isinstance(sample.text, str)
    whole = read(FORMATS["rocksdb-log"], sample.text, tmp_path, sample.name)
    more = sample.text + sample.text.replace('"time_micros": 1', f'"time_micros": {HUGE}1')
    assert len(read(FORMATS["rocksdb-log"], more, tmp_path, sample.name).rows["metric_sample"]) >= len(
        whole.rows["metric_sample"]
    )


@pytest.mark.parametrize(
    ("format_id", "line"),
    [
        ("prometheus-text", 'flink_taskmanager_job_task_busyTimeMsPerSecond{host="a",' + "host" * 4_000),
        ("perf-script", "java 1/2" + " " * 16_000 + "x"),
        ("kubernetes-text", "Name:" + " " * 3_800 + "y" * 4_100),
        ("kubernetes-text", "  Warning  Failed  3m (x5 over 10m)  kubelet" + " " * 3_800 + "y" * 4_100),
        ("flink-log-csv", "\n" * 5_000),
    ],
)
def test_a_long_line_of_no_use_costs_its_length_and_not_its_square(format_id: str, line: str, tmp_path: Path) -> None:
    sample = FORMATS[format_id].samples[0]
    assert isinstance(sample.text, str)
    begun = time.process_time()
    found = read(FORMATS[format_id], sample.text + f"{line}\n" * 20, tmp_path, sample.name)
    assert found.rows
    assert time.process_time() - begun < 1
