"""The label of a fact: what its signal says it is, as a noun that a reader understands without the rule."""

from __future__ import annotations

import re
from functools import cache

from diagnostics.signals import DEFINITIONS
from diagnostics.wording.fact import fact_name

UNITS = re.compile(r"(?:, (?:epoch ms|ms|bytes|records|1/s|0 to 1|from 1))+$")
"""Units at the end of a meaning: the value beside the label has its unit."""
SHORTENED = (", absent ", ", unknown ")


@cache
def fact_label(fact: str) -> str:
    """`load_balance.hot_busy_ratio` as `busy ratio of the hot subtask`; a fact of no signal by its name.

    A meaning is its label up to the first semicolon; what follows explains the values.
    """
    key, _, name = fact.rpartition(".")
    definition = DEFINITIONS.get(key)
    meaning = definition.facts.get(name) if definition else None
    if meaning is None:
        return fact_name(fact)
    label = UNITS.sub("", meaning.partition(";")[0])
    for detail in SHORTENED:
        label = label.partition(detail)[0]
    return label
