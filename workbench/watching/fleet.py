"""The jobs of all watched clusters beside what their cases say, the worst first."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.accounts.models import User
from workbench.history import fleet as case_history
from workbench.history.fleet import JobHealth
from workbench.watching.drawing import Line, line_of
from workbench.watching.models import WORST_FIRST, JobCheck, Watch, WatchedJob

CHECKS_SHOWN = 96
"""Of a job in the list. Our choice: a day of checks every quarter of an hour."""


@dataclass(frozen=True, slots=True)
class FleetRow:
    """One job.

    diagnosed  its health over the user's cases; None where no case knows a job of the name
    line       duration of its checkpoints over the last checks; None without two
    """

    job: WatchedJob
    diagnosed: JobHealth | None
    line: Line | None


def fleet_rows(user: User) -> list[FleetRow]:
    """Every job of the watched clusters that the user sees."""
    jobs = list(WatchedJob.objects.visible_to(user).select_related("watch__cluster"))
    by_name = {each.name: each for each in case_history.fleet(user)}
    checks = _latest_checks(jobs)
    rows = [FleetRow(job, by_name.get(job.name), line_of(checks[job.pk])) for job in jobs]
    return sorted(rows, key=_badness)


def _badness(row: FleetRow) -> tuple[int, int, str]:
    health = row.diagnosed.health if row.diagnosed else 101
    return WORST_FIRST.index(row.job.level), health, row.job.name.casefold()


def _latest_checks(jobs: Sequence[WatchedJob]) -> dict[int, list[tuple[float, float]]]:
    """The last checkpoint durations of each job as (epoch s, ms), oldest first."""
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    if not jobs:
        return points
    since = min(job.seen_at - _period(job) for job in jobs)
    for check in JobCheck.objects.filter(job__in=jobs, at__gte=since).order_by("at").only("job", "at", "checkpoint_ms"):
        if check.checkpoint_ms is not None:
            points[check.job_id].append((check.at.timestamp(), check.checkpoint_ms))
    return defaultdict(list, {key: values[-CHECKS_SHOWN:] for key, values in points.items()})


def _period(job: WatchedJob) -> dt.timedelta:
    return dt.timedelta(minutes=job.watch.every * CHECKS_SHOWN)


def watches_of(user: User) -> Sequence[Watch]:
    """The watches that the user sees, with their clusters."""
    return list(Watch.objects.listed().visible_to(user).select_related("cluster", "team"))
