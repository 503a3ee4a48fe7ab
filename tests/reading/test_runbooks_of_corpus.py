"""The runbooks of every corpus case read well."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.analyze import Report
from tests.diagnosed_corpus import CASES, CORPUS, CorpusReport
from tests.reading.runbook_faults import code_of, faults, filled_runbooks

pytestmark = [pytest.mark.spark, pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")]


HELD_BY_LOGS = {
    "<jobmanager>": "Loading configuration property: rest.port",
    "<jar>": "org.apache.flink.client.cli.CliFrontend                      [] -     run",
    "<taskmanager-id>": "Registering TaskManager with ResourceID",
    " config.yaml": "YAML parser to load flink configuration file from",
    " log/flink-": "-Dlog.file=",
}
"""Text of a command -> the text in a log that holds the value to be there instead."""


def mark_in(folder: Path, mark: str) -> bool:
    return any(mark in path.read_text("utf-8", "replace") for path in folder.rglob("*.log"))


@pytest.mark.parametrize("case", CASES)
def test_the_runbooks_of_a_case_can_be_followed(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    assert faults(report.document["findings"], report.signals) == []
    code = "\n".join(
        text for book in filled_runbooks(report.document["findings"], report.signals) for text in code_of(book)
    )
    assert [name for name, mark in HELD_BY_LOGS.items() if name in code and mark_in(CORPUS / case, mark)] == []


MORE_AT_ONCE = ("setMaxBatchSize", "setMaxInFlightRequests", "setBulkFlushMaxActions", "withBatchSize", "batch.size:")


@pytest.mark.parametrize("case", CASES)
def test_a_system_that_refuses_is_not_sent_more_at_once(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    measured = [each["facts"] for each in report.signals if each["key"] == "outside_system" and "facts" in each]
    refused = sum(facts.get("refused", 0) for facts in measured)
    changes = [
        change["to"]
        for book in filled_runbooks(report.document["findings"], report.signals)
        for step in book["steps"]
        if not step["left_out"]
        for change in step["change"]
    ]
    assert not refused or not [each for each in changes if any(word in each for word in MORE_AT_ONCE)]


@pytest.mark.parametrize("case", CASES)
def test_a_checkpoint_that_flink_deleted_is_no_sure_start(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    deleted = jobs_with(report, "restarts", "final_state", "FAILED") & jobs_with(
        report, "settings", "retention", "NO_EXTERNALIZED_CHECKPOINTS"
    )
    sure = [
        change["to"]
        for finding in report.document["findings"]
        if deleted and finding["subject"].get("job") in {*deleted, None}
        for book in filled_runbooks([finding], report.signals)
        for step in book["steps"]
        for change in step["change"]
        if change["kind"] == "command" and "/chk-" in change["to"] and not change["only_if"]
    ]
    assert sure == []


def jobs_with(report: Report, key: str, fact: str, value: str) -> set[str | None]:
    """The jobs for which a fact has this value."""
    measured = [each for each in report.signals if each["key"] == key and "facts" in each]
    return {each["subject"].get("job") for each in measured if each["facts"].get(fact) == value}
