"""Quantities of checkpoints: failures, durations, and their phases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from diagnostics.language import say, to_say
from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import CHECKPOINTS, Reading, reading_of_number, reading_of_samples, reading_of_share

LONG = 0.5
"""Share of the timeout above which a checkpoint is long: the bound from which the rules warn of a timeout."""

ENDED = ("completed", "failed", "expired", "declined")


def _checkpoints(observed: Observed) -> Iterator[Mapping[str, Any]]:
    """The job's checkpoints that have ended, without savepoints."""
    for job in observed.jobs_of("checkpoint-history"):
        for each in job["checkpoints"]:
            if not each["savepoint"] and each["status"] in ENDED:
                yield each


def _failed(observed: Observed) -> Reading | None:
    failed, completed = observed.number("checkpoint_progress.failed"), observed.number("checkpoint_progress.completed")
    if failed is None or completed is None:
        return None
    return reading_of_share(round(failed), round(failed + completed))


def _succeeded(observed: Observed) -> Reading | None:
    failed, completed = observed.number("checkpoint_progress.failed"), observed.number("checkpoint_progress.completed")
    if failed is None or completed is None:
        return None
    return reading_of_share(round(completed), round(failed + completed))


def _long(observed: Observed) -> Reading | None:
    """The share of the ended checkpoints that took more than LONG of the timeout, including expired ones."""
    timeout = observed.number("checkpoint_progress.timeout_ms")
    lengths = [each["end_to_end_ms"] for each in _checkpoints(observed) if each["end_to_end_ms"] is not None]
    if not timeout:
        return None
    return reading_of_share(sum(1 for each in lengths if each > LONG * timeout), len(lengths))


def _usual(observed: Observed) -> Reading | None:
    """The usual duration. Aborted checkpoints count with the time until then, a lower bound."""
    lengths = [each["end_to_end_ms"] for each in _checkpoints(observed) if each["end_to_end_ms"] is not None]
    if lengths:
        return reading_of_samples(lengths, CHECKPOINTS)
    longest = observed.number("checkpoint_progress.max_duration_ms")
    return reading_of_number(longest) if longest is not None else None


def _usual_of(column: str) -> Callable[[Observed], Reading | None]:
    """The median of a column over the checkpoints that have it."""

    def read(observed: Observed) -> Reading | None:
        known = [float(value) for each in _checkpoints(observed) if (value := each.get(column)) is not None]
        return reading_of_samples(known, CHECKPOINTS)

    return read


def _written(observed: Observed) -> Reading | None:
    completed = [each for each in _checkpoints(observed) if each["status"] == "completed"]
    known = [float(value) for each in completed if (value := each.get("checkpointed_bytes")) is not None]
    return reading_of_samples(known, CHECKPOINTS)


QUANTITIES = (
    Quantity(
        "failed",
        to_say("Failed checkpoints"),
        "percent",
        _failed,
        sound=0.0,
        source=to_say("no checkpoint should fail"),
    ),
    Quantity(
        "succeeded",
        to_say("Checkpoints that complete"),
        "percent",
        _succeeded,
        better="higher",
        excused=lambda _: say("It is the reverse of the failed checkpoints."),
    ),
    Quantity("long", to_say("Checkpoints that take more than half of their timeout"), "percent", _long, sound=0.0),
    Quantity("usual", to_say("Duration of checkpoints"), "duration", _usual, least=1000.0),
    Quantity("start-delay", to_say("Start delay"), "duration", _usual_of("start_delay_ms"), least=1000.0),
    Quantity("alignment", to_say("Alignment"), "duration", _usual_of("alignment_ms"), least=1000.0),
    Quantity("sync", to_say("Synchronous part"), "duration", _usual_of("sync_ms"), least=1000.0),
    Quantity("async", to_say("Asynchronous part"), "duration", _usual_of("async_ms"), least=1000.0),
    Quantity("written", to_say("Bytes that a checkpoint writes"), "bytes", _written, least=1e6),
    Quantity("in-flight", to_say("In-flight data in a checkpoint"), "bytes", _usual_of("persisted_bytes"), least=1e6),
)
