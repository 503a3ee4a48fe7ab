"""Which analysis is next: teams take turns, and each team's analyses run in the order in which they were requested.

An analysis is given the number of its turn when it is queued: the turn after that of its team's last one that waits,
and never one that the queue has passed. A team that queues twenty has one in each of twenty turns; a team that comes
later joins in the next turn and does not wait for the twenty. Source: start-time fair queueing with jobs of equal size
(Goyal, Vin, Cheng: Start-time Fair Queuing, SIGCOMM 1996).
"""

from __future__ import annotations

from django.db.models import Max, Min, Q

from workbench.analyses.models import Analysis, AnalysisQuerySet, AnalysisStatus
from workbench.analyses.room import room_awaited
from workbench.cases.models import Case

MOST_PASSED_OVER = 20
"""So many analyses that lack room on the disk are passed over for a smaller one. Our choice: each takes queries."""

RUNS_ALONE_AFTER = 2
"""An analysis during which the Spark server was lost so often begins only while no other runs, and none begins beside
it: so one that fills the server's memory is told from those that happened to run with it. Our choice."""

ALONE = "The Spark server was lost while it ran. It begins when no other analysis runs."


def turn_of_request(case: Case) -> int:
    """The turn of an analysis of the case that is queued now."""
    has_begun = Q(started_at__isnull=False)
    active = Analysis.objects.active().order_by()
    known = active.aggregate(
        begun=Max("turn", filter=has_begun),
        next=Min("turn", filter=~has_begun),
        own=Max("turn", filter=Q(status=AnalysisStatus.QUEUED, case__team=case.team_id)),
    )
    reached = max(known["begun"] or 0, (known["next"] or 1) - 1)
    return max(reached, known["own"] or 0) + 1


def analyses_waiting() -> AnalysisQuerySet:
    """The queued analyses, the next one first."""
    return Analysis.objects.filter(status=AnalysisStatus.QUEUED).order_by("turn", "pk")


def analysis_next() -> Analysis | None:
    """The queued analysis whose turn it is and for which the disk has room; None when there is none.

    Those that are passed over say why. They stay queued.
    """
    running = list(Analysis.objects.filter(status=AnalysisStatus.RUNNING).values_list("servers_lost", flat=True))
    if any(lost >= RUNS_ALONE_AFTER for lost in running):
        return None
    for analysis in analyses_waiting().light()[:MOST_PASSED_OVER]:
        must_wait = running and analysis.servers_lost >= RUNS_ALONE_AFTER
        reason = ALONE if must_wait else room_awaited(analysis)
        if not reason:
            return analysis
        Analysis.objects.filter(pk=analysis.pk, status=AnalysisStatus.QUEUED).update(detail=reason)
        if must_wait:  # those behind it would keep it from ever running alone
            return None
    return None
