"""No page says that a task holds nobody back beside the measured time that others wait for it (row S044)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from diagnostics.charts.pool_matrix import CHART
from diagnostics.vocabulary.load_levels import LOW_MOST, OK_MOST
from tests.diagnosed_corpus import CASES, CorpusReport

HOLDS_NONE = "holds no task back"


def contradictions(findings: list[Mapping[str, Any]]) -> list[str]:
    """Statements that a task holds none back, in a job whose measured back pressure says otherwise."""
    waiting = {
        each["subject"].get("job")
        for each in findings
        for check in each["checks"]
        if check["fact"] in ("back_pressure.origin.upstream_ratio", "back_pressure.job.worst_ratio")
        and isinstance(check["value"], (int, float))
        and check["value"] > OK_MOST
    }
    return [
        each["statement"]
        for each in findings
        if HOLDS_NONE in each["statement"] and each["subject"].get("job") in waiting
    ]


def test_a_contradiction_is_seen() -> None:
    subject = {"job": "a", "vertex": "Sink"}
    held = {
        "subject": subject,
        "statement": "",
        "checks": [{"fact": "back_pressure.origin.upstream_ratio", "value": 1}],
    }
    says = {"subject": subject, "statement": f"This task {HOLDS_NONE} yet.", "checks": []}
    assert contradictions([held, says]) == [says["statement"]]
    assert contradictions([says]) == []


@pytest.mark.spark
@pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")
@pytest.mark.parametrize("case", CASES)
def test_what_others_wait_for_is_never_said_to_hold_none_back(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    assert contradictions(report.document["findings"]) == []

    origins = {
        (each["subject"]["job"], each["subject"]["vertex"])
        for each in report.signals
        if each["key"] == "back_pressure.origin" and each["facts"]["upstream_ratio"] > LOW_MOST
    }
    for job in (report.charts.get(CHART.id) or {"jobs": []})["jobs"]:
        near = {(job["job_id"], task["name"]) for task in job["tasks"] if task["cell"] == "near"}
        assert near & origins == set()
