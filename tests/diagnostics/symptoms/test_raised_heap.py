"""The heap is raised to a size of the case, and only what its files state is deleted."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from tests.diagnostics.symptoms.judged import judged

JOB = "0" * 31 + "a"
PRESSED: dict[str, Any] = {
    "resource": "heap",
    "basis": "GC log",
    "task_managers": ["tm-1"],
    "full_gcs": [80],
    "full_gc_ms": [40_000],
    "full_gcs_for_room_most": 80,
    "live_bytes": 220_000_000,
    "heap_total_bytes": 256_000_000,
    "live_ratio": 0.86,
    "spell_share_ratio": 0.28,
    "worst_minute_ratio": 0.33,
    "needed_heap_mib": 448,
    "needed_task_heap_mib": 384,
    "missing_heap_mib": 194,
}
PARTS = {"needed_process_mib": 992, "process_mib": 798, "managed_mib": 16}


def signals(**facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "subject": {"job": JOB}, "level": "job", "facts": known, "citations": [], "citation_count": 0}
        for key, known in facts.items()
    ]


def first_step(heap: dict[str, Any], sizes: dict[str, Any]) -> str:
    document = judged(heap_pressure=heap, settings={"state_backend": "hashmap"}, checkpoint_sizes=sizes)
    [said] = [each["first_step"] for each in document["findings"] if each["rule"]["id"] == "resource.heap"]
    return str(said)


def test_the_first_step_names_the_size_and_its_option() -> None:
    said = first_step(PRESSED, {"state_growth_ratio": 2.0})
    assert said.startswith("Raise the heap first, to 448 MiB (taskmanager.memory.task.heap.size: 384m)")
    assert "canonical format" in said
    enough = first_step(PRESSED | {"missing_heap_mib": 0}, {"state_growth_ratio": 2.0})
    assert "448" not in enough


def test_a_state_that_no_longer_grows_need_not_be_moved() -> None:
    settled = {"state_growth_ratio": 7.4, "state_settled_count": 14, "settled_spread_ratio": 0.00494}
    said = first_step(PRESSED, settled)
    assert said.endswith("the state no longer grows, its size differs by at most 0.5 % in the last 14 checkpoints.")
    assert "RocksDB" not in said


@pytest.mark.parametrize(
    ("stated", "deletes"),
    [
        ({"file_lines": ["taskmanager.memory.task.heap.size: 190m"], "task_heap_bytes": 190 * 2**20}, False),
        ({"file_lines": ["taskmanager.memory.process.size: 1g"], "process_bytes": 2**30}, True),
        ({}, True),
    ],
)
def test_a_total_is_deleted_only_where_one_is_set_or_no_file_is_known(stated: dict[str, Any], deletes: bool) -> None:
    """jobmanager.memory.process.size, which is in the same file, has to stay."""
    known = signals(heap_pressure=PRESSED | PARTS, settings={"state_backend": "hashmap", **stated})
    steps = fill(runbooks()["resource-shortage"], {"subject": {"job": JOB}}, known)["steps"]
    [step] = [each for each in steps if each["id"] == "enlarge-or-move-the-state"]
    raised = [each["to"] for each in step["change"] if "992 MiB for a TaskManager" in each["to"]]
    assert len(raised) == 1
    assert ("taskmanager.memory.process.size" in raised[0]) is deletes


def test_each_cost_is_said_of_its_change() -> None:
    known = signals(heap_pressure=PRESSED | PARTS, settings={"state_backend": "hashmap"})
    steps = fill(runbooks()["resource-shortage"], {"subject": {"job": JOB}}, known)["steps"]
    [cost] = [each["cost"] for each in steps if each["id"] == "enlarge-or-move-the-state"]
    heap, backend, name = cost.split("Only with ")
    assert "194 MiB" in heap
    assert "CPU" in backend
    assert "TTL" in name
