"""Writes about runs: asked for, cancelled, retried, given back to the queue, failed. `run.py` does the work itself.

Whoever owns a running analysis is told by its `claim`: every write of a worker names it, so that a run which was
cancelled or taken over meanwhile can change nothing any more.
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
from workbench.analyses.outcome import case_outcome_update
from workbench.analyses.publishing import end_publish
from workbench.analyses.turns import turn_of_request
from workbench.cases.models import Case
from workbench.cases.services import case_lock
from workbench.machine import broker
from workbench.machine.disk import disk_room
from workbench.machine.signs_of_life import SignsOfLife
from workbench.rules.models import Ruleset
from workbench.rules.services import ruleset_published

logger = logging.getLogger(__name__)

RUN_NEXT_ANALYSIS = "workbench.analyses.tasks.run_next_analysis"
"""The task, which calls this module."""

MOST_ATTEMPTS = 3
"""A run that took its worker down so often is not tried again. Our choice."""

MOST_SERVERS_LOST = 10
"""Losses of Spark or the database after which a run fails. Our choice: a server that others end fails no case."""

SILENT = timedelta(seconds=15)
"""A run that gave no sign of life for so long may be lost; the worker gives one each half second. Our choice."""

OBSERVED_SECONDS = 6.0
"""For how long a run that may be lost is looked at. Our choice: twelve signs of life of a run that lives."""

_signs = SignsOfLife(SILENT, OBSERVED_SECONDS)

UNSENT = timedelta(seconds=30)
"""A queued run that waits so long while the queue is empty has lost its message. Our choice."""


class NothingToAnalyse(Exception):
    """The case holds no file; the text is for the user."""


@transaction.atomic
def analysis_request(
    *, case: Case, user: User, snapshot: int | None = None, ruleset: Ruleset | None = None
) -> Analysis:
    """Queues an analysis of all files of a snapshot with the rules published now; one under way is cancelled.

    snapshot  the newest one unless it is named
    ruleset   other rules than the published ones: those that the case brought along. Raises NothingToAnalyse.
    """
    case_lock(case)
    number = snapshot or case.snapshot_number
    present = case.files.present().filter(snapshot=number)
    files = list(present)
    # A file from which a worker takes secrets out joins the run when it begins.
    is_coming = number == case.snapshot_number and case.arrivals.redacting().exists()
    if not files and not is_coming:
        raise NothingToAnalyse("The case holds no file yet." if number == 1 else "The snapshot holds no file yet.")
    for active in case.analyses.active().filter(snapshot=number).light():
        analysis_cancel(analysis=active)
    analysis = Analysis.objects.create(
        case=case,
        snapshot=number,
        requested_by=user,
        ruleset=ruleset or ruleset_published(),
        turn=turn_of_request(case),
    )
    analysis.files.set(files)
    present.filter(analysed_at=None).update(analysed_at=timezone.now())
    case_outcome_update(case)
    _send()
    return analysis


def analysis_retry(*, analysis: Analysis, user: User) -> Analysis:
    """Queues a new analysis of the same snapshot, with the files and the rules that it has now."""
    return analysis_request(case=analysis.case, user=user, snapshot=analysis.snapshot)


@transaction.atomic
def analysis_cancel(*, analysis: Analysis) -> bool:
    """Ends an analysis. Its worker sees that within a second and stops the Spark work too.

    Gives whether it was still queued or running.
    """
    case_lock(analysis.case)
    ended = Analysis.objects.active().filter(pk=analysis.pk)
    cancelled = ended.update(status=AnalysisStatus.CANCELLED, finished_at=timezone.now(), detail="Cancelled.")
    if cancelled:
        case_outcome_update(analysis.case)
        end_publish(analysis.pk)
    return bool(cancelled)


@transaction.atomic
def analysis_claim(analysis: Analysis, spark_session: str | None = None) -> UUID | None:
    """Makes the calling worker the owner of a queued analysis.

    spark_session  in which the worker does its Spark work
    Gives the claim, which tags that work and which every write has to name; None when the analysis is not waiting: it
    was cancelled, or the queue delivered its message twice.
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
    case_outcome_update(analysis.case)
    return claim


@transaction.atomic
def analysis_fail(*, analysis: Analysis, claim: UUID | None, reason: str) -> bool:
    """Ends the attempt that owns the claim with a reason for the user. Gives whether it still owned the run."""
    case_lock(analysis.case)
    failed = _owned(analysis, claim).update(
        status=AnalysisStatus.FAILED, finished_at=timezone.now(), error=reason, detail=""
    )
    if failed:
        logger.warning("analysis %s failed: %s", analysis.pk, reason)
        case_outcome_update(analysis.case)
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

    counted      False for one that only waits for what the case is not to blame for: room on the disk
    server_lost  the attempt ended because Spark or the database was lost: it is one of MOST_SERVERS_LOST instead
    hint         what to do about it once that has happened so often
    """
    case_lock(analysis.case)
    analysis.refresh_from_db(fields=["attempts", "servers_lost"])
    servers_lost = analysis.servers_lost + server_lost
    is_last = counted and analysis.attempts - servers_lost >= MOST_ATTEMPTS
    if is_last or servers_lost >= MOST_SERVERS_LOST:
        cause = f" {hint}" if hint and not is_last else ""
        analysis_fail(analysis=analysis, claim=claim, reason=f"{reason} It was tried {analysis.attempts} times.{cause}")
        return
    returned = _owned(analysis, claim).update(
        status=AnalysisStatus.QUEUED,
        servers_lost=servers_lost,
        stage="",
        progress=0.0,
        heartbeat_at=None,
        attempts=F("attempts") - (0 if counted else 1),
        room_needed=analysis.room_needed,
        detail=f"{reason} Waiting to be tried again.",
    )
    if returned:
        logger.warning("analysis %s is queued again: %s", analysis.pk, reason)
        case_outcome_update(analysis.case)
        end_publish(analysis.pk)
        _send()


def lost_analyses_recover(now: datetime | None = None) -> int:
    """Takes up runs whose worker vanished and queued ones whose message did. Gives how many.

    Cheap: two small queries. Every worker calls it every few seconds, so that no run stays "running" for ever. A run
    is lost when several calls found its last sign of life unchanged (`workbench/machine/signs_of_life.py`).
    """
    now = now or timezone.now()
    alive = Q(heartbeat_at__range=(now - SILENT, now + SILENT))
    silent = list(Analysis.objects.filter(~alive, status=AnalysisStatus.RUNNING).light())
    lost = sum(lost_analysis_recover(analysis, now) for analysis in silent)
    # One that was queued "in the future" was so before the clock was set back.
    just_sent = Q(queued_at__range=(now - UNSENT, now + UNSENT))
    unsent = list(Analysis.objects.filter(~just_sent, status=AnalysisStatus.QUEUED).light())
    if not unsent or broker.messages_waiting():
        return lost
    for _ in unsent:
        _send()
    return lost + len(unsent)


def lost_analysis_recover(analysis: Analysis, now: datetime | None = None) -> bool:
    """Takes up one run if its worker vanished, which takes several looks; gives whether it did.

    Whoever shows a run calls it, so that the page tells the truth also while no worker is there to look after it.
    """
    now = now or timezone.now()
    started_at, heartbeat_at = analysis.started_at, analysis.heartbeat_at
    if analysis.status != AnalysisStatus.RUNNING or started_at is None or heartbeat_at is None:
        return False
    if disk_room().free < 0:
        # A full disk silences a run that lives, and no other could begin.
        return False
    if not _signs.has_vanished(analysis.claim, heartbeat_at, now):
        return False
    if (heartbeat_at - started_at).total_seconds() > settings.MOST_ANALYSIS_SECONDS:
        reason = f"It took longer than {settings.MOST_ANALYSIS_SECONDS} seconds."
        analysis_fail(analysis=analysis, claim=analysis.claim, reason=reason)
    else:
        reason = "The worker that ran it stopped without a word."
        analysis_give_back(analysis=analysis, claim=analysis.claim, reason=reason)
    analysis.refresh_from_db(fields=["status", "stage", "progress", "detail", "error"])
    return True


def _owned(analysis: Analysis, claim: UUID | None) -> QuerySet[Analysis]:
    return Analysis.objects.filter(pk=analysis.pk, status=AnalysisStatus.RUNNING, claim=claim)


def _send() -> None:
    broker.send_when_committed(RUN_NEXT_ANALYSIS)
