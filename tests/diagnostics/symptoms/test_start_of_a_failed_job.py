"""From what the runbook of a network partition starts a job that has FAILED, by the retention of its checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import Proposal, fill, merged_plan, runbooks

JOB = "a" * 32
LAST = f"file:/data/checkpoints/{JOB}/chk-7"


def get_back(retention: str | None, **progress: str) -> dict[str, Any]:
    """The filled step that brings the job back."""
    facts = {
        "restarts": {"final_state": "FAILED"},
        "settings": {"retention": retention} if retention else {},
        "checkpoint_progress": {"last_path": LAST, **progress},
    }
    signals = [
        {"key": key, "subject": {"job": JOB}, "level": "job", "facts": known, "citations": [], "citation_count": 0}
        for key, known in facts.items()
    ]
    steps = fill(runbooks()["network-partition"], {"subject": {"job": JOB}}, signals)["steps"]
    step: dict[str, Any] = next(each for each in steps if each["id"] == "get-back")
    return step


@pytest.mark.parametrize("retention", ["NO_EXTERNALIZED_CHECKPOINTS", None])
def test_a_checkpoint_that_may_be_deleted_is_looked_for_before_the_start(retention: str | None) -> None:
    step = get_back(retention)

    assert f"ls /data/checkpoints/{JOB}/chk-7/_metadata" in [each["command"] for each in step["look"]]
    assert [(each["only_if"], "-s" in each["to"].split()) for each in step["change"]] == [
        ("the path is still there", True),
        ("the path is gone", False),
    ]


def test_the_last_savepoint_is_the_way_when_the_checkpoint_is_gone() -> None:
    step = get_back("NO_EXTERNALIZED_CHECKPOINTS", last_savepoint_path="s3://b/savepoint-1")

    gone = [each["to"] for each in step["change"] if each["only_if"] == "the path is gone"]
    assert len(gone) == 1
    assert "-s s3://b/savepoint-1" in gone[0]


@pytest.mark.parametrize("retention", ["RETAIN_ON_CANCELLATION", "DELETE_ON_CANCELLATION"])
def test_a_checkpoint_that_a_failure_leaves_is_the_start(retention: str) -> None:
    step = get_back(retention)

    assert [(each["only_if"], LAST in each["to"]) for each in step["change"]] == [(None, True)]
    assert not [each for each in step["look"] if "_metadata" in each["command"]]


def test_it_is_looked_first_whether_the_job_runs_and_whether_the_link_passes_full_segments() -> None:
    book = fill(runbooks()["network-partition"], {"subject": {"job": JOB}}, [stored("tcp_loss", host="10.0.0.2")])
    first, ping, *_ = [each["command"] for each in book["steps"][0]["look"]]

    assert "/jobs/overview" in first
    assert ping == "ping -c 200 -i 0.2 -s 1400 10.0.0.2", "20 packets pass one time in 13 at a loss of 12 %"


def test_a_start_that_the_restart_has_already_is_not_in_the_plan_a_second_time() -> None:
    signals = [
        stored("restarts", final_state="FAILED"),
        stored("settings", retention="NO_EXTERNALIZED_CHECKPOINTS", restart_strategy="fixed-delay"),
        stored("checkpoint_progress", last_path=LAST),
    ]
    book = fill(runbooks()["network-partition"], {"subject": {"job": JOB}}, signals)
    plan = merged_plan([Proposal(book["title"], (), book["steps"])], signals, JOB)

    assert plan is not None
    starts = [each["to"] for look in plan["open"] for each in look["changes"] if " run " in each["to"]]
    assert starts == []
    runs = [each for each in plan["restart"]["command"].splitlines() if " run " in each]
    assert [each.startswith("# ") for each in runs] == [False, True]


@pytest.mark.parametrize(
    ("facts", "taken"),
    [
        ({"restarts": 1, "tasks_run": True}, ["it runs again"]),
        ({"restarts": 0}, ["it runs again"]),
        ({"restarts": 9, "steady_ms": 900_000, "tasks_run": True}, ["it runs again"]),
        ({"restarts": 9, "steady_ms": 20_000, "tasks_run": True}, ["it fails again after each restart"]),
        ({"restarts": 9, "tasks_run": False}, ["it fails again after each restart"]),
        ({"restarts": 1, "tasks_run": False}, []),
    ],
)
def test_a_job_that_fails_at_each_restart_does_not_run_again(facts: dict[str, Any], taken: list[str]) -> None:
    signals = [stored("restarts", final_state="RUNNING", **facts)]
    book = fill(runbooks()["network-partition"], {"subject": {"job": JOB}}, signals)
    assert [each["condition"] for each in book["steps"][0]["answers"] if each["taken"]] == taken


def stored(key: str, **facts: Any) -> dict[str, Any]:
    """A stored signal of the job."""
    return {"key": key, "subject": {"job": JOB}, "level": "job", "facts": facts, "citations": [], "citation_count": 0}
