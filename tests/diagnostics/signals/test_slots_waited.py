"""A job none of whose tasks has a slot waits for slots, though nothing failed and no log says so."""

from __future__ import annotations

import pytest

from diagnostics.signals.slots import measure
from tests.diagnostics.hand_made import hand_made, only

JOB = "0000000000000000000000000000000a"
START = 1_795_600_800_000
HOUR = 3_600_000


def waited(*statuses: str, state: str = "RUNNING", for_ms: int = HOUR) -> object:
    now = START + for_ms
    tasks = [
        {"ts_ms": now, "job_id": JOB, "vertex_id": f"{place:032x}", "name": "Map", "parallelism": 4, "status": status}
        for place, status in enumerate(statuses, 1)
    ]
    job = {"ts_ms": now, "job_id": JOB, "name": "orders", "state": state, "start_ms": START}
    slots = {"ts_ms": now, "metric": "taskSlotsTotal", "scope": "jobmanager", "value": 2.0}
    return only(measure(hand_made(job=[job], vertex=tasks, metric_sample=[slots])), "slots").facts.get("waited_ms")


def test_tasks_that_are_all_scheduled_wait_for_slots() -> None:
    assert waited("SCHEDULED", "SCHEDULED") == HOUR


@pytest.mark.parametrize(
    "statuses", [("RUNNING", "SCHEDULED"), ("FINISHED", "CREATED"), ("CREATED", "CREATED"), ("DEPLOYING", "SCHEDULED")]
)
def test_a_job_with_a_task_that_has_its_slots_does_not_wait(statuses: tuple[str, ...]) -> None:
    assert waited(*statuses) is None


def test_a_job_that_was_just_submitted_does_not_wait() -> None:
    assert waited("SCHEDULED", for_ms=20_000) is None


def test_a_job_that_ended_does_not_wait() -> None:
    assert waited("SCHEDULED", state="FAILED") is None


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Application is added to the scheduler and is not yet activated. Queue's AM resource limit exceeded.", 1),
        ("Application application_1_2 failed 1 times due to AM Container exited with  exitCode: 1", None),
    ],
)
def test_an_application_that_yarn_keeps_in_its_queue_is_told_from_one_that_failed(
    said: str, expected: int | None
) -> None:
    row = {"ts_ms": START, "level": "ERROR", "message": f"Diagnostics : {said}"}
    facts = only(measure(hand_made(log_record=[row])), "slots").facts
    assert facts.get("queued") == expected
    assert ("maximum-am-resource-percent" in str(facts.get("queued_remedy"))) is (expected is not None)
