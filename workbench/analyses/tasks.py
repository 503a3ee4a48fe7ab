from __future__ import annotations

from celery import shared_task

from workbench.analyses.models import Analysis, AnalysisStatus


@shared_task
def run_analysis(analysis_id: int) -> None:
    """Run one queued analysis; its outcome is stored on the Analysis row."""
    from workbench.analyses.room import room_awaited
    from workbench.analyses.run import analysis_run

    analysis = Analysis.objects.light().get(pk=analysis_id)
    reason = room_awaited(analysis)
    if reason:
        # It stays queued, and its message is sent again as any that was lost.
        Analysis.objects.filter(pk=analysis_id, status=AnalysisStatus.QUEUED).update(detail=reason)
    else:
        analysis_run(analysis)
