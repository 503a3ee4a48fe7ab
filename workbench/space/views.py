"""The page on which administrators see the disk usage, and delete or keep the evidence of a case."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_GET, require_POST

from diagnostics.wording.phrase import size as size_text
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.retention import CannotDelete, evidence_delete
from workbench.cases.models import Case
from workbench.cases.services import evidence_keep
from workbench.languages.sentences import say
from workbench.space.selectors import cases_by_space, space_used

CASES_ON_A_PAGE = 50


@login_required
@require_GET
def overview(request: SignedInRequest) -> HttpResponse:
    """The disk usage, and the cases by size."""
    _administrators_only(request)
    page = Paginator(cases_by_space(), CASES_ON_A_PAGE).get_page(request.GET.get("page", 1))
    return render(request, "space/overview.html", {"used": space_used(), "page": page})


@login_required
@require_POST
def change(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Deletes the files of a case (`delete`), or sets (`keep`) or clears (`let-go`) the mark to keep them."""
    _administrators_only(request)
    case = get_object_or_404(Case.objects.visible_to(request.user), pk=case_id)
    what = request.POST.get("what")
    try:
        if what == "delete":
            held = sum(case.files.filter(deleted_at=None).values_list("bytes", flat=True))
            evidence_delete(case=case, user=request.user)
            messages.success(
                request,
                say(
                    "{held} of case {case_id} were deleted. The diagnosis stays.", held=size_text(held), case_id=case_id
                ),
            )
        elif what in ("keep", "let-go"):
            evidence_keep(case=case, user=request.user, is_kept=what == "keep")
    except CannotDelete as error:
        messages.error(request, str(error))
    return redirect("space:overview")


def _administrators_only(request: SignedInRequest) -> None:
    if not request.user.is_administrator:
        raise PermissionDenied(say("Only administrators see what takes the disk."))
