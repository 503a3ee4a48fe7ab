"""Order of the queue: teams take turns, and each team's analyses run in the order of their requests.

An analysis gets the number of its turn when it is queued: the turn after its team's last queued one, and never one that
the queue has passed. A team that queues twenty has one in each of twenty turns; another team joins in the next turn and
does not wait for the twenty. Source: start-time fair queueing with jobs of equal size (Goyal, Vin, Cheng: Start-time
Fair Queuing, SIGCOMM 1996).

Large analyses may occupy only some of the worker's processes. While they do, small ones are started before a large one
that waits.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.conf import settings
from django.db.models import Max, Min, Q, Sum

from diagnostics.reading.case import LARGE_BYTES
from workbench.analyses.models import Analysis, AnalysisQuerySet, AnalysisStatus
from workbench.analyses.room import room_awaited, unpacked_bytes
from workbench.cases.models import Case
from workbench.languages.sentences import to_say
from workbench.uploads.models import UploadedFile

MOST_PASSED_OVER = 20
"""Analyses without enough disk space that are skipped for a smaller one. Our choice: each takes queries."""

RUNS_ALONE_AFTER = 2
"""An analysis that lost the Spark server this often runs only alone, which separates one that fills the server's memory
from those that ran at the same time. Our choice.
"""

BEHIND_LARGE = to_say("It begins when a large analysis that is running has ended. Smaller ones begin before it.")
ALONE = to_say("The Spark server was lost while it ran. It begins when no other analysis runs.")


def turn_of_request(case: Case) -> int:
    """The turn of an analysis of the case queued now."""
    has_begun = Q(started_at__isnull=False)
    active = Analysis.objects.active().order_by()
    known = active.aggregate(
        begun=Max("turn", filter=has_begun),
        next=Min("turn", filter=~has_begun),
        own=Max("turn", filter=Q(status=AnalysisStatus.QUEUED, case__team=case.team_id)),
    )
    reached = max(known["begun"] or 0, (known["next"] or 1) - 1)
    return max(reached, known["own"] or 0) + 1


def is_large(case: Case, files: Iterable[UploadedFile]) -> bool:
    """Whether an analysis of these files, and of those of the case that are being redacted, is large."""
    coming = case.arrivals.redacting().aggregate(bytes=Sum("bytes"))["bytes"] or 0
    return unpacked_bytes(files) + coming > LARGE_BYTES


def analyses_waiting() -> AnalysisQuerySet:
    """The queued analyses, the next one first."""
    return Analysis.objects.filter(status=AnalysisStatus.QUEUED).order_by("turn", "pk")


def analysis_next() -> Analysis | None:
    """The next queued analysis that may start now; None when there is none.

    A large one needs a free place among the large ones, every one needs space on the disk. Skipped ones get the reason
    and stay queued.
    """
    running = list(Analysis.objects.filter(status=AnalysisStatus.RUNNING).values_list("servers_lost", "is_large"))
    if any(lost >= RUNS_ALONE_AFTER for lost, _ in running):
        return None
    waiting = analyses_waiting()
    if sum(is_large for _, is_large in running) >= settings.MOST_LARGE_ANALYSES:
        waiting.filter(is_large=True).exclude(detail=BEHIND_LARGE).update(detail=BEHIND_LARGE)
        waiting = waiting.filter(is_large=False)
    for analysis in waiting.light()[:MOST_PASSED_OVER]:
        must_wait = running and analysis.servers_lost >= RUNS_ALONE_AFTER
        reason = ALONE if must_wait else room_awaited(analysis)
        if not reason:
            return analysis
        Analysis.objects.filter(pk=analysis.pk, status=AnalysisStatus.QUEUED).update(detail=reason)
        if must_wait:  # later ones would keep it from ever running alone
            return None
    return None
