"""An exception that is printed without its package is read as one: in a log, in a field of JSON, in a copied text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.diagnostics.written_log import GRAPH, diagnosed, jobmanager_log, line

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

FAILED = "write (1/2) (aa_bb_0_0) switched from RUNNING to FAILED on tm-1 @ host (dataPort=1)."
CHAIN = (
    "RuntimeException: Could not read\n"
    "\tat com.acme.Reader.read(Reader.java:5)\n"
    "Caused by: NullPointerException: no name\n"
    "\tat com.acme.Names.first(Names.java:5)\n"
)


def as_json(message: str, exception: str) -> str:
    record = {"@timestamp": "2026-03-02T10:00:30.000Z", "level": "WARN", "logger_name": GRAPH, "message": message}
    return json.dumps({**record, "stack_trace": exception}) + "\n"


@pytest.mark.parametrize(
    "text",
    [jobmanager_log(line(30, GRAPH, f"{FAILED}\n{CHAIN}")), as_json(FAILED, CHAIN), CHAIN],
    ids=["log", "json", "copied"],
)
def test_the_root_cause_is_of_java(spark: SparkSession, tmp_path: Path, text: str) -> None:
    report = diagnosed(spark, tmp_path, log=text)
    failed = next(each for each in report.signals if each["key"] == "exceptions")
    assert failed["facts"]["first_class"] == "java.lang.NullPointerException"
    assert failed["facts"]["first_user_frame"] == "com.acme.Names.first"
    assert report.document["findings"][0]["symptom_class"] == "user_code"
