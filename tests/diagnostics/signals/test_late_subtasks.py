"""The task, and of it the subtask, that slow and expired checkpoints wait for."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals.checkpoint_phases import measure
from tests.diagnostics.hand_made import JOB, MIDDLE, SINK, SOURCE, START, hand_made, line_of_jobs, only

TIMEOUT_MS = 600_000.0


def _done(number: int, vertex: str, subtask: int, phase: str = "async_ms", ms: float = 20.0, size: float = 1e6) -> Any:
    phases = {"start_delay_ms": 10.0, "alignment_ms": 1.0, "sync_ms": 5.0, "async_ms": 20.0, phase: ms}
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "vertex_id": vertex,
        "subtask": subtask,
        "ts_ms": START,
        "status": "completed",
        "ack_ms": START + 1,
        "end_to_end_ms": sum(phases.values()),
        "checkpointed_bytes": size,
        "state_bytes": size,
        **phases,
    }


def _pending(number: int, vertex: str, subtask: int) -> Any:
    return {
        "job_id": JOB,
        "checkpoint_id": number,
        "vertex_id": vertex,
        "subtask": subtask,
        "ts_ms": START,
        "status": "pending_or_failed",
    }


def _facts(*parts: Any, more: Any = ()) -> Any:
    checkpoints = [
        *more,
        *(
            {
                "job_id": JOB,
                "checkpoint_id": number,
                "status": "FAILED",
                "end_to_end_ms": TIMEOUT_MS,
                "trigger_ms": START,
                "failure_message": "Checkpoint expired before completing.",
            }
            for number in sorted({part["checkpoint_id"] for part in parts} - {each["checkpoint_id"] for each in more})
        ),
    ]
    evidence = hand_made(**line_of_jobs(), subtask_checkpoint=list(parts), checkpoint=checkpoints)
    return only(measure(evidence), "checkpoint_phases").facts


def _quick(number: int, vertex: str) -> list[Any]:
    return [_done(number, vertex, subtask) for subtask in range(4)]


def test_the_one_subtask_without_an_acknowledgement_is_named_where_the_barriers_stop() -> None:
    facts = _facts(
        *[row for number in (1, 2) for row in _quick(number, SOURCE)],
        *[row for number in (1, 2) for row in _quick(number, MIDDLE)[:3]],
        *[_pending(number, MIDDLE, 3) for number in (1, 2)],
        *[_pending(number, SINK, subtask) for number in (1, 2) for subtask in range(4)],
    )
    assert (facts["late_subtasks"], facts["late_phase"]) == ([3], "no acknowledgement")
    assert (facts["late_in"], facts["late_of"], facts["late_parallelism"]) == (2, 2, 4)
    assert facts["late_at_source"] is False, "the sink behind it is late because of it"


@pytest.mark.parametrize(
    ("column", "phase"),
    [
        ("start_delay_ms", "barrier"),
        ("alignment_ms", "barrier"),
        ("sync_ms", "synchronous part"),
        ("async_ms", "asynchronous part"),
    ],
)
def test_the_phase_of_the_late_subtask_is_named(column: str, phase: str) -> None:
    late = _done(1, MIDDLE, 3, column, 610_000.0, 5e6)
    facts = _facts(*_quick(1, SOURCE), *_quick(1, MIDDLE)[:3], late, *_quick(1, SINK))
    assert (facts["late_subtask"], facts["late_phase"]) == (3, phase)
    assert facts["late_ms"] >= 610_000
    assert (facts["late_others_ms"], facts["late_bytes_ratio"]) == (36, 5)


def test_a_task_whose_subtasks_are_all_late_has_none_apart() -> None:
    facts = _facts(
        *_quick(1, SOURCE),
        *[_pending(1, MIDDLE, subtask) for subtask in range(4)],
        *[_pending(1, SINK, subtask) for subtask in range(4)],
    )
    assert facts["late_count"] == facts["late_parallelism"] == 4
    assert "late_subtask" not in facts


def test_subtasks_that_are_late_by_degrees_are_not_apart() -> None:
    rows = [_done(1, MIDDLE, subtask, "async_ms", ms) for subtask, ms in enumerate((2e5, 2.5e5, 2.9e5, 6.1e5))]
    assert "late_vertex" not in _facts(*_quick(1, SOURCE), *rows, *_quick(1, SINK))


def test_of_one_task_alone_its_late_subtask_is_named() -> None:
    facts = _facts(*_quick(1, MIDDLE)[:3], _pending(1, MIDDLE, 3))
    assert facts["late_subtasks"] == [3]


def test_the_first_late_task_is_not_named_while_one_above_it_is_not_known() -> None:
    facts = _facts(
        *[_done(1, MIDDLE, subtask, "sync_ms", 3.5e5) for subtask in range(4)],
        *_quick(1, SINK)[:3],
        _pending(1, SINK, 3),
    )
    assert "late_vertex" not in facts


def test_a_checkpoint_in_progress_does_not_stop_at_the_tasks_that_answered_it_at_once() -> None:
    """REST states as its duration how long its last acknowledgement took: of that the sources took all."""
    behind = [_pending(number, task, each) for number in (1, 2) for task in (MIDDLE, SINK) for each in range(4)]
    young = {"job_id": JOB, "checkpoint_id": 2, "status": "IN_PROGRESS", "end_to_end_ms": 36.0}
    for age_ms in (5_000, 400_000):
        asked = {**young, "trigger_ms": START + 700_000, "ts_ms": START + 700_000 + age_ms}
        facts = _facts(*_quick(1, SOURCE), *_quick(2, SOURCE), *behind, more=[asked])
        assert (facts["late_id"], facts["late_at_source"]) == (1, False)
        assert facts["late_vertex_id"] == MIDDLE
