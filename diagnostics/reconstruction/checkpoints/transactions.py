"""Transactions of an exactly-once sink: begun, pre-committed and committed by checkpoints, or aborted."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from diagnostics.aggregators import kafka_transaction_records
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.notation.flink_values import number
from diagnostics.reconstruction.checkpoints.exactly_once_chain import (
    BROKER_DEFAULT_MS,
    SINK_DEFAULT_MS,
    asks_for_it,
    client_options,
)
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.job.cluster import cluster_of

ABORTED = (
    "because it's in an invalid state",
    "data has been potentially lost",
    "ProducerFencedException",
    "InvalidProducerEpochException",
    "newer producer with the same transactionalId",
    "has been open for longer than the transaction timeout",
)
"""Texts of records that say that a transaction was aborted or its producer fenced. Source: Flink's own log statements
(kafka.sink.*, 2pc.*) and Kafka's Errors.
"""


@dataclass(frozen=True, slots=True)
class Transaction:
    """The transaction that each subtask of the sink closes with one checkpoint.

    It holds what came between two barriers. Source: Flink documentation, "An Overview of End-to-End Exactly-Once
    Processing", and TwoPhaseCommitSinkFunction.

    begun_ms      trigger of the checkpoint before it, epoch ms
    prepared_ms   trigger of its own checkpoint: with the barrier it is flushed and pre-committed
    committed_ms  end of the first checkpoint that completes from then on; None when none does
    """

    number: int
    begun_ms: int
    prepared_ms: int
    committed_ms: int | None


@dataclass(frozen=True, slots=True)
class Transactions:
    """The transactions of one job, in order.

    timeout_ms    transaction.timeout.ms as stated, else the default of Flink's sink
    is_assumed    whether that is the default
    limit_ms      the broker's transaction.max.timeout.ms as stated, else Kafka's default
    failures      (epoch ms, message) of records that say that a transaction was aborted or fenced
    observed_ms   time until which an open transaction is known to be open
    """

    sequence: Sequence[Transaction]
    timeout_ms: float
    is_assumed: bool
    limit_ms: float
    failures: Sequence[tuple[int, str]]
    observed_ms: int | None


@read_once
def transactions_of_jobs(evidence: Evidence) -> Mapping[str | None, Transactions]:
    """Job -> its transactions, for jobs whose sink uses transactions and whose checkpoints are known.

    Reads   config_option (tables, programs, Kafka's clients), checkpoint, log_record.
    """
    only_job = only_one(cluster_of(evidence).job_names)
    rows = named_rows(evidence.answer(kafka_transaction_records.AGGREGATOR))
    said = [(row.job_id or only_job, row.ts_ms, f"{row.message or ''} {row.causes or ''}") for row in rows]
    records = [each for each in said if any(text in each[2] for text in ABORTED)]
    jobs: dict[str | None, Transactions] = {}
    for job_id, history in checkpoint_histories(evidence).items():
        client = client_options(evidence, job_id)
        failures = [(ts_ms, text) for job, ts_ms, text in records if job == job_id and ts_ms is not None]
        sequence = _sequence(history)
        if sequence and (client.get("transactional.id") or asks_for_it(client) or failures):
            stated = _first(client.get("transaction.timeout.ms", ()))
            jobs[job_id] = Transactions(
                sequence=sequence,
                timeout_ms=stated if stated is not None else SINK_DEFAULT_MS,
                is_assumed=stated is None,
                limit_ms=_first(client.get("transaction.max.timeout.ms", ())) or BROKER_DEFAULT_MS,
                failures=failures,
                observed_ms=history.observed_until_ms,
            )
    return jobs


def _first(texts: Sequence[str]) -> float | None:
    return next((value for text in texts if (value := number(text)) is not None), None)


def _sequence(history: History) -> list[Transaction]:
    """One transaction for each checkpoint after the first; a savepoint closes one, too."""
    triggered = sorted(
        (each for each in history.checkpoints if each.start_ms is not None), key=lambda each: each.start_ms or 0
    )
    ends = sorted(each.ended_ms for each in triggered if each.status == "completed" and each.ended_ms is not None)
    sequence = []
    for before, after in pairwise(triggered):
        prepared = after.start_ms or 0
        next_end = bisect_left(ends, prepared)
        committed = ends[next_end] if next_end < len(ends) else None
        sequence.append(Transaction(after.number, before.start_ms or 0, prepared, committed))
    return sequence
