"""The Celery task that runs the next analysis."""

from __future__ import annotations

from celery import shared_task


@shared_task
def run_next_analysis() -> None:
    """Run the next analysis in turn; its outcome is stored on the Analysis row.

    A message means that an analysis waits, not which one: teams take turns.
    """
    from workbench.analyses.run import next_analysis_run

    next_analysis_run()
