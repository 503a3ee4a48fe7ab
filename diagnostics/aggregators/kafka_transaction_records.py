"""Log records that tell of trouble with Kafka transactions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from diagnostics.aggregators.aggregator import first_rows_aggregator
from diagnostics.arithmetic.row_choice import contains_any, is_any, shortened

if TYPE_CHECKING:
    import pyarrow as pa

MOST_RECORDS = 5_000
"""Records that are kept, the earliest. Our choice."""

MOST_CHARACTERS = 900
"""Of a message. Our choice: transactional ids are long."""

EVENTS = (
    "kafka.sink.fenced",
    "kafka.sink.invalid",
    "kafka.sink.lost",
    "kafka.sink.prefix_changed",
    "kafka.sink.open_found",
    "kafka.sink.dup_prefix",
    "kafka.sink.listing_denied",
    "kafka.legacy.fenced",
    "kafka.legacy.semantic",
    "2pc.timeout.close",
    "2pc.commit.expired",
    "kafka.client.fenced",
    "kafka.client.old_epoch",
    "kafka.client.tx_timeout_too_large",
)
CLASSES = (
    "ProducerFencedException",
    "InvalidProducerEpochException",
    "InvalidTxnTimeoutException",
    "InvalidTxnStateException",
    "InvalidPidMappingException",
    "UnknownProducerIdException",
    "OutOfOrderSequenceException",
    "TransactionalIdAuthorizationException",
    "TransactionalIdNotFoundException",
)
"""Exceptions of Kafka's clients about transactions, in a chain. Source: reference/log-signals.csv (kafka.*)."""


def _of_transactions(records: pa.Table) -> pa.Table:
    import pyarrow.compute as pc

    chosen = records.filter(pc.or_(is_any(records["event"], EVENTS), contains_any(records["causes"], CLASSES)))
    kept = chosen.select(["ts_ms", "job_id", "vertex", "causes", "file_id", "line", "last_line", "pointer"])
    return kept.append_column("message", shortened(chosen["message"], MOST_CHARACTERS))


AGGREGATOR = first_rows_aggregator(
    "kafka_transaction_records",
    "log_record",
    ("ts_ms", "event", "job_id", "vertex", "message", "causes"),
    _of_transactions,
    order=(("ts_ms", "ascending"), ("file_id", "ascending"), ("line", "ascending"), ("pointer", "ascending")),
    most=MOST_RECORDS,
    events=EVENTS,
)
