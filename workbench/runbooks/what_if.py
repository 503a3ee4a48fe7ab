"""Runs the what-if calculators with the measurements of a finding."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import Calculator, InputValue, Outcome, Unit, calculate, in_unit, input_values
from diagnostics.evidence.subject import Lookup

SHOWN_IN: Mapping[Unit, tuple[float, str]] = {
    "duration": (1000.0, "s"),
    "bytes": (1e6, "MB"),
    "byte_rate": (1e6, "MB/s"),
    "rate": (1.0, "1/s"),
    "share": (0.01, "%"),
    "count": (1.0, ""),
}
"""Unit of an input -> value of one unit in the form, and its name."""


@dataclass(frozen=True, slots=True)
class Field:
    """An input of the form, in the form's unit; `measured` is the value from the files when it was changed."""

    input: InputValue
    value: str
    unit: str
    low: float
    high: float
    measured: str


@dataclass(frozen=True, slots=True)
class Calculated:
    """A calculator with its fields and its result."""

    calculator: Calculator
    fields: list[Field]
    outcome: Outcome

    @property
    def is_decided(self) -> bool:
        return self.outcome.advice != "not known"

    @property
    def formula(self) -> str:
        """How the result was calculated; empty where nothing was."""
        return self.calculator.formula if self.outcome.formula is None else self.outcome.formula

    @property
    def further_refusals(self) -> list[str]:
        """The refusals that the headline does not contain already."""
        return [each for each in self.outcome.refusals if each not in self.outcome.headline]


def calculated(calculator: Calculator, lookup: Lookup, chosen: Mapping[str, float]) -> Calculated:
    """The calculator with the user's values, in its own units, in place of measured ones; in the reader's language."""
    calculator = calculator.read(lookup)
    values = input_values(calculator, lookup, chosen)
    unchosen = input_values(calculator, lookup, {})
    fields = [_field(each, base) for each, base in zip(values, unchosen, strict=True)]
    return Calculated(calculator, fields, calculate(calculator, values, lookup))


def all_calculated(lookup: Lookup, symptom_class: str) -> list[Calculated]:
    """The calculators that concern the case on its evidence: those of the class first, those without evidence last."""
    concerned = [each for each in CALCULATORS.values() if symptom_class in each.symptoms or each.concerns(lookup)]
    found = [calculated(each, lookup, {}) for each in concerned]
    return sorted(found, key=lambda each: (symptom_class not in each.calculator.symptoms, not each.is_decided))


def chosen_values(calculator: Calculator, asked: Mapping[str, str]) -> dict[str, float]:
    """The user's values in the calculator's units, without invalid numbers."""
    values = {}
    for wanted in calculator.inputs:
        try:
            value = float(asked.get(wanted.name, ""))
        except ValueError:
            continue
        if math.isfinite(value) and value >= 0:
            values[wanted.name] = value * SHOWN_IN[wanted.unit][0]
    return values


def _field(each: InputValue, base: InputValue) -> Field:
    worth, unit = SHOWN_IN[each.input.unit]
    value = "" if each.value is None else f"{each.value / worth:.6g}"
    measured = in_unit(base.value, each.input.unit) if each.source == "set" and base.value is not None else ""
    return Field(each, value, unit, each.input.low / worth, each.input.high / worth, measured)
