"""Positions of Kafka's consumer groups, latest first."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import CITATION_ORDER, first_rows_aggregator

MOST_POSITIONS = 100_000
"""Positions kept, the latest. Our choice: thirty readings of a topic of three thousand partitions."""

AGGREGATOR = first_rows_aggregator(
    "consumer_positions",
    "consumer_position",
    ("ts_ms", "consumer_group", "topic", "partition", "lag"),
    lambda rows: rows,
    order=(("ts_ms", "descending"), *CITATION_ORDER),
    most=MOST_POSITIONS,
)
