"""Hostile files beside a good log, read by Spark's workers: the log is read whole, and each file says what is wrong."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import SparkSession

from diagnostics.formats import FORMATS
from tests.diagnostics.reading.test_reading import evidence_of, log
from tests.security import test_hostile_avro as avro
from tests.security import test_hostile_parquet as parquet
from tests.security.mutants import mutant_of
from tests.security.real_files import real_files

pytestmark = pytest.mark.spark

RECORDS = 60


def test_a_file_that_means_harm_costs_itself_only(spark: SparkSession, tmp_path: Path) -> None:
    columns = {"device_id": pa.array(["a"]), "event_time": pa.array([parquet.TIME]), "extra_name": pa.array([1])}
    odd_name = parquet.written(columns, tmp_path).read_bytes().replace(b"extra_name", b"extra\xff\xfe_am")
    multiplied = {"device_id": parquet.repeated("a" * 42_000), "event_time": pa.array([parquet.TIME] * parquet.ROWS)}
    within_itself = avro.record({"name": "next", "type": ["null", "E"]}, *avro.EVENT)
    files = {
        "odd-name.parquet": odd_name,
        "multiplied.parquet": parquet.written(multiplied, tmp_path).read_bytes(),
        "within-itself.avro": avro.written(within_itself, avro.ONE_EVENT, 1, tmp_path).read_bytes(),
    }
    mutants = {
        f"mutants/{format_id}-{number}": mutant_of(real_files(format_id)[0], f"case-{number}").content
        for format_id in FORMATS
        for number in range(2)
    }
    _, inputs = evidence_of({"tm.log": log(RECORDS), **files, **mutants}, tmp_path, spark)
    assert inputs["tm.log"]["records"] == RECORDS
    assert inputs["multiplied.parquet"]["records"] == parquet.ROWS
    assert "damaged" in inputs["odd-name.parquet"]["warnings"][0]
    assert "a type within itself" in inputs["within-itself.avro"]["warnings"][0]
    # A mutant with text behind its answer is read as pasted answers, each an input of its own.
    assert {name.partition("!")[0] for name in inputs} == {"tm.log", *files, *mutants}
    assert not [name for name, entry in inputs.items() if "failed:" in " ".join(entry["warnings"])]
