"""Detects conditions that no measurement can fulfil."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from diagnostics.language import say
from diagnostics.rules.condition import ORDERED, Compare, Condition, Group, IsMeasured, compare

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}


@dataclass(frozen=True, slots=True)
class Demand:
    """A comparison that must hold; one from `none` must hold only when the fact is measured."""

    leaf: Compare | IsMeasured
    if_measured: bool = False


def contradiction(condition: Condition) -> str:
    """The contradiction in the condition, in words; empty when there is none.

    Only certain contradictions are reported: comparisons of one fact that must all hold. Of `any` at least one part
    must be compatible with its surroundings; parts of two `any` are not compared.
    """
    return _excluded((), condition)


def _excluded(given: Sequence[Demand], condition: Condition) -> str:
    demands, choices = _split(condition)
    combined = [*given, *demands]
    for fact in dict.fromkeys(demand.leaf.fact for demand in combined):
        clash = _clash([demand for demand in combined if demand.leaf.fact == fact])
        if clash:
            return clash
    for choice in choices:
        clashes = [_excluded(combined, item) for item in choice.items]
        if clashes and all(clashes):
            return clashes[0]
    return ""


def _split(condition: Condition) -> tuple[list[Demand], list[Group]]:
    """Comparisons that must hold, and groups with one part that must hold."""
    if not isinstance(condition, Group):
        return [Demand(condition)], []
    if condition.mode == "any":
        return ([], [condition]) if len(condition.items) > 1 else _split(condition.items[0])
    if condition.mode == "none":
        return [demand for item in condition.items for demand in _negated(item)], []
    parts = [_split(item) for item in condition.items]
    return [demand for demands, _ in parts for demand in demands], [each for _, choices in parts for each in choices]


def _negated(condition: Condition) -> Iterable[Demand]:
    """The conditions under which a comparison does not hold."""
    if isinstance(condition, IsMeasured):
        yield Demand(IsMeasured(condition.fact, not condition.measured))
    elif isinstance(condition, Compare) and condition.op in OPPOSITE:
        yield Demand(Compare(condition.fact, OPPOSITE[condition.op], condition.value), if_measured=True)


def _clash(demands: Sequence[Demand]) -> str:
    """Why the demands on one fact exclude each other."""
    fact = demands[0].leaf.fact
    certain = [demand.leaf for demand in demands if not demand.if_measured]
    compared = [demand for demand in demands if isinstance(demand.leaf, Compare)]
    unmeasured = any(isinstance(leaf, IsMeasured) and not leaf.measured for leaf in certain)
    for leaf in certain:
        if unmeasured and (isinstance(leaf, Compare) or leaf.measured):
            return say("{fact} cannot be not measured and {demand}", fact=fact, demand=_demand_text(leaf))
    for first in compared:
        for second in compared:
            if first is not second and not (first.if_measured and second.if_measured) and not _agree(first, second):
                return say(
                    "{fact} cannot be {first} and {second}",
                    fact=fact,
                    first=_demand_text(first.leaf),
                    second=_demand_text(second.leaf),
                )
    return ""


def _demand_text(leaf: Compare | IsMeasured) -> str:
    return f"{leaf.op} {leaf.value}" if isinstance(leaf, Compare) else say("measured")


def _agree(one: Demand, other: Demand) -> bool:
    """Whether one value can fulfil both. For words and lists only the named values are tried."""
    first, second = one.leaf, other.leaf
    if not isinstance(first, Compare) or not isinstance(second, Compare):
        return True
    if first.op == "==":
        return compare(first.value, second.op, second.value) is not False
    if first.op == "in":
        return any(compare(each, second.op, second.value) is not False for each in first.value)
    if first.op in ORDERED and second.op in ORDERED and first.op[0] != second.op[0]:
        low, high = (first, second) if first.op[0] == ">" else (second, first)
        return bool(low.value < high.value) or (low.value == high.value and low.op == ">=" and high.op == "<=")
    return True
