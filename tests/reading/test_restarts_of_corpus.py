"""The commands that restart processes and jobs, in the runbooks of every corpus case."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from diagnostics.analyze import Report
from tests.diagnosed_corpus import CASES, CorpusReport
from tests.reading.runbook_faults import filled_runbooks

pytestmark = [pytest.mark.spark, pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")]

BARE = re.compile(r"(?<!JVM_ARGS=)(?:^|&& )\S*manager\.sh start(?: +(?:&&|#)|$)")
"""A start without options."""


def lines_of(report: Report) -> Iterator[str]:
    """Each line that a reader pastes: of a restart, or of a change in a shell."""
    for book in filled_runbooks(report.document["findings"], report.signals):
        for step in book["steps"]:
            if step["savepoint"]:
                yield from step["savepoint"]["command"].splitlines()
            yield from (
                line for each in step["change"] if each["kind"] == "command" for line in each["to"].splitlines()
            )


@pytest.mark.parametrize("case", CASES)
def test_no_process_starts_without_the_options_that_it_had(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    for kind, script in (("jobmanager", "jobmanager.sh"), ("task_manager", "taskmanager.sh")):
        told = (f"{kind}_arguments", f"{kind}_jvm_options")
        had = [each["facts"] for each in report.signals if each["key"] == "deployment" and "facts" in each]
        if any(facts.get(name) for facts in had for name in told):
            starts = [line for line in lines_of(report) if f"{script} start" in line and not line.startswith("# ")]
            assert [line for line in starts if BARE.search(line)] == []


@pytest.mark.parametrize("case", CASES)
def test_a_job_is_listed_apart_from_its_start(case: str, corpus_report: CorpusReport) -> None:
    assert [line for line in lines_of(corpus_report(case)) if re.search(r"flink list\b", line)] == []


@pytest.mark.parametrize("case", [each for each in CASES if each.startswith("network_partition")])
def test_a_checkpoint_that_flink_deletes_is_looked_for_in_the_line_of_the_start(
    case: str, corpus_report: CorpusReport
) -> None:
    lines = list(lines_of(corpus_report(case)))
    assert [line for line in lines if line.startswith("ls ") and " && " in line and " run -d " in line]
    assert [line for line in lines if re.match(r"ls \S+/_metadata +#", line)] == []


@pytest.mark.parametrize("case", [each for each in CASES if each.startswith("checkpoint_declined")])
def test_what_restarts_took_from_a_source_that_makes_its_records_is_a_remark_that_follows_from_the_root_cause(
    case: str, corpus_report: CorpusReport
) -> None:
    findings = corpus_report(case).document["findings"]
    [lost] = [each for each in findings if each["rule"]["id"] == "restart.lost"]
    assert (lost["severity"], findings[lost["caused_by"]]["role"]) == ("info", "root_cause")
