"""The guarantee that a case requires against the one that its evidence shows."""

from __future__ import annotations

from typing import Any

import pytest

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in, with_token
from workbench.analyses.guarantee import guarantee_shown
from workbench.analyses.models import Analysis
from workbench.cases.models import Case, CaseChange
from workbench.reports.content import report_of
from workbench.reports.markdown import as_markdown

ORDERS, CLICKS = "a" * 32, "b" * 32


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def delivery(job: str = ORDERS, **facts: str) -> dict[str, Any]:
    return {
        "key": "delivery_guarantee",
        "level": "job",
        "subject": {"job": job},
        "facts": facts,
        "citations": [],
        "citation_count": 0,
    }


def shown(required: str, *signals: dict[str, Any]) -> tuple[bool | None, str] | None:
    jobs = [{"job_id": ORDERS, "name": "Orders"}]
    if len(signals) > 1:
        jobs.append({"job_id": CLICKS, "name": "Clicks"})
    analysis = Analysis(signals=list(signals), document={"jobs": jobs})
    found = guarantee_shown(Case(required_guarantee=required), analysis)
    return (found.is_reached, found.because) if found else None


GIVE = "source, checkpointing and sink give"
ALL = {"source": "exactly once", "engine": "exactly once", "sink": "exactly once"}


@pytest.mark.parametrize(
    ("required", "facts", "reached", "because"),
    [
        ("exactly once", ALL, True, f"{GIVE} exactly once or better"),
        ("exactly once", {**ALL, "sink": "at least once"}, False, "the sink gives at least once"),
        (
            "at least once",
            {**ALL, "sink": "at least once"},
            True,
            "source, checkpointing and sink give at least once or better",
        ),
        ("exactly once", {"sink": "at least once"}, False, "the sink gives at least once"),
        (
            "exactly once",
            {"source": "exactly once", "engine": "exactly once"},
            None,
            "no file shows what the sink gives",
        ),
    ],
)
def test_the_required_guarantee_is_compared_part_by_part_s149(
    required: str, facts: dict[str, str], reached: bool | None, because: str
) -> None:
    assert shown(required, delivery(**facts)) == (reached, because)


def test_the_weakest_job_decides() -> None:
    assert shown("exactly once", delivery(**ALL), delivery(CLICKS, **{**ALL, "source": "at most once"})) == (
        False,
        "the source of Clicks gives at most once",
    )


def test_nothing_is_judged_where_nothing_is_required_or_measured() -> None:
    assert shown("", delivery(**ALL)) is None
    assert shown("exactly once") == (None, "no file names the sources and sinks of a job")


def test_it_is_stated_beside_the_impact_recorded_and_judged_on_the_page(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    case = analysis.case
    signal = delivery(**{**ALL, "sink": "at least once"})
    Analysis.objects.filter(pk=analysis.pk).update(signals=[*analysis.signals, signal])
    browser = signed_in(people.alice)

    browser.post(f"/cases/{case.pk}/impact/", {"required_guarantee": "exactly once"})

    assert CaseChange.objects.get(case=case).after == {"required_guarantee": "exactly once"}
    page = browser.get(case.get_absolute_url()).content.decode()
    assert "the sink gives at least once" in page
    assert "not reached" in page


def test_another_guarantee_is_refused(people: People) -> None:
    case = diagnosed_case(people.alice).case
    page = signed_in(people.alice).post(f"/cases/{case.pk}/impact/", {"required_guarantee": "twice"}, follow=True)
    assert "message error" in page.content.decode()
    case.refresh_from_db()
    assert case.required_guarantee == ""


def test_the_comparison_is_in_the_api_and_in_the_report_s149(people: People) -> None:
    analysis = diagnosed_case(people.alice)
    analysis.signals = [*analysis.signals, delivery(**{**ALL, "sink": "at least once"})]
    analysis.save(update_fields=["signals"])
    Case.objects.filter(pk=analysis.case_id).update(required_guarantee="exactly once")

    body = with_token(people.alice).get(f"/api/v1/cases/{analysis.case_id}/").json()
    listed = with_token(people.alice).get("/api/v1/cases/").json()["results"][0]
    report = as_markdown(report_of(Case.objects.get(pk=analysis.case_id)), "http://here/")

    assert body["guarantee"] == {
        "guarantee": "exactly once",
        "is_reached": False,
        "because": "the sink gives at least once",
    }
    assert listed["required_guarantee"] == "exactly once"
    assert "exactly once: not reached, the sink gives at least once" in report
