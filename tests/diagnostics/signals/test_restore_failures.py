"""Restores that fail or lose state, and the names in their texts."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.restore_failures import kind_of, measure
from tests.diagnostics.hand_made import JOB, START, hand_made, needs, only


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Cannot map checkpoint/savepoint state for operator 1 to the new program", "missing operator"),
        ("Max parallelism mismatch between checkpoint/savepoint state and new program", "max parallelism"),
        ("Can not restore savepoint taken with RocksDB timers enabled with Heap timers!", "backend"),
        ("The new key serializer must be compatible with the previous key serializer", "serializer"),
        ("java.io.InvalidClassException: org.acme.Account; local class incompatible", "serializer"),
        ("java.io.FileNotFoundException: File does not exist: /a", "missing file"),
        ("java.io.IOException: Unexpected magic number", "corrupt file"),
        ("java.lang.ClassNotFoundException: org.acme.Order", "missing class"),
        ("java.net.ConnectException: Connection refused", "unreachable"),
        ("java.io.IOException: No space left on device", "full disk"),
        ("java.lang.IllegalStateException: x", "other"),
    ],
)
def test_the_exception_chain_shows_the_mismatch(text: str, kind: str) -> None:
    assert kind_of(text) == kind


def record(second: float, event: str | None, message: str, **rest: Any) -> dict[str, Any]:
    told = {"ts_ms": START + int(second * 1000), "process": "jobmanager", "event": event, "message": message}
    return {**told, "job_id": JOB, **rest}


def failed(second: float, exception: str, message: str) -> dict[str, Any]:
    return record(
        second,
        "task.failed.jm",
        "enrich (1/2) (x) switched from INITIALIZING to FAILED on tm-1 @ host.",
        vertex="enrich",
        subtask=0,
        exception_class="java.lang.Exception",
        root_cause_class=exception,
        root_cause_message=message,
        causes=f"x: Could not restore keyed state backend for enrich\n{exception}: {message}",
    )


def test_a_missing_file_is_named_with_the_attempts() -> None:
    text = "File does not exist: /ckpt/shared/5f1c"
    log = [
        record(
            1, "jm.ckpt.restore_from", f"Restoring job {JOB} from Checkpoint 13 @ 1 for {JOB} located at s3://b/chk-13."
        ),
        *(failed(second, "java.io.FileNotFoundException", text) for second in (5, 15, 25)),
    ]
    facts = only(measure(hand_made(log_record=log)), "restore_failures").facts
    assert (facts["kind"], facts["file"], facts["rounds"]) == ("missing file", "/ckpt/shared/5f1c", 3)
    assert (facts["restores"], facts["restored_from"], facts["interval_ms"]) == (1, "s3://b/chk-13", 10_000)


def test_a_replication_slot_that_was_given_up_is_a_lost_position_and_has_its_remedy() -> None:
    said = 'ERROR: can no longer get changes from replication slot "flink"'
    failures = [failed(5, "org.postgresql.util.PSQLException", said)]
    facts = only(measure(hand_made(log_record=failures)), "restore_failures").facts
    assert facts["kind"] == "position of the source"
    assert "max_slot_wal_keep_size" in str(facts["remedy"])


def test_both_parallelisms_are_named() -> None:
    text = (
        "Failed to rollback to checkpoint/savepoint s3://b/s1. Max parallelism mismatch between checkpoint/savepoint"
        f" state and new program. Cannot map operator {JOB} with max parallelism 128 to new program with max"
        " parallelism 64."
    )
    log = [failed(5, "java.lang.IllegalStateException", text)]
    facts = only(measure(hand_made(log_record=log)), "restore_failures").facts
    assert (facts["old_max_parallelism"], facts["new_max_parallelism"], facts["path"]) == (128, 64, "s3://b/s1")


def test_skipped_state_is_no_failure() -> None:
    log = [record(1, "jm.savepoint.skip", f"Skipping savepoint state for operator {JOB}.")]
    facts = only(measure(hand_made(log_record=log)), "restore_failures").facts
    assert (facts["failures"], facts["skipped_operators"]) == (0, 1)


def test_nothing_is_measured_without_logs_and_exceptions() -> None:
    assert needs(measure(hand_made())) == {"restore_failures": "jobmanager-log"}


def test_a_restore_that_goes_back_behind_newer_checkpoints_shows_how_far() -> None:
    log = [
        record(60, "jm.ckpt.completed", "Completed checkpoint 4", checkpoint_id=4, duration_ms=100.0),
        record(120, "jm.ckpt.completed", "Completed checkpoint 5", checkpoint_id=5, duration_ms=100.0),
        record(
            200, "jm.ckpt.restore_from", f"Restoring job {JOB} from Savepoint 3 @ {START} for {JOB} located at s3://b."
        ),
    ]
    facts = only(measure(hand_made(log_record=log)), "restore_failures").facts
    assert (facts["restored_id"], facts["newest_id"], facts["newer"]) == (3, 5, 2)
    assert facts["behind_ms"] == 120_000
