"""The numbers of the history."""

from __future__ import annotations

import datetime as dt

import pytest
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.alerts.models import Alert, AlertSource
from workbench.analyses.models import Analysis
from workbench.cases.job_verdicts import JobVerdict
from workbench.cases.models import Case, CaseChange, CaseStatus
from workbench.cases.service_levels import ServiceLevel
from workbench.cases.services import case_close, case_reopen, case_status_set
from workbench.history.durations import Durations
from workbench.history.merging import case_merge
from workbench.history.statistics import statistics

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
    assert sum(found.causes[0].spans) == 3
    assert found.causes[0].spans[-1] == 2
    assert found.spans[-1].first == now.date().replace(day=1)


def closed_case(user: User, cause: str, minutes: float, **columns: object) -> Case:
    """A case that was closed with this cause so many minutes after its opening."""
    case = case_with(user, **columns)
    case_close(case=case, user=user, confirmed_class=cause, what_fixed_it="")
    happened(case, minutes / 60)
    return case


def test_shares_of_confirmed_causes_are_exact_s001(people: People) -> None:
    """Ten closed cases with known causes; a diagnosed one and one whose cause was never found do not count."""
    for cause, count in (("data_skew", 5), ("slow_sink", 3), ("misconfiguration", 2)):
        for _ in range(count):
            closed_case(people.alice, cause, minutes=5)
    closed_case(people.alice, "inconclusive", minutes=5)
    case_with(people.alice, verdict_class="slow_sink")

    found = statistics(people.alice)

    assert {each.symptom_class: each.share for each in found.causes} == {
        "data_skew": 0.5,
        "slow_sink": 0.3,
        "misconfiguration": 0.2,
    }
    assert found.share_classes == ["data_skew", "slow_sink", "misconfiguration"]
    assert found.spans[-1].shares == [0.5, 0.3, 0.2]


def test_failures_with_back_pressure_or_expired_checkpoints_are_counted_s001(people: People) -> None:
    """Of four confirmed cases the incidents of two show one; a remark and a later snapshot do not count."""
    for symptom_class, severity, snapshot in (
        ("checkpoint_timeout", "critical", 1),
        ("back_pressure", "warning", 1),
        ("back_pressure", "info", 1),
        ("checkpoint_timeout", "critical", 2),
    ):
        analysis = diagnosed_case(people.alice)
        Analysis.objects.filter(pk=analysis.pk).update(snapshot=snapshot)
        finding = analysis.findings.get()
        finding.symptom_class, finding.severity = symptom_class, severity
        finding.save()
        case_close(case=analysis.case, user=people.alice, confirmed_class="data_skew", what_fixed_it="")
    diagnosed_case(people.alice)

    propagated = statistics(people.alice).figures[0]

    assert (propagated.source, propagated.part, propagated.whole, propagated.share) == ("S001", 2, 4, 0.5)


def test_the_trend_has_a_row_for_each_week_of_a_quarter_s095(people: People) -> None:
    now = timezone.now()
    closed_case(people.alice, "data_skew", minutes=9, created_at=now - dt.timedelta(days=7))
    closed_case(people.alice, "slow_sink", minutes=60, created_at=now - dt.timedelta(days=7))
    closed_case(people.alice, "slow_sink", minutes=4)

    found = statistics(people.alice, 90)

    assert found.by_week
    assert [(each.cases, each.shares) for each in found.spans] == [(2, [0.5, 0.5]), (1, [1.0, 0.0])]
    assert [(each.to_repair.in_time, each.to_repair.cases) for each in found.spans] == [(1, 2), (1, 1)]
    assert all(each.first.weekday() == 0 for each in found.spans)


def test_the_failure_rate_of_checkpoints_has_a_weekly_trend_s020(people: People) -> None:
    """20 of 200 before, 6 of 200 after: 70 % less."""
    now = timezone.now()
    for days, failed in ((7, 20), (0, 6)):
        level = ServiceLevel(job="Orders", completed=200 - failed, failed=failed, latency_ms=None)
        case_with(people.alice, created_at=now - dt.timedelta(days=days), service_levels=[level])

    found = statistics(people.alice, 90)

    assert [each.failed_share for each in found.spans] == [0.1, 0.03]
    shown = {each.source: (each.part, each.whole) for each in found.figures}
    assert (shown["S086"], shown["S075"]) == ((26, 400), (374, 400))


def test_a_week_without_a_case_is_in_the_trend_and_has_no_share(people: People) -> None:
    closed_case(people.alice, "data_skew", minutes=9, created_at=timezone.now() - dt.timedelta(days=14))

    found = statistics(people.alice, 90)

    assert [(each.cases, each.shares) for each in found.spans] == [(1, [1.0]), (0, [None]), (0, [None])]


def test_a_verdict_counts_from_the_page_that_came_before_the_case(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    case = analysis.case
    source = AlertSource.objects.create(
        slug="pager", kind="alertmanager", team=people.team, owner=people.alice, added_by=people.alice
    )
    for minutes in (8, 3):
        at = case.created_at - dt.timedelta(minutes=minutes)
        Alert.objects.create(source=source, identity=str(minutes), case=case, received_at=at, heard_at=at)
    Analysis.objects.filter(pk=analysis.pk).update(finished_at=case.created_at + dt.timedelta(minutes=1))

    found = statistics(people.alice)

    assert found.to_diagnosis == Durations(1, 9 * 60_000, 9 * 60_000, in_time=1)
    assert [(each.title, each.share) for each in found.figures][2] == ("Root cause named within 10 minutes", 1.0)


def test_a_closed_case_states_its_durations_against_the_target(both_languages: None, people: People) -> None:
    analysis = diagnosed_case(people.alice)
    case = analysis.case
    Analysis.objects.filter(pk=analysis.pk).update(finished_at=case.created_at + dt.timedelta(minutes=2))
    case_close(case=case, user=people.alice, confirmed_class="data_skew", what_fixed_it="")
    happened(case, 0.5)

    page = signed_in(people.bob).get(case.get_absolute_url()).content.decode()

    assert "Verdict after 2 min, within the 10 min target; fix after 30 min, above the 10 min target." in page
    chinese = {"Accept-Language": "zh-CN"}
    page = signed_in(people.bob).get(case.get_absolute_url(), headers=chinese).content.decode()
    assert "\u3002得出诊断结论用时 2 min\uff08在 10 min 的目标之内\uff09\uff1b完成修复用时 30 min\uff08超过" in page


def test_ten_minutes_are_in_time_and_more_are_not() -> None:
    times = [dt.timedelta(minutes=10), dt.timedelta(minutes=10, seconds=1)]
    assert Durations.summarise(times).in_time_share == 0.5
    assert Durations.summarise([]).in_time_share is None


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
    counted = {cause.symptom_class: cause.cases for cause in found.causes}
    assert counted == {"data_skew": 3, "slow_sink": 1, "cpu_hotspot": 3}, "a case counts with the cause of each job"
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


def test_the_confirmed_cause_is_none_of_another_job_with_the_same_verdict(people: People) -> None:
    jobs = [verdict_of("Orders", "user_code"), verdict_of("Views", "user_code")]
    for _ in range(2):
        case_with(people.alice, verdict_class="user_code", confirmed_class="misconfiguration", job_verdicts=jobs)
    causes = {job.name: job.leading_causes for job in statistics(people.alice).jobs}
    assert causes == {"Orders": [("misconfiguration", 2)], "Views": [("user_code", 2)]}
