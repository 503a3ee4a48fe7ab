"""The Celery task that sends one message."""

from __future__ import annotations

from celery import shared_task

from workbench.channels.services import delivery_send


@shared_task
def send_delivery(delivery_id: int) -> None:
    """Send a pending message; the outcome is stored on the Delivery row."""
    delivery_send(delivery_id)
