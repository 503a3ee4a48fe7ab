"""A job over the cases about it: each quantity that two of them measured is a course."""

from __future__ import annotations

from typing import Any

import pytest
from django.urls import reverse

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, signed_in
from workbench.accounts.models import User
from workbench.analyses.models import Analysis, ChartPoints
from workbench.case_pages.job_courses import JobCourse, job_over_cases

JOB = "a" * 32


@pytest.fixture(autouse=True)
def no_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing runs what is queued here."""
    monkeypatch.setattr("workbench.analyses.services._send", lambda *args, **options: None)


def measured(user: User, durations: list[int], title: str = "Checkpoints expire") -> Analysis:
    """A case about Orders in which checkpoints took so long, in ms."""
    analysis = diagnosed_case(user, title=title)
    checkpoints: list[dict[str, Any]] = [
        {"id": place, "status": "completed", "savepoint": False, "end_to_end_ms": each, "trigger_ms": place * 60_000}
        for place, each in enumerate(durations)
    ]
    points = {"jobs": [{"job_id": JOB, "name": "Orders", "checkpoints": checkpoints}]}
    ChartPoints.objects.create(analysis=analysis, chart_id="checkpoint-history", points=points)
    return analysis


def course_of(user: User, title: str, name: str = "Orders") -> JobCourse | None:
    shown = job_over_cases(user, name)
    courses = [*shown.unchanged, *(each for group in shown.changed.values() for each in group)]
    return next((each for each in courses if each.quantity.title == title), None)


def test_a_metric_of_a_job_is_a_course_over_its_cases_f129(people: People) -> None:
    measured(people.alice, [5_000] * 8)
    measured(people.alice, [5_100] * 8)
    measured(people.bob, [20_000] * 8)

    course = course_of(people.alice, "Duration of checkpoints")

    assert course is not None
    assert [point.value for point in course.points] == ["5 s", "5.1 s", "20 s"]
    assert [round(point.x) for point in course.points] == [0, 320, 640]
    assert course.points[-1].y == 0, "the largest value is on top"
    assert course.effect.judgement == "worse"
    assert course in job_over_cases(people.alice, "Orders").changed["Checkpoints"]
    assert "3.9 times longer" in course.change


def test_a_quantity_that_one_case_measured_has_no_course(people: People) -> None:
    measured(people.alice, [5_000] * 8)
    diagnosed_case(people.alice)

    assert course_of(people.alice, "Duration of checkpoints") is None


def test_cases_of_other_teams_and_other_jobs_are_left_out(people: People) -> None:
    measured(people.alice, [5_000] * 8)
    measured(people.alice, [6_000] * 8)

    assert job_over_cases(people.charlie, "Orders").cases == []
    assert job_over_cases(people.alice, "Order").cases == []


def test_the_page_of_a_job_is_reached_from_the_health_of_the_jobs(people: People) -> None:
    measured(people.alice, [5_000] * 8)
    measured(people.alice, [9_000] * 8, title="Second <b>case</b>")
    alice = signed_in(people.alice)

    address = f"{reverse('cases:job')}?name=Orders"

    assert f'href="{address}"' in alice.get(reverse("history:jobs")).content.decode()
    page = alice.get(address).content.decode()
    assert "Duration of checkpoints: 9 s" in page
    assert "Second &lt;b&gt;case" in page


@pytest.mark.parametrize("name", ["", "nothing", "a\x00b", "%", "x" * 3_000])
def test_a_job_that_no_case_names_has_an_empty_page(people: People, name: str) -> None:
    measured(people.alice, [5_000] * 8)
    answer = signed_in(people.alice).get(reverse("cases:job"), {"name": name})

    assert answer.status_code == 200
    assert "No quantity was measured in two cases" in answer.content.decode()
