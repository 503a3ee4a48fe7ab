"""Checkpoints: how many fail, how long they take, and in which phase the time goes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import Reading, reading_of_number, reading_of_samples, reading_of_share

LONG = 0.9
"""The duration is told by its ninth decile: the long checkpoints are the trouble, and one alone may be chance."""


def _checkpoints(observed: Observed) -> Iterator[Mapping[str, Any]]:
    """The job's checkpoints that have ended, without savepoints."""
    for job in observed.charts.get("checkpoint-history", {}).get("jobs", ()):
        if job["job_id"] in (observed.job, None):
            for each in job["checkpoints"]:
                if not each["savepoint"] and each["status"] in ("completed", "failed", "expired", "declined"):
                    yield each


def _failed(observed: Observed) -> Reading | None:
    failed, completed = observed.number("checkpoint_progress.failed"), observed.number("checkpoint_progress.completed")
    if failed is None or completed is None:
        return None
    return reading_of_share(round(failed), round(failed + completed))


def _long(observed: Observed) -> Reading | None:
    """A failed checkpoint counts with the time after which it was given up: it would have taken longer."""
    timeout = observed.number("checkpoint_progress.timeout_ms")
    lengths = [each["end_to_end_ms"] for each in _checkpoints(observed) if each["end_to_end_ms"] is not None]
    reading = reading_of_samples(lengths, LONG)
    if reading is None:
        longest = observed.number("checkpoint_progress.max_duration_ms")
        return reading_of_number(longest) if longest is not None else None
    if timeout and reading.value > timeout:
        return Reading(timeout, min(reading.low, timeout), reading.high, reading.samples, reading.band)
    return reading


def _usual(observed: Observed) -> Reading | None:
    lengths = [
        each["end_to_end_ms"]
        for each in _checkpoints(observed)
        if each["status"] == "completed" and each["end_to_end_ms"] is not None
    ]
    return reading_of_samples(lengths)


def _phase(name: str) -> Callable[[Observed], Reading | None]:
    """The longest part of each slow checkpoint that went into a phase."""

    def read(observed: Observed) -> Reading | None:
        values = observed.facts(f"checkpoint_phases.slow_{name}_ms")
        known = [float(each) for each in values if each is not None] if isinstance(values, list) else []
        return reading_of_samples(known)

    return read


def _number(fact: str, least: float = 0.0) -> Callable[[Observed], Reading | None]:
    def read(observed: Observed) -> Reading | None:
        value = observed.number(fact)
        return reading_of_number(value, least) if value is not None else None

    return read


QUANTITIES = (
    Quantity("failed", "Failed checkpoints", "percent", _failed, sound=0.0, source="no checkpoint should fail"),
    Quantity("long", "Long checkpoints: nine of ten end within", "duration", _long, least=1000.0),
    Quantity("usual", "Completed checkpoints, usual duration", "duration", _usual, least=1000.0),
    Quantity(
        "recent",
        "Longest recent checkpoint, of the timeout",
        "percent",
        _number("checkpoint_progress.recent_duration_to_timeout_ratio", 0.05),
        sound=0.5,
        source="a checkpoint should take less than half of its timeout",
        least=0.05,
    ),
    Quantity("start-delay", "Start delay of slow checkpoints", "duration", _phase("start_delay"), least=1000.0),
    Quantity("alignment", "Alignment of slow checkpoints", "duration", _phase("alignment"), least=1000.0),
    Quantity("sync", "Synchronous part of slow checkpoints", "duration", _phase("sync"), least=1000.0),
    Quantity("async", "Asynchronous part of slow checkpoints", "duration", _phase("async"), least=1000.0),
    Quantity(
        "written",
        "Largest checkpoint written",
        "bytes",
        _number("checkpoint_progress.max_checkpointed_bytes", 1e6),
        least=1e6,
    ),
)
