"""Runbooks are edited as rules are: drafted, tried on a case, published, rolled back; findings show what counts."""

from __future__ import annotations

import pytest
from django.urls import reverse

from diagnostics.errors import InvalidRule
from diagnostics.runbook import shipped_runbook_texts
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.rules.models import Draft, RuleEvent, RuleVersion
from workbench.rules.runbook_texts import runbook_counting, runbook_identity
from workbench.rules.services import draft_publish, draft_save, rule_roll_back, rules_load, ruleset_published

SKEW = shipped_runbook_texts()["data-skew"]
OURS = SKEW.replace('question: "', 'question: "Ours: ', 1)
EDIT = reverse("rules:edit", args=["runbook:data-skew"])


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A diagnosed case whose first finding has the runbook for data skew."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    made = diagnosed_case(people.alice)
    made.document["findings"][0]["runbook"] = "data-skew"
    made.save(update_fields=["document"])
    return made


def drafted(user: User, text: str) -> Draft:
    identity = runbook_identity("data-skew")
    assert identity is not None
    return draft_save(user=user, text=text, base=identity.versions.latest("pk"))


def published(user: User, text: str = OURS) -> RuleVersion:
    return draft_publish(draft=drafted(user, text), user=user, reason="ours is clearer")


def test_a_published_text_is_what_a_finding_opens(people: People, analysis: Analysis) -> None:
    published(people.rita)
    page = signed_in(people.bob).get(reverse("runbooks:detail", args=[analysis.pk, 0])).content.decode()
    assert "Ours: " in page


def test_a_draft_changes_nothing_yet(people: People, analysis: Analysis) -> None:
    drafted(people.rita, OURS)
    shown = runbook_counting("data-skew")
    assert shown is not None
    assert not shown.steps[0].texts["question"].startswith("Ours")


def test_the_longest_shipped_runbook_can_be_drafted(people: People) -> None:
    longest = max(shipped_runbook_texts().values(), key=len)
    assert drafted(people.rita, longest).text == longest


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("id: data-skew", "id: skew", "must stay 'data-skew'"),
        ("load_balance.hot_share_ratio", "load_balance.no_such", "no signal measures 'load_balance.no_such'"),
        ("symptom_class: data_skew", "symptom_class: slow_sink", "`symptom_class` of a runbook cannot change"),
    ],
)
def test_a_text_that_would_break_is_not_published(people: People, before: str, after: str, expected: str) -> None:
    with pytest.raises(InvalidRule, match=expected):
        published(people.rita, SKEW.replace(before, after, 1))


def test_rolling_back_brings_the_shipped_text_back_and_the_log_keeps_both(people: People) -> None:
    version = published(people.rita)
    shipped = version.rule.versions.get(origin="shipped")
    rule_roll_back(version=shipped, user=people.rita, reason="theirs was right")
    shown = runbook_counting("data-skew")
    assert shown is not None
    assert not shown.steps[0].texts["question"].startswith("Ours")
    kinds = RuleEvent.objects.filter(rule_id="runbook:data-skew").order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["draft_saved", "published", "rolled_back"]


def test_runbooks_are_in_no_ruleset_and_loading_rules_leaves_them(people: People) -> None:
    published(people.rita)
    rules_load()
    assert not ruleset_published().versions.filter(rule__rule_id__startswith="runbook:").exists()
    shown = runbook_counting("data-skew")
    assert shown is not None
    assert shown.steps[0].texts["question"].startswith("Ours")


def test_only_editors_edit(people: People) -> None:
    assert signed_in(people.bob).get(EDIT).status_code == 403
    assert "The runbook as YAML" in signed_in(people.rita).get(EDIT).content.decode()
    assert signed_in(people.bob).get(reverse("rules:detail", args=["runbook:data-skew"])).status_code == 200
    assert signed_in(people.bob).get(reverse("rules:detail", args=["runbook:no-such"])).status_code == 404
    assert "One subtask does most" in signed_in(people.vera).get(reverse("rules:runbooks")).content.decode()


def test_the_preview_fills_the_draft_with_a_case_and_names_errors_at_their_line(
    people: People, analysis: Analysis
) -> None:
    rita, preview = signed_in(people.rita), reverse("rules:preview")
    asked = {"of_runbook": "1", "case": analysis.case_id}
    good = rita.post(preview, {**asked, "rule": OURS}).json()
    bad = rita.post(preview, {**asked, "rule": OURS.replace("steps:", "stairs:", 1)}).json()
    assert (good["ready"], "Ours: " in good["parts"]["case"]) == (True, True)
    assert (bad["ready"], bad["problems"][0]["text"]) == (False, "a runbook has steps")
