"""A second person approves a rule before it counts, where an administrator wants it."""

from __future__ import annotations

import pytest
from django.test import Client

from tests.workbench.diagnosed import SKEW_RULE, drafted
from tests.workbench.people import People, signed_in
from workbench.accounts.models import Role, User
from workbench.rules.approval import setting_change
from workbench.rules.models import Draft, Rule, RuleEvent, RuleVersion
from workbench.rules.services import draft_save


@pytest.fixture
def editor(people: People) -> User:
    """A second rule editor."""
    people.bob.role = Role.RULE_EDITOR
    people.bob.save()
    return people.bob


@pytest.fixture
def draft(people: People, editor: User) -> Draft:
    """A draft of Rita's for which she has asked."""
    setting_change(user=people.ada, is_needed=True, reason="Audit")
    draft = drafted(SKEW_RULE, people.rita)
    signed_in(people.rita).post(f"/rules/drafts/{draft.pk}/publish/", {"reason": "Missed case 12"})
    draft.refresh_from_db()
    return draft


def approve(user: User, draft: Draft, revision: int | None = None, **form: str) -> str:
    asked = {"revision": str(draft.revision if revision is None else revision), **form}
    answer = signed_in(user).post(f"/rules/drafts/{draft.pk}/approve/", asked, follow=True)
    return str(answer.content.decode())


def is_published() -> bool:
    return Rule.objects.filter(rule_id="skew.test", versions__isnull=False).exists()


def test_asking_publishes_nothing_until_another_editor_approves(draft: Draft, people: People, editor: User) -> None:
    assert draft.awaits_approval
    assert not is_published()
    assert "skew.test" in signed_in(editor).get("/rules/approval/").content.decode()
    assert "Approve and publish" in signed_in(editor).get(f"/rules/drafts/{draft.pk}/").content.decode()
    approve(editor, draft)
    version = RuleVersion.objects.get(rule__rule_id="skew.test")
    assert (version.author, version.published_by) == (people.rita, editor)
    assert version.reason == "Missed case 12 (asked by rita)"


def test_nobody_approves_their_own_draft_whatever_their_role(draft: Draft, people: People) -> None:
    people.rita.role = Role.ADMINISTRATOR
    people.rita.save()
    assert "somebody else has to approve it" in approve(people.rita, draft)
    assert not is_published()


def test_whoever_changed_a_draft_does_not_approve_it(people: People, editor: User) -> None:
    setting_change(user=people.ada, is_needed=True, reason="Audit")
    draft = drafted(SKEW_RULE, people.rita)
    draft_save(
        user=editor,
        draft=draft,
        text=draft.text + "# changed\n",
        fires_sample=draft.fires_sample,
        silent_sample=draft.silent_sample,
    )
    signed_in(people.rita).post(f"/rules/drafts/{draft.pk}/publish/", {"reason": "x"})
    draft.refresh_from_db()
    assert "somebody else has to approve it" in approve(editor, draft)
    approve(people.ada, draft)
    assert is_published()


def test_whoever_asked_does_not_approve(people: People, editor: User) -> None:
    setting_change(user=people.ada, is_needed=True, reason="Audit")
    draft = drafted(SKEW_RULE, people.rita)
    signed_in(editor).post(f"/rules/drafts/{draft.pk}/publish/", {"reason": "x"})
    draft.refresh_from_db()
    assert "somebody else has to approve it" in approve(editor, draft)
    assert not is_published()


def test_another_text_withdraws_the_question(draft: Draft, people: People, editor: User) -> None:
    read = draft.revision
    draft_save(
        user=people.rita,
        draft=draft,
        text=draft.text + "# sneaky\n",
        fires_sample=draft.fires_sample,
        silent_sample=draft.silent_sample,
    )
    assert "does not wait for approval" in approve(editor, draft, read)
    signed_in(people.rita).post(f"/rules/drafts/{draft.pk}/publish/", {"reason": "again"})
    assert "was changed since you opened it" in approve(editor, draft, read)
    assert not is_published()


def test_a_draft_is_sent_back_with_a_word(draft: Draft, people: People, editor: User) -> None:
    approve(editor, draft, what="send-back", reason="Too broad")
    draft.refresh_from_db()
    assert not draft.awaits_approval
    event = RuleEvent.objects.filter(kind="sent_back").get()
    assert (event.by, event.reason) == (editor, "Too broad")


def test_a_draft_that_fails_its_checks_is_not_asked_for(people: People, editor: User) -> None:
    setting_change(user=people.ada, is_needed=True, reason="Audit")
    draft = drafted(SKEW_RULE.replace("severity: critical", "severity: terrible"), people.rita)
    answer = signed_in(people.rita).post(f"/rules/drafts/{draft.pk}/publish/", {"reason": "x"}, follow=True)
    assert "terrible" in answer.content.decode()
    draft.refresh_from_db()
    assert not draft.awaits_approval


def test_without_the_setting_editors_publish_alone(people: People, db: None) -> None:
    draft = drafted(SKEW_RULE, people.rita)
    signed_in(people.rita).post(f"/rules/drafts/{draft.pk}/publish/", {"reason": "x"})
    assert is_published()


def test_only_administrators_change_the_setting_with_a_reason(people: People) -> None:
    def needed(client: Client) -> bool:
        return "A second rule editor approves" in client.get("/rules/approval/").content.decode()

    editor, administrator = signed_in(people.rita), signed_in(people.ada)
    assert editor.post("/rules/approval/", {"needed": "1", "reason": "x"}).status_code == 403
    administrator.post("/rules/approval/", {"needed": "1", "reason": ""})
    assert not needed(editor)
    administrator.post("/rules/approval/", {"needed": "1", "reason": "Audit"})
    assert needed(editor)
    administrator.post("/rules/approval/", {"needed": "0", "reason": "Over"})
    assert not needed(editor)
