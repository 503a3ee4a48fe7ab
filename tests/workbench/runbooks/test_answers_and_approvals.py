"""A person answers questions without a measurement, and approves a step before it is done."""

from __future__ import annotations

import pytest
from django.urls import reverse

from diagnostics.language import CHINESE
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.cases.selectors import cases_matching
from workbench.history.case_records import case_records
from workbench.history.timeline import timeline
from workbench.languages.sentences import in_language
from workbench.runbooks.filling import StepShown, runbook_progress, steps_shown
from workbench.runbooks.models import StepRecord

QUESTION = "which-resource"
ANSWER = "`NoResourceAvailableException`"
"""It leads to `slots`; `cpu` is another answer's way."""
REMEDY = "slots"


@pytest.fixture
def analysis(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """A finished analysis whose first finding has the runbook for a shortage; nothing of it was measured."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    made = diagnosed_case(people.alice)
    made.document["findings"][0]["runbook"] = "resource-shortage"
    made.save(update_fields=["document"])
    return made


def step_of(analysis: Analysis, name: str) -> StepShown:
    shown = steps_shown(analysis, analysis.document["findings"][0])
    assert shown is not None
    return next(step for step in shown[1] if step.content["id"] == name)


def said(who: User, analysis: Analysis, step: str, **values: str) -> str:
    """Sends the step's form; gives the page that answers."""
    address = reverse("runbooks:step", args=[analysis.pk, 0, step])
    return signed_in(who).post(address, values, follow=True).content.decode()


def test_an_answer_of_a_person_leads_past_the_other_ways(people: People, analysis: Analysis) -> None:
    assert not step_of(analysis, "cpu").is_left_out
    page = said(people.bob, analysis, QUESTION, state="done", answer=ANSWER)
    assert step_of(analysis, QUESTION).state == "done"
    assert (step_of(analysis, "cpu").is_left_out, step_of(analysis, "slots").is_left_out) == (True, False)
    progress = runbook_progress(analysis)[0]
    assert progress.total + progress.met + progress.left_out == len(progress.steps), "each step is counted once"
    assert f", {progress.left_out} not this case's way" in progress.course
    assert "as bob answered" in page
    assert "is answered by a person: <code>NoResourceAvailableException</code>" in page
    passed = page.partition('id="step-cpu"')[2].partition('<li class="step')[0]
    shown, _, folded = passed.partition("<summary>The step all the same</summary>")
    assert "How to look" not in shown
    assert "How to look" in folded


def test_the_timeline_names_step_and_answer_in_the_language_of_the_reader(people: People, analysis: Analysis) -> None:
    said(people.bob, analysis, QUESTION, state="done", answer=ANSWER)
    with in_language(CHINESE):
        [told] = [entry.text for entry in timeline(case_records(analysis.case)) if ANSWER in entry.text]
    assert f"出现 {ANSWER}" in told
    assert "缺少哪种资源" in told


def test_answers_that_are_not_taken_fold_away_and_say_nothing(people: People, analysis: Analysis) -> None:
    page = said(people.bob, analysis, QUESTION, state="done", answer=ANSWER)
    asked = page.partition(f'id="step-{QUESTION}"')[2].partition('<li class="step')[0]
    taken, _, excluded = asked.partition("answers are not this case")
    assert "Continue with slots." in taken
    assert 'href="#step-slots"' in taken
    assert "Continue with" not in excluded


def test_opening_the_question_again_takes_the_answer_back(people: People, analysis: Analysis) -> None:
    said(people.bob, analysis, QUESTION, state="done", answer=ANSWER)
    said(people.alice, analysis, QUESTION, state="open")
    assert not step_of(analysis, "cpu").is_left_out


def test_an_answer_outlives_a_note_and_does_not_do_what_is_asked_about(people: People, analysis: Analysis) -> None:
    remedy = step_of(analysis, REMEDY)
    answer = remedy.content["answers"][0]["condition"]
    said(people.bob, analysis, REMEDY, state="done", answer=answer)
    assert step_of(analysis, REMEDY).state == "open"
    said(people.bob, analysis, REMEDY, state="done", note="Two more TaskManagers.")
    assert step_of(analysis, REMEDY).content["answers"][0]["said"]


def test_an_answer_that_the_step_does_not_have_is_refused(people: People, analysis: Analysis) -> None:
    assert "has no such answer any more" in said(people.bob, analysis, QUESTION, state="done", answer="<b>all</b>")
    assert not StepRecord.objects.exists()


def test_a_step_waits_until_somebody_else_approves_it(people: People, analysis: Analysis) -> None:
    page = said(people.alice, analysis, REMEDY, state="waiting", asked="bob")
    assert "bob is asked to approve this step" in page
    assert "This step waits for an approval" in said(people.alice, analysis, REMEDY, state="done")
    assert "Somebody else approves" in said(people.alice, analysis, REMEDY, state="approved")
    assert step_of(analysis, REMEDY).state == "waiting"
    said(people.bob, analysis, REMEDY, state="approved")
    said(people.alice, analysis, REMEDY, state="done")
    assert step_of(analysis, REMEDY).state == "done"
    told = [entry.text for entry in timeline(case_records(analysis.case)) if "slot" in entry.text]
    question = "Are slots missing because the cluster is small, or because TaskManagers are gone?"
    assert told == [f"asked bob to approve: {question}", f"approved: {question}", f"done: {question}"]


def test_who_is_asked_has_news_and_who_waits_for_the_answer_too(people: People, analysis: Analysis) -> None:
    said(people.alice, analysis, REMEDY, state="waiting", asked="bob")
    assert Case.objects.with_news_for(people.bob).exists()
    assert not Case.objects.with_news_for(people.alice).exists()
    assert analysis.case in cases_matching(people.bob, {"people": "actions"})
    said(people.bob, analysis, REMEDY, state="refused", note="Not before the batch is through.")
    assert Case.objects.with_news_for(people.alice).exists()
    assert analysis.case not in cases_matching(people.bob, {"people": "actions"})


def test_what_is_refused_is_not_done_unless_it_is_opened_again(people: People, analysis: Analysis) -> None:
    said(people.alice, analysis, REMEDY, state="waiting", asked="bob")
    said(people.bob, analysis, REMEDY, state="refused")
    said(people.alice, analysis, REMEDY, state="done")
    assert step_of(analysis, REMEDY).state == "refused"
    said(people.alice, analysis, REMEDY, state="open")
    said(people.alice, analysis, REMEDY, state="done")
    assert step_of(analysis, REMEDY).state == "done"


@pytest.mark.parametrize("asked", ["alice", "charlie", "vera", "nobody"])
def test_only_somebody_else_who_may_change_the_case_is_asked(people: People, analysis: Analysis, asked: str) -> None:
    assert "Ask somebody else" in said(people.alice, analysis, REMEDY, state="waiting", asked=asked)
    assert "Nobody asked for an approval" in said(people.bob, analysis, REMEDY, state="approved")
    assert not StepRecord.objects.exists()
