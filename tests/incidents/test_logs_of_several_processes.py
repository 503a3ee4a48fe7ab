"""Logs of several processes in one file are understood as those in files of their own."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from diagnostics.analyze import analyze
from diagnostics.intake import SourceFile
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
CASES = ("network_partition", "resource_shortage-a")
PROCESSES = ("standalonesession", "taskexecutor")

_TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}")

pytestmark = [
    pytest.mark.spark,
    pytest.mark.skipif(not CORPUS.is_dir(), reason="the evidence of real clusters is not on this machine"),
]


def logs_of(case: str) -> list[Path]:
    return sorted(
        each for each in (CORPUS / case / "logs").glob("*.log") if any(name in each.name for name in PROCESSES)
    )


def timed_lines(log: Path) -> Iterator[tuple[str, str, str]]:
    """Time, pod and text of each line; a line without a time has that of the one before it."""
    time, pod = "", f"orders-{re.sub('[^a-z0-9]+', '-', log.stem)}-0"
    for line in log.read_text("utf-8").splitlines(keepends=True):
        found = _TIME.match(line)
        time = found[0] if found else time
        yield time, pod, line


def findings(document: dict[str, Any]) -> list[tuple[str, str, float]]:
    return [(each["rule"]["id"], each["role"], each["confidence"]) for each in document["findings"]]


@pytest.mark.parametrize("name", CASES)
def test_the_findings_are_those_of_the_logs_in_files_of_their_own(
    name: str, spark: SparkSession, tmp_path: Path
) -> None:
    lines = sorted((each for log in logs_of(name) for each in timed_lines(log)), key=lambda each: each[0])
    together = tmp_path / "pods.log"
    together.write_text("".join(f"[pod/{pod}/flink-main-container] {line}" for _, pod, line in lines), "utf-8")
    sources = {
        "apart": [SourceFile(each, each.name) for each in logs_of(name)],
        "together": [SourceFile(together, "pods.log")],
    }
    apart, one = (
        analyze(Case(each), ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=tmp_path / kind).document
        for kind, each in sources.items()
    )
    assert findings(one) == findings(apart)
