"""The health of all jobs, its trend over the cases, and both as files."""

from __future__ import annotations

import csv
import datetime as dt
import io
from importlib import import_module

from django.apps import apps
from django.db import connection
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.cases.models import Case, CaseStatus
from workbench.history.fleet import JobHealth, fleet


def look(user: User, days_ago: int, *jobs: tuple[str, int | None, str], status: CaseStatus = CaseStatus.OPEN) -> Case:
    """A case of that day with these jobs: name, health, verdict."""
    case = case_of(user)
    opened = timezone.now() - dt.timedelta(days=days_ago)
    verdicts = [{"name": name, "health": health, "symptom_class": symptom} for name, health, symptom in jobs]
    Case.objects.filter(pk=case.pk).update(created_at=opened, job_verdicts=verdicts, status=status)
    return case


def test_each_case_is_a_look_at_its_jobs_and_the_newest_counts(people: People) -> None:
    look(people.alice, 3, ("Orders", 20, "data_skew"), status=CaseStatus.CLOSED)
    newest = look(people.alice, 1, ("Orders", 65, "slow_sink"))
    look(people.alice, 2, ("Orders", 50, "data_skew"))
    look(people.alice, 0, ("Orders", None, "inconclusive"))
    look(people.alice, 0)

    (job,) = fleet(people.bob)

    assert (job.looks, job.health, job.change, job.last.pk) == ([20, 50, 65], 65, 15, newest.pk)
    assert (job.cases, job.open, job.shared) == (3, 2, 0)


def test_a_healthy_job_beside_an_ill_one_is_healthy(people: People) -> None:
    look(people.alice, 2, ("Clicks", 90, "healthy"))
    look(people.alice, 1, ("Orders", 30, "data_skew"), ("Clicks", 96, "healthy"))

    found = fleet(people.alice)

    assert [(job.name, job.health, job.symptom_class, job.shared) for job in found] == [
        ("Orders", 30, "data_skew", 1),
        ("Clicks", 96, "healthy", 1),
    ]
    assert fleet(people.charlie) == []


def test_an_analysis_keeps_the_verdict_of_each_job(people: People) -> None:
    case = diagnosed_case(people.alice).case
    case.refresh_from_db()
    (verdict,) = case.job_verdicts
    assert (verdict["name"], verdict["symptom_class"]) == (case.job_names, case.verdict_class)
    assert verdict["health"] == case.health_score


def test_the_trend_is_drawn_from_the_top_for_a_hundred(people: People) -> None:
    """Three looks on 96 points of width: at 0, 48 and 96; 100 is at the top, 50 half way down the 24, 0 at the end."""
    job = JobHealth("Orders", look(people.alice, 0), "slow_sink", [100, 50, 0])
    assert job.line == "0.0,0.0 48.0,12.0 96.0,24.0"


def test_the_page_and_its_files_say_the_same(people: People) -> None:
    look(people.alice, 2, ("=cmd()", 20, "data_skew"))
    look(people.alice, 1, ("=cmd()", 65, "slow_sink"))
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


def test_cases_of_an_older_version_get_the_verdicts_of_their_jobs(people: People) -> None:
    case = diagnosed_case(people.alice).case
    case.refresh_from_db()
    Case.objects.update(job_verdicts=[])

    import_module("workbench.analyses.migrations.0011_job_verdicts").fill(apps, connection.schema_editor())

    assert Case.objects.get(pk=case.pk).job_verdicts == case.job_verdicts != []
