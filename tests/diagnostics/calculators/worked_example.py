"""The outcome of a calculator on given facts, and its arithmetic as it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.calculators import CALCULATORS
from diagnostics.calculators.calculator import Outcome, calculate, input_values


def outcome(calculator: str, facts: Mapping[str, Any] | None = None, /, **values: float) -> Outcome:
    """What a calculator says on these facts with these values set."""
    lookup = (facts or {}).get
    chosen = CALCULATORS[calculator]
    return calculate(chosen, input_values(chosen, lookup, values), lookup)


def shown(found: Outcome) -> dict[str, str]:
    return {line.label: f"{line.arithmetic} = {line.result}" for line in found.lines}
