"""The Celery tasks that run the next analysis, and apply new weights to the history."""

from __future__ import annotations

from celery import shared_task


@shared_task
def run_next_analysis() -> None:
    """Run the next analysis in turn; its outcome is stored on the Analysis row.

    A message means that an analysis waits, not which one: teams take turns.
    """
    from workbench.analyses.run import next_analysis_run

    next_analysis_run()


@shared_task
def apply_health_weights() -> None:
    """Compute the health scores of the whole history by the newest weights."""
    from workbench.analyses.health import weights_apply

    weights_apply()
