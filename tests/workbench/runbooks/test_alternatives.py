"""A step that did not help leads to another way: other answers, other remedies, the runbooks of other causes."""

from __future__ import annotations

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.runbooks.alternatives import Alternative, alternatives_of
from workbench.runbooks.filling import next_step, runbook_progress, steps_shown

QUESTION, ANSWER, REMEDY = "which-resource", "`NoResourceAvailableException`", "slots"
"""The answer leads to the remedy; `cpu` is another answer's way."""


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A finished analysis whose first finding has the runbook for a shortage; nothing of it was measured."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    made = diagnosed_case(people.alice)
    made.document["findings"][0]["runbook"] = "resource-shortage"
    made.save(update_fields=["document"])
    return made


def record(who: User, analysis: Analysis, step: str, **values: str) -> str:
    """Sends the step's form; gives the page that answers."""
    address = reverse("runbooks:step", args=[analysis.pk, 0, step])
    return signed_in(who).post(address, values, follow=True).content.decode()


def ways(analysis: Analysis, step: str) -> list[Alternative]:
    shown = steps_shown(analysis, analysis.document["findings"][0])
    assert shown is not None
    runbooks = list(runbook_progress(analysis).values())
    return alternatives_of(next(each for each in shown[1] if each.content["id"] == step), shown[1], runbooks, 0)


def test_a_failed_step_leads_to_the_other_answers_of_the_question_before_it_f099(
    people: People, analysis: Analysis
) -> None:
    record(people.bob, analysis, QUESTION, state="done", answer=ANSWER)
    assert ways(analysis, REMEDY) == []

    page = record(people.bob, analysis, REMEDY, state="failed")

    found = ways(analysis, REMEDY)
    assert {way.step for way in found} >= {QUESTION}
    assert any(way.text.startswith("Ask again") for way in found)
    assert "What to try instead" in page


def test_without_an_answer_the_other_remedies_follow_the_later_ones_first(people: People, analysis: Analysis) -> None:
    shown = steps_shown(analysis, analysis.document["findings"][0])
    assert shown is not None
    number = {each.content["id"]: each.number for each in shown[1]}

    record(people.bob, analysis, REMEDY, state="failed")

    order = [number[way.step] for way in ways(analysis, REMEDY) if way.step]
    later = [each for each in order if each > number[REMEDY]]
    assert order[: len(later)] == sorted(later)
    assert number[REMEDY] not in order


def test_a_failed_step_is_not_the_next_one_again(people: People, analysis: Analysis) -> None:
    record(people.bob, analysis, QUESTION, state="failed")

    shown = steps_shown(analysis, analysis.document["findings"][0])
    assert shown is not None
    following = next_step(shown[1])
    assert following is not None
    assert following.content["id"] != QUESTION
    assert runbook_progress(analysis)[0].next_question == following.content["question"]


def test_when_nothing_is_left_new_evidence_is_asked_for(people: People, analysis: Analysis) -> None:
    shown = steps_shown(analysis, analysis.document["findings"][0])
    assert shown is not None
    for each in shown[1]:
        record(people.bob, analysis, each.content["id"], state="failed")

    page = record(people.bob, analysis, REMEDY, state="failed")

    [way] = ways(analysis, REMEDY)
    assert "as a new snapshot" in way.text
    assert "one did not help" in page
    assert "Every step is done or skipped. Verify" not in page
