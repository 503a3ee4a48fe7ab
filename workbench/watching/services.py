"""Begins and ends watches, and requests the checks that are due."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from workbench.accounts.models import Team, User
from workbench.cases.holds import OnHold, kept_days, require_no_hold
from workbench.clusters.models import Cluster
from workbench.languages.sentences import say
from workbench.machine import broker
from workbench.watching.models import EarlyWarning, Every, JobCheck, Watch, WatchedJob

RUN_CHECK = "workbench.watching.tasks.run_check"
MOST_AT_ONCE = 1
"""Checks that run at once. Our choice: clusters that hang hold one of the workers, and cases get the others."""
LOST_AFTER = dt.timedelta(minutes=3)
"""A check that runs for longer was lost with its worker: it takes 90 s at most, and the last answer."""
MOST_STATE_MB = 2_000_000_000
KEPT = dt.timedelta(days=30)
"""How long checks are kept. Our choice: 300 a day and job at the shortest period are 9,000 rows."""
WARNINGS_KEPT = dt.timedelta(days=90)
"""How long warnings that are over are kept, and jobs that are not seen any more."""


@dataclass(frozen=True, slots=True)
class WatchForm:
    """An administrator's input for a watch."""

    every: int
    team: Team | None
    owner: User | None
    opens_cases: bool = False
    state_limit_mb: str = ""


def watch_save(*, user: User, cluster: Cluster, form: WatchForm) -> Watch:
    """Begins to watch a cluster, or changes how. Raises PermissionDenied, ValidationError by field."""
    _administrators_only(user)
    errors: dict[str, str] = {}
    if form.every not in Every.values:
        errors["every"] = say("Choose how often the cluster is checked.")
    if form.team is None:
        errors["team"] = say("Choose the team that sees its jobs.")
    if form.owner is None or not form.owner.may_change_cases:
        errors["owner"] = say("Choose who owns the cases that its warnings open.")
    elif form.team is not None and not form.owner.teams.filter(pk=form.team.pk).exists():
        errors["owner"] = say("{owner} is not in the team {team}.", owner=form.owner, team=form.team)
    typed = form.state_limit_mb.strip()
    if typed and not (typed.isascii() and typed.isdecimal() and 0 < int(typed[:12]) <= MOST_STATE_MB):
        errors["state_limit_mb"] = say("The size is a number of megabytes.")
    if errors or form.team is None or form.owner is None:
        raise ValidationError(errors)
    watch = Watch.objects.filter(cluster=cluster).first() or Watch(cluster=cluster)
    if watch.pk and watch.team_id != form.team.pk:
        try:
            require_no_hold(watch.team_id)
        except OnHold as error:
            raise ValidationError({"team": str(error)}) from None
    watch.every, watch.team, watch.owner = form.every, form.team, form.owner
    watch.opens_cases, watch.state_limit_mb = form.opens_cases, int(typed) if typed else None
    watch.next_at = timezone.now()
    watch.save()
    return watch


def watch_end(*, user: User, watch: Watch) -> None:
    """Ends a watch and deletes its checks. Raises PermissionDenied, OnHold."""
    _administrators_only(user)
    require_no_hold(watch.team_id)
    watch.delete()


def due_checks_request() -> int:
    """Queues the check that is due for longest, unless one is running. Gives the number queued."""
    now = timezone.now()
    running = Watch.objects.filter(begun_at__gt=now - LOST_AFTER).count()
    due = Watch.objects.listed().filter(Q(begun_at=None) | Q(begun_at__lte=now - LOST_AFTER), next_at__lte=now)
    chosen = list(due.order_by("next_at")[: max(0, MOST_AT_ONCE - running)])
    queued = 0
    for watch in chosen:
        with transaction.atomic():
            # The mark makes the next round wait; the check writes its own.
            following = now + dt.timedelta(minutes=watch.every)
            mine = Watch.objects.filter(pk=watch.pk, next_at=watch.next_at).update(begun_at=now, next_at=following)
            if mine:
                broker.send_when_committed(RUN_CHECK, watch.pk)
            queued += mine
    return queued


def checks_expire() -> int:
    """Deletes old checks, warnings that are over, and jobs that are gone, but for teams under legal hold.

    Gives how many rows.
    """
    now, jobs = timezone.now(), WatchedJob.objects.filter(watch__team__in=kept_days())
    checks, _ = JobCheck.objects.filter(job__in=jobs, at__lt=now - KEPT).delete()
    warnings, _ = EarlyWarning.objects.filter(job__in=jobs, ended_at__lt=now - WARNINGS_KEPT).delete()
    gone, _ = jobs.filter(seen_at__lt=now - WARNINGS_KEPT).delete()
    return checks + warnings + gone


def _administrators_only(user: User) -> None:
    if not user.is_administrator:
        raise PermissionDenied(say("Only administrators decide which clusters are watched."))
