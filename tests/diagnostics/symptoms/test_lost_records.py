"""How severe it is that restarts left records out of the state."""

from __future__ import annotations

import pytest

from diagnostics.evidence.subject import FactValue
from diagnostics.rules.shipped import shipped_rules


@pytest.mark.parametrize(
    ("facts", "severity"),
    [
        ({"restarts.for_faults": 1}, "warning"),
        ({"restarts.for_faults": 0}, "info"),
        ({"restarts.for_faults": 1, "job_code.makes_records": False}, "warning"),
        ({"restarts.for_faults": 1, "job_code.makes_records": True}, "info"),
    ],
)
def test_a_failure_that_cost_records_is_a_warning_unless_the_source_made_them_itself(
    facts: dict[str, FactValue], severity: str
) -> None:
    rule = next(each for each in shipped_rules() if each.id == "restart.lost")
    stated = (named for condition, named in rule.severity_when if condition.holds(facts.get))
    assert next(stated, rule.severity) == severity
