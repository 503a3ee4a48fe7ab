"""A second snapshot ticks the steps of a runbook, and never takes a person's tick away."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case, finish, stored_file
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis
from workbench.analyses.services import analysis_request
from workbench.cases.services import snapshot_start
from workbench.reports.markdown import step_as_markdown
from workbench.runbooks.filling import StepShown, layers, runbook_progress, steps_shown

REMEDY = "salt-the-hot-key"
"""Its exit condition: the skew ratio of the task is below 1.5."""


@pytest.fixture
def before(people: People, monkeypatch: pytest.MonkeyPatch) -> Analysis:
    """An incident whose first finding has the runbook for data skew."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0]["runbook"] = "data-skew"
    analysis.save(update_fields=["document"])
    return analysis


def after(before: Analysis, skew_ratio: float) -> Analysis:
    """The next snapshot of the same case."""
    snapshot = snapshot_start(case=before.case, user=before.requested_by, change="Key salted")
    stored_file(before.case, before.requested_by, snapshot=snapshot.number)
    return finish(analysis_request(case=before.case, user=before.requested_by), skew_ratio)


def step_of(analysis: Analysis) -> StepShown:
    shown = steps_shown(analysis, analysis.document["findings"][0])
    assert shown is not None
    return next(step for step in shown[1] if step.content["id"] == REMEDY)


def page_of(people: People, analysis: Analysis) -> str:
    return signed_in(people.bob).get(reverse("runbooks:detail", args=[analysis.pk, 0])).content.decode()


def said(people: People, analysis: Analysis, state: str) -> None:
    signed_in(people.bob).post(reverse("runbooks:step", args=[analysis.pk, 0, REMEDY]), {"state": state})


def test_the_evidence_of_the_second_snapshot_ticks_the_step(people: People, before: Analysis) -> None:
    settled = runbook_progress(before)[0].settled
    after(before, skew_ratio=1.0)
    assert step_of(before).state == "done"
    assert "Ticked by the evidence of snapshot 2" in page_of(people, before)
    assert runbook_progress(before)[0].settled > settled


def test_what_the_evidence_of_the_incident_answers_is_met_and_nobodys_work(people: People, before: Analysis) -> None:
    """That one subtask has most records is measured; nobody did anything yet."""
    progress = runbook_progress(before)[0]
    assert (progress.settled, progress.met) == (0, 1)
    page = page_of(people, before)
    assert "0 of 5 steps done or skipped, 1 already met by the evidence" in page
    assert "Answered by the evidence" in page
    said(people, before, "done")
    assert runbook_progress(before)[0].settled == 1


def test_a_step_met_by_the_end_of_a_trouble_keeps_its_answer_for_the_next_time(
    people: People, before: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = diagnosed_case(people.alice, 1.0)
    met.document["findings"] = before.document["findings"]
    met.save(update_fields=["document"])
    assert "for the time when the trouble comes back" not in page_of(people, met)

    over = {"ts": "2026-11-21T01:02:03.000Z", "at_start": False, "ended": "2026-11-21T01:03:00.000Z"}
    met.document["findings"][0]["onset"] = over
    met.save(update_fields=["document"])
    assert "for the time when the trouble comes back" not in page_of(people, met), "no answer of the step is marked"
    monkeypatch.setattr(StepShown, "has_marked_answer", True)
    page = page_of(people, met)
    assert page.count("for the time when the trouble comes back") > 0
    assert "The evidence meets this already" not in page
    assert "The evidence answers this already." in page, "a step that only asks says so as before"


def test_a_step_that_the_evidence_meets_shows_no_change_and_no_restart(people: People, before: Analysis) -> None:
    assert "SALTS" in page_of(people, before)
    met = diagnosed_case(people.alice, 1.0)
    met.document["findings"] = before.document["findings"]
    met.save(update_fields=["document"])
    assert step_of(met).is_met
    assert "SALTS" not in page_of(people, met)
    assert "SALTS" not in step_as_markdown(step_of(met), "https://x")


def test_a_step_that_is_not_done_says_by_how_much_it_misses(people: People, before: Analysis) -> None:
    after(before, skew_ratio=2.0)
    assert step_of(before).state == "open"
    assert "0.5 above the bound" in page_of(people, before)


def test_a_change_counts_only_as_long_as_the_newest_snapshot_shows_it(before: Analysis) -> None:
    after(before, skew_ratio=1.0)
    after(before, skew_ratio=3.0)
    assert step_of(before).state == "open"


def test_a_persons_tick_stays_and_the_page_shows_contradicting_evidence(people: People, before: Analysis) -> None:
    said(people, before, "done")
    after(before, skew_ratio=3.0)
    assert step_of(before).state == "done"
    assert "bob ticked this step; snapshot 2 does not show it" in page_of(people, before)


def test_a_person_may_open_again_what_the_evidence_ticked(people: People, before: Analysis) -> None:
    after(before, skew_ratio=1.0)
    said(people, before, "open")
    assert step_of(before).state == "open"


def test_two_causes_of_one_job_are_two_layers_the_root_cause_first(people: People, before: Analysis) -> None:
    finding: dict[str, Any] = before.document["findings"][0]
    before.document["findings"].insert(0, {**finding, "runbook": "misconfiguration", "role": "contributing"})
    progress = runbook_progress(before)
    assert [each.id for each in layers(progress, finding)] == ["data-skew", "misconfiguration"]


def test_one_runbook_is_no_layer(before: Analysis) -> None:
    assert layers(runbook_progress(before), before.document["findings"][0]) == []


def test_findings_of_one_job_share_the_runbook_of_the_cause(people: People, before: Analysis) -> None:
    cause = before.document["findings"][0]
    before.document["findings"].append({**cause, "role": "contributing", "subject": {}})
    before.save(update_fields=["document"])
    follower = len(before.document["findings"]) - 1
    answer = signed_in(people.bob).get(reverse("runbooks:detail", args=[before.pk, follower]))
    assert answer["Location"] == reverse("runbooks:detail", args=[before.pk, 0])


def test_another_jobs_finding_has_a_runbook_of_its_own(before: Analysis) -> None:
    cause = before.document["findings"][0]
    before.document["findings"].append({**cause, "subject": {**cause["subject"], "job": "f" * 32}})
    follower = len(before.document["findings"]) - 1
    assert runbook_progress(before)[follower].position == follower


def test_a_value_that_nothing_measured_is_called_so(people: People, before: Analysis) -> None:
    page = page_of(people, before)
    assert ": not measured, condition: " in page
    assert "measured unknown" not in page
