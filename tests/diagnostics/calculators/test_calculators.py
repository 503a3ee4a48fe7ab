"""What holds of every calculator."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import Any

import pytest

from diagnostics.calculators import CALCULATORS
from diagnostics.signals import DEFINITIONS
from tests.diagnostics.calculators.worked_example import outcome


@pytest.mark.parametrize("calculator", CALCULATORS.values(), ids=lambda each: each.id)
def test_inputs_are_read_from_facts_that_are_measured_and_nothing_is_assumed_without_a_reason(calculator: Any) -> None:
    named = [fact.rpartition(".") for each in calculator.inputs for fact in each.facts]
    assert [f"{key}.{fact}" for key, _, fact in named if fact not in DEFINITIONS[key].facts] == []
    assert [each.name for each in calculator.inputs if (each.assumed is not None) != bool(each.because)] == []
    assert calculator.assumptions


@pytest.mark.parametrize("calculator", CALCULATORS, ids=str)
def test_what_is_missing_is_named_and_never_zero(calculator: str) -> None:
    found = outcome(calculator)
    assert (found.advice, found.lines) == ("not known", ())
    assert found.headline.startswith("Not measured here")


@pytest.mark.parametrize("calculator", CALCULATORS.values(), ids=lambda each: each.id)
@pytest.mark.parametrize("extreme", [0.0, 1e15])
def test_no_value_of_a_slider_breaks_it(calculator: Any, extreme: float) -> None:
    assert outcome(calculator.id, **{each.name: extreme for each in calculator.inputs}).headline


@pytest.mark.parametrize("calculator", CALCULATORS.values(), ids=lambda each: each.id)
def test_no_two_sliders_at_zero_break_it(calculator: Any) -> None:
    names = [each.name for each in calculator.inputs]
    for pair in combinations_with_replacement(names, 2):
        assert outcome(calculator.id, **{name: 0.0 if name in pair else 1e6 for name in names}).headline


def test_what_a_case_has_no_measures_for_is_not_offered_there() -> None:
    bound, tasks = (CALCULATORS[each] for each in ("disorder-bound", "parallelism"))
    assert not bound.concerns({}.get)
    assert bound.concerns({"device_clocks.curve_bound_ms": [0.0, 1.0]}.get)
    assert not tasks.concerns({"record_rate.parallelism": 2}.get)
    assert tasks.concerns({"record_rate.ms_per_record": 2.0}.get)
