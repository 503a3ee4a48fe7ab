"""The Celery task that runs a collection."""

from __future__ import annotations

from celery import shared_task

from workbench.clusters.models import Collection


@shared_task
def run_collection(collection_id: int) -> None:
    """Collect from a listed cluster; the outcome is stored on the Collection row."""
    from workbench.clusters.collecting import collection_run

    collection_run(Collection.objects.get(pk=collection_id))
