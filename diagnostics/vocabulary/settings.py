"""Flink's options from the catalogue `vocabulary/settings.csv`: type, range, versions, former names."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal, cast

from diagnostics.notation.flink_values import duration_ms, number, size_bytes, truth
from diagnostics.vocabulary.catalogue_file import FOLDER

Type = Literal["duration", "integer", "number", "size", "truth", "choice", "text"]
Version = tuple[int, int]

VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")
BOUND = re.compile(r"(>=|>|<=)?\s*([\d.]{1,20})\s*(ms|kb|mb)?")
FURTHEST_MISS = 2
"""Edit distance up to which a name counts as a typing error of a known one. Our choice: pairs such as `network.min` and
`network.max`, which both exist, differ by two.
"""
SHORTEST_MISSED = 12
"""Characters of the shortest name that is compared so. Our choice: in shorter names two letters are too large a
part.
"""
LONGEST_NAME = 120
TEMPLATE = ("${", "{{", "******", "<")
"""Mark of a value that is filled in later or masked, and therefore not checked."""
EXAMPLES: Mapping[Type, str] = {
    "duration": "a time such as 30 s",
    "integer": "a whole number",
    "number": "a number",
    "size": "a memory size such as 512 mb",
    "truth": "true or false",
}


@dataclass(frozen=True, slots=True)
class FormerName:
    """An older name of an option.

    since  the first version that knows it, None when all do; `until` the last one, None when all later ones do
    """

    name: str
    since: Version | None
    until: Version | None


@dataclass(frozen=True, slots=True)
class KnownSetting:
    """One option.

    allowed  `>=10 ms`, `0..1`, `>=1 or -1`, or the words of a choice joined by `|`; empty when any value is
    since    the first version that knows the name, None for all; `until` the last one, None when it still exists
    """

    key: str
    type: Type
    allowed: str
    since: Version | None
    until: Version | None
    default: str
    former: tuple[FormerName, ...]

    def reads(self, name: str, version: Version) -> bool:
        """Whether that version reads the option under this name."""
        if name == self.key and _between(version, self.since, self.until):
            return True
        return any(each.name == name and _between(version, each.since, each.until) for each in self.former)


@dataclass(frozen=True, slots=True)
class SettingCatalogue:
    """Every known option by its newest name, and the option of each former name."""

    by_key: Mapping[str, KnownSetting]
    by_former: Mapping[str, KnownSetting]

    def find(self, key: str) -> KnownSetting | None:
        """The option of that name, new or former."""
        return self.by_key.get(key) or self.by_former.get(key)

    def name_in(self, key: str, version: Version | None) -> str:
        """The option's name in a version: its newest name, unless that version has only a former one."""
        return self.known_name_in(key, version) or key

    def default_in(self, key: str, version: Version | None) -> str | None:
        """The option's default in a version; None where it is not known, or where the version is not and it changed."""
        known = self.find(key)
        stated = [each.partition(" since ") for each in known.default.split("; ")] if known else []
        by_version = {version_of(since) or (0, 0): value for value, _, since in stated}
        if version is None:
            return next(iter(by_version.values())) or None if len(by_version) == 1 else None
        latest = max((since for since in by_version if since <= version), default=None)
        return by_version[latest] or None if latest is not None else None

    def known_name_in(self, key: str, version: Version | None) -> str | None:
        """The option's name in a version, None when that version has no such option."""
        known = self.by_key[key]
        if version is None or _between(version, known.since, known.until):
            return key
        return next((each.name for each in known.former if _between(version, each.since, each.until)), None)


def _between(version: Version, since: Version | None, until: Version | None) -> bool:
    return (since is None or version >= since) and (until is None or version <= until)


def near_miss(key: str) -> str | None:
    """The known name that a name is probably meant to be, None when it is known or unlike any other."""
    if setting_catalogue().find(key) or len(key) > LONGEST_NAME:
        return None
    names = _names()
    if _plain(key) in names:
        return names[_plain(key)]
    if len(key) < SHORTEST_MISSED:
        return None
    parts = _parts(key)
    alike = [
        name
        for name in names.values()
        if abs(len(name) - len(key)) <= FURTHEST_MISS and any(part in name for part in parts)
    ]
    away, best = min(((_distance(key, name), name) for name in alike), default=(FURTHEST_MISS + 1, None))
    return best if away <= FURTHEST_MISS else None


@cache
def _names() -> Mapping[str, str]:
    """Every name, new and former, by its letters and digits."""
    catalogue = setting_catalogue()
    return {_plain(name): name for name in (*catalogue.by_former, *catalogue.by_key)}


def _plain(key: str) -> str:
    """The name without capitals and separators, which people confuse."""
    return re.sub(r"[._-]", "", key.lower())


def _parts(key: str) -> list[str]:
    """The name in one part more than the tolerated errors: at least one part is unchanged by them."""
    length = -(-len(key) // (FURTHEST_MISS + 1))
    return [key[start : start + length] for start in range(0, len(key), length)]


def _distance(one: str, other: str) -> int:
    """Edit distance (insert, drop, change); FURTHEST_MISS + 1 for anything larger."""
    too_far = FURTHEST_MISS + 1
    row = [min(column, too_far) for column in range(len(other) + 1)]
    for place, letter in enumerate(one, 1):
        above, row = row, [too_far] * (len(other) + 1)
        row[0] = min(place, too_far)
        # Further from the diagonal, more letters than allowed have been inserted or dropped.
        for column in range(max(1, place - FURTHEST_MISS), min(len(other), place + FURTHEST_MISS) + 1):
            row[column] = min(above[column] + 1, row[column - 1] + 1, above[column - 1] + (letter != other[column - 1]))
        if min(row) > FURTHEST_MISS:
            return too_far
    return min(row[-1], too_far)


def version_of(text: str | None) -> Version | None:
    """`1.20.5` as (1, 20); None for anything else."""
    found = VERSION.match(text or "")
    return (int(found.group(1)), int(found.group(2))) if found else None


@cache
def setting_catalogue() -> SettingCatalogue:
    """The catalogue, cached."""
    text = (FOLDER / "settings.csv").read_text("utf-8")
    known = [_known(row) for row in csv.DictReader(text.splitlines())]
    by_key = {each.key: each for each in known}
    by_former = {name.name: each for each in known for name in each.former if name.name not in by_key}
    return SettingCatalogue(by_key, by_former)


def _known(row: Mapping[str, str]) -> KnownSetting:
    since, _, until = row["versions"].partition("..")
    former = []
    for each in row["former_names"].split():
        name, *bounds = sorted(each.split(".."), key=lambda part: bool(VERSION.fullmatch(part)))
        is_last = each.startswith(name)
        bound = version_of(bounds[0]) if bounds else None
        former.append(FormerName(name, None if is_last else bound, bound if is_last else None))
    return KnownSetting(
        key=row["key"],
        type=cast(Type, row["type"]),
        allowed=row["range"],
        since=version_of(since),
        until=version_of(until),
        default=row["default"],
        former=tuple(former),
    )


def wrong_value(known: KnownSetting, text: str | None) -> str | None:
    """What the value should be instead; None when it is allowed or cannot be checked."""
    value = (text or "").strip()
    if not value or any(mark in value for mark in TEMPLATE) or known.type == "text":
        return None
    if known.type == "choice":
        words = known.allowed.split("|")
        same = {word.lower().replace("_", "-") for word in words}
        return None if value.lower().replace("_", "-") in same else f"one of {', '.join(words)}"
    amount = _amount(known.type, value)
    if amount is None:
        return EXAMPLES[known.type]
    if known.type == "integer" and not float(amount).is_integer():
        return EXAMPLES["integer"]
    return None if _within(known, amount) else known.allowed


def _amount(kind: Type, value: str) -> float | None:
    """The value in milliseconds, bytes or as a plain number; booleans as 0 and 1."""
    if value.lower() in ("infinite", "infinity"):
        return float("inf") if kind == "number" else 2.0**31
    sign, text = (-1.0, value[1:]) if value.startswith("-") else (1.0, value)
    if kind == "truth":
        told = truth(value)
        return None if told is None else float(told)
    amount = duration_ms(text) if kind == "duration" else size_bytes(text) if kind == "size" else number(text)
    return None if amount is None else sign * amount


def _within(known: KnownSetting, amount: float) -> bool:
    allowed, _, also = known.allowed.partition(" or ")
    if not allowed or (also and amount == float(also)):
        return True
    if ".." in allowed:
        least, _, most = allowed.partition("..")
        return _bound(least, known.type)[1] <= amount <= _bound(most, known.type)[1]
    sign, bound = _bound(allowed, known.type)
    return amount > bound if sign == ">" else amount >= bound


def _bound(text: str, kind: Type) -> tuple[str, float]:
    found = BOUND.fullmatch(text.strip())
    if found is None:
        raise ValueError(f"vocabulary/settings.csv: {text!r} is no bound")
    return found.group(1) or "", _amount(kind, f"{found.group(2)} {found.group(3) or ''}".strip()) or 0.0
