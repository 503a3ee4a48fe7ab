"""What the evidence shows of an incident's impact, beside the form in which people state it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from diagnostics.diagnosis.verdict import HEALTHY, INCONCLUSIVE
from diagnostics.wording.phrase import duration, number
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say, say_counted

RUNNING = "RUNNING"
"""The state of Flink in which a job reads records and has a watermark."""
LEAST_LAG_MS = 60_000
"""A watermark that lags less is not late in minutes. Our choice."""


def measured_impact(analysis: Analysis) -> list[str]:
    """Each measurement as a phrase; empty without one. Nothing of it is taken for what people state."""
    return list(_phrases(analysis))


def _phrases(analysis: Analysis) -> Iterator[str]:
    jobs = analysis.document["jobs"]
    ill = [job for job in jobs if job["verdict"]["symptom_class"] not in (HEALTHY, INCONCLUSIVE)]
    if ill:
        yield say_counted(
            "{ill} of {count} job has a cause found",
            "{ill} of {count} jobs have a cause found",
            len(jobs),
            ill=len(ill),
        )
    lag = max(_facts(analysis, "watermarks", "lag_last_ms", running_only=True), default=0.0)
    if lag >= LEAST_LAG_MS:
        yield say("the event time is up to {lag} behind at the end", lag=duration(lag))
    if dropped := sum(_facts(analysis, "late_records", "dropped")):
        yield say("{count} late records dropped", count=number(dropped))
    if behind := sum(_facts(analysis, "consumer_lag", "lag")):
        yield say("{count} records wait in Kafka", count=number(behind))


def _facts(analysis: Analysis, key: str, name: str, *, running_only: bool = False) -> Iterator[float]:
    """The numbers of a fact, one for each subject; of jobs that run only, where a job that has ended has none."""
    signals: list[Mapping[str, Any]] = analysis.signals or []
    ended = {
        each["subject"].get("job")
        for each in signals
        if each["key"] == "restarts" and each.get("facts", {}).get("final_state", RUNNING) != RUNNING
    }
    for signal in signals:
        value = signal.get("facts", {}).get(name) if signal["key"] == key else None
        counts = not running_only or signal.get("subject", {}).get("job") not in ended
        if counts and isinstance(value, (int, float)) and not isinstance(value, bool):
            yield value
