"""The runbooks of every corpus case read well."""

from __future__ import annotations

import pytest

from tests.diagnosed_corpus import CASES, CorpusReport
from tests.reading.runbook_faults import faults

pytestmark = [pytest.mark.spark, pytest.mark.skipif(not CASES, reason="the corpus is not on this machine")]


@pytest.mark.parametrize("case", CASES)
def test_the_runbooks_of_a_case_can_be_followed(case: str, corpus_report: CorpusReport) -> None:
    report = corpus_report(case)
    assert faults(report.document["findings"], report.signals) == []
