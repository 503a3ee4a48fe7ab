"""Pauses of the JVMs, and restarts."""

from __future__ import annotations

from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import Reading, reading_of_number


def _worst_minute(observed: Observed) -> Reading | None:
    share = observed.number("heap_pressure.worst_minute_ratio")
    return reading_of_number(share, 0.02) if share is not None else None


def _longest(observed: Observed) -> Reading | None:
    longest = observed.number("heap_pressure.max_pause_ms")
    return reading_of_number(longest, 100.0) if longest is not None else None


def _full(observed: Observed) -> Reading | None:
    full = observed.number("heap_pressure.full_gcs_most")
    return reading_of_number(full, 1.0) if full is not None else None


def _restarts(observed: Observed) -> Reading | None:
    restarts = observed.number("restarts.restarts")
    return reading_of_number(restarts, 0.5) if restarts is not None else None


def _lost(observed: Observed) -> Reading | None:
    lost = observed.number("task_manager_loss.all.lost")
    return reading_of_number(lost, 0.5) if lost is not None else None


QUANTITIES = (
    Quantity(
        "worst-minute",
        "Time in GC pauses in the worst minute",
        "percent",
        _worst_minute,
        sound=0.1,
        source="pauses should take under a tenth of the time",
        least=0.02,
    ),
    Quantity("longest-pause", "Longest GC pause", "duration", _longest, least=200.0),
    Quantity("full", "Full collections of one JVM", "number", _full, least=1.0),
    Quantity("restarts", "Restarts", "number", _restarts, sound=0.0, source="a job should not restart", least=0.5),
    Quantity("lost", "Lost TaskManagers", "number", _lost, sound=0.0, source="none should be lost", least=0.5),
)
