"""Which steps the runbook of a misconfiguration has for the storage and the retention of checkpoints."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from tests.diagnostics.symptoms.judged import judged

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


def _pace(settings: dict[str, Any], check: dict[str, Any]) -> dict[str, Any]:
    """The step about the pace of checkpoints, filled with these facts."""
    of_job = {"subject": {"job": JOB}, "level": "job", "citations": [], "citation_count": 0}
    facts = {"settings": settings, "settings_check": check, "checkpoint_progress": {"proposed_timeout_ms": 300_000}}
    signals = [{"key": key, "facts": known, **of_job} for key, known in facts.items()]
    steps = fill(runbooks()["misconfiguration"], {"subject": {"job": JOB}}, signals)["steps"]
    return next(each for each in steps if each["id"] == "pace")


@pytest.mark.parametrize(
    "slow", [{"usual_duration_ms": 60_000, "usual_of_expired": True}, {"usual_duration_ms": 61_000}]
)
def test_an_interval_that_is_not_the_fault_is_not_to_be_lengthened(slow: dict[str, Any]) -> None:
    settings = {"interval_ms": 10_000, "min_pause_ms": 0, "max_concurrent": 1, "timeout_ms": 60_000}
    proposed = {"proposed_interval_ms": 70_000, "proposed_min_pause_ms": 18_000}
    check = {"long_to_interval_ratio": 3.45, "only_single_slow": False, "longest_to_timeout_ratio": 2.48} | proposed
    expired = _pace(settings, check | {"usual_of_expired": False} | slow)
    assert [each["then"].partition(":")[0] for each in expired["answers"] if each["taken"]] == [
        "The interval is not the fault",
        "Whatever the interval is, lengthen the timeout",
    ]
    assert [each["to"] for each in expired["change"]] == ["execution.checkpointing.timeout: 5 min"]
    quick = _pace(settings, check | {"usual_duration_ms": 12_000, "usual_of_expired": False})
    assert "Lengthen the interval" in next(each["then"] for each in quick["answers"] if each["taken"])
    assert "execution.checkpointing.interval: 70 s" in quick["change"][0]["to"]


def test_a_short_timeout_that_holds_has_an_answer_without_a_change() -> None:
    pace = _pace({"timeout_ms": 40_000}, {"longest_to_timeout_ratio": 0.059, "long_to_interval_ratio": 0.18})
    assert [each["then"].partition(",")[0] for each in pace["answers"] if each["taken"]] == ["It holds now"]
    assert not pace["change"]


@pytest.mark.parametrize(
    ("timeout_ms", "ratio", "said"),
    [
        (40_000, 0.059, "40 s holds now, as the longest checkpoint takes 5.9 % of it"),
        (40_000, 0.6, "40 s is short"),
        (40_000, None, "40 s is short"),
        (5_000, 0.059, "5 s is short"),
    ],
)
def test_a_short_timeout_is_judged_by_the_longest_checkpoint(timeout_ms: int, ratio: float | None, said: str) -> None:
    check = {} if ratio is None else {"longest_to_timeout_ratio": ratio}
    document = judged(settings={"timeout_ms": timeout_ms}, settings_check={"misspelt_count": 0, **check})
    [finding] = [each for each in document["findings"] if each["rule"]["id"] == "conf.risky"]
    assert f"execution.checkpointing.timeout: {said}" in finding["statement"]
    assert finding["statement"].count("execution.checkpointing.timeout") == 1
