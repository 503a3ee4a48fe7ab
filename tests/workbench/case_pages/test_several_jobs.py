"""A case of several jobs: each has its own verdict, number and step wherever people read of it."""

from __future__ import annotations

from typing import Any

from django.utils import timezone

from diagnostics.diagnosis.terminal import render
from tests.workbench.diagnosed import diagnosed_case, document_store, job_beside
from tests.workbench.people import People, signed_in
from workbench.analyses.measured_impact import measured_impact
from workbench.analyses.models import Analysis
from workbench.case_pages.verdict import job_verdicts_shown
from workbench.channels.models import Channel, Delivery
from workbench.channels.wording import message_about
from workbench.reports.content import report_of
from workbench.reports.events import events_of
from workbench.reports.markdown import as_markdown, as_post_mortem
from workbench.runbooks.plans import waits_because

CODE = {"title": "The code fails", "first_step": "Check the value.", "severity": "critical"}


def three_jobs(people: People, **first: Any) -> Analysis:
    """A skewed job, one whose code fails, and one in which nothing alarming was found."""
    analysis = diagnosed_case(people.alice)
    analysis.document["findings"][0] |= {"onset": {"ts": "2026-11-21T01:02:03.000Z", "at_start": False}, **first}
    job_beside(analysis, "invoices", "user_code", 36, **CODE)
    remark = {"severity": "info", "role": "contributing", "title": "A remark", "first_step": "Look."}
    return job_beside(analysis, "views", "inconclusive", 95, **remark)


def test_the_page_says_of_each_job_what_it_has_and_what_to_do(people: People) -> None:
    analysis = three_jobs(people)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    card = page[page.index('class="job-verdicts"') : page.index("</section>", page.index('class="job-verdicts"'))]
    assert "The verdict above is about this job." in card
    assert '<p class="said">it is user code.</p>' in card
    assert '<p class="said">it is inconclusive.</p>' in card
    assert card.count("Do first:") == 1, "nothing is to be done about a job in which nothing alarming was found"
    assert "Check the value." in card
    for job in analysis.document["jobs"]:
        assert f'href="#job-{job["job_id"]}"' in card
        assert f'id="job-{job["job_id"]}"' in page


def with_possible_causes(analysis: Analysis, place: int) -> Analysis:
    """The analysis with possible causes and something to add for the job at that place, and for no other."""
    for each in analysis.document["jobs"]:
        each |= {"hypotheses": [], "split": None, "missing_evidence": [], "looked_at": []}
    steps = [{"factor": 0.2, "because": "a prior"}, {"factor": 2.0, "because": "a log line"}]
    cause = {"symptom_class": "slow_sink", "title": "Slow sink", "probability": 0.6, "steps": steps}
    rest = {"symptom_class": None, "title": "Something else", "probability": 0.4, "steps": steps[:1]}
    asked = {"what": "The log of views", "why": "Shows why it fails.", "how": "kubectl logs views"}
    analysis.document["jobs"][place] |= {
        "hypotheses": [{**each, "for": [], "against": []} for each in (cause, rest)],
        "split": asked,
        "missing_evidence": [asked],
        "looked_at": [{"what": "checkpoints", "read": False, "evidence": "The log of views"}],
        "deductions": [
            {"points": 5, "dimension": "stability", "symptom_class": "user_code", "title": "A remark", "finding": 2}
        ],
    }
    document_store(analysis)
    return analysis


def test_possible_causes_and_what_to_add_are_those_of_each_job(people: People) -> None:
    """They were those of the worst job, which has a cause: the page had none of the job that has none."""
    analysis = with_possible_causes(three_jobs(people), 2)
    page = signed_in(people.bob).get(analysis.case.get_absolute_url()).content.decode()
    assert "Possible causes · views" in page
    assert "Possible causes · Orders" not in page
    assert "views: Shows why it fails." in page
    assert "whether it was read · views" in page
    assert page.count("kubectl logs views") == 2, "beside the causes, and where all is that can be added"
    assert "Why 95" in page
    report = report_of(analysis.case)
    text, post_mortem = as_markdown(report, "http://here/"), as_post_mortem(report, "http://here/")
    assert "## Possible causes · views" in text
    assert "- The log of views: views: Shows why it fails. `kubectl logs views`" in text
    assert "- views: checkpoints: not read; shown by: The log of views" in text
    assert "Collect the log of views: views: Shows why it fails." in post_mortem


def test_a_place_that_was_read_of_all_jobs_is_named_once_in_a_report(people: People) -> None:
    analysis = three_jobs(people)
    for each in analysis.document["jobs"]:
        shared = {"what": "restarts", "read": True, "evidence": "The log"}
        own = {"what": "checkpoints", "read": each["name"] == "views", "evidence": "The log"}
        each |= {"looked_at": [shared, own], "verdict": {**each["verdict"], "symptom_class": "inconclusive"}}
    document_store(analysis)
    assert report_of(analysis.case).looked_at == [
        ("restarts", "read"),
        ("Orders, invoices: checkpoints", "not read; shown by: The log"),
        ("views: checkpoints", "read"),
    ]


def test_a_report_has_the_runbook_of_what_nothing_explains(people: People) -> None:
    """The page starts it, and the report had nothing to do for a job without a known cause."""
    analysis = three_jobs(people)
    unexplained = {"symptom_class": "checkpoint_failure", "role": "consequence", "runbook": "failed-checkpoints"}
    analysis.document["findings"][1] |= unexplained
    document_store(analysis)
    (runbook,) = report_of(analysis.case).runbooks
    assert runbook.title.endswith("· invoices")
    assert runbook.steps
    analysis.document["findings"][1]["caused_by"] = 0
    document_store(analysis)
    assert report_of(analysis.case).runbooks == []


def test_a_job_of_its_own_needs_no_name_and_no_list(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    assert job_verdicts_shown(analysis.document, []) == []
    assert "Orders: Data skew" not in as_markdown(report_of(analysis.case), "http://here/")


def test_the_terminal_names_the_job_of_each_finding_and_says_what_each_has(people: People) -> None:
    text = render(three_jobs(people).document)
    assert "[1] invoices: The code fails (user_code, critical" in text
    assert "    views: it is inconclusive.\n" in text
    assert "[0] Orders: " in text


def test_a_report_says_what_each_job_has_and_whose_each_line_is(people: People) -> None:
    report = report_of(three_jobs(people).case)
    text, post_mortem = as_markdown(report, "http://here/"), as_post_mortem(report, "http://here/")
    assert "**Orders: Data skew, 90 % sure, health " in text
    assert (
        "**invoices: Failure in the job's code or JARs, 90 % sure, health 36 of 100**\n\ninvoices: it is user code."
        in text
    )
    assert "**Do first: Check the value.**" in text
    assert "- [ ] invoices: Check the value." in post_mortem
    assert "- invoices: The code fails. " in post_mortem
    assert "Diagnosed: Orders: Data skew" in text
    titles = [title for event in events_of(report.document or {}) for title in event.titles]
    assert "invoices: The code fails (Window)" in titles


def test_what_an_incident_cost_is_said_of_each_job_with_trouble(people: People) -> None:
    analysis = three_jobs(people)
    first, second, quiet = (job["job_id"] for job in analysis.document["jobs"])
    counts = ((first, 2), (second, 35), (quiet, 1))
    analysis.signals = [
        {"key": "restarts", "subject": {"job": job}, "facts": {"restarts": count}} for job, count in counts
    ]
    phrases = measured_impact(analysis)
    assert "a cause was found for 2 of 3 jobs" in phrases
    assert [each for each in phrases if "restart" in each] == ["Orders: 2 restarts", "invoices: 35 restarts"]


def test_nothing_is_planned_for_a_job_in_which_nothing_alarming_was_found(people: People) -> None:
    analysis = three_jobs(people)
    first, second, quiet = (job["job_id"] for job in analysis.document["jobs"])
    assert waits_because(analysis, quiet).startswith("Nothing alarming was found in this job")
    assert waits_because(analysis, first) == waits_because(analysis, second) == ""


def test_a_step_of_another_job_is_not_said_first(people: People) -> None:
    """Where the rule of the verdict states no step, the one of the next job was said."""
    analysis = three_jobs(people, first_step=None)
    assert "Do first: Check the value." not in report_of(analysis.case).first_step


def test_a_message_names_its_job_and_the_other_ones(people: People) -> None:
    analysis = three_jobs(people, first_step="Find the key.")
    channel = Channel(name="c", kind="webhook", team=people.team, added_by=people.ada, added_at=timezone.now())
    message = message_about(Delivery(channel=channel, case=analysis.case, analysis=analysis, what="Verdict"))
    assert message.fields["first"] == "Orders: Find the key."
    others = "Other jobs: invoices (failure in the job's code or JARs, health 36); views (inconclusive, health 95)."
    assert str(message.fields["summary"]).endswith(others)
