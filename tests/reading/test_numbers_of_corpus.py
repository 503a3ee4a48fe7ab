"""A ratio of time in a chart's caption names its statistic: a finding has the number of another window."""

from __future__ import annotations

import re

import pytest

from diagnostics.charts import CHARTS
from tests.diagnosed_corpus import CASES, CorpusReport
from tests.reading.quantities import contradictions
from tests.reading.report_texts import texts_of_report

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


def test_two_numbers_for_one_quantity_are_seen() -> None:
    texts = ["tm-1: 105 pauses, 84 of them full collections.", "The heap is too small: tm-1 made 82 full GCs (41 s)."]
    assert contradictions(texts) == {"full collections of the worst TaskManager": {"84", "82"}}
    assert contradictions(texts[:1] * 2) == {}


@pytest.mark.spark
@pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")
@pytest.mark.parametrize("case", CASES)
def test_captions_name_the_statistic_and_a_fact_has_one_value(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)

    captions = {chart_id: CHARTS[chart_id].summary(points) for chart_id, points in report.charts.items()}
    assert {name: caption for name, caption in captions.items() if unqualified(caption)} == {}

    values: dict[tuple[str, str], set[str]] = {}
    for finding in report.document["findings"]:
        for check in finding["checks"]:
            key = (check["fact"], str(sorted(finding["subject"].items(), key=repr)))
            values.setdefault(key, set()).add(str(check["value"]))
    assert {key: numbers for key, numbers in values.items() if len(numbers) > 1} == {}


@pytest.mark.spark
@pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")
@pytest.mark.parametrize("case", CASES)
def test_findings_captions_and_runbooks_of_a_job_state_one_number(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    texts = texts_of_report(report)
    assert texts.faults == []
    if len(report.document["jobs"]) == 1:
        assert contradictions([*texts.captions, *texts.said, *texts.steps]) == {}


@pytest.mark.spark
@pytest.mark.skipif("healthy_bursty-2x" not in CASES, reason="the corpus is not on this machine")
def test_a_load_in_bursts_is_told_when_its_last_windows_end(corpus_report: CorpusReport) -> None:
    summary = corpus_report("healthy_bursty-2x").document["verdict"]["summary"]
    assert "The load comes in bursts, about one every 12 s" in summary
    assert "Windows of event time that a burst leaves open end with the next one." in summary
