"""Quantities of JVM pauses, restarts and recoveries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from diagnostics.language import to_say
from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import (
    FAILURES,
    Reading,
    reading_of_course,
    reading_of_events,
    reading_of_samples,
    reading_of_share,
)

SLOT_MS = 10_000
"""Length of the time ranges over which pauses are summed. Our choice."""

LONG_MS = 200.0
"""A longer pause misses G1's default goal (-XX:MaxGCPauseMillis)."""

STARTED, PAUSE = 0, 2
"""Columns of a collection in the chart's points: start, and duration of the pause."""


def _processes(observed: Observed) -> list[Sequence[Sequence[Any]]]:
    """The collections of each JVM whose GC log is there."""
    points: Mapping[str, Any] = observed.charts.get("garbage-collection") or {}
    return [each["collections"] for each in points.get("processes", ()) if each["collections"]]


def _paused(observed: Observed) -> Reading | None:
    """The share of each time range that the JVM with the longest pauses spent in them."""
    processes = _processes(observed)
    stamps = [row[STARTED] for collections in processes for row in collections]
    if not stamps:
        return None
    start, slots = min(stamps), (max(stamps) - min(stamps)) // SLOT_MS + 1
    shares = []
    for collections in processes:
        paused = [0.0] * slots
        for row in collections:
            paused[(row[STARTED] - start) // SLOT_MS] += (row[PAUSE] or 0.0) / SLOT_MS
        shares.append([min(each, 1.0) for each in paused])
    return reading_of_course([max(moment) for moment in zip(*shares, strict=True)])


def _long(observed: Observed) -> Reading | None:
    pauses = [row[PAUSE] for collections in _processes(observed) for row in collections if row[PAUSE] is not None]
    return reading_of_share(sum(1 for each in pauses if each > LONG_MS), len(pauses))


def _recoveries(observed: Observed) -> Reading | None:
    """The usual time until the job ran again after a failure."""
    durations = observed.facts("recovery.durations_ms")
    return reading_of_samples(durations, FAILURES) if isinstance(durations, list) else None


def _events(fact: str) -> Callable[[Observed], Reading | None]:
    """A count over the time for which the job was observed."""

    def read(observed: Observed) -> Reading | None:
        count = observed.number(fact)
        return reading_of_events(count, observed.number("job_overview.observed_ms")) if count is not None else None

    return read


QUANTITIES = (
    Quantity(
        "paused",
        to_say("Time in GC pauses"),
        "percent",
        _paused,
        sound=0.1,
        source=to_say("pauses should take under a tenth of the time"),
        least=0.02,
    ),
    Quantity("long-pauses", to_say("GC pauses longer than 200 ms"), "percent", _long, least=0.02),
    Quantity("full", to_say("Full collections of one JVM"), "per hour", _events("heap_pressure.full_gcs_most")),
    Quantity(
        "restarts",
        to_say("Restarts"),
        "per hour",
        _events("restarts.restarts"),
        sound=0.0,
        source=to_say("a job should not restart"),
    ),
    Quantity(
        "recovery",
        to_say("Recovery time, from failure until all subtasks run"),
        "duration",
        _recoveries,
        least=1000.0,
    ),
    Quantity(
        "lost",
        to_say("Lost TaskManagers"),
        "per hour",
        _events("task_manager_loss.all.lost"),
        sound=0.0,
        source=to_say("no TaskManager should be lost"),
    ),
)
