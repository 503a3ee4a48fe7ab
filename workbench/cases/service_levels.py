"""What was measured of each job of an incident that a team can have an objective for, as stored on a case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypedDict


class ServiceLevel(TypedDict):
    """One job.

    completed, failed  its checkpoints that ended; None when none was seen
    latency_ms         99th percentile of the latency from source to sink; None when not measured
    """

    job: str
    completed: int | None
    failed: int | None
    latency_ms: float | None


def service_levels(document: Mapping[str, Any], signals: Iterable[Mapping[str, Any]]) -> list[ServiceLevel]:
    """The jobs for which something is measured, in the order of the document, then the others."""
    names = {job["job_id"]: job["name"] or job["job_id"] for job in document.get("jobs", ())}
    measured: dict[str | None, dict[str, Any]] = {}
    for signal in signals:
        if signal["key"] in FACTS and "facts" in signal:
            measured.setdefault(signal["subject"].get("job"), {}).update(_levels(signal))
    order = [*(job for job in names if job in measured), *(job for job in measured if job not in names)]
    return [
        ServiceLevel(
            job=names.get(job) or job or "",
            completed=measured[job].get("completed"),
            failed=measured[job].get("failed"),
            latency_ms=measured[job].get("latency_ms"),
        )
        for job in order
        if measured[job]
    ]


FACTS = {
    "checkpoint_progress": {"completed": "completed", "failed": "failed"},
    "end_to_end_latency": {"latency_ms": "p99_ms"},
}
"""Signal -> level -> the fact that states it."""


def _levels(signal: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    for level, fact in FACTS[signal["key"]].items():
        value = signal["facts"].get(fact)
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            yield level, value
