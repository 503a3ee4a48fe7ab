"""The Celery task that checks one watched cluster."""

from __future__ import annotations

from celery import shared_task

from workbench.watching.models import Watch


@shared_task
def run_check(watch_id: int) -> None:
    """Check the cluster; the outcome is stored on the rows of its jobs. A watch that ended meanwhile is left alone."""
    from workbench.watching.checking import check_run

    watch = Watch.objects.select_related("cluster", "team", "owner").filter(pk=watch_id).first()
    if watch is not None:
        check_run(watch)
