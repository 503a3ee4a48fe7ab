"""Quantities of sampled stacks and logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from diagnostics.language import to_say
from diagnostics.proof.quantity import Observed, Quantity
from diagnostics.proof.reading import Reading, reading_of_events, reading_of_share, scatter_of

SLOT_MS = 10_000
"""Length of the time ranges for estimating the scatter of log records. Our choice: start-ups, restarts and retries
write their records within seconds.
"""

ERRORS, WARNINGS = ("ERROR", "FATAL"), ("WARN",)


def _sample_share(fact: str) -> Callable[[Observed], Reading | None]:
    def read(observed: Observed) -> Reading | None:
        ratio, samples = observed.number(fact), observed.number("hot_frames.working_samples")
        if ratio is None or not samples:
            return None
        return reading_of_share(round(ratio * samples), round(samples))

    return read


def _logged(levels: Sequence[str]) -> Callable[[Observed], Reading | None]:
    """Records of these levels per hour of the time that the logs cover."""

    def read(observed: Observed) -> Reading | None:
        counts = _counts(observed, levels)
        if counts is None:
            return None
        volume = observed.charts["log-volume"]
        return reading_of_events(sum(counts), volume["to_ms"] - volume["from_ms"], scatter_of(counts))

    return read


def _counts(observed: Observed, levels: Sequence[str]) -> list[float] | None:
    """Log records of these levels in each SLOT_MS; None without the volume of the logs."""
    volume = observed.charts.get("log-volume")
    if not volume or not volume.get("slots"):
        return None
    together = max(round(SLOT_MS / volume["slot_ms"]), 1)
    counts = [0.0] * -(-volume["slots"] // together)
    for level in levels:
        for slot, count in volume["levels"].get(level, {}).items():
            counts[int(slot) // together] += count
    return counts


def _refused(observed: Observed) -> Reading | None:
    """Refused requests; they are log records and scatter like the warnings of the same log."""
    refused = observed.number("outside_system.refused")
    if refused is None:
        return None
    return reading_of_events(
        refused, observed.number("job_overview.observed_ms"), scatter_of(_counts(observed, WARNINGS) or ())
    )


def _failures(observed: Observed) -> Reading | None:
    failures = observed.number("exceptions.failures")
    return reading_of_events(failures, observed.number("job_overview.observed_ms")) if failures is not None else None


QUANTITIES = (
    Quantity(
        "waiting",
        to_say("Samples of the task that wait in an outside call"),
        "percent",
        _sample_share("hot_frames.waiting_ratio"),
        better=None,
        least=0.05,
    ),
    Quantity(
        "top-frame",
        to_say("Share of the hottest frame of the task"),
        "percent",
        _sample_share("hot_frames.top_share_ratio"),
        better=None,
        least=0.05,
    ),
    Quantity("errors", to_say("ERROR records"), "per hour", _logged(ERRORS)),
    Quantity("warnings", to_say("WARN records"), "per hour", _logged(WARNINGS)),
    Quantity(
        "refused",
        to_say("Requests that the outside system refused"),
        "per hour",
        _refused,
        sound=0.0,
        source=to_say("a system below its limit refuses nothing"),
    ),
    Quantity(
        "failures",
        to_say("Failures of the job"),
        "per hour",
        _failures,
        sound=0.0,
        source=to_say("a job should run without failures"),
    ),
)
