"""The runbooks of every corpus case read well. One analysis for each case."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diagnostics.analyze import analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset, shipped_rules
from tests.reading.runbook_faults import faults

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORPUS = Path(__file__).resolve().parents[3] / "shared" / "corpus"
CASES = sorted(path.parent for path in CORPUS.glob("*/truth.json"))

pytestmark = [pytest.mark.spark, pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")]


@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_the_runbooks_of_a_case_can_be_followed(folder: Path, spark: SparkSession, tmp_path: Path) -> None:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "truth.json"]
    sources = [SourceFile(path, str(path.relative_to(folder))) for path in files]
    report = analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=tmp_path)
    assert faults(report.document["findings"], report.signals) == []
