"""Which steps of the runbook of a resource shortage concern a job that was refused network buffers."""

from __future__ import annotations

from typing import Any

from diagnostics.runbook import fill, runbooks

JOB = "a" * 32
QUIET_HEAP = {"full_gcs_most": 0, "worst_minute_ratio": 0.006, "task_manager_count": 1}


def steps_of(heap: dict[str, Any]) -> dict[str, bool]:
    """Step -> whether another answer skips it, for a job that lacked network buffers only."""
    facts = {
        "network_buffers": ({"job": JOB}, "job", {"insufficient": 60}),
        "heap_pressure": ({}, "case", heap),
        "out_of_memory": ({}, "case", {"heap_errors": 0}),
    }
    signals = [
        {"key": key, "subject": subject, "level": level, "facts": known, "citations": [], "citation_count": 0}
        for key, (subject, level, known) in facts.items()
    ]
    steps = fill(runbooks()["resource-shortage"], {"subject": {"job": JOB}}, signals)["steps"]
    return {step["id"]: bool(step.get("left_out")) for step in steps}


def test_a_heap_without_a_full_collection_is_not_looked_into() -> None:
    steps = steps_of(QUIET_HEAP)
    assert steps["what-lives-on-the-heap"]
    assert not steps["network-buffers"]


def test_a_heap_that_full_collections_leave_in_use_is() -> None:
    assert not steps_of(QUIET_HEAP | {"full_gcs_most": 3, "live_ratio": 0.9})["what-lives-on-the-heap"]


def test_a_repair_of_the_buffers_is_verified_by_what_was_short_and_not_by_collections() -> None:
    steps = steps_of(QUIET_HEAP)
    assert (steps["verify-under-load"], steps["verify"]) == (False, True)
    heap = steps_of(QUIET_HEAP | {"full_gcs_most": 3, "live_ratio": 0.9})
    assert not heap["verify"]
