"""Transactions of an exactly-once sink: their times by the checkpoints, their timeout, and aborts."""

from __future__ import annotations

from typing import Any

from diagnostics.charting.chart import Theme
from diagnostics.charts.transactions import CHART
from tests.diagnostics.hand_made import JOB, START, hand_made, line_of_jobs

MINUTE = 60_000
EXACTLY = {"scope": "program", "key": "sink.delivery-guarantee", "value": "EXACTLY_ONCE"}


def checkpoint(number: int, took_ms: int = 2_000, status: str = "COMPLETED") -> dict[str, Any]:
    trigger = START + number * MINUTE
    ends = {"latest_ack_ms": trigger + took_ms} if status == "COMPLETED" else {"failure_ms": trigger + took_ms}
    failed = {} if status == "COMPLETED" else {"failure_message": "Checkpoint expired before completing."}
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "status": status,
        "is_savepoint": False,
        "trigger_ms": trigger,
        "end_to_end_ms": float(took_ms),
        **ends,
        **failed,
    }


def timeout(value: str) -> dict[str, Any]:
    return {"scope": "program", "key": "properties.transaction.timeout.ms", "value": value}


def points(*checkpoints: dict[str, Any], options: tuple[dict[str, Any], ...] = (EXACTLY,), **tables: Any) -> Any:
    return CHART.points(
        hand_made(**line_of_jobs(), checkpoint=list(checkpoints), config_option=list(options), **tables)
    )


def test_a_transaction_begins_at_one_checkpoint_and_is_pre_committed_and_committed_by_the_next() -> None:
    found = points(checkpoint(1), checkpoint(2), checkpoint(3))

    assert [[number, *(stamp - START for stamp in stamps)] for number, *stamps in found["jobs"][0]["transactions"]] == [
        [2, MINUTE, 2 * MINUTE, 2 * MINUTE + 2_000],
        [3, 2 * MINUTE, 3 * MINUTE, 3 * MINUTE + 2_000],
    ]
    events = [(row[0] - START, row[1], row[2]) for row in CHART.table(found)[1:]]
    assert events == [
        (MINUTE, "begin", 2),
        (2 * MINUTE, "pre-commit", 2),
        (2 * MINUTE, "begin", 3),
        (2 * MINUTE + 2_000, "commit", 2),
        (3 * MINUTE, "pre-commit", 3),
        (3 * MINUTE + 2_000, "commit", 3),
    ]


def test_an_expired_checkpoint_leaves_its_transaction_open_until_a_later_one_completes() -> None:
    """The transaction of checkpoint 2 is open from minute 1 to the end of checkpoint 4, 182 s."""
    found = points(
        checkpoint(1),
        checkpoint(2, 30_000, "FAILED"),
        checkpoint(3, 30_000, "FAILED"),
        checkpoint(4),
        options=(EXACTLY, timeout("120000")),
    )

    assert CHART.summary(found) == (
        "3 of 3 transactions were committed. That of checkpoint 2 was open longest, 3 min 2 s; transaction.timeout.ms "
        "is 2 min as stated. Kafka aborts a transaction that is open for longer than that."
    )
    assert CHART.figure(found, Theme("light"))["layout"]["shapes"]


def test_a_transaction_that_no_checkpoint_committed_is_open_to_the_last_look() -> None:
    found = points(checkpoint(1), checkpoint(2, 30_000, "FAILED"))

    assert found["jobs"][0]["transactions"][0][3] is None
    assert CHART.summary(found).startswith("0 of 1 transactions were committed.")


def test_an_abort_in_the_log_is_an_event_of_the_timeline() -> None:
    record = {
        "ts_ms": START + 150_000,
        "event": "kafka.sink.invalid",
        "message": "Unable to commit transaction because it's in an invalid state.",
        "job_id": JOB,
        "process": "taskmanager",
    }
    found = points(checkpoint(1), checkpoint(2), log_record=[record])

    assert (START + 150_000, "abort") in [(row[0], row[1]) for row in CHART.table(found)[1:]]
    assert CHART.summary(found).endswith("Records of an abort or a fenced producer: 1.")


def test_a_job_without_transactions_has_no_chart() -> None:
    assert points(checkpoint(1), checkpoint(2), options=()) is None
