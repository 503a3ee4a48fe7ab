"""The cases of the corpus, each analysed once for all tests of a process that read its report.

`tests/sharing_out.py` gives the files that use this to one process. The corpus is beside the repository, on machines of
its developers only.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from diagnostics.analyze import Report, analyze
from diagnostics.intake import sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORPUS = Path(__file__).resolve().parents[2] / "shared" / "corpus"
CASES = sorted(path.parent.name for path in CORPUS.glob("*/truth.json"))


class CorpusReport(Protocol):
    """Gives the report on a case by its name; tests do not change it."""

    def __call__(self, name: str) -> Report: ...


@pytest.fixture(scope="session")
def corpus_report(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> CorpusReport:
    """Analyses a case at its first use; the note that states its cause is not read."""
    ruleset = Ruleset.of(shipped_rules())

    @cache
    def report(name: str) -> Report:
        sources = [each for each in sources_in([CORPUS / name])[0] if Path(each.name).name != "truth.json"]
        workspace = tmp_path_factory.mktemp("corpus")
        return analyze(Case(sources), ruleset=ruleset, spark=spark, workspace=workspace)

    return report
