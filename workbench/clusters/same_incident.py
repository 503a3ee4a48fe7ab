"""The case that the workbench opened by itself about a job, for whatever reports the same trouble next."""

from __future__ import annotations

import datetime as dt

from workbench.accounts.models import Team
from workbench.cases.models import Case, CaseStatus
from workbench.clusters.models import Cluster, Collection

SAME_INCIDENT = dt.timedelta(hours=1)
"""An alert about the same job within this time after the last one was resolved, or an alert or warning within it after
evidence was collected for another one, is the same incident. Our choice: longer than a restart with its recovery,
shorter than a shift."""


def case_about_job(team: Team, cluster: Cluster, job: str, *, since: dt.datetime) -> Case | None:
    """The open case of the team that an alert or a check opened about the job, and collected for since then."""
    collected = (
        Collection.objects.filter(cluster=cluster, job_name=job, requested_at__gte=since)
        .filter(case__team=team, case__notes__unattended=True)
        .exclude(case__status=CaseStatus.CLOSED)
        .exclude(job_name="")
        .select_related("case__merged_into")
    )
    newest = collected.first()
    return (newest.case.merged_into or newest.case) if newest else None
