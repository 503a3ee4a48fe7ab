"""The dimensions of the health score without a measurement, where full marks would be a guess."""

from __future__ import annotations

from workbench.analyses.models import Analysis

MEASURED_BY = {
    "checkpointing": "checkpoint_progress",
    "back_pressure": "back_pressure.job",
    "event_time": "watermarks",
}
"""Dimension -> the signal without which it is not known. Resources and stability are judged from many kinds of files.
"""
FULL = 100
GOOD = 80
"""A dimension above it is good (`score_word`)."""


def dimensions_not_measured(analysis: Analysis) -> frozenset[str]:
    """The dimensions without a measurement and without a finding; of a job that does not run, all that look good."""
    measured = {signal["key"] for signal in analysis.signals or () if "facts" in signal}
    health = (analysis.document or {})["health"]
    scores = health["dimensions"]
    if (health.get("trouble") or {}).get("is_stop"):
        return frozenset(name for name, score in scores.items() if score > GOOD)
    return frozenset(name for name, key in MEASURED_BY.items() if scores.get(name) == FULL and key not in measured)
