"""Pages of a case's reports, and the import of a bundle."""

from __future__ import annotations

import json
from typing import Any, BinaryIO, cast

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse
from django.views.decorators.http import require_GET

from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import Analysis
from workbench.analyses.selectors import analysis_visible
from workbench.cases.impact import IMPACT_COLUMNS
from workbench.cases.models import Case
from workbench.cases.selectors import case_visible
from workbench.languages.sentences import say
from workbench.reports import bundle as bundles
from workbench.reports.content import Report, report_of, reported_finding
from workbench.reports.drawings import lead_drawings
from workbench.reports.markdown import as_markdown, as_post_mortem, finding_as_markdown, step_as_markdown
from workbench.runbooks.filling import steps_shown
from workbench.runbooks.selectors import finding_at
from workbench.uploads.refusals import UploadRefused


@login_required
@require_GET
def report(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The report as text to copy, with downloads of every form."""
    case = case_visible(request.user, case_id)
    report, address = report_of(case), _address(request, case)
    context = {
        "case": case,
        "markdown": as_markdown(report, address),
        "post_mortem": "" if report.is_healthy else as_post_mortem(report, address),
        "has_bundle": bundles.bundled_analysis(case) is not None,
    }
    return render(request, "reports/detail.html", context)


@login_required
@require_GET
def markdown(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The report as a Markdown file."""
    case = case_visible(request.user, case_id)
    return _file(as_markdown(report_of(case), _address(request, case)), case, "report.md", "text/markdown")


@login_required
@require_GET
def post_mortem(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The post-mortem draft as a Markdown file."""
    case = case_visible(request.user, case_id)
    return _file(as_post_mortem(report_of(case), _address(request, case)), case, "post-mortem.md", "text/markdown")


@login_required
@require_GET
def finding(request: SignedInRequest, analysis_id: int, position: int) -> HttpResponse:
    """One finding as Markdown."""
    analysis = analysis_visible(request.user, analysis_id)
    address = f"{_address(request, analysis.case)}{_snapshot(analysis)}#finding-{position}"
    text = finding_as_markdown(reported_finding(finding_at(analysis, position)), address)
    return _file(text, analysis.case, f"finding-{position}.md", "text/markdown")


@login_required
@require_GET
def step(request: SignedInRequest, analysis_id: int, position: int, step_id: str) -> HttpResponse:
    """One step of a finding's runbook as Markdown, filled with the values of the case."""
    analysis = analysis_visible(request.user, analysis_id)
    _, steps = steps_shown(analysis, finding_at(analysis, position)) or ({}, [])
    shown = next((each for each in steps if each.content["id"] == step_id), None)
    if shown is None:
        raise Http404(say("There is no such step."))
    runbook = request.build_absolute_uri(reverse("runbooks:detail", args=[analysis_id, position]))
    text = step_as_markdown(shown, f"{runbook}#step-{step_id}")
    return _file(text, analysis.case, f"step-{step_id}.md", "text/markdown")


def _snapshot(analysis: Analysis) -> str:
    return f"?snapshot={analysis.snapshot}" if analysis.snapshot > 1 else ""


@login_required
@require_GET
def html(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The report as a self-contained HTML file."""
    case = case_visible(request.user, case_id)
    report = report_of(case)
    drawings = lead_drawings(report.incident) if report.incident else []
    context = {"report": report, "address": _address(request, case), "drawings": drawings}
    return _file(render_to_string("reports/report.html", context), case, "report.html", "text/html")


@login_required
@require_GET
def pdf(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The report as PDF."""
    # Imported here, because loading its fonts is slow and only needed for this page.
    from workbench.reports.pdf import as_pdf

    case = case_visible(request.user, case_id)
    return _file(as_pdf(report_of(case), _address(request, case)), case, "report.pdf", "application/pdf")


@login_required
@require_GET
def as_json(request: SignedInRequest, case_id: int) -> HttpResponse:
    """The case, its timeline and its diagnosis as JSON."""
    case = case_visible(request.user, case_id)
    text = json.dumps(_values(report_of(case), _address(request, case)), indent=2, ensure_ascii=False)
    return _file(text, case, "report.json", "application/json")


@login_required
@require_GET
def bundle(request: SignedInRequest, case_id: int) -> StreamingHttpResponse:
    """Files, rules and verdict of the incident as an archive."""
    case = case_visible(request.user, case_id)
    analysis = bundles.bundled_analysis(case)
    if analysis is None:
        raise Http404(say("There is no diagnosis that could run again."))
    answer = StreamingHttpResponse(bundles.bundle_pieces(analysis), content_type="application/zip")
    answer.headers["Content-Disposition"] = f'attachment; filename="case-{case.pk}-bundle.zip"'
    return answer


@login_required
def bundle_import(request: SignedInRequest) -> HttpResponse:
    """Opens a case from a bundle."""
    if not request.user.may_change_cases:
        raise PermissionDenied(say("Your role may read cases, not open them."))
    if request.method == "POST":
        file = request.FILES.get("bundle")
        try:
            if file is None or file.file is None:
                raise bundles.BundleRefused(say("Choose a bundle."))
            case = bundles.bundle_import(user=request.user, content=cast("BinaryIO", file.file))
        except (bundles.BundleRefused, UploadRefused) as error:
            messages.error(request, str(error))
        except ValidationError as error:
            messages.error(request, " ".join(error.messages))
        else:
            return redirect(case)
    return render(request, "reports/import.html")


def _values(report: Report, address: str) -> dict[str, Any]:
    case = report.case
    return {
        "schema": 1,
        "case": {
            "id": case.pk,
            "address": address,
            "title": case.read_title,
            "status": case.status,
            "owner": case.owner.get_username(),
            "team": case.team.name,
            "created_at": case.created_at.isoformat(),
            "closed_at": case.closed_at.isoformat() if case.closed_at else None,
            "confirmed_class": case.confirmed_class,
            "what_fixed_it": case.what_fixed_it or None,
            "impact": {column: getattr(case, column) for column in IMPACT_COLUMNS},
            "fingerprint": case.fingerprint,
        },
        "timeline": [
            {
                "at": entry.at.isoformat(),
                "by": entry.by.get_username() if entry.by else None,
                "text": entry.text,
                "detail": entry.detail or None,
            }
            for entry in report.timeline
        ],
        "actions": [{"what": what, "who": who, "done": is_done} for what, who, is_done in report.actions],
        "later": [{"change": change, "verdict": verdict} for change, verdict in report.later],
        "diagnosis": report.document,
    }


def _address(request: SignedInRequest, case: Case) -> str:
    return request.build_absolute_uri(case.get_absolute_url())


def _file(content: str | bytes, case: Case, name: str, content_type: str) -> HttpResponse:
    answer = HttpResponse(
        content, content_type=f"{content_type}; charset=utf-8" if isinstance(content, str) else content_type
    )
    answer.headers["Content-Disposition"] = f'attachment; filename="case-{case.pk}-{name}"'
    return answer
