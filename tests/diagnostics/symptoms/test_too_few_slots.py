"""What the runbook of a resource shortage says where a job has too few slots."""

from __future__ import annotations

from typing import Any

import pytest

from diagnostics.runbook import fill, runbooks
from tests.diagnostics.symptoms.judged import judged

JOB = "a" * 32
ALL_THERE = "all TaskManagers are there, but have too few slots"


def step_about_slots(slots: dict[str, Any], losses: dict[str, Any]) -> dict[str, Any]:
    facts = {"slots": ({"job": JOB}, "job", slots), "task_manager_loss.all": ({}, "case", losses)}
    signals = [
        {"key": key, "subject": subject, "level": level, "facts": known, "citations": [], "citation_count": 0}
        for key, (subject, level, known) in facts.items()
    ]
    steps = fill(runbooks()["resource-shortage"], {"subject": {"job": JOB}}, signals)["steps"]
    found: dict[str, Any] = next(step for step in steps if any("registered" in each["if"] for each in step["answers"]))
    return found


def answers(slots: dict[str, Any], losses: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The answers of the step about slots, by their condition."""
    return {each["condition"]: each for each in step_about_slots(slots, losses)["answers"]}


def test_the_parallelism_is_lowered_to_the_slots_that_are_there() -> None:
    short = answers({"missing": 2, "total_end": 1, "total_most": 1, "parallelism_that_fits": 1}, {"lost": 0, "gone": 0})
    assert short[ALL_THERE]["taken"]
    assert short[ALL_THERE]["then"] == "Start 2 more slots, or lower the parallelism to 1."


def test_without_a_slot_no_parallelism_is_proposed() -> None:
    none = answers({"missing": 2, "total_end": 0, "total_most": 2}, {"lost": 0, "gone": 1})
    assert [each["then"] for each in none.values() if each["taken"]] == ["Start 2 slots."]
    assert not any("parallelism" in each["then"] for each in none.values())


@pytest.mark.parametrize("losses", [{"lost": 1, "gone": 0}, {"lost": 0, "gone": 1}])
def test_where_task_managers_were_lost_not_all_are_there(losses: dict[str, int]) -> None:
    short = answers({"missing": 1, "total_end": 1, "total_most": 2, "parallelism_that_fits": 1}, losses)
    assert short[ALL_THERE]["taken"] is False


@pytest.mark.parametrize(("total", "offered"), [(0, False), (1, True)])
def test_no_scheduler_runs_a_job_with_fewer_slots_than_one(total: int, offered: bool) -> None:
    step = step_about_slots({"missing": 2, "total_end": total, "total_most": 2}, {"lost": 0, "gone": 0})
    assert any("adaptive" in each["to"] for each in step["change"]) is offered


@pytest.mark.parametrize(
    ("state", "said"), [("FAILED", "it has ended and does not start by itself"), ("RESTARTING", "it starts by itself")]
)
def test_after_a_lost_process_the_step_says_whether_the_job_starts_by_itself(state: str, said: str) -> None:
    document = judged(
        slots={"resource": "slots", "refused": 4, "required": 4, "total_end": 2, "missing": 2, "first_ms": 60_000},
        task_manager_loss_all={"lost": 1, "task_managers": ["tm-1:6122-aa"], "unreachable": 0, "first_ms": 50_000},
        restarts={"restarts": 3, "final_state": state},
    )
    steps = [each["first_step"] or "" for each in document["findings"] if each["rule"]["id"] == "resource.slots"]
    assert [said in each for each in steps] == [True]


@pytest.mark.parametrize(
    ("slots", "classes"), [(0, {"misconfiguration"}), (2, {"misconfiguration", "resource_shortage"})]
)
def test_slots_that_no_task_manager_offers_because_of_a_refused_setting_are_no_second_cause(
    slots: int, classes: set[str]
) -> None:
    document = judged(
        slots={"resource": "slots", "refused": 4, "required": 4, "total_end": slots, "missing": 4 - slots},
        settings_check={"refused": 1, "refused_text": "The configured Total Process Memory size (960m) is less"},
    )
    causes = {each["symptom_class"] for each in document["findings"] if each["role"] != "consequence"}
    assert causes == classes
