"""Failures in REST answers with exceptions of Kafka transactions, earliest first."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import failures_aggregator
from diagnostics.aggregators.kafka_transaction_records import CLASSES, MOST_RECORDS

AGGREGATOR = failures_aggregator("kafka_transaction_failures", causes=CLASSES, most=MOST_RECORDS)
