"""What the task's threads do, and what the logs complain of."""

from __future__ import annotations

from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import Reading, reading_of_number, reading_of_samples, reading_of_share

MINUTE_MS = 60_000


def _waiting(observed: Observed) -> Reading | None:
    ratio, samples = observed.number("hot_frames.waiting_ratio"), observed.number("hot_frames.working_samples")
    if ratio is None or not samples:
        return None
    return reading_of_share(round(ratio * samples), round(samples))


def _top(observed: Observed) -> Reading | None:
    ratio, samples = observed.number("hot_frames.top_share_ratio"), observed.number("hot_frames.working_samples")
    if ratio is None or not samples:
        return None
    return reading_of_share(round(ratio * samples), round(samples))


def _per_minute(observed: Observed, levels: tuple[str, ...]) -> Reading | None:
    """Records of these levels in each minute that the logs cover; a minute without any is a zero."""
    volume = observed.charts.get("log-volume")
    if not volume or not volume.get("slots"):
        return None
    slots_of_a_minute = max(round(MINUTE_MS / volume["slot_ms"]), 1)
    minutes = [0.0] * -(-volume["slots"] // slots_of_a_minute)
    for level in levels:
        for slot, count in volume["levels"].get(level, {}).items():
            place = int(slot) // slots_of_a_minute
            if place < len(minutes):
                minutes[place] += count
    return reading_of_samples(minutes)


def _failures(observed: Observed) -> Reading | None:
    failures = observed.number("exceptions.failures")
    return reading_of_number(failures, 0.5) if failures is not None else None


QUANTITIES = (
    Quantity("waiting", "Samples of the task that wait in an outside call", "percent", _waiting, least=0.05),
    Quantity("top-frame", "Share of the hottest frame of the task", "percent", _top, least=0.05),
    Quantity(
        "errors", "ERROR records per minute", "number", lambda seen: _per_minute(seen, ("ERROR", "FATAL")), least=1.0
    ),
    Quantity("warnings", "WARN records per minute", "number", lambda seen: _per_minute(seen, ("WARN",)), least=1.0),
    Quantity("failures", "Failures of the job", "number", _failures, sound=0.0, source="none should fail", least=0.5),
)
