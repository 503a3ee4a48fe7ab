"""The stored result of a finished analysis."""

from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.workbench.diagnosed import diagnosed_case, stored_file
from tests.workbench.people import People
from workbench.analyses.models import AnalysisStatus, Citation
from workbench.analyses.services import analysis_claim, analysis_request
from workbench.cases.selectors import cases_matching
from workbench.untrusted.storable import storable


def test_the_report_is_stored_as_document_rows_and_chart_points(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    assert (analysis.status, analysis.progress, analysis.stage_ms) == (AnalysisStatus.DONE, 1.0, {"read_ms": 5})
    assert analysis.document["verdict"]["symptom_class"] == "data_skew"
    assert analysis.document["timing"]["queued_ms"] >= 0
    assert analysis.warnings == ["chart 'x' could not be drawn"]
    assert [chart.chart_id for chart in analysis.charts.all()] == ["log-volume"]
    finding = analysis.findings.get()
    assert (finding.symptom_class, finding.rule_id, finding.rule_version) == ("data_skew", "skew.test", 1)
    assert finding.facts["skew_ratio"] == 4.0


def test_a_citation_points_to_the_line_of_the_stored_file(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    citation = Citation.objects.get()
    file = analysis.files.get()
    assert (citation.file, citation.line, citation.last_line) == (file, 2, 3)
    assert citation.get_absolute_url() == f"/uploads/{file.pk}/lines/2/?to=3"


def test_a_citation_inside_an_archive_names_the_member(people: People) -> None:
    case = diagnosed_case(people.alice).case
    archive = stored_file(case, people.alice, name="bundle.zip")
    citation = Citation(file=archive, path="bundle.zip!/logs/jm.log", line=7, pointer=None)
    assert archive.holds(citation.path)
    assert not archive.holds("bundle.zip.log")
    assert citation.get_absolute_url() == f"/uploads/{archive.pk}/lines/7/?member=bundle.zip%21%2Flogs%2Fjm.log"


def test_the_case_copies_the_verdict_and_is_searchable_by_findings(people: People) -> None:
    case = diagnosed_case(people.alice).case
    case.refresh_from_db()
    assert (case.analysis_status, case.verdict_class, case.severity) == ("done", "data_skew", "critical")
    assert (case.job_names, case.flink_version) == ("Orders", "1.20.5")
    assert case.health_score is not None
    for text in ("orders", "window skew", "logs/tm.log", "a" * 32, "numrecordsin"):
        assert list(cases_matching(people.alice, {"text": text})) == [case], text


def test_a_run_that_begins_changes_the_status_of_its_case_and_reads_no_diagnosis(people: People) -> None:
    case = diagnosed_case(people.alice).case
    with CaptureQueriesContext(connection) as asked:
        claim = analysis_claim(analysis_request(case=case, user=people.alice))
    assert claim is not None
    case.refresh_from_db()
    assert (case.analysis_status, case.verdict_class) == ("running", "data_skew")
    read = [each["sql"].partition(" FROM ")[0] for each in asked.captured_queries if each["sql"].startswith("SELECT")]
    assert [columns for columns in read if "searchtext" in columns or '"document"' in columns] == []


def test_what_a_database_cannot_hold_is_replaced(people: People) -> None:
    assert storable({"a\x00": ["x\x00", float("nan"), float("inf"), "\ud800", 1.5, None, True]}) == {
        "a\ufffd": ["x\ufffd", None, None, "?", 1.5, None, True]
    }
    assert Citation.objects.count() == 0
    diagnosed_case(people.alice)
    assert Citation.objects.get().text == "numRecordsIn 900 \ufffd"
