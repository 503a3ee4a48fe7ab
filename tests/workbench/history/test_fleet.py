"""The health of all jobs, its trend over the cases, and both as files."""

from __future__ import annotations

import csv
import datetime as dt
import io

from django.utils import timezone

from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.cases.models import Case, CaseStatus
from workbench.history.fleet import JobHealth, fleet


def look(user: User, days_ago: int, health: int | None, jobs: str = "Orders", **columns: object) -> Case:
    case = case_of(user)
    opened = timezone.now() - dt.timedelta(days=days_ago)
    Case.objects.filter(pk=case.pk).update(created_at=opened, health_score=health, job_names=jobs, **columns)
    return case


def test_each_case_is_a_look_at_its_jobs_and_the_newest_counts(people: People) -> None:
    look(people.alice, 3, 20, status=CaseStatus.CLOSED)
    newest = look(people.alice, 1, 65, verdict_class="slow_sink")
    look(people.alice, 2, 50)
    look(people.alice, 0, None)

    (job,) = fleet(people.bob)

    assert (job.looks, job.health, job.change, job.last.pk) == ([20, 50, 65], 65, 15, newest.pk)
    assert (job.cases, job.open, job.shared) == (3, 2, 0)


def test_the_least_healthy_job_comes_first_and_company_is_told(people: People) -> None:
    look(people.alice, 2, 90, "Clicks")
    look(people.alice, 1, 30, "Orders\nClicks")
    found = fleet(people.alice)
    assert [(job.name, job.health, job.shared) for job in found] == [("Clicks", 30, 1), ("Orders", 30, 1)]
    assert fleet(people.charlie) == []


def test_the_trend_is_drawn_from_the_top_for_a_hundred(people: People) -> None:
    """Three looks on 96 points of width: at 0, 48 and 96; 100 is at the top, 50 half way down the 24, 0 at the end."""
    job = JobHealth("Orders", look(people.alice, 0, 0), [100, 50, 0])
    assert job.line == "0.0,0.0 48.0,12.0 96.0,24.0"


def test_the_page_and_its_files_say_the_same(people: People) -> None:
    look(people.alice, 2, 20, "=cmd()", verdict_class="data_skew")
    look(people.alice, 1, 65, "=cmd()", verdict_class="slow_sink")
    vera = signed_in(people.vera)

    page = vera.get("/history/jobs/").content.decode()
    (row,) = csv.DictReader(io.StringIO(vera.get("/history/jobs.csv").content.decode()))
    (told,) = vera.get("/history/jobs.json").json()["jobs"]

    assert "+45" in page
    assert "Slow sink" in page
    # A spreadsheet would run the name.
    assert (row["job"], row["health"], row["health_before"], row["verdict"]) == ("'=cmd()", "65", "20", "slow_sink")
    assert (told["job"], told["looks"], told["worst_health"]) == ("=cmd()", [20, 65], 20)
    assert vera.get("/history/jobs.xml").status_code == 404
