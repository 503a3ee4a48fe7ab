"""Restart attempts that were used up while the job waited for a TaskManager."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.signals import restarts
from tests.diagnostics.hand_made import hand_made, only
from tests.diagnostics.signals.incident_rows import record, switched
from tests.diagnostics.symptoms.judged import judged

SUPPRESSED = (
    "Recovery is suppressed by FixedDelayRestartBackoffTimeStrategy(maxNumberRestartAttempts=1, backoffTimeMS=10000)"
)
GIVEN_UP = {"restarts": 3, "final_state": "FAILED", "final_ms": 1_700_000_015_300, "gave_up": True}


def ended_and_registered(*seconds: int) -> list[dict[str, Any]]:
    log = [switched(10, "RUNNING", "RESTARTING"), switched(20, "RESTARTING", "RUNNING")]
    log += [switched(30, "FAILING", "FAILED") | {"exception_class": "x.JobException", "exception_message": SUPPRESSED}]
    return [*log, *(record(each, f"Registering TaskManager with ResourceID tm-{each} at it") for each in seconds)]


@pytest.mark.parametrize(("seconds", "after_ms"), [((5, 33, 40), 3_000), ((5,), None), ((), None)])
def test_a_job_that_was_given_up_knows_the_next_task_manager_and_its_strategy(
    seconds: tuple[int, ...], after_ms: int | None
) -> None:
    facts = only(restarts.measure(hand_made(log_record=ended_and_registered(*seconds))), "restarts").facts
    assert facts.get("registered_after_ms") == after_ms
    assert (facts["strategy"], facts["attempts_allowed"]) == ("FixedDelayRestartBackoffTimeStrategy", 1)


def findings(
    after_ms: int | None, slots: dict[str, Any], lost: int = 1, **more: dict[str, Any]
) -> dict[str, dict[str, Any]]:
    known = GIVEN_UP if after_ms is None else GIVEN_UP | {"registered_after_ms": after_ms}
    losses = {"lost": lost, "first_ms": 1_700_000_000_000}
    document = judged(restarts=known, slots=slots, task_manager_loss_all=losses, **more)
    return {each["rule"]["id"]: each for each in document["findings"]}


def test_attempts_that_end_before_a_task_manager_is_back_are_a_setting() -> None:
    found = findings(296, {"resource": "slots", "refused": 3})
    assert found["conf.short-restarts"]["role"] == "root_cause"
    assert "exponential-delay" in found["conf.short-restarts"]["first_step"]


@pytest.mark.parametrize(
    "case",
    [
        {"after_ms": None, "slots": {"resource": "slots", "refused": 3}},
        {"after_ms": 900_000, "slots": {"resource": "slots", "refused": 3}},
        {"after_ms": 296, "slots": {"resource": "slots", "refused": 3}, "lost": 0},
        {"after_ms": 296, "slots": {"resource": "slots", "refused": 3, "refused_before_loss": 1}},
        {"after_ms": 296, "slots": {"resource": "slots"}},
        {"after_ms": 296, "slots": {"resource": "slots", "refused": 3}, "out_of_memory": {"killed": 1}},
    ],
)
def test_a_job_that_no_longer_wait_would_have_saved_is_not_told_to_wait(case: dict[str, Any]) -> None:
    assert "conf.short-restarts" not in findings(**case)


@pytest.mark.parametrize(("expired", "is_told"), [(0, True), (2, False)])
def test_checkpoints_that_expired_are_not_refused_by_the_jobmanagers_memory(expired: int, is_told: bool) -> None:
    progress = {"max_state_bytes": 10_386_064, "failed": 2, "expired": expired, "failed_ids": [272, 273]}
    keys = {"storage_key": "execution.checkpointing.storage", "directory_key": "execution.checkpointing.dir"}
    document = judged(settings={"storage": "jobmanager"}, checkpoint_progress=progress, settings_check=keys)
    assert ("conf.memory-storage" in {each["rule"]["id"] for each in document["findings"]}) is is_told
