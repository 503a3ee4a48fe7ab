"""Checkpoints that fail again and again are never quiet, whatever the reason that Flink states."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.diagnosis.judge import judge
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules

JOB = "0000000000000000000000000000000a"
INPUTS = [{"file": "jm.log", "format": "flink-log"}]


def judged(**facts: dict[str, Any]) -> dict[str, Any]:
    stored = [
        {
            "key": key,
            "level": "job",
            "subject": {"job": JOB},
            "facts": of_key,
            "citations": [{"file_id": 0, "line": 7, "kind": "log", "text": "a line"}],
            "citation_count": 1,
            "window": None,
        }
        for key, of_key in facts.items()
    ]
    return judge(stored, INPUTS, Ruleset.of(shipped_rules()))


NOT_READY = {
    "failures": 0,
    "declined_not_ready": 5,
    "not_ready": 0,
    "finished_tasks": 0,
    "consequences": 0,
    "refused": 0,
}


def test_tasks_that_are_not_ready_until_the_job_fails_are_the_cause() -> None:
    document = judged(checkpoint_declines={**NOT_READY, "thresholds": 1})
    assert document["verdict"]["symptom_class"] == "checkpoint_declined"
    assert document["health"]["score"] <= 60


def test_tasks_that_are_not_ready_once_are_a_remark() -> None:
    document = judged(checkpoint_declines={**NOT_READY, "declined_not_ready": 1, "thresholds": 0})
    assert [each["severity"] for each in document["findings"]] == ["info"]


def test_refused_triggers_to_the_end_are_a_guess_and_not_quiet() -> None:
    refused = {**NOT_READY, "declined_not_ready": 0, "not_ready": 6, "not_ready_is_last": True, "thresholds": 0}
    document = judged(checkpoint_declines=refused)
    assert document["verdict"]["symptom_class"] == "inconclusive"
    assert "best guess is checkpoints declined" in document["verdict"]["summary"]
    assert document["health"]["score"] <= 60


@pytest.mark.parametrize("consequences", [0, 5])
def test_a_threshold_is_never_said_to_be_without_failures_beside_one(consequences: int) -> None:
    counted = {**NOT_READY, "declined_not_ready": 0, "consequences": consequences, "thresholds": 1}
    document = judged(checkpoint_declines=counted, checkpoint_progress={"expired": 0, "failed": consequences})
    assert "Exceeded checkpoint tolerable failure threshold" in document["verdict"]["summary"]
    assert ("hold none of their failures" in document["verdict"]["summary"]) is (consequences == 0)
    assert document["health"]["score"] <= 60


def test_a_lost_task_manager_ranks_missing_slots_lower_and_hides_them_not() -> None:
    slots = {"resource": "slots", "refused": 4, "refused_before_loss": 0, "required": 4, "total_end": 2, "missing": 2}
    document = judged(slots=slots, **{"task_manager_loss.all": {"lost": 1, "registered_end": 1, "gone": 0}})
    found = {each["rule"]["id"]: each["confidence"] for each in document["findings"]}
    assert 0 < found["resource.slots"] < 0.5


def test_an_interval_that_is_too_short_is_named_beside_back_pressure() -> None:
    document = judged(
        settings={"interval_ms": 500, "min_pause_ms": 0, "max_concurrent": 1},
        settings_check={"completed": 40, "long_to_interval_ratio": 1.5, "usual_to_interval_ratio": 0.8},
        **{"back_pressure.job": {"high_lasted_ms": 60_000, "high_share_ratio": 0.6, "worst_ratio": 0.9}},
    )
    assert "conf.interval" in {each["rule"]["id"] for each in document["findings"]}
