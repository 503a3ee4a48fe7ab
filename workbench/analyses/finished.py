"""What happens after a diagnosis is stored, for applications that analyses do not know."""

from __future__ import annotations

from django.dispatch import Signal

analysis_finished = Signal()
"""Sent with `analysis_id` inside the transaction that stores the diagnosis. A receiver adds rows and is quick."""
