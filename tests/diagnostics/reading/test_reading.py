"""From files to evidence tables: a mixed folder, lines across ranges, readers that fail, overrides, every format."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from diagnostics.aggregators import gc_pauses, incident_records
from diagnostics.errors import UnknownFormat
from diagnostics.evidence import Evidence
from diagnostics.formats import FORMATS
from diagnostics.intake import SourceFile, unpack
from diagnostics.reading import ranges
from diagnostics.reading.case import FileChoices
from diagnostics.reading.spark_job import read_evidence

pytestmark = pytest.mark.spark

RECORD = "2026-11-21 01:31:{second:02},633 WARN  com.acme.Sink [] - write {number} failed\n"
TRACE = "java.io.IOException: gone\n\tat com.acme.Sink.invoke(Sink.java:9)\n"

OUT_OF_MEMORY = "java.lang.OutOfMemoryError: Java heap space"

EVENT = '{"key":"a","event_time":1795224420970}\n'


def evidence_of(
    files: Mapping[str, str | bytes], folder: Path, spark: SparkSession, overrides: dict[str, str] | None = None
) -> tuple[Evidence, dict[str, dict[str, Any]]]:
    sources = []
    for name, content in files.items():
        path = folder / "uploads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        sources.append(SourceFile(path, name))
    told: list[float] = []
    intake = unpack(sources, folder)
    evidence, inputs = read_evidence(
        intake, spark, folder, lambda share, _: told.append(share), FileChoices(formats=overrides or {})
    )
    assert all(0 <= share <= 1 for share in told)
    return evidence, {entry["file"]: entry for entry in inputs}


def log(records: int) -> str:
    return "".join(RECORD.format(second=each % 60, number=each) + TRACE for each in range(records))


def test_events_of_kubernetes_are_no_log_of_flink(spark: SparkSession, tmp_path: Path) -> None:
    events = next(each for each in FORMATS["kubernetes-objects"].samples if each.name == "events.json")
    evidence, _ = evidence_of({events.name: events.text}, tmp_path, spark)
    assert (evidence.has("log_record"), evidence.has_logs()) == (True, False)


def test_a_mixed_folder_fills_the_tables_that_its_files_know(spark: SparkSession, tmp_path: Path) -> None:
    files = {
        "logs/tm.log": log(3),
        "conf/flink-conf.yaml": "state.backend.type: rocksdb\nparallelism.default: 4\n",
        "notes.txt": "the job is slow again\n",
    }
    evidence, inputs = evidence_of(files, tmp_path, spark)
    assert (evidence.rows["log_record"], evidence.rows["config_option"]) == (3, 2)
    assert evidence.has("log_record")
    assert evidence.has_logs()
    assert not evidence.has("gc_pause")
    assert not evidence.answer(gc_pauses.AGGREGATOR)
    assert (inputs["logs/tm.log"]["format"], inputs["logs/tm.log"]["records"]) == ("flink-log", 3)
    assert inputs["logs/tm.log"]["first_ts"] == "2026-11-21T01:31:00.633Z"
    assert inputs["notes.txt"]["format"] is None
    assert "attachment" in inputs["notes.txt"]["warnings"][0]


def test_lines_are_counted_through_a_file_that_is_read_in_ranges(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "RANGE_BYTES", 500)
    text = (
        "Starting\n" + log(40).replace("java.io.IOException: gone", OUT_OF_MEMORY) + RECORD.format(second=0, number=40)
    )
    evidence, inputs = evidence_of({"tm.log": text}, tmp_path, spark)
    found = evidence.answer(incident_records.AGGREGATOR).to_pylist()
    assert [(row["line"], row["last_line"], row["message"]) for row in found if row["of_kind"] is None] == [
        (2 + 3 * number, 4 + 3 * number, f"write {number} failed") for number in range(40)
    ]
    assert inputs["tm.log"]["records"] == 42
    assert any("earlier time" in each and "first in line 122" in each for each in inputs["tm.log"]["warnings"])
    assert inputs["tm.log"]["samples"] == [{"line": 1, "text": "Starting"}]


def test_one_file_whose_reader_fails_becomes_a_warning_and_the_rest_stands(spark: SparkSession, tmp_path: Path) -> None:
    files = {"tm.log": log(2), "jobs_overview.json": '{"jobs":[{"jid":"a3b1c2d4e5f60718293a4b5c6d7e8f90","na'}
    evidence, inputs = evidence_of(files, tmp_path, spark, {"jobs_overview.json": "flink-rest-job"})
    assert evidence.rows["log_record"] == 2
    assert inputs["jobs_overview.json"]["warnings"]
    assert inputs["jobs_overview.json"]["records"] == 0


def test_a_line_that_no_reader_can_hold_is_not_read_and_said_so(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ranges, "RANGE_BYTES", 1_000_000)
    endless = '{"text":"' + "x" * 70_000_000 + '"}'
    evidence, inputs = evidence_of({"tm.log": log(2), "big.json": endless}, tmp_path, spark, {"big.json": "flink-log"})
    assert (evidence.rows["log_record"], inputs["big.json"]["records"]) == (2, 0)
    assert "a line of over 32 MiB is not read" in inputs["big.json"]["warnings"]


def test_a_user_may_overrule_the_format_but_not_invent_one(spark: SparkSession, tmp_path: Path) -> None:
    bare = "some words without any layout\n"
    evidence, inputs = evidence_of({"out.txt": bare}, tmp_path, spark, {"out.txt": "flink-log"})
    assert (inputs["out.txt"]["format"], evidence.rows["log_record"]) == ("flink-log", 1)
    with pytest.raises(UnknownFormat, match="no-such-format"):
        evidence_of({"out.txt": bare}, tmp_path, spark, {"out.txt": "no-such-format"})


def test_every_format_reads_its_own_samples_in_one_job(spark: SparkSession, tmp_path: Path) -> None:
    files = {
        f"{one.id}-{number}/{sample.name}": sample.content
        for one in FORMATS.values()
        for number, sample in enumerate(one.samples)
    }
    chosen = {name: name.split("/")[0].rpartition("-")[0] for name in files}
    evidence, inputs = evidence_of(files, tmp_path, spark, chosen)
    failed = {name: entry["warnings"] for name, entry in inputs.items() if "reading it as" in str(entry["warnings"])}
    assert failed == {}
    assert {name for name, rows in evidence.rows.items() if rows} >= {
        "log_record",
        "checkpoint",
        "metric_sample",
        "gc_pause",
    }
