"""A second person's approval of rules: the setting, and the drafts that wait for it."""

from __future__ import annotations

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from diagnostics.errors import InvalidRule
from workbench.accounts.requests import SignedInRequest
from workbench.languages.sentences import say
from workbench.rule_pages.forms import ReasonForm
from workbench.rule_pages.permission import for_rule_editors
from workbench.rules import approval as approving
from workbench.rules.models import ApprovalSetting, Draft
from workbench.untrusted.whole_number import whole_number


@for_rule_editors
def approval(request: SignedInRequest) -> HttpResponse:
    """The drafts that wait, and the setting, which administrators change."""
    if request.method == "POST":
        if not request.user.is_administrator:
            raise PermissionDenied(say("Only administrators decide whether rules need approval."))
        form = ReasonForm(request.POST)
        if form.is_valid():
            needed = request.POST.get("needed") == "1"
            approving.setting_change(user=request.user, is_needed=needed, reason=form.cleaned_data["reason"])
            messages.success(
                request, say("A second person approves rules now.") if needed else say("Rules need no approval now.")
            )
            return redirect("rules:approval")
        messages.error(request, say("State why, in up to 500 characters."))
    context = {
        "waiting": Draft.objects.awaiting_approval().select_related("rule", "author", "asked_by"),
        "is_needed": approving.approval_needed(),
        "changes": ApprovalSetting.objects.select_related("by")[:20],
    }
    return render(request, "rule_pages/approval.html", context)


@for_rule_editors
@require_POST
def approve(request: SignedInRequest, draft_id: int) -> HttpResponse:
    """Publishes the draft that waits, in the revision that was read; or sends it back (`send-back`)."""
    draft = get_object_or_404(Draft.objects.select_related("rule", "base__rule", "author", "asked_by"), pk=draft_id)
    form = ReasonForm(request.POST)
    try:
        if request.POST.get("what") == "send-back":
            reason = form.cleaned_data["reason"] if form.is_valid() else ""
            approving.draft_send_back(draft=draft, user=request.user, reason=reason)
            messages.success(request, say("The draft is sent back to its author."))
            return redirect("rules:draft", draft_id)
        version = approving.draft_approve(
            draft=draft, user=request.user, revision=whole_number(request.POST.get("revision", "")) or 0
        )
    except approving.MayNotApprove as error:
        messages.error(request, str(error))
    except InvalidRule as error:
        for each in error.errors:
            messages.error(request, say("Not published. {each}", each=each))
    else:
        messages.success(
            request, say("{rule} version {number} is published.", rule=version.rule, number=version.number)
        )
        return redirect("rules:detail", version.rule.rule_id)
    return redirect("rules:draft", draft_id)
