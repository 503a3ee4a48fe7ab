"""Cases that are alike, with reasons and differences; a problem that comes back after its fix."""

from __future__ import annotations

import datetime as dt
from typing import Any

import pytest
from django.utils import timezone

from diagnostics.language import CHINESE
from diagnostics.log_book.writing import OTHER_PATTERN, Contents
from diagnostics.signals.signal import NotMeasured
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.analyses.log_books import telling_templates
from workbench.analyses.outcome import case_outcome_update, evidence_traits_save, phases_in
from workbench.cases.models import Case, CaseTrait
from workbench.history.recurrences import recurrence
from workbench.history.similar import fingerprint_words, similar_cases
from workbench.languages.sentences import in_language


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def case_with(user: User, title: str, **traits: str) -> Case:
    case = case_of(user, title)
    CaseTrait.objects.bulk_create(CaseTrait(case=case, kind=kind, value=value) for kind, value in traits.items())
    return case


def skewed(user: User, title: str) -> Case:
    return diagnosed_case(user, title=title).case


def test_alike_is_measured_by_what_is_shared_of_what_either_has(people: People) -> None:
    here = case_with(people.alice, "here", job="orders", operator="Window", flink="1.20")
    case_with(people.alice, "there", job="orders", operator="Join", flink="1.20")

    found = similar_cases(people.alice, here).cases

    # Shared: job 2 and Flink 0.25; of either: these and two operators of 2.
    assert [(each.case.title, each.share) for each in found] == [("there", 2.25 / 6.25)]
    assert found[0].same == [("job", "orders"), ("Flink", "1.20")]
    assert found[0].only_here == [("operator", "Window")]
    assert found[0].only_there == [("operator", "Join")]


def test_a_shared_consequence_alone_makes_no_two_cases_similar(people: People) -> None:
    here = case_with(people.alice, "here", follows="timeout.near", flink="1.20")
    case_with(people.alice, "there", follows="timeout.near", flink="1.20")
    assert not similar_cases(people.alice, here)


def test_the_most_alike_comes_first_and_five_are_enough(people: People) -> None:
    here = case_with(people.alice, "here", job="orders", operator="Window")
    for number in range(6):
        case_with(people.alice, f"half {number}", job="orders", operator=f"Other {number}")
    case_with(people.alice, "same", job="orders", operator="Window")
    titles = [each.case.title for each in similar_cases(people.alice, here).cases]
    assert titles == ["same", "half 5", "half 4", "half 3", "half 2"]


def test_the_weeks_show_when_similar_cases_were_opened(people: People) -> None:
    here = skewed(people.alice, "here")
    now = timezone.now()
    for weeks in (0, 0, 3, 60):
        Case.objects.filter(pk=skewed(people.alice, "there").pk).update(created_at=now - dt.timedelta(weeks=weeks))

    weeks = similar_cases(people.alice, here).weeks
    assert len(weeks) == 52
    assert [week.cases for week in weeks[-4:]] == [1, 0, 0, 2]
    assert sum(week.cases for week in weeks) == 3
    page = signed_in(people.alice).get(here.get_absolute_url()).content.decode()
    assert "3 similar cases opened in the last 52 weeks" in page


def test_cases_of_strangers_are_never_similar(people: People) -> None:
    skewed(people.charlie, "theirs")
    here = skewed(people.alice, "ours")
    assert not similar_cases(people.alice, here)
    assert not recurrence(people.alice, here)


def test_the_page_of_a_case_shows_what_its_fingerprint_is_made_of(people: People) -> None:
    page = signed_in(people.alice).get(skewed(people.alice, "x").get_absolute_url()).content.decode()
    assert "<li>operator: Window</li>" in page


def test_a_similar_case_shows_the_verdict_of_each_of_its_jobs(people: People) -> None:
    here, there = skewed(people.alice, "here"), skewed(people.alice, "there")
    there.job_verdicts = [
        {"name": "Orders", "symptom_class": "data_skew", "health": 30},
        {"name": "Clicks", "symptom_class": "healthy", "health": 96},
    ]
    there.save(update_fields=["job_verdicts"])
    page = signed_in(people.alice).get(here.get_absolute_url()).content.decode()
    assert "Orders: data skew, health 30; Clicks: healthy, health 96" in page


def with_evidence(case: Case, kind: str, *values: str) -> Case:
    CaseTrait.objects.bulk_create(CaseTrait(case=case, kind=kind, value=value) for value in values)
    return case


def test_shared_log_templates_and_the_phase_count_as_a_whole(people: People) -> None:
    here = with_evidence(case_with(people.alice, "here", job="orders", phase="asynchronous part"), "template", "a", "b")
    there = case_with(people.alice, "there", job="orders", phase="asynchronous part")
    with_evidence(there, "template", "b", "c")
    [found] = similar_cases(people.alice, here).cases
    # Of 2 for the job, 2 for templates, 1 for the phase: the job, a third of the templates, the phase.
    assert found.share == pytest.approx((2 + 2 / 3 + 1) / 5)
    assert ("log message", "b") in found.same
    assert ("longest phase of checkpoints", "asynchronous part") in found.same
    assert found.only_here == []


def test_the_longest_phase_is_named_in_the_language_of_the_reader(people: People) -> None:
    here = case_with(people.alice, "here", job="orders", phase="start delay and alignment")
    case_with(people.alice, "there", job="orders", phase="start delay and alignment")

    with in_language(CHINESE):
        [found] = similar_cases(people.alice, here).cases

    assert found.same[-1][1] == "启动延迟与对齐"


def test_the_resource_of_a_fingerprint_is_named_in_the_language_of_the_reader() -> None:
    facts = {"resource": "direct memory"}
    finding = {"role": "root_cause", "symptom_class": "resource_shortage", "subject": {"job": "1"}, "facts": facts}
    verdict = {"symptom_class": "resource_shortage"}
    job = {"job_id": "1", "name": "orders", "health": 20, "verdict": verdict}
    document = {"verdict": verdict, "jobs": [job], "findings": [finding]}
    assert fingerprint_words(document)[-1] == "resource: direct memory"
    with in_language(CHINESE):
        assert fingerprint_words(document)[-1] == "资源\uff1a直接内存"


def test_another_phase_is_a_difference_and_a_log_that_was_not_uploaded_is_none(people: People) -> None:
    here = with_evidence(case_with(people.alice, "here", job="orders", phase="asynchronous part"), "template", "a")
    case_with(people.alice, "there", job="orders", phase="synchronous part")
    case_with(people.alice, "without", job="orders")
    shares = {each.case.title: each.share for each in similar_cases(people.alice, here).cases}
    assert shares == {"without": 1.0, "there": pytest.approx(2 / 3)}
    there = next(each for each in similar_cases(people.alice, here).cases if each.case.title == "there")
    assert there.only_here == [("longest phase of checkpoints", "asynchronous part")]


def test_templates_of_warnings_and_errors_are_kept_when_the_log_book_is_written(people: People) -> None:
    contents = Contents(
        patterns=[
            {"text": "Checkpoint <n> expired", "level": "WARN", "records": 3},
            {"text": "Connection to <*> was lost", "level": "ERROR", "records": 9},
            {"text": "Triggering checkpoint <n>", "level": "INFO", "records": 99},
            {"text": OTHER_PATTERN, "level": "ERROR", "records": 500},
        ]
    )
    assert telling_templates(contents) == ["Connection to <*> was lost", "Checkpoint <n> expired"]


NO_JOBS: dict[str, Any] = {"jobs": []}


def measured_phase(job: str, phase: str) -> dict[str, Any]:
    return {"key": "checkpoint_phases", "subject": {"job": job}, "facts": {"longest_phase": phase}}


def test_the_phase_of_an_analysis_is_a_trait_that_another_diagnosis_replaces(people: People) -> None:
    case = skewed(people.alice, "here")
    for phase in ("x", "y"):
        evidence_traits_save(case, "phase", phases_in([measured_phase("a", phase)], NO_JOBS))
    case_outcome_update(case)
    assert list(case.traits.filter(kind="phase").values_list("value", flat=True)) == ["y"]
    assert case.traits.filter(kind="class").exists()


def test_an_analysis_without_measured_checkpoints_has_no_phase() -> None:
    not_measured = NotMeasured("checkpoint_phases", "checkpoint-details", "The files hold no checkpoints.")
    assert phases_in([not_measured.as_json()], NO_JOBS) == set()


@pytest.mark.parametrize(
    ("classes", "phases"),
    [
        ({"a": "slow_dimension_join", "b": "healthy"}, {"start delay and alignment"}),
        ({"a": "healthy", "b": "healthy"}, {"start delay and alignment", "asynchronous part"}),
    ],
)
def test_the_phase_of_a_healthy_job_is_no_trait_of_another_jobs_incident(
    classes: dict[str, str], phases: set[str]
) -> None:
    """A case was said to differ from one of the same job by the checkpoints of a healthy job that was in its files."""
    signals = [measured_phase("a", "start delay and alignment"), measured_phase("b", "asynchronous part")]
    jobs = [{"job_id": job, "verdict": {"symptom_class": symptom_class}} for job, symptom_class in classes.items()]
    assert phases_in(signals, {"jobs": jobs}) == phases


def test_two_jobs_without_trouble_are_not_alike_by_that_and_are_no_incident(people: People) -> None:
    """Two healthy jobs of different clusters were 48 % alike and offered as the same incident."""
    here = case_with(people.alice, "here", **{"class": "healthy", "job": "orders", "flink": "1.20"})
    case_with(people.alice, "another job", **{"class": "healthy", "job": "views", "flink": "1.20"})
    there = case_with(people.alice, "the same job", **{"class": "healthy", "job": "orders", "flink": "1.20"})
    for case in (here, there):
        case.verdict_class = "healthy"
        case.save()

    [found] = similar_cases(people.alice, here).cases

    assert (found.case, found.is_incident) == (there, False)
