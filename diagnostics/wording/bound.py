"""The bound of a comparison in words, and a measured value's distance from it."""

from __future__ import annotations

from typing import Any

from diagnostics.evidence.subject import FactValue
from diagnostics.language import reads_chinese, say, to_say
from diagnostics.wording import phrase
from diagnostics.wording.fact import fact_value

OPERATORS = {
    "<": to_say("below"),
    "<=": to_say("at most"),
    ">": to_say("above"),
    ">=": to_say("at least"),
    "==": to_say("is"),
    "!=": to_say("is not"),
    "contains": to_say("contains"),
    "in": to_say("is one of"),
    "does not contain": to_say("does not contain"),
    "not in": to_say("is none of"),
}
"""Operator of a comparison -> its words."""


def operator_words(op: str) -> str:
    """`at least` for `>=`; an unknown operator is unchanged."""
    return say(OPERATORS[op]) if op in OPERATORS else op


ANSWERS = {"==": to_say("is {answer}"), "!=": to_say("is not {answer}")}
"""Comparison with yes, no or a word -> its words."""
CHOICES = {"in": to_say("is one of {answers}"), "not in": to_say("is none of {answers}")}
"""Comparison with several words -> its words."""


def bound_words(fact: str, op: str, bound: Any, value: FactValue = None) -> str:
    """`at least 2 times`; in the unit of the measured value, where that is larger: `below 0.5 times`."""
    if isinstance(bound, (bool, str)) and op in ANSWERS:
        return say(ANSWERS[op], answer=fact_value(bound, fact))
    if op in CHOICES:
        return say(CHOICES[op], answers=fact_value(bound, fact))
    words, said = operator_words(op), fact_value(bound, fact, beside=value)
    return f"{words}{said}" if reads_chinese() and not said[:1].isascii() else f"{words} {said}"


def distance_to_bound(fact: str, value: FactValue, bound: Any) -> str | None:
    """The distance of the value from the bound: `12 points`, `3.2 s`.

    Empty when they are equal; None when there is no distance, as between texts. Shares differ in percentage points,
    by what the shown ones differ where these do: `50 points` between 100 % and 50 %. Ratios differ by a plain number.
    """
    if isinstance(value, bool) or isinstance(bound, bool):
        return None
    if not isinstance(value, (int, float)) or not isinstance(bound, (int, float)):
        return None
    distance = abs(value - bound)
    if not distance:
        return ""
    if fact_value(value, fact, beside=bound).endswith(" %"):
        shown = abs(phrase.rounded_percent(value) - phrase.rounded_percent(bound))
        return say("{points} points", points=phrase.number(round(shown or distance * 100, 1)))
    return fact_value(distance, fact, beside=max(value, bound)).removesuffix(say("{number} times", number=""))
