"""What-if calculators, one per file. A file in this folder is registered by its `CALCULATOR`."""

from __future__ import annotations

import sys

from diagnostics.calculators.calculator import Calculator
from diagnostics.registry import registered

CALCULATORS: dict[str, Calculator] = {each.id: each for _, each in registered(sys.modules[__name__], "CALCULATOR")}
"""Id -> calculator."""
