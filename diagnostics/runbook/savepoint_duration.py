"""How long a savepoint of a running job would take, by what its checkpoints took. Durations are in ms."""

from __future__ import annotations

from diagnostics.arithmetic.quantiles import highest
from diagnostics.evidence.subject import Lookup, number_of

AS_MUCH = 0.95
"""Part of the state that a checkpoint must have written to show how long a savepoint takes. Our choice."""


def wrote_as_much(lookup: Lookup) -> bool:
    """Whether a checkpoint wrote what a savepoint would: its own duration shows more than a rate of others."""
    written = number_of(lookup, "checkpoint_phases.largest_upload_bytes")
    state = number_of(lookup, "checkpoint_sizes.max_state_bytes")
    return written is not None and state is not None and written >= AS_MUCH * state


def recent_ms(lookup: Lookup, timeout: float | None) -> float | None:
    """How long the last checkpoints took, or one takes that is under way; without them, the longest of all."""
    shares = [
        number_of(lookup, f"checkpoint_progress.{each}_to_timeout_ratio") for each in ("recent_duration", "running")
    ]
    taken = highest(shares)
    if taken is None or timeout is None:
        return number_of(lookup, "checkpoint_progress.max_duration_ms")
    return taken * timeout


def may_expire(lookup: Lookup) -> bool:
    """Whether a savepoint would exceed the checkpoint timeout if it were as slow as the slowest measured upload."""
    timeout, needed = number_of(lookup, "settings.timeout_ms"), savepoint_ms(lookup, slow_rate(lookup))
    return timeout is not None and needed is not None and needed > timeout


def slow_rate(lookup: Lookup) -> float | None:
    """The slowest upload of a slow checkpoint; with one such checkpoint, its rate."""
    slowest = number_of(lookup, "checkpoint_phases.upload_bytes_per_s_min")
    return number_of(lookup, "checkpoint_phases.upload_bytes_per_s_max") if slowest is None else slowest


def savepoint_ms(lookup: Lookup, rate: float | None) -> float | None:
    """How long a savepoint of the largest state takes at this rate, bytes a second."""
    size = number_of(lookup, "checkpoint_sizes.max_state_bytes")
    return size / rate * 1000 if size is not None and rate else None
