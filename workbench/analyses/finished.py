"""The signal after a stored diagnosis, for applications that `analyses` does not import."""

from __future__ import annotations

from django.dispatch import Signal

analysis_finished = Signal()
"""Sent with `analysis_id` inside the transaction that stores the diagnosis. Receivers add rows and are fast."""
