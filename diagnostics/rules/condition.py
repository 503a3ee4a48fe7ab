"""Conditions over measured facts: `all`, `any`, `none` of comparisons, in three-valued logic with unknown."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from diagnostics.evidence.subject import FactValue, Lookup
from diagnostics.language import listed, say
from diagnostics.yaml_document import Place

ORDERED: Mapping[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
OPERATORS = (*ORDERED, "==", "!=", "contains", "in")
OPPOSITES: Mapping[str, str] = {
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
    "==": "!=",
    "!=": "==",
    "contains": "does not contain",
    "in": "not in",
    "does not contain": "contains",
    "not in": "in",
}
"""Operator -> the one that holds exactly where it does not. No rule is written with `does not contain` and `not in`."""
DEEPEST = 8
"""Nesting depth of conditions. Our choice: more is unreadable."""
MOST_COMPARISONS = 200
"""Comparisons in all conditions of one rule. Our choice: the longest shipped rule has 30, and each costs time."""
LARGEST_NUMBER = 1e18
"""Absolute limit of numbers: epoch nanoseconds fit, and every format can print it."""


@dataclass(frozen=True, slots=True)
class Check:
    """One comparison and its measured value, for the page.

    is_alternative  whether it begins a branch of `any` after the first: it or those before it suffice
    """

    fact: str
    op: str
    bound: Any
    value: FactValue
    holds: bool | None
    source: str | None = None
    is_alternative: bool = False

    def as_json(self) -> dict[str, Any]:
        """A mapping of JSON values: the comparison by itself."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "is_alternative"}

    def negated(self) -> Check:
        """The comparison that has to hold where this one must not."""
        op, bound = opposite(self.op, self.bound)
        return replace(self, op=op, bound=bound, holds=None if self.holds is None else not self.holds)


@dataclass(frozen=True, slots=True)
class Compare:
    """`fact op value`; unknown when the fact is not measured or the types are not comparable.

    shown  False for a comparison that only selects a branch: as a proof beside the others it would mislead
    """

    fact: str
    op: str
    value: Any
    source: str | None = None
    shown: bool = True

    def holds(self, lookup: Lookup) -> bool | None:
        """True, False, or None for unknown."""
        return compare(lookup(self.fact), self.op, self.value)

    def checks(self, lookup: Lookup) -> Iterator[Check]:
        """This comparison with its result, if it is shown."""
        if self.shown:
            yield Check(self.fact, self.op, self.value, lookup(self.fact), self.holds(lookup), self.source)

    def deciding(self, lookup: Lookup) -> Iterator[Check]:
        """This comparison where it holds."""
        yield from (check for check in self.checks(lookup) if check.holds)

    def refuting(self, lookup: Lookup) -> Iterator[Check]:
        """This comparison where it does not hold."""
        yield from (check for check in self.checks(lookup) if check.holds is False)

    def facts(self) -> Iterator[str]:
        """The fact that it reads."""
        yield self.fact


@dataclass(frozen=True, slots=True)
class IsMeasured:
    """Whether the fact is measured; never unknown itself."""

    fact: str
    measured: bool

    def holds(self, lookup: Lookup) -> bool | None:
        """True or False."""
        return (lookup(self.fact) is not None) == self.measured

    def checks(self, lookup: Lookup) -> Iterator[Check]:
        """Nothing to compare."""
        return iter(())

    def deciding(self, lookup: Lookup) -> Iterator[Check]:
        """Nothing to compare."""
        return iter(())

    def refuting(self, lookup: Lookup) -> Iterator[Check]:
        """Nothing to compare."""
        return iter(())

    def facts(self) -> Iterator[str]:
        """The fact that it reads."""
        yield self.fact


@dataclass(frozen=True, slots=True)
class Group:
    """`all`, `any` or `none` of other conditions.

    all   False if one is False, else unknown if one is unknown
    any   True if one is True, else unknown if one is unknown
    none  False if one is True; unknown counts as False, because a counter-indication must be proven
    """

    mode: str
    items: tuple[Condition, ...]

    def holds(self, lookup: Lookup) -> bool | None:
        """True, False, or None for unknown."""
        decisive = self.mode != "all"
        unknown = False
        for item in self.items:
            answer = item.holds(lookup)
            if answer is decisive:
                return self.mode == "any"
            unknown = unknown or answer is None
        if self.mode == "none":
            return True
        return None if unknown else not decisive

    def checks(self, lookup: Lookup) -> Iterator[Check]:
        """Every comparison inside; those of `none` as the opposite, which is what has to hold."""
        for place, item in enumerate(self.items):
            checks = list(item.checks(lookup))
            if self.mode == "none":
                checks = [replace(check.negated(), is_alternative=False) for check in checks]
            elif self.mode == "any" and place and checks:
                checks[0] = replace(checks[0], is_alternative=True)
            yield from checks

    def deciding(self, lookup: Lookup) -> Iterator[Check]:
        """The comparisons that make it hold: of `any` those of the branches that hold, of `none` their opposites."""
        for item in self.items:
            if self.mode == "none":
                yield from (check.negated() for check in item.checks(lookup) if check.holds is False)
            elif item.holds(lookup):
                yield from item.deciding(lookup)

    def refuting(self, lookup: Lookup) -> Iterator[Check]:
        """The comparisons that make it not hold: of `none`, the opposites of those that hold; nothing of a branch of
        `all` that holds.
        """
        for item in self.items:
            if self.mode == "none":
                yield from (check.negated() for check in item.deciding(lookup) if item.holds(lookup))
            elif item.holds(lookup) is False:
                yield from item.refuting(lookup)

    def facts(self) -> Iterator[str]:
        """Every fact that it reads."""
        for item in self.items:
            yield from item.facts()


Condition = Compare | IsMeasured | Group


def shown_checks(condition: Condition, lookup: Lookup) -> tuple[Check, ...]:
    """The comparisons that a reader needs: those that make the condition hold where it does, else all of them.

    A branch of `any` that does not hold beside one that does would look like a contradiction, also within `all`.
    """
    if condition.holds(lookup):
        return tuple(condition.deciding(lookup))
    if isinstance(condition, Group) and condition.mode == "all":
        return tuple(check for item in condition.items for check in _shown_within_all(item, lookup))
    return tuple(condition.checks(lookup))


def _shown_within_all(item: Condition, lookup: Lookup) -> Iterator[Check]:
    """The comparisons of one part of an `all` that does not hold: of an `any` that holds, those that make it hold."""
    is_met = isinstance(item, Group) and item.mode == "any" and item.holds(lookup)
    yield from item.deciding(lookup) if is_met else item.checks(lookup)


def needed_facts(condition: Condition) -> Iterator[str]:
    """The facts that it asks for, without counter-indications: those inside `none`."""
    if not isinstance(condition, Group):
        yield condition.fact
    elif condition.mode != "none":
        for item in condition.items:
            yield from needed_facts(item)


def opposite(op: str, bound: Any) -> tuple[str, Any]:
    """Operator and bound of the comparison that holds exactly where this one does not."""
    if op == "==" and isinstance(bound, bool):
        return op, not bound
    return OPPOSITES[op], bound


def compare(value: FactValue, op: str, bound: Any) -> bool | None:
    """`value op bound`; None when the value is unknown or the types are not comparable."""
    if value is None:
        return None
    if op in ("==", "!="):
        return bool(value == bound) == (op == "==")
    if op == "contains":
        return str(bound) in value if isinstance(value, str) else bound in value if isinstance(value, list) else None
    if op == "in":
        return bool(value in bound)
    if not _is_number(value) or not _is_number(bound):
        return None
    return ORDERED[op](value, bound)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _refusal(op: str, value: Any) -> str:
    """The error in the value of a comparison; empty when there is none."""
    if op == "in" and not isinstance(value, list):
        return say("`in` takes a list as its value")
    if op != "in" and isinstance(value, list):
        return say("`{op}` takes one value, not a list", op=op)
    if op in ORDERED and not _is_number(value):
        return say("`{op}` takes a number as its value, not {value}", op=op, value=repr(value))
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, (str, bool, int, float)):
            return say("a value is a number, a word, true or false, not {value}", value=repr(each))
        if isinstance(each, (int, float)) and not abs(each) <= LARGEST_NUMBER:
            return say("a number lies between -{bound:.0e} and {bound:.0e}", bound=LARGEST_NUMBER)
    return ""


class ConditionParser:
    """Parses mappings into conditions; errors are passed to `report(place, text)`, not raised.

    check  called with every parsed comparison and its place; reports its errors
    """

    def __init__(
        self,
        report: Callable[[Place, str], None],
        check: Callable[[Compare | IsMeasured, Place], None] = lambda leaf, place: None,
    ) -> None:
        self._report = report
        self._check = check
        self._comparisons = 0

    def parse(self, entry: Any, place: Place, depth: int = 0) -> Condition | None:
        """The condition, or None when it has errors (which were reported)."""
        if depth > DEEPEST:
            self._report(place, say("conditions nest more than {most} deep", most=DEEPEST))
            return None
        if not isinstance(entry, dict) or not entry:
            self._report(place, say("a condition is a mapping of fact, op, value, or one of all, any, none"))
            return None
        modes = [mode for mode in ("all", "any", "none") if mode in entry]
        if modes and len(entry) == 1:
            return self._group(modes[0], entry[modes[0]], place, depth)
        if modes and "fact" not in entry and set(entry) <= {"all", "any", "none"}:
            parts = [self._group(mode, entry[mode], place, depth) for mode in modes]
            return Group("all", tuple(part for part in parts if part))
        return self._leaf(entry, place)

    def _group(self, mode: str, items: Any, place: Place, depth: int) -> Group | None:
        if not isinstance(items, list) or not items:
            self._report((*place, mode), say("`{mode}` is a list of conditions", mode=mode))
            return None
        parsed = [self.parse(item, (*place, mode, index), depth + 1) for index, item in enumerate(items)]
        return Group(mode, tuple(item for item in parsed if item))

    def _leaf(self, entry: dict[str, Any], place: Place) -> Condition | None:
        self._comparisons += 1
        if self._comparisons == MOST_COMPARISONS + 1:
            self._report(place, say("a rule has at most {most} comparisons", most=MOST_COMPARISONS))
        leaf = self._comparison(entry, place)
        if leaf is not None:
            self._check(leaf, place)
        return leaf

    def _comparison(self, entry: dict[str, Any], place: Place) -> Compare | IsMeasured | None:
        unknown = set(entry) - {"fact", "op", "value", "measured", "source", "shown"}
        if unknown:
            self._report(place, say("unknown entries {names}", names=listed(sorted(unknown))))
        fact = entry.get("fact")
        if not isinstance(fact, str) or "." not in fact:
            self._report(place, say("`fact` is `<signal key>.<fact>`"))
            return None
        if "measured" in entry:
            if not isinstance(entry["measured"], bool):
                self._report(place, say("`measured` is true or false"))
            return IsMeasured(fact, bool(entry["measured"]))
        op, value = str(entry.get("op", "")), entry.get("value")
        if op not in OPERATORS:
            self._report(
                place, say("`op` is one of {operators}, not {value}", operators=" ".join(OPERATORS), value=repr(op))
            )
            return None
        if value is None:
            self._report(place, say("`{field}` is missing", field="value"))
            return None
        refusal = _refusal(op, value)
        if refusal:
            self._report(place, refusal)
            return None
        source = entry.get("source")
        return Compare(fact, op, value, str(source) if source is not None else None, entry.get("shown") is not False)
