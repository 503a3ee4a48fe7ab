"""The dimensions of the health score without a measurement, where full marks would be a guess."""

from __future__ import annotations

from workbench.analyses.models import Analysis

MEASURED_BY = {
    "checkpointing": ("checkpoint_progress",),
    "back_pressure": ("back_pressure.job",),
    "resources": ("heap_pressure", "memory_use", "cpu_load", "host_load"),
    "event_time": ("watermarks",),
    "stability": ("exceptions", "restarts", "task_manager_loss", "task_manager_loss.all", "alarming_records"),
}
"""Dimension -> signals. One of them has to be measured before full marks are shown. What only a failure brings to
light, such as an OutOfMemoryError in a log, does not show that there is enough.
"""
FULL = 100
GOOD = 80
"""A dimension above it is good (`score_word`)."""


def dimensions_not_measured(analysis: Analysis) -> frozenset[str]:
    """The dimensions without a measurement and without a finding, of the job that the verdict is about; of one that
    does not run, all that look good.
    """
    document = analysis.document or {}
    about = {None, *(job["job_id"] for job in document["jobs"][:1])}
    measured = {
        signal["key"]
        for signal in analysis.signals or ()
        if "facts" in signal and signal["subject"].get("job") in about
    }
    health = document["health"]
    scores = health["dimensions"]
    if (health.get("trouble") or {}).get("is_stop"):
        return frozenset(name for name, score in scores.items() if score > GOOD)
    return frozenset(
        name for name, keys in MEASURED_BY.items() if scores.get(name) == FULL and measured.isdisjoint(keys)
    )
