"""A task whose barriers are late skips checkpoints: its log says which."""

from __future__ import annotations

from typing import Any

from diagnostics.signals.overtaken_checkpoints import measure
from tests.diagnostics.hand_made import START, hand_made, needs, only


def skipped(second: int, number: int, subtask: int = 0, event: str = "tm.barrier.skip") -> dict[str, Any]:
    message = (
        f"agg ({subtask + 1}/2)#0: Received checkpoint barrier for checkpoint {number + 1} before completing current "
        f"checkpoint {number}. Skipping current checkpoint."
    )
    place = {"process": "taskmanager", "vertex": "agg", "subtask": subtask, "checkpoint_id": number + 1}
    return {"ts_ms": START + second * 1000, "event": event, "message": message, **place}


def test_a_task_managers_log_alone_shows_which_checkpoints_were_skipped_and_where() -> None:
    facts = only(
        measure(hand_made(log_record=[skipped(1, 11), skipped(1, 11, 1), skipped(61, 12)])), "overtaken_checkpoints"
    ).facts
    assert (facts["skipped"], facts["ids"], facts["vertex"], facts["subtasks"]) == (2, [11, 12], "agg", [0, 1])
    assert (facts["first_ms"], facts["last_ms"]) == (START + 1_000, START + 61_000)


def test_flink_before_1_12_says_the_same() -> None:
    facts = only(measure(hand_made(log_record=[skipped(1, 11, event="tm.barrier.skip.v111")])), "overtaken_checkpoints")
    assert facts.facts["ids"] == [11]


def test_without_such_records_nothing_is_said() -> None:
    quiet = {"ts_ms": START, "process": "taskmanager", "message": "Received task agg (1/2)#0."}
    assert list(measure(hand_made(log_record=[quiet]))) == []
    assert needs(measure(hand_made(vertex=[])))["overtaken_checkpoints"] == "taskmanager-log"
