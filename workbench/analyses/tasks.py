from __future__ import annotations

from celery import shared_task

from workbench.analyses.models import Analysis


@shared_task
def run_analysis(analysis_id: int) -> None:
    """Run one queued analysis; its outcome is stored on the Analysis row."""
    from workbench.analyses.run import analysis_run

    analysis_run(Analysis.objects.light().get(pk=analysis_id))
