"""A failure that only weak signs tell of: no cause leads, and the nearest one is ranked first."""

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
        ({"points": 3, "lead": 1, "strongest": 2}, "inconclusive"),
        ({"points": 3, "lead": 1, "strongest": 3}, "outside_system"),
        ({"points": 4, "lead": 2, "strongest": 2}, "outside_system"),
    ],
    ids=["weak signs and a near rival", "one that mostly decides", "weak signs and no near rival"],
)
def test_weak_signs_alone_do_not_lead_before_a_near_rival(points: dict[str, Any], verdict: str) -> None:
    document = judged(fault_traits=UNKNOWN | points)
    assert document["verdict"]["symptom_class"] == verdict
    if verdict == "inconclusive":
        assert document["hypotheses"][0]["symptom_class"] == "outside_system"
