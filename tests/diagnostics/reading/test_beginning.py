"""What a snapshot leaves out that happened before it begins: records, checkpoints, and jobs that ended."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from diagnostics.aggregators import checkpoints, failures, incident_records, jobs
from diagnostics.evidence import Evidence
from diagnostics.evidence.tables import TABLES
from diagnostics.intake import SourceFile, unpack
from diagnostics.reading.beginning import Beginning, NothingLater
from diagnostics.reading.case import FileChoices
from diagnostics.reading.clock import FileClock
from diagnostics.reading.spark_job import read_evidence
from diagnostics.signals import restarts as restarts_signal
from diagnostics.signals.signal import Signal

pytestmark = pytest.mark.spark

FAILURE = "2026-11-21 01:{minute:02}:00,000 ERROR com.acme.Sink [] - write failed\njava.lang.OutOfMemoryError: heap\n"
AT_0130 = 1795224600000
"""2026-11-21 01:30 UTC."""
MINUTE = 60_000
OLD, NEW, OTHER = "a" * 32, "b" * 32, "c" * 32


def log(*minutes: int) -> str:
    """A failure at each of these minutes after one o'clock."""
    return "".join(FAILURE.format(minute=minute) for minute in minutes)


def listed(job_id: str, state: str, start_ms: int, end_ms: int = -1, name: str = "orders") -> dict[str, Any]:
    return {"jid": job_id, "name": name, "state": state, "start-time": start_ms, "end-time": end_ms, "tasks": {}}


def overview(*of_jobs: Mapping[str, Any]) -> str:
    return json.dumps({"jobs": list(of_jobs)})


def failed(job_id: str, ts_ms: int) -> tuple[str, str]:
    """Name and content of an answer about a failure of the job."""
    entry = {"exceptionName": "java.lang.Error", "stacktrace": "java.lang.Error: x", "timestamp": ts_ms}
    answer = {"exceptionHistory": {"entries": [entry], "truncated": False}}
    return f"rest/jobs/{job_id}/exceptions.json", json.dumps(answer)


def read(
    files: Mapping[str, str],
    folder: Path,
    spark: SparkSession,
    beginning: Beginning | None,
    clocks: Mapping[str, FileClock] | None = None,
) -> tuple[Evidence, dict[str, dict[str, Any]]]:
    sources = []
    for name, content in files.items():
        path = folder / "uploads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        sources.append(SourceFile(path, name))
    choices = FileChoices(clocks=clocks or {})
    intake = unpack(sources, folder)
    evidence, inputs = read_evidence(intake, spark, folder, lambda *_: None, choices, beginning=beginning)
    return evidence, {entry["file"]: entry for entry in inputs}


def minutes_of_failures(evidence: Evidence) -> list[int]:
    rows = evidence.answer(incident_records.AGGREGATOR).to_pylist()
    return sorted({(row["ts_ms"] - AT_0130) // MINUTE + 30 for row in rows if row["kind"] == "oom" and row["ts_ms"]})


def test_records_from_before_the_beginning_do_not_count_and_the_file_says_how_many(
    spark: SparkSession, tmp_path: Path
) -> None:
    evidence, inputs = read({"tm.log": log(10, 20, 40)}, tmp_path, spark, Beginning(AT_0130))
    assert minutes_of_failures(evidence) == [40]
    assert evidence.rows["log_record"] == 1
    assert inputs["tm.log"]["left_out"] == {"records": 2, "before": "2026-11-21T01:30:00.000Z"}
    assert inputs["tm.log"]["records"] == 3


def test_everything_counts_without_a_beginning(spark: SparkSession, tmp_path: Path) -> None:
    evidence, inputs = read({"tm.log": log(10, 40)}, tmp_path, spark, None)
    assert minutes_of_failures(evidence) == [10, 40]
    assert "left_out" not in inputs["tm.log"]


def test_the_corrected_time_of_a_file_decides(spark: SparkSession, tmp_path: Path) -> None:
    clocks = {"tm.log": FileClock(shift_ms=15 * MINUTE)}
    evidence, _ = read({"tm.log": log(10, 20)}, tmp_path, spark, Beginning(AT_0130), clocks)
    assert minutes_of_failures(evidence) == [35]


def test_checkpoints_and_failures_of_a_running_job_count_from_the_beginning_on(
    spark: SparkSession, tmp_path: Path
) -> None:
    triggered = {4: AT_0130 - MINUTE, 6: AT_0130 + MINUTE}
    history = [
        {"id": number, "status": "COMPLETED", "trigger_timestamp": ts_ms, "is_savepoint": False}
        for number, ts_ms in triggered.items()
    ]
    counts = {"restored": 0, "total": 2, "in_progress": 0, "completed": 2, "failed": 0}
    answer = {"counts": counts, "summary": {}, "latest": {}, "history": history}
    files = {
        f"rest/jobs/{NEW}/checkpoints.json": json.dumps(answer),
        "rest/jobs/overview.json": overview(listed(NEW, "RUNNING", AT_0130 - 60 * MINUTE)),
        **dict([failed(NEW, AT_0130 - MINUTE)]),
    }
    evidence, _ = read(files, tmp_path, spark, Beginning(AT_0130))
    assert evidence.answer(checkpoints.AGGREGATOR)["checkpoint_id"].to_pylist() == [6]
    assert evidence.answer(failures.AGGREGATOR).num_rows == 0
    assert evidence.answer(jobs.AGGREGATOR)["job_id"].to_pylist() == [NEW]


@pytest.mark.parametrize(
    ("state", "ended_ms", "followed", "is_left_out"),
    [
        ("CANCELED", AT_0130 - MINUTE, False, True),
        ("FINISHED", AT_0130 - MINUTE, False, True),
        ("FAILED", AT_0130 - MINUTE, True, True),
        ("FAILED", AT_0130 - MINUTE, False, False),
        ("FAILED", AT_0130 + MINUTE, True, False),
        ("CANCELED", AT_0130 + MINUTE, True, False),
    ],
)
def test_a_job_that_ended_before_is_left_out_unless_its_end_is_what_is_wrong(
    spark: SparkSession, tmp_path: Path, state: str, ended_ms: int, followed: bool, is_left_out: bool
) -> None:
    old = listed(OLD, state, AT_0130 - 60 * MINUTE, ended_ms)
    new = listed(NEW, "RUNNING", AT_0130 - MINUTE // 2, name="orders" if followed else "another")
    files = {
        "rest/jobs/overview.json": overview(old, new),
        **dict([failed(OLD, AT_0130 + MINUTE)]),
        "tm.log": log(40),
    }
    evidence, _ = read(files, tmp_path, spark, Beginning(AT_0130))
    known = set(evidence.answer(jobs.AGGREGATOR)["job_id"].to_pylist())
    assert known == ({NEW} if is_left_out else {OLD, NEW})
    assert evidence.answer(failures.AGGREGATOR).num_rows == (0 if is_left_out else 1)


@pytest.mark.parametrize(
    ("started_ms", "beginning", "restarts"),
    [
        (AT_0130 - 60 * MINUTE, None, 12),
        (AT_0130 - 60 * MINUTE, Beginning(AT_0130), 0),
        (AT_0130 + MINUTE, Beginning(AT_0130), 12),
    ],
)
def test_what_a_counter_counted_before_the_beginning_does_not_count(
    spark: SparkSession, tmp_path: Path, started_ms: int, beginning: Beginning | None, restarts: int
) -> None:
    """A job that runs on after a change outside of it keeps its counters."""
    asked_ms = AT_0130 + 5 * MINUTE
    job = {**listed(NEW, "RUNNING", started_ms), "now": asked_ms, "vertices": [], "timestamps": {}}
    files = {
        f"rest/jobs/{NEW}.json": json.dumps(job),
        f"rest/jobs/{NEW}/metrics.json": '[{"id": "numRestarts", "value": "12"}]',
    }
    evidence, _ = read(files, tmp_path, spark, beginning)
    [signal] = [each for each in restarts_signal.measure(evidence) if isinstance(each, Signal)]
    assert signal.facts["restarts"] == restarts


def test_nothing_later_than_a_stated_beginning_is_no_diagnosis(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(NothingLater, match=r"later than 2026-11-21T01:30:00.000Z.*all 2 records are from before"):
        read(
            {"tm.log": log(10, 20), "flink-conf.yaml": "parallelism.default: 2\n"}, tmp_path, spark, Beginning(AT_0130)
        )


def test_a_concluded_beginning_gives_way_when_nothing_is_later(spark: SparkSession, tmp_path: Path) -> None:
    evidence, inputs = read({"tm.log": log(10, 20)}, tmp_path, spark, Beginning(AT_0130, is_stated=False))
    assert minutes_of_failures(evidence) == [10, 20]
    assert "left_out" not in inputs["tm.log"]


@pytest.mark.parametrize("broken", ["{", "[" * 100_000, '{"jobs": 3}', '{"jobs": [null, {"jid": 3, "end-time": "x"}]}'])
def test_a_broken_answer_about_jobs_ends_no_reading(spark: SparkSession, tmp_path: Path, broken: str) -> None:
    files = {"tm.log": log(40), "rest/jobs/overview.json": broken}
    choices = FileChoices(formats={"rest/jobs/overview.json": "flink-rest-job"})
    sources = []
    for name, content in files.items():
        path = tmp_path / "uploads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        sources.append(SourceFile(path, name))
    evidence, _ = read_evidence(
        unpack(sources, tmp_path), spark, tmp_path, lambda *_: None, choices, beginning=Beginning(AT_0130)
    )
    assert minutes_of_failures(evidence) == [40]


def test_every_table_has_the_time_of_what_its_rows_report() -> None:
    for table in TABLES.values():
        assert table.happened is None or table.happened in {column.name for column in table.columns}, table.name
