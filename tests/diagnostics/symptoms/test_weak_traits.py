"""What weak signs alone tell of, beside a near rival: it leads where a task failed, else it is ranked first."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnostics.symptoms.judged import judged

UNKNOWN = {
    "failures": 1,
    "unknown": 1,
    "resembles": "outside_system",
    "because": ["it speaks of it"],
    "said": "ExampleException: no",
    "reported_by": "failure",
    "is_first": True,
    "rounds": 3,
    "first_ms": 1,
}


@pytest.mark.parametrize(
    ("points", "verdict"),
    [
        ({"points": 3, "lead": 1, "strongest": 2, "reported_by": "error"}, "inconclusive"),
        ({"points": 3, "lead": 1, "strongest": 2, "reported_by": "client"}, "inconclusive"),
        ({"points": 3, "lead": 1, "strongest": 2}, "outside_system"),
        ({"points": 3, "lead": 1, "strongest": 3}, "outside_system"),
        ({"points": 4, "lead": 2, "strongest": 2}, "outside_system"),
    ],
    ids=[
        "weak signs of an error and a near rival",
        "weak signs of what a client reports and a near rival",
        "weak signs of a task's failure and a near rival",
        "one that mostly decides",
        "weak signs and no near rival",
    ],
)
def test_weak_signs_lead_before_a_near_rival_only_where_a_task_failed(points: dict[str, Any], verdict: str) -> None:
    document = judged(fault_traits={**UNKNOWN, **points})
    assert document["verdict"]["symptom_class"] == verdict
    if verdict == "inconclusive":
        assert document["hypotheses"][0]["symptom_class"] == "outside_system"
