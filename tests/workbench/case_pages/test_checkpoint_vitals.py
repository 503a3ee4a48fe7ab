"""The head of the case page: last success, success rate and duration of checkpoints."""

from __future__ import annotations

from typing import Any

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.analyses.models import Analysis
from workbench.case_pages.checkpoint_vitals import checkpoint_vitals
from workbench.case_pages.dimensions import dimensions_not_measured

FACTS = {
    "completed": 34,
    "failed": 2,
    "success_ratio": 34 / 36,
    "since_last_completed_ms": 8_000,
    "median_duration_ms": 3_100.0,
    "p95_duration_ms": 12_400.0,
}
ORDERS, CLICKS = "a" * 32, "b" * 32


def progress(job: str, **facts: Any) -> dict[str, Any]:
    stored = {"key": "checkpoint_progress", "level": "job", "subject": {"job": job}, "facts": facts}
    return {**stored, "citations": [], "citation_count": 0}


def analysis(*signals: dict[str, Any]) -> Analysis:
    jobs = [{"job_id": ORDERS, "name": "Orders"}, {"job_id": CLICKS, "name": "Clicks"}]
    return Analysis(signals=list(signals), document={"jobs": jobs})


def test_the_head_states_last_success_success_rate_and_percentiles() -> None:
    (vitals,) = checkpoint_vitals(analysis(progress(ORDERS, **FACTS)))

    assert (vitals.last_success, vitals.succeeded, vitals.durations) == (
        "8 s before the last look at them",
        "34 of 36 (94 %)",
        "3.1 s / 12.4 s",
    )
    assert vitals.job == ""


def test_the_rate_states_what_other_counts_of_checkpoints_have_and_it_has_not() -> None:
    facts = {**FACTS, "completed": 8, "failed": 3, "aborted": 1, "not_started": 1}
    (vitals,) = checkpoint_vitals(analysis(progress(ORDERS, **facts)))

    assert vitals.succeeded == "8 of 11 (73 %), without 1 aborted with the job and 1 refused trigger"


def test_few_checkpoints_have_no_percentiles() -> None:
    """One: its duration; fewer than five: from the shortest to the longest; fewer than twenty: median and longest."""
    spread = {**FACTS, "min_duration_ms": 1_300.0, "max_duration_ms": 29_600.0, "median_duration_ms": 15_500.0}

    def shown(**facts: Any) -> tuple[str, str]:
        (vitals,) = checkpoint_vitals(analysis(progress(ORDERS, **{**spread, **facts})))
        return vitals.measure, vitals.durations

    assert shown(completed=1, min_duration_ms=34_500.0, max_duration_ms=34_500.0) == ("Duration", "34.5 s")
    assert shown(completed=2) == ("Duration", "1.3 s to 29.6 s")
    assert shown(completed=15) == ("Duration median / longest", "15.5 s / 29.6 s")
    assert shown(completed=20) == ("Duration p50 / p95", "15.5 s / 12.4 s")


def test_a_dimension_without_a_measurement_has_no_full_marks() -> None:
    """Nothing shows a watermark, memory or CPU, and back pressure has a finding although its signal is not there."""
    health = {"checkpointing": 100, "back_pressure": 60, "event_time": 100, "resources": 100, "stability": 100}
    restarts = {"key": "restarts", "subject": {}, "facts": {"restarts": 0}}
    done = analysis(progress(ORDERS, **FACTS), restarts, {"key": "watermarks", "needs": "metric-scrapes"})
    done.document["health"] = {"dimensions": health}

    assert dimensions_not_measured(done) == {"event_time", "resources"}


def test_what_was_measured_of_another_job_gives_the_job_of_the_verdict_no_full_marks() -> None:
    done = analysis(
        progress(CLICKS, **FACTS), {"key": "restarts", "subject": {"job": ORDERS}, "facts": {"restarts": 0}}
    )
    done.document["health"] = {"dimensions": {"checkpointing": 100, "stability": 100}}

    assert dimensions_not_measured(done) == {"checkpointing"}


def test_a_log_of_collections_alone_says_nothing_of_the_stability() -> None:
    health = {"checkpointing": 100, "back_pressure": 100, "event_time": 100, "resources": 100, "stability": 100}
    done = analysis({"key": "heap_pressure", "subject": {}, "facts": {"full_gcs_most": 0}})
    done.document["health"] = {"dimensions": health}

    assert dimensions_not_measured(done) == {"checkpointing", "back_pressure", "event_time", "stability"}


def test_of_a_job_that_does_not_run_no_dimension_is_called_good() -> None:
    scores = {"checkpointing": 92, "back_pressure": 100, "event_time": 100, "resources": 23, "stability": 0}
    done = analysis(progress(ORDERS, **FACTS))
    done.document["health"] = {"dimensions": scores, "trouble": {"title": "x", "finding": 0, "is_stop": True}}

    assert dimensions_not_measured(done) == {"checkpointing", "back_pressure", "event_time"}


def test_a_checkpoint_within_the_last_second_is_at_the_end() -> None:
    (vitals,) = checkpoint_vitals(analysis(progress(ORDERS, **{**FACTS, "since_last_completed_ms": 0})))
    assert vitals.last_success == "at the end of the evidence"


def test_each_of_several_jobs_has_its_own() -> None:
    found = checkpoint_vitals(analysis(progress(CLICKS, **FACTS), progress(ORDERS, **{**FACTS, "completed": 0})))

    assert [(each.job, each.succeeded) for each in found][1] == ("Clicks", "34 of 36 (94 %)")


def test_a_job_whose_checkpoints_all_failed_has_no_last_success() -> None:
    (vitals,) = checkpoint_vitals(analysis(progress(ORDERS, completed=0, failed=8, success_ratio=0.0)))

    assert (vitals.last_success, vitals.succeeded, vitals.durations) == ("none", "0 of 8 (0 %)", "")


def test_unknown_checkpoints_are_not_shown_as_none() -> None:
    assert checkpoint_vitals(analysis(progress(ORDERS, not_started=3))) == []
    assert checkpoint_vitals(analysis({"key": "checkpoint_progress", "needs": "checkpoint-history"})) == []


def test_the_case_page_shows_them_beside_the_health(people: People) -> None:
    done = diagnosed_case(people.alice)
    done.signals.append(progress(ORDERS, **FACTS))
    done.save(update_fields=["signals"])

    page = signed_in(people.alice).get(done.case.get_absolute_url()).content.decode()

    assert "34 of 36 (94 %)" in page
    assert "3.1 s / 12.4 s" in page
    assert "8 s before the last look at them" in page


def test_only_where_none_failed_all_succeeded() -> None:
    (one_failed,) = checkpoint_vitals(analysis(progress(ORDERS, **{**FACTS, "completed": 399, "failed": 1})))
    (none_failed,) = checkpoint_vitals(analysis(progress(ORDERS, **{**FACTS, "completed": 400, "failed": 0})))
    assert (one_failed.succeeded, none_failed.succeeded) == ("399 of 400 (99.8 %)", "400 of 400 (100 %)")
