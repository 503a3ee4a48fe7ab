"""A refusal that only an outside system gives leads to one, also where no text names the system."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnostics.symptoms.judged import judged


def verdict_of(kind: str, **rest: Any) -> dict[str, Any]:
    facts = {"failures": 3, "unreachable": 3, "kind": kind, "said": "IOException: x", "opening": False, "rounds": 3}
    verdict: dict[str, Any] = judged(outside_faults={**facts, "is_first": True, **rest})["verdict"]
    return verdict


@pytest.mark.parametrize(
    "kind",
    ["it has no connection free", "it closed the connection", "it does not take the records in time"],
)
def test_it_leads_to_an_outside_system(kind: str) -> None:
    assert verdict_of(kind)["symptom_class"] == "outside_system"


def test_it_is_less_sure_than_one_that_names_the_system() -> None:
    kind = "it closed the connection"
    assert verdict_of(kind)["confidence"] < verdict_of(kind, system="MySQL")["confidence"]


def test_a_lost_task_manager_explains_a_broken_connection() -> None:
    found = judged(
        outside_faults={"failures": 1, "unreachable": 1, "kind": "it closed the connection", "said": "x", "rounds": 1},
        task_manager_loss_all={"lost": 1},
    )
    assert "outside_system" not in {each["symptom_class"] for each in found["findings"]}
