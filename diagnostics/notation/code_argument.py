"""Arguments of the program that a job's source hands to its functions: `new RiskScore(p.getInt("rounds", 30000))`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from diagnostics.notation.source_text import Lines, enclosed

MOST = 200
"""Objects whose arguments are read. Our choice: a job has a few functions."""
_CREATED = re.compile(r"\bnew\s{1,20}([A-Za-z_]\w{0,100})\s?\(")
_ARGUMENT = re.compile(r"\.get(?:Required|Int|Long|Double|Float|Short)?\(\s?\"([A-Za-z][\w.-]{0,60})\"")
"""Source: Flink's ParameterTool, whose `get...` take the name of an argument."""


def handed_arguments(plain: str) -> Iterator[tuple[str, str, int]]:
    """Class, name of the argument and line, in a text without comments."""
    lines = Lines(plain)
    for created in islice(_CREATED.finditer(plain), MOST):
        inside = enclosed(plain, created.end() - 1)
        for argument in _ARGUMENT.finditer(inside or ""):
            yield created.group(1), argument.group(1), lines.at(created.start())
