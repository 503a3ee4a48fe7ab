"""The jobs of all watched clusters beside what their cases say, the worst first."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import F, Q, QuerySet

from workbench.accounts.models import User
from workbench.cases.models import Case, CaseQuerySet
from workbench.clusters.models import Collection, Serves
from workbench.history.fleet import JobHealth, cases_with_jobs, jobs_in
from workbench.watching.drawing import Line, line_of
from workbench.watching.models import WORST_FIRST, JobCheck, Level, Watch, WatchedJob

CHECKS_SHOWN = 96
"""Of a job in the list. Our choice: a day of checks every quarter of an hour."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One job.

    diagnosed  its health over the user's cases about it; None without one
    line       duration of its checkpoints over the last checks; None without two
    """

    job: WatchedJob
    diagnosed: JobHealth | None
    line: Line | None


def fleet_rows(user: User) -> list[FleetRow]:
    """Every job of the watched clusters that the user sees."""
    jobs = list(WatchedJob.objects.visible_to(user).select_related("watch__cluster"))
    diagnosed = _diagnosed(user, jobs)
    checks = _latest_checks(jobs)
    rows = [FleetRow(job, diagnosed.get(job.pk), line_of(checks[job.pk])) for job in jobs]
    return sorted(rows, key=_badness)


def _diagnosed(user: User, jobs: Sequence[WatchedJob]) -> dict[int, JobHealth]:
    """Key of a watched job -> its health over the cases about it, as `cases_about` chooses them."""
    cases = list(cases_with_jobs(user))
    origins: dict[int, set[int]] = defaultdict(set)
    for case_id, cluster_id in _collected().filter(case__in=cases).values_list("case", "cluster"):
        origins[case_id].add(cluster_id)
    names = Counter(job.name for job in jobs)
    healths: dict[int, JobHealth] = {}
    for cluster_id in {job.watch.cluster_id for job in jobs}:
        own = jobs_in(case for case in cases if cluster_id in origins[case.pk])
        own_or_unknown = jobs_in(case for case in cases if cluster_id in origins[case.pk] or not origins[case.pk])
        for job in jobs:
            health = (own_or_unknown if names[job.name] == 1 else own).get(job.name)
            if job.watch.cluster_id == cluster_id and health is not None:
                healths[job.pk] = health
    return healths


@dataclass(frozen=True, slots=True)
class CaseAboutJob:
    """A case about a job, with the job's own class of verdict and health there; None for not known (yet)."""

    case: Case
    symptom_class: str | None
    health: int | None


def verdicts_about(job: WatchedJob, cases: Iterable[Case]) -> list[CaseAboutJob]:
    """The cases, as `cases_about` gives them, with the verdict of this job and not that of the worst one."""
    shown = []
    for case in cases:
        own = next((each for each in case.job_verdicts if each["name"] == job.name), None)
        shown.append(CaseAboutJob(case, own["symptom_class"], own["health"]) if own else CaseAboutJob(case, None, None))
    return shown


def cases_about(user: User, job: WatchedJob) -> CaseQuerySet:
    """The cases with a job of this name that were collected from its cluster.

    A case of uploads names no cluster. It counts where only one watched cluster has a job of the name.
    """
    named = Case.objects.visible_to(user).filter(merged_into=None).with_a_job_of([job.name])
    own = Q(pk__in=_collected().filter(cluster=job.watch.cluster_id).values("case"))
    if WatchedJob.objects.visible_to(user).filter(name=job.name).count() > 1:
        return named.filter(own)
    return named.filter(own | ~Q(pk__in=_collected().values("case")))


def _collected() -> QuerySet[Collection]:
    """Collections from clusters, without those from stores of metrics, logs and files."""
    return Collection.objects.filter(cluster__serves=Serves.REST).order_by()


def _badness(row: FleetRow) -> tuple[int, int, str]:
    """Jobs of a cluster that does not answer come before the quiet ones: nobody knows how they are."""
    health = row.diagnosed.health if row.diagnosed else 101
    level = Level.WARNING if row.job.is_unknown and row.job.level == Level.QUIET else row.job.level
    return WORST_FIRST.index(level), health, row.job.name.casefold()


def _latest_checks(jobs: Sequence[WatchedJob]) -> dict[int, list[tuple[float, float]]]:
    """The last checkpoint durations of each job as (epoch s, ms), oldest first: those of CHECKS_SHOWN periods before it
    was seen last, however long ago that is, and however often other clusters are checked.
    """
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for every in {job.watch.every for job in jobs}:
        since = F("job__seen_at") - dt.timedelta(minutes=every * CHECKS_SHOWN)
        own = [job for job in jobs if job.watch.every == every]
        measured = JobCheck.objects.filter(job__in=own, at__gte=since, checkpoint_ms__isnull=False).order_by("at")
        for check in measured.only("job", "at", "checkpoint_ms"):
            points[check.job_id].append((check.at.timestamp(), check.checkpoint_ms or 0.0))
    return defaultdict(list, {key: values[-CHECKS_SHOWN:] for key, values in points.items()})


def watches_of(user: User) -> Sequence[Watch]:
    """The watches that the user sees, with their clusters."""
    return list(Watch.objects.listed().visible_to(user).select_related("cluster", "team"))
