"""A second person's approval before a text of a rule or runbook counts, where an administrator wants it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from diagnostics.errors import InvalidRule
from workbench.accounts.models import User
from workbench.languages.sentences import say
from workbench.rules.models import ApprovalSetting, Draft, EventKind, RuleEvent, RuleVersion
from workbench.rules.services import draft_publish
from workbench.rules.validation import blockers


class MayNotApprove(Exception):
    """The user may not approve the draft; the text is for the user."""


def approval_needed() -> bool:
    """Whether a draft needs a second person; without a setting it does not."""
    setting = ApprovalSetting.objects.first()
    return setting is not None and setting.is_needed


def setting_change(*, user: User, is_needed: bool, reason: str) -> ApprovalSetting:
    """Changes the setting; drafts that wait go on waiting."""
    return ApprovalSetting.objects.create(is_needed=is_needed, by=user, reason=reason)


@transaction.atomic
def approval_ask(*, draft: Draft, user: User, reason: str) -> None:
    """Has the present text of the draft wait for a second person. Raises InvalidRule as publishing it would."""
    draft.refresh_from_db(from_queryset=Draft.objects.select_for_update())
    problems = list(blockers(draft, user))
    if problems:
        raise InvalidRule(problems)
    draft.asked_by, draft.asked_at, draft.asked_reason = user, timezone.now(), reason
    draft.save(update_fields=["asked_by", "asked_at", "asked_reason"])
    _record(draft, EventKind.APPROVAL_ASKED, user, reason)


@transaction.atomic
def draft_approve(*, draft: Draft, user: User, revision: int) -> RuleVersion:
    """Publishes the draft for the person who asked.

    revision  the one that the approver read. Raises MayNotApprove, and InvalidRule.
    """
    draft.refresh_from_db(from_queryset=Draft.objects.select_for_update())
    refusal = reason_against(draft, user)
    if refusal:
        raise MayNotApprove(refusal)
    if revision != draft.revision:
        raise MayNotApprove(say("The draft was changed since you opened it. Read it again."))
    reason = f"{draft.asked_reason} (asked by {draft.asked_by})"[: RuleEvent._meta.get_field("reason").max_length or 0]
    return draft_publish(draft=draft, user=user, reason=reason)


@transaction.atomic
def draft_send_back(*, draft: Draft, user: User, reason: str) -> None:
    """Ends the waiting without publishing. Raises MayNotApprove."""
    draft.refresh_from_db(from_queryset=Draft.objects.select_for_update())
    if not draft.awaits_approval:
        raise MayNotApprove(say("The draft does not wait for approval."))
    draft.approval_withdraw()
    draft.save(update_fields=["asked_by", "asked_at", "asked_reason"])
    _record(draft, EventKind.SENT_BACK, user, reason)


def reason_against(draft: Draft, user: User) -> str:
    """Why the user may not approve the draft; empty when they may.

    Nobody approves a text that they wrote, changed or asked for, whatever their role.
    """
    if not draft.awaits_approval:
        return say("The draft does not wait for approval.")
    writers = RuleEvent.objects.filter(
        draft_number=draft.pk, kind__in=(EventKind.DRAFT_SAVED, EventKind.IMPORTED), by=user
    )
    if user.pk in (draft.author_id, draft.asked_by_id) or writers.exists():
        return say("You wrote or changed this draft; somebody else has to approve it.")
    return ""


def _record(draft: Draft, kind: EventKind, user: User, reason: str) -> None:
    RuleEvent.objects.create(
        rule_id=draft.stated_rule_id[:80], kind=kind, by=user, draft_number=draft.pk, reason=reason
    )
