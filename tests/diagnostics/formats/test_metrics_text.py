"""Prometheus text in its variants: times, OpenMetrics, failed scrapes, escaped labels, invalid lines."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.evidence.rows import Coverage
from diagnostics.formats import FORMATS, prometheus_text, recognise
from diagnostics.reading.task import added
from tests.diagnostics.formats.reading_aids import head_of, read

TEXT = FORMATS["prometheus-text"]
QUERY = FORMATS["prometheus-query"]


def test_each_scrape_has_its_own_time(tmp_path: Path) -> None:
    text = "# scrape_time 1795222029.117\nflink_jobmanager_numRunningJobs 1.0\n# scrape_time 1795222034117\n"
    rows = read(TEXT, text + "flink_jobmanager_numRunningJobs 2.0\n", tmp_path).rows["metric_sample"]
    assert [(row["ts_ms"], row["value"]) for row in rows] == [(1795222029117, 1.0), (1795222034117, 2.0)]


def test_openmetrics_times_are_seconds_and_exemplars_are_left_out(tmp_path: Path) -> None:
    text = (
        "# TYPE flink_jobmanager_job_uptime gauge\n"
        'flink_jobmanager_job_uptime{job_name="a b"} 5 1795222029.5\n'
        'flink_jobmanager_job_uptime{job_name="a b"} 6 # {trace_id="} 9"} 1.0 1795222030.5\n'
        "# EOF\n"
    )
    assert recognise(head_of(text)).format_id == "prometheus-text"
    rows = read(TEXT, text, tmp_path).rows["metric_sample"]
    assert [(row["ts_ms"], row["value"], row["job_name"]) for row in rows] == [
        (1795222029500, 5.0, "a b"),
        (None, 6.0, "a b"),
    ]


def test_values_that_are_not_known_are_null_and_the_sample_stays(tmp_path: Path) -> None:
    values = ("NaN", "+Inf", "-Inf", "-1.0", "-9.223372036854776E18", "0.0", "-5")
    text = "".join(f"flink_taskmanager_job_task_x {value}\n" for value in values)
    rows = read(TEXT, text, tmp_path).rows["metric_sample"]
    assert [row["value"] for row in rows] == [None, None, None, None, None, 0.0, -5.0]


def test_escaped_label_values_and_further_labels(tmp_path: Path) -> None:
    text = (
        r'flink_taskmanager_job_task_operator_KafkaSourceReader_topic_partition_currentOffset{topic="a\"b\\c,d",'
        'partition="3",operator_name="Source} x",instance="h:1",job="scrape"} 12\n'
    )
    row = read(TEXT, text, tmp_path).rows["metric_sample"][0]
    assert row["metric"] == "KafkaSourceReader.currentOffset"
    assert row["operator"] == "Source} x"
    assert row["labels"] == r'partition=3,topic=a"b\c,d'


def test_foreign_series_are_counted_separately_from_invalid_lines(tmp_path: Path) -> None:
    text = 'jvm_threads{a="b"} 3\nprocess_cpu 1\nflink_jobmanager_x 1\nthis is no sample\nflink_jobmanager_x one\n\n'
    found = read(TEXT, text, tmp_path)
    assert len(found.rows["metric_sample"]) == 1
    assert found.warnings == ["2 samples are not Flink's and were left out"]
    assert [each.not_understood for each in found.coverage] == [2]
    assert [line for line, _ in found.coverage[0].samples] == [4, 5]


def test_failed_scrapes_are_samples_of_the_process_that_did_not_answer(tmp_path: Path) -> None:
    text = '# scrape_failed 1795222773919 TimeoutError: timed out\nflink_taskmanager_x{tm_id="h:1_abc123"} 1\n'
    found = read(TEXT, text, tmp_path)
    failed = [row for row in found.rows["metric_sample"] if row["metric"] == "scrape_failed"]
    assert [(row["ts_ms"], row["task_manager"], row["line"]) for row in failed] == [(1795222773919, "h:1-abc123", 1)]
    assert found.warnings == ["1 scrapes failed: the process did not answer"]
    assert found.coverage[0].role == "taskmanager"


def test_what_parts_of_a_file_leave_out_is_counted_together() -> None:
    one, other = (Coverage(counted=((prometheus_text.FAILED, count),)) for count in (2, 3))
    assert added(one, other).counted == ((prometheus_text.FAILED, 5),)


def test_more_series_than_the_bound_are_left_out_and_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnostics.notation.prometheus_series.MOST_SERIES", 2)
    text = "".join(f'flink_jobmanager_x{{a="{number}"}} 1\n' for number in range(4))
    found = read(TEXT, text, tmp_path)
    assert len(found.rows["metric_sample"]) == 2
    assert "2 samples were left out" in found.warnings[0]


def test_samples_are_given_in_batches_that_keep_their_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnostics.formats.prometheus_text.BATCH_SAMPLES", 2)
    text = "".join(f"flink_jobmanager_m{number % 2} {number}\n" for number in range(5))
    rows = read(TEXT, text, tmp_path).rows["metric_sample"]
    assert [(row["line"], row["metric"], row["value"]) for row in rows] == [
        (number + 1, f"m{number % 2}", float(number)) for number in range(5)
    ]


def test_an_instant_query_and_foreign_series(tmp_path: Path) -> None:
    text = (
        '{"status":"success","data":{"resultType":"vector","result":['
        '{"metric":{"__name__":"flink_jobmanager_numRunningJobs"},"value":[1795222029.5,"2"]},'
        '{"metric":{},"value":[1795222029.5,"3"]}]}}'
    )
    found = read(QUERY, text, tmp_path)
    assert [(row["ts_ms"], row["value"], row["pointer"]) for row in found.rows["metric_sample"]] == [
        (1795222029500, 2.0, "/data/result/0/value")
    ]
    assert found.warnings == ["1 of 2 series have no name of a Flink metric and were left out"]


HEAD = 'flink_taskmanager_job_task_numRecordsIn{tm_id="h:1_abc123",task_name="a } b",subtask_index="1"}'


@pytest.mark.parametrize(
    ("tail", "ts_ms", "value"),
    [
        ("7", 5_000, 7.0),
        ("-5.36E8", 5_000, -536_000_000.0),
        ("7 1795222401063", 1_795_222_401_063, 7.0),
        ("7 1795222401.5", 1_795_222_401_500, 7.0),
        ("7\r", 5_000, 7.0),
        ("+7", 5_000, 7.0),
        ("NaN", 5_000, None),
        ("+Inf", 5_000, None),
        (".5", 5_000, 0.5),
        ("1_0", 5_000, 10.0),
        ("7 soon", None, 7.0),
        ('7 # {trace="x"} 0.67', 5_000, 7.0),
        ('7 1795222401063 # {trace="} "} 0.67', 1_795_222_401_063, 7.0),
    ],
)
@pytest.mark.parametrize("unlike", ["", f"{HEAD} 0x10\n"], ids=["alone", "beside a line that is none"])
def test_a_sample_is_read_however_it_is_printed(
    tail: str, ts_ms: int | None, value: float | None, unlike: str, tmp_path: Path
) -> None:
    found = read(TEXT, f"# scrape_time 5\n{unlike}{HEAD} {tail}\n{HEAD} 8\n", tmp_path)
    one, other = found.rows["metric_sample"]
    assert (one["ts_ms"], one["value"], one["line"]) == (ts_ms, value, 2 + bool(unlike))
    assert (other["value"], other["vertex"], other["subtask"]) == (8.0, "a } b", 1)
    assert found.coverage[0].not_understood == bool(unlike)


@pytest.mark.parametrize("ending", ["\n", "\r\n", ""])
def test_blocks_of_any_length_give_the_same_samples(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(
        f"# scrape_time {scrape}\n# HELP flink_x y\n\n{HEAD} {scrape}\n"
        f"flink_jobmanager_numRunningJobs {scrape} # {{}} 1\n"
        f"jvm_threads_current 41.0\nnonsense\n# scrape_failed {scrape} TimeoutError\n"
        for scrape in range(1, 6)
    )
    text = text.replace("\n", ending) if ending else text.rstrip("\n")
    whole = read(TEXT, text, tmp_path)
    for length in (1, 7, 100, 333):
        monkeypatch.setattr("diagnostics.notation.text_cuts.ARRAY_BYTES", length)
        assert read(TEXT, text, tmp_path) == whole
    samples = [row for row in whole.rows["metric_sample"] if row["metric"] != "scrape_failed"]
    assert [(row["ts_ms"], row["value"], row["line"]) for row in samples] == [
        (1_000 * scrape, float(scrape), 8 * (scrape - 1) + line) for scrape in range(1, 6) for line in (4, 5)
    ]
    assert whole.coverage[0].not_understood == 5
