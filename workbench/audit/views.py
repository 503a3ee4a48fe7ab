"""The audit log for administrators, as a page and as a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpResponse, StreamingHttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_GET

from workbench.accounts.requests import SignedInRequest
from workbench.audit.models import AuditEntry
from workbench.audit.selectors import FILTERS, entries_matching, rows_as_csv, rows_as_json_lines
from workbench.languages.sentences import say

PAGE = 100
FORMS: dict[str, tuple[str, Callable[[QuerySet[AuditEntry]], Iterator[str]]]] = {
    "csv": ("text/csv; charset=utf-8", rows_as_csv),
    "jsonl": ("application/x-ndjson; charset=utf-8", rows_as_json_lines),
}
"""Ending of the file -> its type, and what writes its lines."""


@login_required
@require_GET
def log(request: SignedInRequest) -> HttpResponse:
    """The entries that fit the filters, the newest first."""
    _administrators_only(request)
    page = Paginator(entries_matching(request.GET.dict()), PAGE).get_page(request.GET.get("page"))
    asked = {name: request.GET.get(name, "") for name in FILTERS}
    return render(
        request, "audit/log.html", {"page": page, "asked": asked, "forms": FORMS, "kept_days": settings.KEEP_AUDIT_DAYS}
    )


@login_required
@require_GET
def export(request: SignedInRequest, form: str) -> HttpResponseBase:
    """The same entries as a file, the oldest first."""
    _administrators_only(request)
    if form not in FORMS:
        raise Http404(say("The audit log comes as csv or jsonl."))
    content_type, lines = FORMS[form]
    answer = StreamingHttpResponse(lines(entries_matching(request.GET.dict())), content_type=content_type)
    answer.headers["Content-Disposition"] = f'attachment; filename="audit-{timezone.now():%Y%m%d-%H%M%S}.{form}"'
    return answer


def _administrators_only(request: SignedInRequest) -> None:
    if not request.user.is_administrator:
        raise PermissionDenied(say("Only administrators read the audit log."))
