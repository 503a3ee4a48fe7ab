"""The history of checkpoints merged from REST and the log."""

from __future__ import annotations

from typing import Any

from diagnostics.reconstruction.checkpoints.history import histories_from_rows
from diagnostics.reconstruction.checkpoints.report import report
from tests.diagnostics.hand_made import JOB, START

PLACE = {"file_id": 0, "line": 1, "last_line": 1, "pointer": None, "ts_ms": None, "text": "as printed"}


def _row(origin: str, number: int | None, **columns: Any) -> dict[str, Any]:
    return dict(report(origin, JOB, number, **{"places": [PLACE], **columns}))


def test_numbers_of_rest_go_before_those_of_the_log() -> None:
    rows = [
        _row("rest", 1, status="COMPLETED", duration_ms=3038.0, state_bytes=5.0, asked_ms=START + 60_000),
        _row("log", 1, status="completed", duration_ms=3619.0, late_ms=[], asked_ms=START),
    ]
    (checkpoint,) = histories_from_rows(rows)[JOB].checkpoints
    assert (checkpoint.status, checkpoint.duration_ms, checkpoint.state_bytes) == ("completed", 3038.0, 5.0)
    assert [each.kind for each in checkpoint.citations] == ["log", "rest"]


def test_the_end_in_the_log_replaces_a_pending_answer() -> None:
    rows = [
        _row("rest", 2, status="IN_PROGRESS", duration_ms=50.0, triggered_ms=START),
        _row("log", 2, status="expired", triggered_ms=START, ended_ms=START + 30_000, late_ms=[START + 41_000]),
    ]
    (checkpoint,) = histories_from_rows(rows)[JOB].checkpoints
    assert (checkpoint.status, checkpoint.duration_ms) == ("expired", 30_000.0)
    assert checkpoint.late_ms == (START + 41_000,)


def test_the_log_alone_suffices_and_what_never_ended_is_in_progress_only_at_the_end() -> None:
    rows = [
        _row(
            "log", 1, status="completed", triggered_ms=START, ended_ms=START + 900, duration_ms=880.0, state_bytes=7.0
        ),
        _row("log", 2, status="pending", triggered_ms=START + 10_000),
        _row("log", 3, status="pending", triggered_ms=START + 20_000),
    ]
    history = histories_from_rows(rows)[JOB]
    assert [each.status for each in history.checkpoints] == ["completed", "unknown", "in_progress"]


def test_a_failure_is_distinguished_by_its_reason() -> None:
    reasons = {
        1: "Checkpoint expired before completing.",
        2: "Checkpoint was declined.",
        3: "CheckpointCoordinator shutdown.",
        4: "Asynchronous task checkpoint failed.",
    }
    rows = [_row("rest", number, status="FAILED", reason=reason) for number, reason in reasons.items()]
    statuses = [each.status for each in histories_from_rows(rows)[JOB].checkpoints]
    assert statuses == ["expired", "declined", "aborted", "failed"]


def test_a_row_without_a_job_belongs_to_the_only_one() -> None:
    rows = [_row("rest", 1, status="COMPLETED") | {"job_id": None}]
    assert list(histories_from_rows(rows, only_job=JOB)) == [JOB]
    assert list(histories_from_rows(rows)) == [None]


def test_triggers_that_came_to_nothing_are_counted_by_reason() -> None:
    rows = [
        _row(
            "not started",
            None,
            reason="Not all required tasks are currently running",
            count=3,
            triggered_ms=START,
            ended_ms=START + 9_000,
        )
    ]
    (not_started,) = histories_from_rows(rows)[JOB].not_started
    assert (not_started.count, not_started.not_ready) == (3, True)
