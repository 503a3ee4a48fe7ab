"""Failures in REST answers whose exceptions concern a checkpoint, earliest first."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import failures_aggregator
from diagnostics.aggregators.checkpoint_failure_records import CAUSES, MOST_RECORDS

AGGREGATOR = failures_aggregator("checkpoint_failures", causes=CAUSES, most=MOST_RECORDS)
