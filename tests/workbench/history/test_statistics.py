"""The numbers of the history."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.cases.job_verdicts import JobVerdict
from workbench.cases.models import Case, CaseChange, CaseStatus
from workbench.cases.services import case_close, case_reopen, case_status_set
from workbench.history.merging import case_merge
from workbench.history.statistics import Durations, statistics

HOUR = dt.timedelta(hours=1)


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def case_with(user: User, **columns: object) -> Case:
    case = case_of(user)
    Case.objects.filter(pk=case.pk).update(**columns)
    case.refresh_from_db()
    return case


def happened(case: Case, hours: float) -> None:
    """The newest change was made so many hours after the case was opened."""
    change = CaseChange.objects.filter(case=case).latest("pk")
    CaseChange.objects.filter(pk=change.pk).update(at=case.created_at + hours * HOUR)


def test_the_confirmed_cause_counts_and_else_the_diagnosed_one(people: People) -> None:
    case_with(people.alice, verdict_class="data_skew", confirmed_class="slow_sink")
    case_with(people.alice, verdict_class="data_skew")
    case_with(people.alice, verdict_class="inconclusive")

    found = statistics(people.alice)

    assert found.cases == 3
    assert [(cause.symptom_class, cause.cases, cause.confirmed) for cause in found.causes] == [
        ("data_skew", 1, 0),
        ("slow_sink", 1, 1),
    ]


def test_causes_are_counted_by_the_month_in_which_the_case_was_opened(people: People) -> None:
    now = timezone.now()
    for days in (0, 0, 40):
        case_with(people.alice, verdict_class="data_skew", created_at=now - dt.timedelta(days=days))
    found = statistics(people.alice)
    assert sum(found.causes[0].months) == 3
    assert found.causes[0].months[-1] == 2
    assert found.months[-1] == now.date().replace(day=1)


def test_a_repair_lasts_from_the_opening_to_the_fix_and_begins_again_when_the_case_is_opened_again(
    people: People,
) -> None:
    case = case_with(people.alice, verdict_class="data_skew")
    case_status_set(case=case, user=people.alice, status=CaseStatus.FIX_APPLIED)
    happened(case, 2)
    case_close(case=case, user=people.alice, confirmed_class="data_skew", what_fixed_it="")
    happened(case, 3)
    assert statistics(people.alice).to_repair == Durations(1, 2 * 3_600_000, 2 * 3_600_000)

    case_reopen(case=case, user=people.alice)
    assert statistics(people.alice).to_repair == Durations(0, None, None)
    case_status_set(case=case, user=people.alice, status=CaseStatus.VERIFYING)
    happened(case, 8)
    assert statistics(people.alice).to_repair.median_ms == 8 * 3_600_000


def test_a_diagnosis_counts_from_the_first_that_names_a_cause(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    type(analysis).objects.filter(pk=analysis.pk).update(finished_at=analysis.case.created_at + HOUR)
    diagnosed_case(people.bob, skew_ratio=1.0)
    assert statistics(people.alice).to_diagnosis == Durations(1, 3_600_000, 3_600_000)


def test_the_slowest_tenth_is_reported_once_there_are_ten() -> None:
    assert Durations.summarise([HOUR * number for number in range(1, 10)]).slow_ms == 9 * 3_600_000
    assert Durations.summarise([HOUR] * 9 + [HOUR * 5, HOUR]).slow_ms == pytest.approx(4.2 * 3_600_000)


def verdict_of(name: str, symptom_class: str) -> JobVerdict:
    return JobVerdict(name=name, symptom_class=symptom_class, health=50)


def test_jobs_with_more_than_one_case_show_their_causes_and_what_came_back(people: People) -> None:
    may, june = dt.datetime(2026, 5, 1, tzinfo=dt.UTC), dt.datetime(2026, 6, 1, tzinfo=dt.UTC)
    for cause, fingerprint, seen in (
        ("data_skew", "a", may),
        ("data_skew", "a", june),
        ("slow_sink", "b", may),
    ):
        jobs = [verdict_of("Orders", cause), verdict_of("Clicks", "healthy"), verdict_of("Views", "cpu_hotspot")]
        case_with(people.alice, verdict_class=cause, fingerprint=fingerprint, problem_seen_at=seen, job_verdicts=jobs)
    jobs = [verdict_of("Payments", "data_skew")]
    case_with(people.alice, verdict_class="data_skew", fingerprint="c", job_verdicts=jobs)

    found = statistics(people.alice)

    assert [(job.name, job.cases, job.returns) for job in found.jobs] == [("Orders", 3, 1), ("Views", 3, 0)]
    assert found.jobs[0].leading_causes == [("data_skew", 2), ("slow_sink", 1)]
    assert found.jobs[1].leading_causes == [("cpu_hotspot", 3)]
    assert found.regressions == 1


def test_the_same_incident_again_and_evidence_without_times_did_not_come_back(people: People) -> None:
    may = dt.datetime(2026, 5, 1, tzinfo=dt.UTC)
    for seen in (may, may, None):
        case_with(people.alice, fingerprint="a", problem_seen_at=seen)
    assert statistics(people.alice).regressions == 0


def test_merged_cases_and_cases_of_strangers_do_not_count(people: People) -> None:
    first, second = case_with(people.alice), case_with(people.alice)
    case_with(people.charlie)
    case_merge(case=second, into=first, user=people.alice)
    assert statistics(people.alice).cases == 1


def test_a_period_leaves_out_what_was_opened_before(people: People) -> None:
    case_with(people.alice, created_at=timezone.now() - dt.timedelta(days=100))
    case_with(people.alice)
    assert (statistics(people.alice, 90).cases, statistics(people.alice).cases) == (1, 2)


@pytest.mark.parametrize("asked", ["", "?days=90", "?days=nonsense"])
def test_the_page_shows_what_is_known_and_says_what_is_not(people: People, asked: str) -> None:
    case_with(people.alice, verdict_class="data_skew")
    page = signed_in(people.vera).get(f"/history/{asked}").content.decode()
    assert "Data skew" in page
    assert "not known" in page


def test_without_a_case_the_page_says_so(people: People) -> None:
    assert "No case in this time" in signed_in(people.alice).get("/history/").content.decode()
