from __future__ import annotations

import pytest
from django.test import Client

from tests.workbench.diagnosed import SKEW_RULE, diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.rules.models import RuleVersion, VersionState
from workbench.rules.services import draft_save, rule_publish, ruleset_published


@pytest.fixture
def rita(people: People) -> Client:
    return signed_in(people.rita)


def address(version: RuleVersion, *door: str) -> str:
    return "/".join(["/admin/rules/ruleversion", str(version.pk), *(door or ("change",)), ""])


def test_a_rule_editor_writes_tries_and_publishes_a_rule(rita: Client, people: People) -> None:
    diagnosed_case(people.alice, 4.0, title="Orders <b>lag</b>")
    answer = rita.post("/admin/rules/ruleversion/add/", {"text": SKEW_RULE.replace("\n", "\r\n")})
    assert answer.status_code == 302, answer.content.decode()
    draft = RuleVersion.objects.get(rule__rule_id="skew.test")
    assert (draft.state, draft.author, draft.text) == (VersionState.DRAFT, people.rita, SKEW_RULE)
    tried = rita.get(address(draft, "try")).content.decode()
    assert "fires on 1, stays silent on 0" in tried
    assert "Orders &lt;b&gt;lag&lt;/b&gt;" in tried
    rita.post(address(draft, "publish"))
    assert draft in ruleset_published().versions.all()


def test_all_errors_are_shown_at_once_with_their_lines(rita: Client) -> None:
    wrong = SKEW_RULE.replace("severity: critical", "severity: bad").replace("base: 0.9", "base: 7")
    shown = rita.post("/admin/rules/ruleversion/add/", {"text": wrong}).content.decode()
    assert "rule line 6" in shown
    assert "rule line 11" in shown
    assert not RuleVersion.objects.filter(rule__rule_id="skew.test").exists()


def test_a_published_text_is_read_only_and_edited_as_a_new_draft(rita: Client, people: People) -> None:
    published = draft_save(text=SKEW_RULE, user=people.rita)
    rule_publish(version=published, user=people.rita)
    assert rita.post(address(published), {"text": SKEW_RULE.replace("value: 2", "value: 5")}).status_code == 403
    assert rita.post(address(published, "delete"), {"post": "yes"}).status_code == 403
    assert "<textarea" not in rita.get(address(published)).content.decode()
    rita.post(address(published, "edit"))
    draft = RuleVersion.objects.get(state=VersionState.DRAFT)
    assert draft.number == 2
    assert "<textarea" in rita.get(address(draft)).content.decode()
    changed = draft.text.replace("value: 2", "value: 5")
    assert rita.post(address(draft), {"text": changed}).status_code == 302
    draft.refresh_from_db()
    published.refresh_from_db()
    assert "value: 5" in draft.text
    assert published.text == SKEW_RULE


def test_switching_a_rule_off_makes_a_new_ruleset(rita: Client, people: People) -> None:
    version = draft_save(text=SKEW_RULE, user=people.rita)
    rule_publish(version=version, user=people.rita)
    assert "version that counts" in rita.get("/admin/rules/rule/").content.decode().lower()
    chosen = {"action": "switch_off", "_selected_action": [version.rule_id]}
    assert rita.post("/admin/rules/rule/", chosen).status_code == 302
    assert version not in ruleset_published().versions.all()
    assert rita.get(f"/admin/rules/rule/{version.rule_id}/change/").status_code == 200
    assert rita.get("/admin/rules/ruleset/").status_code == 200


@pytest.mark.parametrize("door", ["publish", "edit", "try"])
def test_a_responder_opens_none_of_the_doors(people: People, door: str) -> None:
    version = draft_save(text=SKEW_RULE, user=people.rita)
    alice = signed_in(people.alice)
    answer = alice.get(address(version, door)) if door == "try" else alice.post(address(version, door))
    assert answer.status_code == 302
    assert answer.headers["Location"].startswith("/admin/login/")
    assert RuleVersion.objects.filter(state=VersionState.DRAFT).count() == 1


def test_a_get_publishes_nothing(rita: Client, people: People) -> None:
    assert rita.get(address(draft_save(text=SKEW_RULE, user=people.rita), "publish")).status_code == 405
