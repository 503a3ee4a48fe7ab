"""The texts of an analysis that a person reads: captions of charts, sentences of findings, steps of runbooks."""

from __future__ import annotations

from typing import NamedTuple

from diagnostics.analyze import Report
from diagnostics.charts import CHARTS
from tests.reading.runbook_faults import filled_runbooks, sentences_of
from tests.reading.sentence_faults import internal_names, sentence_faults


class ReportTexts(NamedTuple):
    """Captions of the charts, sentences of the findings, and sentences of the runbooks."""

    captions: list[str]
    said: list[str]
    steps: list[str]

    @property
    def faults(self) -> list[str]:
        """What is wrong in captions and findings, each with its text; runbooks are read in `runbook_faults`."""
        return [
            *(fault for text in self.captions for fault in sentence_faults(text)),
            *(fault for text in (*self.captions, *self.said) for fault in internal_names(text)),
        ]


def texts_of_report(report: Report) -> ReportTexts:
    """The texts of one analysis."""
    findings = report.document["findings"]
    return ReportTexts(
        [CHARTS[chart_id].summary(points) for chart_id, points in report.charts.items()],
        [text for each in findings for text in (each["statement"], each["first_step"] or "")],
        [text for book in filled_runbooks(findings, report.signals) for text in sentences_of(book)],
    )
