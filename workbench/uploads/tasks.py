"""The Celery task that redacts a large file."""

from __future__ import annotations

import contextlib

from celery import shared_task


@shared_task
def redact_arrival(arrival_id: str) -> None:
    """Redact one large file; its outcome is stored on the Arrival row."""
    from workbench.machine.disk import NoRoom
    from workbench.uploads.arrivals import Busy, Gone, arrival_redact
    from workbench.uploads.models import Arrival

    arrival = Arrival.objects.redacting().filter(pk=arrival_id).first()
    if arrival is not None:
        # Without room it waits and is queued again, like one whose worker was lost.
        with contextlib.suppress(Busy, Gone, NoRoom):
            arrival_redact(arrival=arrival)
