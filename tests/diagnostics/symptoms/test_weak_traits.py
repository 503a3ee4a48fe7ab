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


SURE = {"points": 5, "lead": 4, "strongest": 4}
OUTSIDE = {"unreachable": 3, "system": "Hudi", "kind": "its client reports an error", "reported_by": "failure"}
RESTORE = {"failures": 3, "kind": "missing operator", "operator": "a" * 32}


@pytest.mark.parametrize(
    ("resembles", "told", "rule"),
    [
        ("outside_system", {"outside_faults": OUTSIDE}, "outside.by-traits"),
        ("restore_failure", {"restore_failures": RESTORE}, "restore.by-traits"),
    ],
)
def test_traits_say_nothing_where_another_rule_tells_the_failure(
    resembles: str, told: dict[str, Any], rule: str
) -> None:
    """One failure would stand on the page twice, once as a cause beside itself."""
    traits = {"fault_traits": {**UNKNOWN, **SURE, "resembles": resembles}}
    assert rule in {each["rule"]["id"] for each in judged(**traits)["findings"]}
    assert rule not in {each["rule"]["id"] for each in judged(**traits, **told)["findings"]}


def test_a_part_that_is_missing_is_told_once() -> None:
    plugin = {"settings_check": {"missing_plugins": 1, "missing_plugin_text": "Could not find any factory"}}
    kind = "a connector, a format or a file system is not on the class path"
    fault = {"of_settings": 3, "kind": kind, "said": "Could not find any factory", "reported_by": "failure"}
    assert [each["rule"]["id"] for each in judged(**plugin)["findings"]] == ["conf.missing-plugin"]
    assert [each["rule"]["id"] for each in judged(**plugin, setting_faults=fault)["findings"]] == ["conf.setting-fault"]
