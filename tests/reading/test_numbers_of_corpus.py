"""A ratio of time in a chart's caption names its statistic: a finding has the number of another window.

One analysis for each corpus case.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from diagnostics.analyze import analyze
from diagnostics.charts import CHARTS
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset, shipped_rules
from tests.reading.test_runbooks_of_corpus import CASES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OF_TIME = re.compile(r"\b(?:busy|idle|back[ -]pressured?|pressure [A-Z]+)\b[^.;,]{0,20}?\d[\d.]* %")
"""A share of the time of a task or subtask."""
STATISTIC = re.compile(r"\b(?:on average|means? over|median|at most|highest|in the last)\b")


def unqualified(caption: str) -> bool:
    """Whether it has a ratio of time and no statistic."""
    return bool(OF_TIME.search(caption)) and not STATISTIC.search(caption)


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Sink: back pressure OK (0 %), busy 70 %.", True),
        ("subtask 0 has 25 % of the records; it is busy 11 % of the time.", True),
        ("subtask 0 has 25 % of the records; it is busy 11 % of the time on average.", False),
        ("100 % of the samples wait.", False),
    ],
)
def test_a_ratio_of_time_without_a_statistic_is_seen(caption: str, expected: bool) -> None:
    assert unqualified(caption) is expected


@pytest.mark.spark
@pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")
@pytest.mark.parametrize("folder", CASES, ids=lambda folder: folder.name)
def test_captions_name_the_statistic_and_a_fact_has_one_value(
    folder: Path, spark: SparkSession, tmp_path: Path
) -> None:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "truth.json"]
    sources = [SourceFile(path, str(path.relative_to(folder))) for path in files]
    report = analyze(Case(sources), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=tmp_path)

    captions = {chart_id: CHARTS[chart_id].summary(points) for chart_id, points in report.charts.items()}
    assert {name: caption for name, caption in captions.items() if unqualified(caption)} == {}

    values: dict[tuple[str, str], set[str]] = {}
    for finding in report.document["findings"]:
        for check in finding["checks"]:
            key = (check["fact"], str(sorted(finding["subject"].items(), key=repr)))
            values.setdefault(key, set()).add(str(check["value"]))
    assert {key: numbers for key, numbers in values.items() if len(numbers) > 1} == {}
