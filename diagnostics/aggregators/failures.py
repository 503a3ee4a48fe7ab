"""Failures of jobs and tasks in REST answers, earliest first."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import failures_aggregator

MOST_FAILURES = 2_000
"""Failures kept, the earliest. Our choice, as for the log records of a kind."""

AGGREGATOR = failures_aggregator("failures", most=MOST_FAILURES)
