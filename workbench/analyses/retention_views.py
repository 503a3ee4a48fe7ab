"""The page for deleting the evidence of a case, or the whole case."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db.models import Sum
from django.http import HttpResponse
from django.shortcuts import redirect, render

from workbench.accounts.requests import SignedInRequest
from workbench.analyses.retention import CannotDelete, case_delete, evidence_delete
from workbench.cases.holds import OnHold, require_no_hold
from workbench.cases.selectors import case_to_change
from workbench.languages.sentences import say
from workbench.uploads.models import UploadedFile


@login_required
def delete_case(request: SignedInRequest, case_id: int) -> HttpResponse:
    """Asks for confirmation; the whole case only by an administrator who types its number."""
    case = case_to_change(request.user, case_id)
    if request.method == "POST":
        try:
            if request.POST.get("what") == "evidence":
                count = evidence_delete(case=case, user=request.user)
                messages.success(request, say("{count} files were deleted. The diagnosis stays.", count=count))
                return redirect(case)
            if not request.user.is_administrator:
                raise PermissionDenied(say("Only administrators delete whole cases."))
            if request.POST.get("number") != str(case_id):
                raise CannotDelete(say("Type the number of the case to delete it."))
            case_delete(case=case)
            messages.success(request, say("Case {case_id} was deleted.", case_id=case_id))
            return redirect("cases:list")
        except CannotDelete as error:
            messages.error(request, str(error))
            return redirect("delete_case", case_id)
    try:
        require_no_hold(case.team_id)
        hold = ""
    except OnHold as error:
        hold = str(error)
    files = UploadedFile.objects.filter(case=case, deleted_at=None)
    held = files.aggregate(bytes=Sum("bytes"))["bytes"] or 0
    return render(request, "case_pages/delete.html", {"case": case, "files": files.count(), "held": held, "hold": hold})
