"""The example of the documents as a demo case: two business lines share a task, and the slow one delays the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from diagnostics.analyze import analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from workbench.analyses.submission import DEMO_FOLDER

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
def test_the_quick_line_waits_at_the_task_that_both_share(
    spark: SparkSession, tmp_path_factory: pytest.TempPathFactory
) -> None:
    source = SourceFile(DEMO_FOLDER / "lines-that-share-a-task.zip", "upload.zip")
    workspace = tmp_path_factory.mktemp("lines")
    report = analyze(Case([source]), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=workspace)

    rules = {each["rule"]["id"]: each for each in report.document["findings"]}
    shared = rules["bp.shared-alignment"]
    assert shared["subject"]["vertex"].startswith("GroupAggregate[13] -> weekly")
    assert shared["statement"].startswith("OverAggregate[4] -> Calc[5] is back-pressured 90 % of the time")
    assert rules["bp.held-back"]["subject"]["vertex"] == "OverAggregate[9] -> Calc[10]"
    assert report.warnings == []
