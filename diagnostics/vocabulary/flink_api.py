"""In which lines of Flink a class, method or constant of it exists, where that is not in all of them.

`flink_api.csv` has for each

class   below `org.apache.flink.`
member  the method with the simple names of its types, `m(D,long)void`, or a constant; empty for the class itself
since   the first line that has it; empty where the oldest that was read has it, or where that line is the first whose
        distribution brings the module at all
until   the last line that has it; empty where the newest that was read has it
now     the class below `org.apache.flink.` that has its name since, of one that was moved

It is made from the JARs of Flink's distributions by `python -m tests.knowledge.flink_api`, and holds public classes,
and the members of those packages that connectors, formats, platforms and jobs call.
"""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

PACKAGE = "org.apache.flink."
FILE = Path(__file__).with_suffix(".csv")

Line = tuple[int, int]
"""A line of Flink, such as 1.18."""
Place = Literal["before", "inside", "after"]


@dataclass(frozen=True, slots=True)
class ApiLife:
    """The lines that have a class or member, and the class that has its name since; None for an open end."""

    since: Line | None
    until: Line | None
    now: str | None = None

    @property
    def lines(self) -> str:
        """`1.15-1.20`, `≥ 1.18`, `≤ 1.20`, or `1.14` alone: the same in each language."""
        first, last = (f"{each[0]}.{each[1]}" if each else None for each in (self.since, self.until))
        if first and last:
            return first if first == last else f"{first}-{last}"
        return f"≥ {first}" if first else f"≤ {last}"

    def place_of(self, line: Line) -> Place:
        """Where a line of Flink is: before the first that has it, after the last, or among them."""
        if self.since and line < self.since:
            return "before"
        return "after" if self.until and line > self.until else "inside"

    def nearest_to(self, line: Line) -> str | None:
        """The line with it that is nearest to one without, as `1.20`."""
        nearest = {"before": self.since, "after": self.until, "inside": None}[self.place_of(line)]
        return f"{nearest[0]}.{nearest[1]}" if nearest else None


@cache
def flink_api() -> Mapping[tuple[str, str], ApiLife]:
    """Class below `org.apache.flink.` and member (empty for the class) -> the lines that have it."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            (row["class"], row["member"]): ApiLife(line_of(row["since"]), line_of(row["until"]), _full(row["now"]))
            for row in csv.DictReader(file)
        }


def line_of(text: str) -> Line | None:
    """The line of `1.18`; None for an empty text."""
    major, _, minor = text.partition(".")
    return (int(major), int(minor)) if minor else None


def _full(name: str) -> str | None:
    return f"{PACKAGE}{name}" if name else None


def life_of_class(name: str) -> ApiLife | None:
    """The lines that have a class, of itself or of the class that it is nested in; None where all have it."""
    found, own = None, name.removeprefix(PACKAGE)
    while found is None and own and name.startswith(PACKAGE):
        found, own = flink_api().get((own, "")), own.rpartition("$")[0]
    return found


def life_of_method(name: str, method: str) -> ApiLife | None:
    """The lines that have a method of a class, its own or one that it inherits; None where all or none are known to.

    A method that one class has in some lines only is that class's wherever a class below it is named.
    """
    if not name.startswith(PACKAGE):
        return None
    own = flink_api().get((name.removeprefix(PACKAGE), method))
    if own is None and not method.startswith("<init>"):
        lives = _by_member().get(method, frozenset())
        own = next(iter(lives)) if len(lives) == 1 else None
    around = life_of_class(name)
    if own is None or around is None:
        return own
    return ApiLife(own.since or around.since, own.until or around.until)


def life_of_constant(name: str) -> tuple[str, ApiLife] | None:
    """The class that alone has a constant of this name, and the lines that have it."""
    return _constants().get(name)


@cache
def _by_member() -> Mapping[str, frozenset[ApiLife]]:
    found: dict[str, set[ApiLife]] = defaultdict(set)
    for (_, member), life in flink_api().items():
        if member:
            found[member].add(life)
    return {member: frozenset(lives) for member, lives in found.items()}


@cache
def _constants() -> Mapping[str, tuple[str, ApiLife]]:
    """The file has a constant only where one class alone has its name."""
    return {
        member: (PACKAGE + name, life) for (name, member), life in flink_api().items() if member and "(" not in member
    }
