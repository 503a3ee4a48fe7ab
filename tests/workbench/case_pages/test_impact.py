"""What an incident cost: stated by people, shown in list, page, report and API, beside what was measured."""

from __future__ import annotations

from typing import Any

from django.urls import reverse

from diagnostics.calculators import CALCULATORS
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in, with_token
from workbench.analyses.finding_facts import facts_of
from workbench.analyses.measured_impact import measured_impact
from workbench.analyses.models import Analysis
from workbench.cases.impact import impact_words
from workbench.cases.models import Case
from workbench.runbooks.what_if import calculated

STATED = {"minutes_late": "12", "jobs_affected": "1", "records_lost": "", "records_delayed": "40000"}


def stated_case(people: People) -> Case:
    case = diagnosed_case(people.alice).case
    signed_in(people.bob).post(reverse("cases:impact", args=[case.pk]), STATED)
    case.refresh_from_db()
    return case


def test_minutes_late_are_in_list_page_report_and_api(people: People) -> None:
    case = stated_case(people)
    browser = signed_in(people.alice)

    assert impact_words(case) == ["12 min late", "1 job affected", "40,000 records delayed"]
    assert "12 min late" in browser.get(reverse("cases:list")).content.decode()
    page = browser.get(case.get_absolute_url()).content.decode()
    assert "12 min late, 1 job affected, 40,000 records delayed" in page
    assert "stated the impact: 12 min late" in page
    report = browser.get(reverse("reports:markdown", args=[case.pk])).content.decode()
    assert "12 min late" in report
    answer = with_token(people.alice).get(reverse("api:case", args=[case.pk])).json()
    assert (answer["minutes_late"], answer["records_lost"]) == (12, None)


def test_a_job_that_has_ended_is_not_behind_at_the_end(people: People) -> None:
    analysis = Analysis(document={"jobs": []}, signals=[])
    lags = {"key": "watermarks", "subject": {"job": "a"}, "facts": {"lag_last_ms": 162_000}}
    for state, words in (("RUNNING", ["the event time is up to 2 min 42 s behind at the end"]), ("FAILED", [])):
        ended = {"key": "restarts", "subject": {"job": "a"}, "facts": {"final_state": state}}
        analysis.signals = [lags, ended]
        assert measured_impact(analysis) == words


def test_a_field_that_nobody_stated_is_not_zero(people: People) -> None:
    case = case_of(people.alice)

    assert impact_words(case) == []
    assert "not stated" in signed_in(people.alice).get(case.get_absolute_url()).content.decode()
    case.records_lost = 0
    assert impact_words(case) == ["0 records lost"]


def test_a_negative_number_is_refused_with_its_reason(people: People) -> None:
    case = case_of(people.alice)
    answer = signed_in(people.alice).post(
        reverse("cases:impact", args=[case.pk]), {**STATED, "minutes_late": "-3"}, follow=True
    )

    assert "The impact was not saved" in answer.content.decode()
    case.refresh_from_db()
    assert case.minutes_late is None


def signal(key: str, **facts: Any) -> dict[str, Any]:
    level = "case" if key == "job_code" else "job"
    return {"key": key, "subject": {}, "level": level, "facts": facts, "citations": [], "citation_count": 0}


def job(symptom_class: str) -> dict[str, Any]:
    return {"job_id": symptom_class, "verdict": {"symptom_class": symptom_class}}


def document(jobs: list[dict[str, Any]], *findings: dict[str, Any]) -> dict[str, Any]:
    inputs = [{"first_ts": "2026-11-20T01:00:00Z", "last_ts": "2026-11-20T01:10:00Z"}]
    return {"jobs": jobs, "findings": list(findings), "inputs": inputs}


def finding(began: str, *, at_start: bool = False, role: str = "root_cause") -> dict[str, Any]:
    onset = {"ts": f"2026-11-20T{began}Z", "at_start": at_start, "ended": None}
    return {"role": role, "severity": "critical", "symptom_class": "slow_sink", "subject": {}, "onset": onset}


def test_what_the_evidence_shows_is_offered_beside_it() -> None:
    jobs = [job("slow_sink"), job("healthy")]
    found = measured_impact(
        Analysis(
            document=document(jobs),
            signals=[
                signal("watermarks", lag_last_ms=720_000.0),
                signal("watermarks", lag_last_ms=1_000.0),
                signal("late_records", dropped=300),
                signal("late_records", dropped=40),
                {"key": "consumer_lag", "needs": "kafka-lag"},
            ],
        )
    )

    assert found == [
        "a cause was found for 1 of 2 jobs",
        "the event time is up to 12 min behind at the end",
        "340 late records dropped since the job was last started",
    ]


def test_late_records_of_before_the_rate_jumped_are_no_impact() -> None:
    jumped = signal("late_records", dropped=70_985, dropped_since_jump=66_805, changed_at_ms=1_795_138_094_126)
    found = measured_impact(Analysis(document=document([job("slow_sink")]), signals=[jumped]))
    assert found == ["66,805 late records dropped since 01:28:14 UTC"]


def test_what_a_job_beside_it_is_behind_is_no_impact_of_the_ill_one() -> None:
    jobs = [job("slow_sink"), job("healthy")]
    signals = [
        {**signal(key, **facts), "subject": {"job": of}}
        for of, times in (("slow_sink", 1), ("healthy", 1_000))
        for key, facts in (
            ("watermarks", {"lag_last_ms": 120_000.0 * times}),
            ("late_records", {"dropped": 3 * times}),
            ("consumer_lag", {"lag": 50 * times}),
        )
    ]
    assert measured_impact(Analysis(document=document(jobs), signals=signals))[1:] == [
        "the event time is up to 2 min behind at the end",
        "3 late records dropped since the job was last started",
        "50 records wait in Kafka",
    ]


def test_times_of_another_day_have_their_day() -> None:
    jumped = signal("late_records", dropped=70_985, dropped_since_jump=66_805, changed_at_ms=1_795_137_094_126)
    days = {**document([job("slow_sink")], finding("01:07:20"))}
    days["inputs"] = [{"first_ts": "2026-11-19T01:00:00Z", "last_ts": "2026-11-21T01:10:00Z"}]
    days["findings"][0]["onset"]["ended"] = "2026-11-21T01:07:20Z"
    assert measured_impact(Analysis(document=days, signals=[jumped])) == [
        "24 h from 2026-11-20 01:07:20 to 2026-11-21 01:07:20 UTC",
        "66,805 late records dropped since 2026-11-20 01:11:34 UTC",
    ]


def test_a_healthy_job_shows_no_impact() -> None:
    found = Analysis(document=document([job("healthy")]), signals=[signal("watermarks", lag_last_ms=900.0)])
    assert measured_impact(found) == []


def test_how_long_how_many_restarts_and_how_far_back_are_measured() -> None:
    signals = [
        {**signal("restarts", restarts=3, final_state="FAILED"), "subject": {"job": "slow_sink"}},
        {**signal("restarts", restarts=9), "subject": {"job": "healthy"}},
        {**signal("checkpoint_progress", goes_back_ms=160_000), "subject": {"job": "slow_sink"}},
    ]
    jobs = [job("slow_sink"), job("healthy")]
    late = finding("01:07:30", role="consequence")

    assert measured_impact(Analysis(document=document(jobs, finding("01:07:20"), late), signals=signals))[1:] == [
        "2 min 40 s from 2026-11-20 01:07:20 UTC to the end of the evidence",
        "3 restarts",
        "1 job ended in the state FAILED",
    ]


def test_recoveries_by_new_jobmanagers_are_told_beside_the_restarts_that_do_not_count_them() -> None:
    of_job, of_two = [job("zookeeper_ha")], [job("zookeeper_ha"), job("healthy")]
    restarts = {**signal("restarts", restarts=1), "subject": {"job": "zookeeper_ha"}}

    def told(jobs: list[dict[str, Any]], **facts: Any) -> list[str]:
        signals = [restarts, signal("high_availability", **facts)]
        return [
            each for each in measured_impact(Analysis(document=document(jobs), signals=signals)) if "cause" not in each
        ]

    both = {"jobmanager_restarts": 3, "restored_from": [15, 29]}
    assert told(of_job, **both) == ["1 restart", "new JobManagers recovered the job from checkpoints 15, 29"]
    once = told(of_job, jobmanager_restarts=1, restored_from=[7])
    assert once[1:] == ["a new JobManager recovered the job from checkpoint 7"]
    assert told(of_job, jobmanager_restarts=0, restored_from=[7]) == ["1 restart"], "the tasks restarted by themselves"
    assert told(of_two, **both) == ["1 restart"], "nobody knows whose checkpoints they are"


def test_what_a_restart_costs_depends_on_the_source_and_is_said_of_a_job_that_runs() -> None:
    progress = {**signal("checkpoint_progress", goes_back_ms=160_000), "subject": {"job": "slow_sink"}}
    forgets = {**signal("delivery_guarantee", source="at most once"), "subject": {"job": "slow_sink"}}
    of_job = document([job("slow_sink")], finding("01:07:20"))

    assert measured_impact(Analysis(document=of_job, signals=[progress]))[-1] == (
        "a restart repeats the work of 2 min 40 s, since the trigger of the last completed checkpoint"
    )
    assert measured_impact(Analysis(document=of_job, signals=[progress, forgets]))[-1] == (
        "a restart loses what was read in the 2 min 40 s since the trigger of the last completed checkpoint"
    )
    of_another = {**forgets, "subject": {"job": "a healthy job"}}
    assert "repeats" in measured_impact(Analysis(document=of_job, signals=[progress, of_another]))[-1]


def test_what_a_restart_would_lose_has_the_number_that_the_runbook_has() -> None:
    """230,000 held back at the trigger + (75 s + 60 s) x 3,000/s = 635,000; without the code only a range is known."""
    of_job = {"subject": {"job": "slow_sink"}}
    signals = [
        signal("checkpoint_progress", goes_back_ms=75_000) | of_job,
        signal("delivery_guarantee", source="at most once") | of_job,
        signal("throughput", before_per_s=3000.0, since_checkpoint_per_s=600.0, held_at_checkpoint=230_000.0) | of_job,
    ]
    root = finding("01:07:20") | of_job
    code = signal("job_code", owes_by_clock=True, sources_by_clock=["Orders.sent (line 9)"])
    decided = Analysis(document=document([job("slow_sink")], root), signals=[*signals, code])
    said = measured_impact(decided)[-1]
    assert said == (
        "a restart from the last completed checkpoint, triggered 75 s before the end, loses about 640,000 records if "
        "the job is down for 60 s"
    )
    shown = calculated(CALCULATORS["restart"], facts_of(decided, root), {})
    assert "about 640,000 records if it is down for 60 s" in shown.outcome.headline
    open_to_both = Analysis(document=document([job("slow_sink")], root), signals=signals)
    assert "loses about 220,000 to 640,000 records" in measured_impact(open_to_both)[-1]


def test_what_restarts_lost_is_told_where_the_source_keeps_no_position() -> None:
    ended = {"undone_ms": 60_000.0, "undone_from_ms": 1_763_600_861_000, "undone_to_ms": 1_763_600_921_000}
    of_job = {"subject": {"job": "slow_sink"}}
    recovered, rate = signal("recovery", **ended) | of_job, signal("throughput", emitting_per_s=4_908.0) | of_job
    forgets = signal("delivery_guarantee", source="at most once") | of_job
    shown = document([job("slow_sink")], finding("01:07:20"))

    assert measured_impact(Analysis(document=shown, signals=[recovered, rate, forgets]))[-1] == (
        "the restarts lost what came in 60 s between 01:07:41 and 01:08:41 UTC, up to about 290,000 records"
    )
    assert "lost" not in " ".join(measured_impact(Analysis(document=shown, signals=[recovered, rate])))


def test_what_the_first_look_shows_already_lasted_at_least_so_long() -> None:
    found = measured_impact(Analysis(document=document([job("slow_sink")], finding("01:00:00", at_start=True))))

    assert "at least 10 min from 2026-11-20 01:00:00 UTC to the end of the evidence" in found


def test_what_began_with_the_job_lasted_from_its_start() -> None:
    """The head of the finding names the start of the job too; the first look was six seconds later."""
    began = finding("01:00:06", at_start=True)
    began["onset"]["job_started"] = "2026-11-20T01:00:00.000Z"

    assert "10 min from the start of the job, 2026-11-20 01:00:00 UTC, to the end of the evidence" in measured_impact(
        Analysis(document=document([job("slow_sink")], began))
    )


def test_no_work_is_said_to_be_repeated_where_no_task_manager_has_done_any_since() -> None:
    progress = {**signal("checkpoint_progress", goes_back_ms=160_000), "subject": {"job": "slow_sink"}}
    gone = {**signal("task_manager_loss.all", registered_end=0), "subject": {}}
    of_job = document([job("slow_sink")], finding("01:07:20"))

    assert not any("repeats" in each for each in measured_impact(Analysis(document=of_job, signals=[progress, gone])))
