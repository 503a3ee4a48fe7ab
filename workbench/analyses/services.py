"""Writes about runs: request, cancel, retry, give back to the queue, fail. `run.py` does the work itself.

The owner of a running analysis is identified by its `claim`: every write of a worker names it, so that a run that was
cancelled or taken over cannot change anything any more.
"""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from uuid import UUID, uuid4

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.utils import timezone

from workbench.accounts.models import User
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.outcome import case_status_update
from workbench.analyses.publishing import end_publish
from workbench.analyses.turns import analyses_waiting, is_large, turn_of_request
from workbench.cases.models import Case
from workbench.cases.services import case_lock
from workbench.languages.sentences import say, to_say
from workbench.machine import broker
from workbench.machine.disk import disk_room
from workbench.machine.signs_of_life import SignsOfLife
from workbench.rules.models import Ruleset
from workbench.rules.services import ruleset_published
from workbench.tallies.counting import ANALYSES, count

logger = logging.getLogger(__name__)

RUN_NEXT_ANALYSIS = "workbench.analyses.tasks.run_next_analysis"
"""The task, which imports this module."""

WAITS = to_say("Waiting to be tried again.")
MOST_ATTEMPTS = 3
"""A run that killed its worker this often is not tried again. Our choice."""

MOST_SERVERS_LOST = 10
"""Losses of Spark or the database after which a run fails. Our choice: a server lost because of other runs fails no
case.
"""

SILENT = timedelta(seconds=15)
"""A run without a sign of life for this long may be lost; the worker sends one every half second. Our choice."""

OBSERVED_SECONDS = 6.0
"""How long a run that may be lost is observed. Our choice: twelve signs of life of a live run."""

_signs = SignsOfLife(SILENT, OBSERVED_SECONDS)

UNSENT = timedelta(seconds=30)
"""A queued run that waits this long while the queue is empty has lost its message. Our choice."""


class NothingToAnalyse(Exception):
    """The case has no file; the text is for the user."""


@transaction.atomic
def analysis_request(
    *, case: Case, user: User, snapshot: int | None = None, ruleset: Ruleset | None = None
) -> Analysis:
    """Queues an analysis of all files of a snapshot with the published rules; cancels one in progress.

    snapshot  by default the newest one
    ruleset   rules other than the published ones, from an imported case. Raises NothingToAnalyse.
    """
    case_lock(case)
    number = snapshot or case.snapshot_number
    present = case.files.present().filter(snapshot=number)
    files = list(present)
    # A file being redacted by a worker joins the run when it starts.
    is_coming = number == case.snapshot_number and case.arrivals.redacting().exists()
    if not files and not is_coming:
        raise NothingToAnalyse(
            say("The case holds no file yet.") if number == 1 else say("The snapshot holds no file yet.")
        )
    for active in case.analyses.active().filter(snapshot=number).light():
        analysis_cancel(analysis=active)
    analysis = Analysis.objects.create(
        case=case,
        snapshot=number,
        requested_by=user,
        ruleset=ruleset or ruleset_published(),
        turn=turn_of_request(case),
        is_large=is_large(case, files),
    )
    analysis.files.set(files)
    present.filter(analysed_at=None).update(analysed_at=timezone.now())
    case_status_update(case)
    _send()
    return analysis


def analysis_retry(*, analysis: Analysis, user: User) -> Analysis:
    """Queues a new analysis of the same snapshot, with its current files and rules."""
    return analysis_request(case=analysis.case, user=user, snapshot=analysis.snapshot)


@transaction.atomic
def analysis_cancel(*, analysis: Analysis) -> bool:
    """Ends an analysis. Its worker notices within a second and stops the Spark work.

    Gives whether it was still queued or running.
    """
    case_lock(analysis.case)
    ended = Analysis.objects.active().filter(pk=analysis.pk)
    cancelled = ended.update(status=AnalysisStatus.CANCELLED, finished_at=timezone.now(), detail="Cancelled.")
    if cancelled:
        count(ANALYSES, AnalysisStatus.CANCELLED)
        case_status_update(analysis.case)
        end_publish(analysis.pk)
    return bool(cancelled)


@transaction.atomic
def analysis_claim(analysis: Analysis, spark_session: str | None = None) -> UUID | None:
    """Makes the calling worker the owner of a queued analysis.

    spark_session  for the worker's Spark work
    Gives the claim, which tags that work and which every write must name; None when the analysis is not queued: it was
    cancelled, or the queue delivered its message twice.
    """
    case_lock(analysis.case)
    claim, now = uuid4(), timezone.now()
    claimed = Analysis.objects.filter(pk=analysis.pk, status=AnalysisStatus.QUEUED).update(
        status=AnalysisStatus.RUNNING,
        claim=claim,
        spark_session=spark_session,
        attempts=F("attempts") + 1,
        started_at=now,
        heartbeat_at=now,
        stage="Starting",
        progress=0.0,
        detail="",
    )
    if not claimed:
        return None
    case_status_update(analysis.case)
    return claim


@transaction.atomic
def analysis_fail(*, analysis: Analysis, claim: UUID | None, reason: str, is_unusable: bool = False) -> bool:
    """Ends the attempt that owns the claim with a reason for the user. Gives whether it still owned the run.

    is_unusable  as on the row
    """
    case_lock(analysis.case)
    failed = _owned(analysis, claim).update(
        status=AnalysisStatus.FAILED,
        finished_at=timezone.now(),
        error=reason,
        is_unusable=is_unusable,
        detail="",
    )
    if failed:
        count(ANALYSES, AnalysisStatus.FAILED)
        logger.warning("analysis %s failed: %s", analysis.pk, reason)
        case_status_update(analysis.case)
        end_publish(analysis.pk)
    return bool(failed)


@transaction.atomic
def analysis_give_back(
    *,
    analysis: Analysis,
    claim: UUID | None,
    reason: str,
    counted: bool = True,
    server_lost: bool = False,
    hint: str = "",
) -> None:
    """Queues a run again that its worker could not finish; after MOST_ATTEMPTS it fails with the reason.

    counted      False when the case is not at fault, e.g. for lack of disk space
    server_lost  the attempt ended because Spark or the database was lost; counts towards MOST_SERVERS_LOST instead
    hint         advice after too many losses
    """
    case_lock(analysis.case)
    analysis.refresh_from_db(fields=["attempts", "servers_lost"])
    servers_lost = analysis.servers_lost + server_lost
    is_last = counted and analysis.attempts - servers_lost >= MOST_ATTEMPTS
    if is_last or servers_lost >= MOST_SERVERS_LOST:
        cause = f" {hint}" if hint and not is_last else ""
        tried = to_say("It was tried {times} times.").format(times=analysis.attempts)
        analysis_fail(analysis=analysis, claim=claim, reason=f"{reason} {tried}{cause}")
        return
    returned = _owned(analysis, claim).update(
        status=AnalysisStatus.QUEUED,
        servers_lost=servers_lost,
        stage="",
        progress=0.0,
        heartbeat_at=None,
        attempts=F("attempts") - (0 if counted else 1),
        room_needed=analysis.room_needed,
        detail=f"{reason} {WAITS}",
    )
    if returned:
        logger.warning("analysis %s is queued again: %s", analysis.pk, reason)
        case_status_update(analysis.case)
        end_publish(analysis.pk)
        _send()


def waiting_analyses_wake() -> None:
    """Wake a worker if analyses are queued: one that was skipped may start when another run has ended."""
    if analyses_waiting().exists():
        _send()


def lost_analyses_recover(now: datetime | None = None) -> int:
    """Recovers runs whose worker was lost and queued ones whose message was lost. Gives how many.

    Cheap: two small queries. Every worker calls it every few seconds, so that no run stays "running" for ever. A run is
    lost when several calls saw the same last sign of life (`workbench/machine/signs_of_life.py`).
    """
    now = now or timezone.now()
    alive = Q(heartbeat_at__range=(now - SILENT, now + SILENT))
    silent = list(Analysis.objects.filter(~alive, status=AnalysisStatus.RUNNING).light())
    lost = sum(lost_analysis_recover(analysis, now) for analysis in silent)
    # One queued "in the future" was queued before the clock was set back.
    just_sent = Q(queued_at__range=(now - UNSENT, now + UNSENT))
    unsent = list(Analysis.objects.filter(~just_sent, status=AnalysisStatus.QUEUED).light())
    if not unsent or broker.messages_waiting():
        return lost
    for _ in unsent:
        _send()
    return lost + len(unsent)


def lost_analysis_recover(analysis: Analysis, now: datetime | None = None) -> bool:
    """Recovers one run if its worker was lost, which takes several calls; gives whether it did.

    Pages that show a run call it, so that they are correct also without a worker.
    """
    now = now or timezone.now()
    started_at, heartbeat_at = analysis.started_at, analysis.heartbeat_at
    if analysis.status != AnalysisStatus.RUNNING or started_at is None or heartbeat_at is None:
        return False
    if disk_room().free < 0:
        # A full disk silences a live run, and no other could start.
        return False
    if not _signs.has_vanished(analysis.claim, heartbeat_at, now):
        return False
    if (heartbeat_at - started_at).total_seconds() > settings.MOST_ANALYSIS_SECONDS:
        reason = to_say("It took longer than {seconds} seconds.").format(seconds=settings.MOST_ANALYSIS_SECONDS)
        analysis_fail(analysis=analysis, claim=analysis.claim, reason=reason)
    else:
        reason = to_say("The worker that ran it stopped without a word.")
        analysis_give_back(analysis=analysis, claim=analysis.claim, reason=reason)
    analysis.refresh_from_db(fields=["status", "stage", "progress", "detail", "error"])
    return True


def _owned(analysis: Analysis, claim: UUID | None) -> QuerySet[Analysis]:
    return Analysis.objects.filter(pk=analysis.pk, status=AnalysisStatus.RUNNING, claim=claim)


def _send() -> None:
    broker.send_when_committed(RUN_NEXT_ANALYSIS)
