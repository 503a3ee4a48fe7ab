"""Which steps the runbook of a misconfiguration has for the storage and the retention of checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks

JOB = "a" * 32


def way(**settings: Any) -> dict[str, dict[str, Any]]:
    """The steps of the case's way by their ids."""
    of_job = {"subject": {"job": JOB}, "level": "job", "citations": [], "citation_count": 0}
    keys = {"storage_key": "state.checkpoint-storage", "directory_key": "state.checkpoints.dir"}
    signals = [{"key": "settings", "facts": settings, **of_job}, {"key": "settings_check", "facts": keys, **of_job}]
    filled = fill(runbooks()["misconfiguration"], {"subject": {"job": JOB}}, signals)
    return {step["id"]: step for step in filled["steps"] if not step["left_out"]}


@pytest.mark.parametrize("settings", [{"storage": "filesystem"}, {}])
def test_the_heap_of_the_jobmanager_is_spoken_of_only_where_it_is_measured(settings: dict[str, Any]) -> None:
    assert not [step for step in way(**settings).values() if "made for tests" in step["why"]]


def test_storage_on_the_heap_is_replaced() -> None:
    step = way(storage="jobmanager")["storage"]

    assert "made for tests" in step["why"]
    assert "filesystem" in step["change"][0]["to"]
    assert step["restart"]


def test_a_retention_costs_room_and_no_network() -> None:
    step = way(storage="filesystem", retention="NO_EXTERNALIZED_CHECKPOINTS")["retention"]

    assert [each["to"].rpartition(" ")[2] for each in step["change"]] == ["RETAIN_ON_CANCELLATION"]
    assert "room" in step["cost"]
    assert "network" not in step["cost"]


def test_no_way_back_needs_a_savepoint_that_the_way_in_advises_against() -> None:
    back = [step.texts.get("rollback", "") for runbook in runbooks().values() for step in runbook.steps]

    assert not [text for text in back if "Take a savepoint" in str(text)]


def test_a_longer_timeout_follows_from_an_answer_of_the_case() -> None:
    of_job = {"subject": {"job": JOB}, "level": "job", "citations": [], "citation_count": 0}
    check = {"longest_to_timeout_ratio": 0.9, "only_single_slow": True}
    facts = {
        "settings": {"timeout_ms": 30_000},
        "settings_check": check,
        "checkpoint_progress": {"proposed_timeout_ms": 120_000},
    }
    signals = [{"key": key, "facts": known, **of_job} for key, known in facts.items()]
    steps = fill(runbooks()["misconfiguration"], {"subject": {"job": JOB}}, signals)["steps"]
    pace = next(each for each in steps if each["id"] == "pace")
    assert [each["to"] for each in pace["change"]] == ["execution.checkpointing.timeout: 2 min"]
    assert "lengthen the timeout" in " ".join(each["then"] for each in pace["answers"] if each["taken"])


def test_a_timeout_of_seconds_has_an_answer_that_gives_the_reason_of_its_change() -> None:
    pace = way(timeout_ms=10_000)["pace"]
    assert [each["to"] for each in pace["change"]] == ["execution.checkpointing.timeout: 10 min"]
    assert [each["if"] for each in pace["answers"] if each["taken"]] == ["the timeout is 10 s or less"]
