"""Log records about failures of Kafka transactions."""

from __future__ import annotations

from diagnostics.aggregators.aggregator import event_records_aggregator

MOST_RECORDS = 5_000
"""Records kept, the earliest. Our choice."""

MOST_CHARACTERS = 900
"""Characters kept of a message. Our choice: transactional ids are long."""

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
    "kafka.client.producer_forgotten",
    "kafka.client.tx_invalid",
    "kafka.client.tx_not_allowed",
    "kafka.legacy.pool_empty",
    "kafka.legacy.recovered",
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
    "transaction timeout is larger than the maximum value",
    "newer producer with the same transactionalId",
    "attempted a transactional operation in an invalid state",
    "producer attempted to use a producer id which is not currently assigned",
    "could not locate the producer metadata",
    "Transactional Id authorization failed",
    "Increase kafka producers pool size",
    "requires a transactionalIdPrefix to be set",
    "errors.TransactionAbortedException",
    "Failing batch since transaction was aborted",
    "Cannot execute transactional method because we are in an error state",
    "Invalid transition attempted from state",
)
"""Exceptions of Kafka's clients about transactions, and their texts: a plain KafkaException may carry one. Source:
Flink's own log statements (kafka.*), Kafka's Errors and Flink's FlinkKafkaProducer011.
"""

AGGREGATOR = event_records_aggregator(
    "kafka_transaction_records",
    ("ts_ms", "job_id", "vertex", "causes"),
    events=EVENTS,
    causes=CLASSES,
    characters=MOST_CHARACTERS,
    most=MOST_RECORDS,
)
