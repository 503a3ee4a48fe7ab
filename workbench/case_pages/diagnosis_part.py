"""The part of a case page that shows its diagnosis: rendered once, stored, and read by everybody after.

Rendering it takes most of the processor time of a case page, and what it shows changes seldom. It depends on the
diagnosis and on what people did about it, on the language, and on whether its reader may change the case; on nothing
else of the reader. The digest of all that is stored with it, so that a rendering of another state is never shown.
"""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from diagnostics.diagnosis.job_parts import evidence_to_add, parts_of_jobs
from diagnostics.language import reader_language
from workbench.analyses.after_restarts import to_reconcile
from workbench.analyses.guarantee import guarantee_shown
from workbench.analyses.measured_impact import measured_impact
from workbench.analyses.models import Analysis, RenderedDiagnosis
from workbench.analyses.reading import document_read
from workbench.analyses.selectors import offset_min
from workbench.case_pages.checkpoint_vitals import checkpoint_vitals
from workbench.case_pages.dimensions import dimensions_not_measured
from workbench.case_pages.inputs import LeftOut, inputs_shown, left_out_shown
from workbench.case_pages.presentation import causes_shown, checks_shown, jobs_shown, runbooks_of
from workbench.case_pages.verdict import job_verdicts_shown, verdict_shown
from workbench.cases.service_levels import service_levels
from workbench.charts.selectors import charts_shown, key_charts
from workbench.history.case_records import CaseRecords
from workbench.history.objectives import attained
from workbench.history.similar import fingerprint_words
from workbench.machine.code_version import code_version
from workbench.profiles.selectors import has_stacks
from workbench.rules.health_weights import weights_in_force
from workbench.rules.runbook_texts import runbooks_edited
from workbench.runbooks.placeholders import plan_placeholders, value_fields
from workbench.runbooks.plans import plans_shown

VERDICT, SECTIONS = "case_pages/_verdict.html", "case_pages/_sections.html"
"""The templates. What they show beside the diagnosis has to be in `_state`."""


@dataclass(frozen=True, slots=True)
class DiagnosisPart:
    """What the page shows of a diagnosis, and what the rest of the page needs to know of it.

    verdict, sections  HTML: the verdict; charts, findings, missing evidence and files
    symptom_class      of the verdict
    has_charts, has_plans, has_missing  which sections there are
    measured_impact    as of `measured_impact`
    fingerprint        as of `fingerprint_words`; empty for later snapshots
    left_out           as of `left_out_shown`
    """

    verdict: SafeString
    sections: SafeString
    symptom_class: str
    has_charts: bool
    has_plans: bool
    has_missing: bool
    measured_impact: Sequence[str]
    fingerprint: Sequence[str]
    left_out: LeftOut | None

    def to_bytes(self) -> bytes:
        """For `from_bytes`."""
        return zlib.compress(json.dumps(asdict(self)).encode())

    @classmethod
    def from_bytes(cls, content: bytes) -> DiagnosisPart:
        """What `to_bytes` gave; its HTML was escaped when it was rendered."""
        stored: dict[str, Any] = json.loads(zlib.decompress(content))
        html = {name: SafeString(stored[name]) for name in ("verdict", "sections")}
        left_out = LeftOut(**stored["left_out"]) if stored["left_out"] else None
        return cls(**{**stored, **html, "left_out": left_out})


def diagnosis_part(analysis: Analysis, records: CaseRecords, *, may_change: bool) -> DiagnosisPart:
    """The stored part, if nothing of what it shows has changed; else it is rendered and stored.

    While the scores of the history are computed again, nothing is stored: which weights a score is of is not known.

    analysis  without its large columns, which are read when it is rendered
    """
    weights, are_applied = weights_in_force()
    state = _state(analysis, records, weights)
    key = {"analysis": analysis, "language": reader_language(), "may_change": may_change}
    stored = RenderedDiagnosis.objects.filter(**key, state=state).values_list("content", flat=True).first()
    if stored is not None and are_applied:
        return DiagnosisPart.from_bytes(bytes(stored))
    analysis.refresh_from_db(fields=["document", "signals"])
    analysis.document = document_read(analysis)  # never saved: this page only reads
    part = _rendered(analysis, records, may_change=may_change)
    if are_applied and not settings.DEBUG:  # templates change while one works on them
        with suppress(DatabaseError):  # of a read-only database, or a case that is being deleted
            RenderedDiagnosis.objects.bulk_create(
                [RenderedDiagnosis(**key, state=state, content=part.to_bytes())],
                update_conflicts=True,
                unique_fields=list(key),
                update_fields=["state", "content"],
            )
    return part


def _state(analysis: Analysis, records: CaseRecords, weights: int | None) -> str:
    """A digest of all that the part shows, but for the language and the right to change the case."""
    case = records.case
    objective = getattr(case.team, "objective", None)
    parts = (
        code_version(),
        analysis.finished_at,
        weights,
        case.required_guarantee,
        objective and (case.team.name, objective.failed_share, objective.latency_ms),
        runbooks_edited(),
        [each.pk for each in records.diagnosed if each.snapshot > analysis.snapshot],
        [(each.pk, each.snapshot, each.name, each.removed_at, each.deleted_at) for each in records.files],
        [(each.pk, each.state, each.answer) for each in records.steps],
        [(each.pk, each.name, str(each.source), each.began_ms, each.resolved_ms) for each in records.alerts],
    )
    return hashlib.sha256(repr(parts).encode()).hexdigest()


def _rendered(analysis: Analysis, records: CaseRecords, *, may_change: bool) -> DiagnosisPart:
    document = analysis.document
    context = {"diagnosed": analysis, "alerts": records.alerts, "may_change": may_change, **_shown(analysis, records)}
    return DiagnosisPart(
        verdict=render_to_string(VERDICT, context),
        sections=render_to_string(SECTIONS, context),
        symptom_class=document["verdict"]["symptom_class"],
        has_charts=bool(context["key_charts"] or context["more_charts"]),
        has_plans=bool(context["plans"]),
        has_missing=bool(context["to_add"]),
        measured_impact=measured_impact(analysis),
        fingerprint=fingerprint_words(document) if analysis.snapshot == 1 else [],
        left_out=left_out_shown(document),
    )


def _shown(analysis: Analysis, records: CaseRecords) -> Mapping[str, Any]:
    """What the templates show."""
    case, document = records.case, analysis.document
    files = [file for file in records.files if file.snapshot == analysis.snapshot and file.removed_at is None]
    drawn, empty, span = charts_shown(analysis)
    lead_charts = key_charts(drawn, document)
    jobs = jobs_shown(analysis, records)
    plans = plans_shown(analysis, runbooks_of(jobs))
    parts = parts_of_jobs(document)
    objective = getattr(case.team, "objective", None)
    return {
        "document": document,
        "linked_terms": set(),
        "jobs": jobs,
        "verdict": verdict_shown(document, jobs),
        "job_verdicts": job_verdicts_shown(document, jobs),
        "undecided": [each for each in parts if each.hypotheses],
        "undecided_alone": [
            each
            for each in parts
            if each.hypotheses and not each.is_first and each.job_id not in {job.job_id for job in jobs}
        ],
        "looked_at": [each for each in parts if each.looked_at],
        "to_add": evidence_to_add(parts),
        "guarantee": guarantee_shown(case, analysis),
        "required_guarantee": case.get_required_guarantee_display(),
        "checks": checks_shown(document),
        "objectives": attained(objective, service_levels(document, analysis.signals or ())),
        "team_name": case.team.name,
        "causes": causes_shown(document),
        "plans": plans,
        "to_reconcile": to_reconcile(analysis, [each["job_id"] for each in document["jobs"]]),
        "plan_placeholders": value_fields(plan_placeholders(each.shown for each in plans)),
        "checkpoint_vitals": checkpoint_vitals(analysis),
        "not_measured": dimensions_not_measured(analysis),
        "key_charts": lead_charts,
        "more_charts": [each for each in drawn if each not in lead_charts],
        "empty_charts": [(chart, chart.why_empty(analysis.signals or ())) for chart in empty],
        "span": span,
        "offset_min": offset_min(document["inputs"]),
        "has_stacks": has_stacks(analysis),
        "severity": document["findings"][0]["severity"] if document["findings"] else None,
        "inputs": inputs_shown(document, {file.name: file.pk for file in files}),
    }
