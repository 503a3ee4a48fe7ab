"""When durations of checkpoints reach the timeout and when the state has doubled, if their trends last."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from diagnostics.arithmetic.onset import onset
from diagnostics.arithmetic.trend import LEAST_MONOTONE, NoTrend, Trend, trend_of
from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.checkpoints.history import Checkpoint, checkpoint_histories
from diagnostics.reconstruction.checkpoints.timeout import timeout_in_effect
from diagnostics.reconstruction.configuration.stated_settings import settings_of, stated_options
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts

HOUR_MS = 3_600_000
SHOWN = 4
FIRST = 3
"""How many checkpoints show what is usual at first. Our choice: a median needs three."""


def measure(evidence: Evidence) -> Measured:
    """Trends of duration and state size over the completed checkpoints, extrapolated.

    A trend is extrapolated to five times the observed time at most (`diagnostics/arithmetic/trend.py`). Durations of a
    job whose checkpoints expired have reached the timeout already and get no forecast.

    Reads   checkpoint (REST), log_record (the coordinator's events), config_option.
    Gives   one signal for each job in which one of both rises.
    Units   milliseconds and bytes per hour; milliseconds after the last completed checkpoint.
    Empty   NotMeasured without LEAST_MONOTONE completed checkpoints of a job.
    """
    options = stated_options(evidence)
    has_course = False
    for job_id, history in sorted(checkpoint_histories(evidence).items(), key=lambda item: str(item[0])):
        completed = [each for each in history.select_statuses("completed") if each.start_ms is not None]
        if len(completed) < LEAST_MONOTONE:
            continue
        has_course = True
        stated, places = settings_of(options, job_id)
        timeout = timeout_in_effect(history, stated.get("timeout_ms"), is_default="timeout_ms" not in places)
        facts = _durations(completed, timeout.get("timeout_ms"), expired=bool(history.select_statuses("expired")))
        facts |= _state(completed) | _longer(completed)
        if facts:
            shown = [each.citations[0] for each in (*completed[:1], *completed[-SHOWN:]) if each.citations]
            yield Signal(
                "checkpoint_forecast",
                Subject(job=job_id),
                known_facts({"checkpoints": len(completed), **facts}),
                tuple(dict.fromkeys(shown)),
                citation_count=len(completed),
                window=(completed[0].start_ms or 0, completed[-1].start_ms or 0),
            )
    if not has_course:
        yield NotMeasured(
            "checkpoint_forecast", "checkpoint-history", f"no job has {LEAST_MONOTONE} completed checkpoints"
        )


def _durations(completed: Sequence[Checkpoint], timeout_ms: FactValue, *, expired: bool) -> dict[str, FactValue]:
    values = [(float(each.start_ms or 0), each.end_to_end_ms) for each in completed if each.end_to_end_ms is not None]
    trend = trend_of(values, LEAST_MONOTONE)
    if isinstance(trend, NoTrend) or trend.slope <= 0:
        return {}
    facts = {
        "duration_rise_ms_per_h": trend.slope * HOUR_MS,
        "duration_rise_low_ms_per_h": max(trend.slope_low, 0.0) * HOUR_MS,
        "duration_rise_high_ms_per_h": trend.slope_high * HOUR_MS,
        "duration_error_ms": trend.error,
        "duration_doubles_in_ms": _doubling_ms(trend),
        "timeout_ms": timeout_ms,
    }
    if expired or not isinstance(timeout_ms, (int, float)):
        return facts
    reached = trend.reaches(timeout_ms)
    if reached is not None:
        facts |= {
            "timeout_in_ms": reached.expected - trend.last,
            "timeout_earliest_ms": reached.earliest - trend.last,
            "timeout_latest_ms": reached.latest - trend.last if reached.latest is not None else None,
        }
    return facts


def _longer(completed: Sequence[Checkpoint]) -> dict[str, FactValue]:
    """From which checkpoint on all took more than twice as long as the first ones usually did."""
    took = [(each.start_ms, each.end_to_end_ms) for each in completed]
    known = [(start, length) for start, length in took if start is not None and length is not None]
    if len(known) <= FIRST:
        return {}
    usual = median(length for _, length in known[:FIRST])
    found = onset((start, length > 2 * usual) for start, length in known)
    return {"longer_from_ms": found.ts_ms} if found and not found.at_start else {}


def _state(completed: Sequence[Checkpoint]) -> dict[str, FactValue]:
    values = [(float(each.start_ms or 0), each.state_bytes) for each in completed if each.state_bytes is not None]
    trend = trend_of(values, LEAST_MONOTONE)
    if isinstance(trend, NoTrend) or trend.slope <= 0:
        return {}
    return {
        "state_rise_bytes_per_h": trend.slope * HOUR_MS,
        "state_rise_low_bytes_per_h": max(trend.slope_low, 0.0) * HOUR_MS,
        "state_rise_high_bytes_per_h": trend.slope_high * HOUR_MS,
        "state_error_bytes": trend.error,
        "state_doubles_in_ms": _doubling_ms(trend),
    }


def _doubling_ms(trend: Trend) -> float | None:
    """Time until the trend is at twice its present value; None when it is not above zero."""
    now = trend.at(trend.last)
    return now / trend.slope if now > 0 else None


FACTS = {
    "checkpoints": "completed checkpoints that the trends rest on",
    "duration_rise_ms_per_h": "rise of the end to end duration per hour, median slope",
    "duration_rise_low_ms_per_h": "lowest rise of the duration per hour within 95 %, or least step of few",
    "duration_rise_high_ms_per_h": "highest rise of the duration per hour within 95 %, or largest step of few",
    "duration_error_ms": "median distance of a checkpoint from the line",
    "duration_doubles_in_ms": "time until the duration has doubled",
    "timeout_ms": "checkpoint timeout in effect",
    "timeout_in_ms": "time from the last completed checkpoint until the duration reaches the timeout",
    "timeout_earliest_ms": "earliest time until the duration reaches the timeout",
    "timeout_latest_ms": "latest time until the duration reaches the timeout, where it can be foreseen",
    "longer_from_ms": "trigger of the first of the checkpoints that took more than twice as long as those at first did",
    "state_rise_bytes_per_h": "growth of the full state per hour, median slope",
    "state_rise_low_bytes_per_h": "lowest growth of the state per hour within 95 %, or least step of few",
    "state_rise_high_bytes_per_h": "highest growth of the state per hour within 95 %, or largest step of few",
    "state_error_bytes": "median distance of a checkpoint from the line",
    "state_doubles_in_ms": "time until the state has doubled",
}

SIGNALS = (SignalDefinition("checkpoint_forecast", "job", FACTS, measure),)
