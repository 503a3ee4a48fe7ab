"""Progress of a Spark job while it runs."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from diagnostics import spark as engine
from tests.diagnostics.spark.spark_work import (
    until_seen,
)

pytestmark = pytest.mark.spark


def test_progress_is_reported_while_a_job_runs(spark: SparkSession, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    seen = tmp_path / "seen"

    def note(done: int, total: int) -> None:
        told.append((done, total))
        seen.touch()

    stop = engine.on_progress(spark, note)
    try:
        spark.range(0, 4, 1, 4).mapInArrow(until_seen(seen), "id long").count()
    finally:
        stop()
    assert told
    assert all(0 <= done <= total for done, total in told)
