"""The draft of a post-mortem: what happened when, how long it lasted, and what to do."""

from __future__ import annotations

import datetime as dt

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People
from tests.workbench.reports.dated_findings import began, line_at, with_findings
from workbench.analyses.models import Analysis
from workbench.reports.content import report_of
from workbench.reports.markdown import as_markdown, as_post_mortem


def test_a_post_mortem_draft_fills_in_what_is_known_and_asks_for_the_rest(analysis: Analysis) -> None:
    text = as_post_mortem(report_of(analysis.case), "http://here/cases/1/")

    assert [line for line in text.splitlines() if line.startswith("## ")] == [
        "## Summary",
        "## Impact",
        "## Timeline (UTC)",
        "## Cause",
        "## What fixed it",
        "## Actions",
    ]
    assert "- Confirmed by bob: Data skew" in text
    assert "- _Who noticed, what was late or wrong for them, for how long?_" in text


def onset_lines(analysis: Analysis) -> list[str]:
    """What the post-mortem says of the day of the incident."""
    text = as_post_mortem(report_of(analysis.case), "http://here/cases/1/")
    return [line for line in text.splitlines() if line.startswith("- 2026-11-20")]


def test_the_post_mortem_dates_a_finding_by_its_onset_and_quotes_the_line_that_shows_it(analysis: Analysis) -> None:
    completed = line_at("00:58:00.000", "Completed checkpoint 1")
    lost = line_at("01:00:26.000", "Association failed")
    with_findings(
        analysis,
        {
            "title": "Checkpoints expired",
            "onset": began("01:14:00.000"),
            "evidence": [
                line_at("01:20:00.000", "Checkpoint 9 expired"),
                completed,
                line_at("01:14:20.000", "Expired"),
            ],
        },
        {"title": "Cut off", "onset": began("01:00:26.000"), "evidence": [completed, lost]},
    )

    assert onset_lines(analysis) == [
        "- 2026-11-20 01:00:26 Cut off: `Association failed`",
        "- 2026-11-20 01:14:00 Checkpoints expired: 01:14:20 `Expired`",
    ]


def test_the_post_mortem_quotes_no_line_from_before_the_onset(analysis: Analysis) -> None:
    evidence = [line_at("00:58:00.000", "Completed checkpoint 1"), {"file": "a", "kind": "log", "text": "undated"}]
    with_findings(
        analysis,
        {"title": "Cut off", "onset": began("01:00:26.000"), "evidence": evidence},
        {"title": "Slow", "onset": began("00:50:00.000", at_start=True), "evidence": []},
        {"title": "Whenever", "onset": {"ts": None, "at_start": False}, "evidence": evidence},
    )

    assert onset_lines(analysis) == ["- 2026-11-20 00:50:00 or earlier Slow", "- 2026-11-20 01:00:26 Cut off"]


def test_what_the_first_sample_shows_began_with_its_job_and_quotes_no_later_line(analysis: Analysis) -> None:
    """A completed checkpoint 43 s later shows no look-up that holds the stream back."""
    onset = {**began("01:14:30.000", at_start=True), "job_started": "2026-11-20T01:14:24.623Z"}
    later = [line_at("01:15:13.000", "Completed checkpoint 1")]
    with_findings(analysis, {"title": "Slow", "onset": onset, "evidence": later})
    assert onset_lines(analysis) == ["- 2026-11-20 01:14:24 Slow"]


def test_events_of_one_second_are_one_line_and_no_line_is_quoted_twice(analysis: Analysis) -> None:
    lost = line_at("01:00:26.100", "Heartbeat timed out")
    vertex = {"subject": {"job": "a", "vertex": "enrich"}}
    with_findings(
        analysis,
        {"title": "Cut off", "onset": began("01:00:26.100"), "evidence": [lost]},
        {"title": "Lost", "onset": began("01:00:26.300"), "evidence": [lost]},
        {"title": "Pools are full", "onset": began("01:00:20.000"), "evidence": [lost], **vertex},
    )

    assert onset_lines(analysis) == [
        "- 2026-11-20 01:00:20 Pools are full (enrich): 01:00:26 `Heartbeat timed out`",
        "- 2026-11-20 01:00:26 Cut off; Lost",
    ]


def test_a_line_from_minutes_after_the_onset_is_not_quoted_as_what_shows_it(analysis: Analysis) -> None:
    with_findings(
        analysis,
        {"title": "Held back", "onset": began("00:54:00.000"), "evidence": [line_at("00:57:00.000", "busy = 1")]},
    )

    assert onset_lines(analysis) == ["- 2026-11-20 00:54:00 Held back"]


def test_a_job_that_gave_up_is_dated_by_its_end_and_its_first_restart(analysis: Analysis) -> None:
    """The onset of the finding is the first restart, 01:00:26; the job is FAILED from 01:02:08 on."""
    gave_up = dt.datetime(2026, 11, 20, 1, 2, 8, tzinfo=dt.UTC)
    said = [
        {"text": "20 times", "fact": "restarts.restarts", "value": 20},
        {"text": "01:02:08", "fact": "restarts.final_ms", "value": round(gave_up.timestamp() * 1000)},
    ]
    evidence = [line_at("01:00:26.000", "switched from state RUNNING to RESTARTING")]
    with_findings(
        analysis,
        {
            "title": "The job has FAILED",
            "onset": began("01:00:26.000"),
            "evidence": evidence,
            "sentences": [said],
            "symptom_class": "restart_loop",
        },
    )

    assert onset_lines(analysis) == [
        "- 2026-11-20 01:00:26 First restart of the job: `switched from state RUNNING to RESTARTING`",
        "- 2026-11-20 01:02:08 The job has FAILED",
    ]


@pytest.mark.parametrize(("severity", "is_event"), [("info", False), ("warning", False), ("critical", True)])
def test_a_remark_on_a_setting_is_no_event_and_a_failure_by_one_is(
    analysis: Analysis, severity: str, is_event: bool
) -> None:
    setting = {"symptom_class": "misconfiguration", "severity": severity, "onset": began("01:00:00.000")}
    assert bool(onset_lines(with_findings(analysis, setting))) == is_event


def test_advice_is_neither_an_event_nor_an_impact(analysis: Analysis) -> None:
    option = {"role": "consequence", "statement": "It would help.", "onset": began("01:00:00.000")}
    case = with_findings(analysis, {**option, "title": "Unaligned checkpoints", "advice": True}).case

    assert onset_lines(analysis) == []
    assert "It would help" not in as_post_mortem(report_of(case), "http://here/cases/1/")
    assert "### Option: Unaligned checkpoints" in as_markdown(report_of(case), "http://here/cases/1/")


def test_the_impact_in_a_post_mortem_is_how_long_and_no_diagnosis(analysis: Analysis) -> None:
    with_findings(
        analysis,
        {"title": "Cut off", "onset": {**began("01:00:26.000"), "ended": "2026-11-20T01:03:26Z"}, "statement": "Lost."},
        {"title": "Late", "role": "consequence", "onset": began("01:01:00.000"), "statement": "Buffers are full."},
    )

    text = as_post_mortem(report_of(analysis.case), "http://here/cases/1/")

    impact = text.split("## Impact\n")[1].split("## ")[0]
    assert "- 3 min from 2026-11-20 01:00:26 to 01:03:26 UTC" in impact
    assert "Buffers are full" not in impact


def test_a_post_mortem_proposes_the_first_step_and_links_the_alert_rules(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    text = as_post_mortem(report_of(analysis.case), f"http://here/cases/{analysis.case_id}/")

    assert "- [ ] Find the keys that Window gets." in text
    alerts = reverse("prevention:detail", args=[analysis.case_id])
    assert f"Load the alert rules of this case into Prometheus. <http://here{alerts}>" in text
