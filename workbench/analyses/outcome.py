"""Stores the result of an analysis, and denormalised copies on the case for list and search."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from diagnostics.diagnosis.fingerprint import LONGEST_VALUE, fingerprint, traits
from diagnostics.diagnosis.problem_time import problem_seen_at
from diagnostics.formats import FORMATS
from diagnostics.language import Text
from diagnostics.rules.shipped import shipped_rules
from diagnostics.symptoms import HEALTHY, symptom
from workbench.analyses.finished import analysis_finished
from workbench.analyses.health import weighed
from workbench.analyses.models import (
    Analysis,
    AnalysisStatus,
    ChartPoints,
    Citation,
    Finding,
    LogBookState,
    SampledStacks,
)
from workbench.analyses.publishing import end_publish
from workbench.cases.job_verdicts import job_verdicts
from workbench.cases.models import MOST_SEARCH_TEXT, Case, CaseTrait
from workbench.cases.service_levels import service_levels
from workbench.cases.services import case_lock, search_text_update
from workbench.tallies.counting import ANALYSES, count, stages_count
from workbench.untrusted.storable import storable
from workbench.uploads.models import UploadedFile

if TYPE_CHECKING:
    from diagnostics.analyze import Report


EVIDENCE_TRAITS = ("phase", "template")
"""Traits that come from signals and from the log book."""


@transaction.atomic
def report_save(*, analysis: Analysis, claim: UUID, report: Report, warnings: list[str]) -> bool:
    """Stores all results of the run in one transaction.

    Gives False, with nothing stored, when the run was cancelled or taken over meanwhile.
    """
    case_lock(analysis.case)
    analysis.refresh_from_db(fields=["queued_at", "started_at"])
    document = weighed(storable(report.document))
    waited = analysis.started_at - analysis.queued_at if analysis.started_at else timezone.now() - analysis.queued_at
    document["timing"]["queued_ms"] = max(round(waited.total_seconds() * 1000), 0)
    owned = Analysis.objects.filter(pk=analysis.pk, status=AnalysisStatus.RUNNING, claim=claim)
    kept = owned.update(
        status=AnalysisStatus.DONE,
        stage="Done",
        progress=1.0,
        detail="",
        error="",
        finished_at=timezone.now(),
        document=document,
        signals=storable(report.signals),
        inputs=storable(report.inputs),
        stage_ms=report.stage_ms,
        warnings=storable([*warnings, *report.warnings]),
        log_book=LogBookState.WAITING if _has_log_records(report) else LogBookState.NONE,
    )
    if not kept:
        return False
    ChartPoints.objects.bulk_create(
        ChartPoints(analysis=analysis, chart_id=chart_id, points=storable(points))
        for chart_id, points in report.charts.items()
    )
    if report.profiles:
        SampledStacks.objects.create(analysis=analysis, content=report.profiles)
    _findings_save(analysis, document["findings"])
    case_outcome_update(analysis.case)
    if analysis.snapshot == 1:
        evidence_traits_save(analysis.case, "phase", phases_in(report.signals, document))
    count(ANALYSES, AnalysisStatus.DONE)
    stages_count(report.stage_ms)
    analysis_finished.send(sender=Analysis, analysis_id=analysis.pk)
    end_publish(analysis.pk)
    return True


def _has_log_records(report: Report) -> bool:
    """Whether any file has a format with log records."""
    formats = (FORMATS.get(entry.get("format") or "") for entry in report.inputs if entry.get("records"))
    return any(each is not None and "log_record" in each.tables for each in formats)


def case_status_update(case: Case) -> None:
    """Copies the status of the latest analysis to the case, which the caller has locked; the diagnosis is the same."""
    case.analysis_status = _latest_status(case)
    case.save(update_fields=["analysis_status", "updated_at"])


def case_outcome_update(case: Case) -> None:
    """Copies the latest analysis, and the latest diagnosis, to the case, which the caller has locked."""
    diagnosed = case.analyses.done().defer("signals").first()
    case.analysis_status = _latest_status(case)
    repeat = _repeat(case, diagnosed.document) if diagnosed else None
    incident = case.analyses.done().filter(snapshot=1).defer("inputs").first()
    if incident:
        case.service_levels = service_levels(incident.document, incident.signals or ())
        case.fingerprint = fingerprint(incident.document)
        case.problem_seen_at = problem_seen_at(incident.document)
        traits_save(case, incident.document)
    case.save(
        update_fields=[
            "analysis_status",
            "verdict_class",
            "verdict_confidence",
            "verdict_summary",
            "severity",
            "health_score",
            "job_names",
            "job_verdicts",
            "service_levels",
            "flink_version",
            "fingerprint",
            "problem_seen_at",
            "updated_at",
        ]
    )
    search_text_update(case, repeat)


def _latest_status(case: Case) -> str | None:
    latest = case.analyses.light().first()
    return latest.status if latest else None


def phases_in(signals: Iterable[Mapping[str, Any]], document: Mapping[str, Any]) -> set[str]:
    """The longest phase of the checkpoints of each job, as the signal states it; none where it was not measured. Beside
    a job with trouble those of healthy jobs are no mark of the incident.
    """
    healthy = {job["job_id"] for job in document["jobs"] if job["verdict"]["symptom_class"] == HEALTHY}
    left_out = healthy if len(healthy) < len(document["jobs"]) else set()
    measured = (signal for signal in signals if signal["key"] == "checkpoint_phases" and "facts" in signal)
    of_trouble = (signal["facts"] for signal in measured if signal["subject"].get("job") not in left_out)
    return {facts["longest_phase"] for facts in of_trouble if facts.get("longest_phase")}


def evidence_traits_save(case: Case, kind: str, values: Iterable[str]) -> None:
    """Replaces the traits of one kind of EVIDENCE_TRAITS, which are not in the document."""
    case.traits.filter(kind=kind).delete()
    distinct = sorted({storable(value)[:LONGEST_VALUE] for value in values})
    CaseTrait.objects.bulk_create(CaseTrait(case=case, kind=kind, value=value) for value in distinct)


def traits_save(case: Case, document: Mapping[str, Any]) -> None:
    """Stores the traits of the document by which cases are compared."""
    found = {(trait.kind, trait.value) for trait in traits(document)}
    kept = {(row.kind, row.value): row for row in case.traits.exclude(kind__in=EVIDENCE_TRAITS)}
    CaseTrait.objects.filter(pk__in=[row.pk for name, row in kept.items() if name not in found]).delete()
    CaseTrait.objects.bulk_create(
        CaseTrait(case=case, kind=kind, value=value) for kind, value in sorted(found - kept.keys())
    )


def _repeat(case: Case, document: dict[str, Any]) -> str:
    """Sets the columns of the case; gives its text for searching."""
    verdict, findings = document["verdict"], document["findings"]
    case.verdict_class = verdict["symptom_class"]
    case.verdict_confidence = verdict["confidence"]
    case.verdict_summary = verdict["summary"]
    case.severity = findings[0]["severity"] if findings else None
    case.health_score = document["health"]["score"]
    case.job_names = "\n".join(dict.fromkeys(job["name"] for job in document["jobs"] if job["name"]))
    case.job_verdicts = job_verdicts(document)
    versions = (entry.get("flink_version") for entry in document["inputs"])
    case.flink_version = next((version[:50] for version in versions if version), None)
    return "\n".join(_search_words(document))[:MOST_SEARCH_TEXT]


def _search_words(document: dict[str, Any]) -> Iterator[str]:
    """The words of a diagnosis that people search for, the most important first."""
    for job in document["jobs"]:
        yield from (part for part in (job["name"], job["job_id"]) if part)
    titles = {rule.id: rule.title for rule in shipped_rules()}
    for finding in document["findings"]:
        yield finding["title"]
        yield finding["statement"]
        yield from _translations(titles.get(finding["rule"]["id"], ""))
        yield from _translations(symptom(finding["symptom_class"]).title)
        yield from (str(part) for part in finding["subject"].values())
    for finding in document["findings"]:
        yield from (entry["text"] for entry in finding["evidence"] if entry.get("text"))
    yield from (entry["file"] for entry in document["inputs"])


def _translations(text: str) -> Iterator[str]:
    """The text in the other languages: what is stored is English, and readers search in their own."""
    if isinstance(text, Text):
        yield from text.translations.values()


def _findings_save(analysis: Analysis, findings: list[dict[str, Any]]) -> None:
    rows = Finding.objects.bulk_create(_finding(analysis, position, entry) for position, entry in enumerate(findings))
    for row, entry in zip(rows, findings, strict=True):
        if entry["caused_by"] is not None:
            row.caused_by = rows[entry["caused_by"]]
    Finding.objects.bulk_update(rows, ["caused_by"])
    # Longest name first: `logs.zip!/a` is in `logs.zip`, even if another file's name begins the same.
    files = sorted(analysis.files.all(), key=lambda file: len(file.name), reverse=True)
    Citation.objects.bulk_create(
        _citation(row, position, evidence, files)
        for row, entry in zip(rows, findings, strict=True)
        for position, evidence in enumerate(entry["evidence"])
    )


def _finding(analysis: Analysis, position: int, entry: dict[str, Any]) -> Finding:
    return Finding(
        analysis=analysis,
        position=position,
        symptom_class=entry["symptom_class"],
        confidence=entry["confidence"],
        severity=entry["severity"],
        role=entry["role"],
        title=entry["title"],
        statement=entry["statement"],
        subject=entry["subject"],
        facts=entry["facts"],
        rule_id=entry["rule"]["id"],
        rule_version=entry["rule"]["version"],
        runbook=entry["runbook"],
    )


def _citation(finding: Finding, position: int, entry: dict[str, Any], files: list[UploadedFile]) -> Citation:
    moment = entry.get("ts")
    return Citation(
        finding=finding,
        position=position,
        file=next((file for file in files if file.holds(entry["file"])), None),
        path=entry["file"],
        line=entry.get("line"),
        last_line=entry.get("last_line"),
        pointer=entry.get("pointer"),
        kind=entry["kind"],
        ts=datetime.fromisoformat(moment) if moment else None,
        text=entry.get("text", ""),
        name=entry.get("name"),
        value=entry.get("value"),
    )
