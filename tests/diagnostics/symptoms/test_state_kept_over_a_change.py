"""What the runbooks change on existing state: it is restored afterwards, by every version that they name."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import Proposal, fill, merged_plan, runbooks

JOB = "a" * 32
HEAP = {"live_ratio": 0.95, "needed_heap_mib": 400, "missing_heap_mib": 200, "needed_task_heap_mib": 272}


def signals(**facts: dict[str, Any]) -> list[dict[str, Any]]:
    return [
        {"key": key, "subject": {"job": JOB}, "level": "job", "facts": known, "citations": [], "citation_count": 0}
        for key, known in facts.items()
    ]


def filled_heap(said: dict[str, str]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The runbook of a failed job whose heap its state fills, and the signals."""
    case = signals(
        heap_pressure={**HEAP, "heap_mib": 200},
        settings={"state_backend": "hashmap", "retention": "RETAIN_ON_CANCELLATION"},
        checkpoint_sizes={"state_growth_ratio": 3.0},
        checkpoint_progress={"last_path": f"file:/c/{JOB}/chk-7"},
        restarts={"final_state": "FAILED"},
    )
    return fill(runbooks()["resource-shortage"], {"subject": {"job": JOB}}, case, said), case


def plan_of_heap(said: dict[str, str]) -> dict[str, Any]:
    book, case = filled_heap(said)
    plan = merged_plan([Proposal(book["title"], book["useless"], book["steps"])], case, JOB)
    assert plan is not None
    return plan


def test_a_full_heap_is_raised_with_the_state_backend_that_wrote_the_checkpoint() -> None:
    plan = plan_of_heap({})
    taken = "\n".join(each["to"] for each in plan["changes"])
    assert "taskmanager.memory.task.heap.size: 272m" in taken
    assert "state.backend" not in taken
    assert "chk-7" in plan["restart"]["command"]
    assert any("state.backend.type: rocksdb" in change["to"] for each in plan["open"] for change in each["changes"])


def test_the_state_backend_changes_once_the_job_runs_with_the_larger_heap() -> None:
    later = "the job runs with the larger heap, and its state still grows"
    plan = plan_of_heap({"enlarge-or-move-the-state": later})
    taken = "\n".join(each["to"] for each in plan["changes"])
    assert "state.backend.type: rocksdb" in taken
    assert "taskmanager.memory.task.heap.size" not in taken
    assert "chk-7" not in plan["restart"]["command"]


@pytest.mark.parametrize(
    ("runbook", "step"), [("resource-shortage", "enlarge-or-move-the-state"), ("rocksdb-slow-upload", "state-size")]
)
def test_a_time_to_live_gets_a_new_state_name_that_is_filled_from_the_former(runbook: str, step: str) -> None:
    [shipped] = [each for each in runbooks()[runbook].steps if each.id == step]
    value, entries = [each.after for each in shipped.changes if "enableTimeToLive" in each.after]
    assert all('("{job_code.state_name}-ttl", ' in code for code in (value, entries))
    assert "update(former.value())" in value
    assert "entry : former.entries()" in entries
    assert any("StateMigrationException" in each.text and "Before Flink 2.2" in each.text for each in shipped.wont_help)
    assert "State Processor API" in shipped.texts["cost"]


def test_a_question_about_values_of_metrics_is_asked_for_values() -> None:
    commands = [look.command for book in runbooks().values() for step in book.steps for look in step.look]
    names_only = [each for each in commands if "/metrics'" in each and "get@-" not in each]
    assert names_only == []


def test_an_event_of_a_source_without_time_stamps_is_bound_by_the_clock() -> None:
    [step] = [each for each in runbooks()["out-of-order-events"].steps if each.id == "fast-clocks"]
    recorded = "{job_code.assigner_recorded|code}"
    assert f"({recorded} == Long.MIN_VALUE ? System.currentTimeMillis() : {recorded})" in step.changes[0].after


@pytest.mark.parametrize("book", ["rocksdb-slow-upload", "resource-shortage"])
def test_a_time_to_live_is_not_proposed_against_an_incident_of_now(book: str) -> None:
    proposing = [
        step for step in runbooks()[book].steps if any("StateTtlConfig" in each.after for each in step.changes)
    ]
    assert proposing
    for step in proposing:
        assert any(each.text.startswith("A time to live against an incident of now") for each in step.wont_help)


def test_state_that_grows_and_that_no_code_removes_is_what_fills_the_heap() -> None:
    """By a checkpoint it may be a small part of the heap; what is never removed fills it all the same."""

    def applies(**facts: dict[str, Any]) -> list[str]:
        case = signals(settings={"state_backend": "hashmap"}, heap_pressure={**HEAP, "heap_mib": 200}, **facts)
        steps = fill(runbooks()["resource-shortage"], {"subject": {"job": JOB}}, case)["steps"]
        return [each["if"] for step in steps for each in step["answers"] if each["taken"] and "no TTL" in each["if"]]

    growing = {"state_growth_bytes_per_s": 600_000.0}
    assert applies(checkpoint_sizes=growing, job_code={"kept_state": "carts"}) == [
        "the state grows, no code path clears an entry of it, and it has no TTL"
    ]
    assert applies(checkpoint_sizes=growing, job_code={"state_name": "carts"}) == []
    assert applies(job_code={"kept_state": "carts"}) == []
