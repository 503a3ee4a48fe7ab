"""The newest releases that are known of the programs which advice says to upgrade, from `newest_releases.yaml`.

An entry has, by the name of a program

names    how advice calls it
owner    the entry of `class_owners` whose releases are its own, one for each version of Flink
newest   its newest release, where one release is for every version of Flink
lines    of Flink itself: a version -> its newest patch release
product  the entry of `later_fixes.yaml` that has its packages, where no owner has them
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from diagnostics.language import joined_sentences, say
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.vocabulary.class_owners import ClassOwner, class_owners, owner_of
from diagnostics.vocabulary.known_bug import release_of
from diagnostics.vocabulary.later_fix import products

MOST_LINES = 12
"""Versions of Flink whose newest patch releases are listed where it is not known which one runs. Our choice: those of
the last five years.
"""
MOST_LISTED = 6
"""Releases of one connector that are listed for different versions of Flink. Our choice: what is older is for Flink of
before 2022.
"""
MOST_NAMED = 2
"""Programs whose releases are added to one advice. Our choice: more is a list that nobody asked for."""
CLAUSE = re.compile(r"[^.;\u3002\uff1b]+(?:\.(?=[^\s])[^.;\u3002\uff1b]+)*")
"""A part of a sentence; a full stop inside of a name or number does not end it."""
RELEASE = re.compile(r"(?<![\w.])v?\d{1,3}\.\d{1,3}(?:\.\d{1,3}|\.x)?")
FORMER = re.compile(r"(?:before|older than|up to|until) v?\d[\d.]{1,10}|\d[\d.]{1,10} ?(?:之前|以前|及以前)")
"""A release from which to upgrade."""
ASKS = (
    r"(?:\bupgrade\b|\b(?:take|use|try|on)\b[^,]{0,24}?\b(?:newer|newest|later)\b|\bnewer (?:releases? of|(?=flink-))"
    r"|升级|(?:使用|采用|换用|改用)[^\uff0c]{0,24}?(?:更新的|较新的|最新的?|更高))"
)
"""Words of an advice to take a newer release, before the program's name."""
BEFORE_WHAT_RUNS = ("for your", "for this", "for the", "for", "version of", "你的", "该", "于", "此")
NOT_RUNNING = "".join(rf"(?<!{each} )" for each in BEFORE_WHAT_RUNS)
"""Not before a program's name: there it is what the other one has to fit."""
AFTER = r"[^,\uff0c]{0,8}(?:升级|(?:更新|较新|最新|更高)(?:的)?版本)"
"""The same after the name, as Chinese may have it."""
OF_THE_CONNECTOR = re.compile(
    r"(?i)\bupgrade the (?:connector|platform|sink|source)\b"
    r"|\bnewer releases (?!of\b)"
    r"|\b(?:newer|newest|later|a) release of (?:the|this) (?:connector|platform|sink|source)\b"
    r"|升级(?:该|此)?(?:连接器|平台|Sink|Source)|连接器的?(?:较新|更新|最新)的?版本|修复.{0,8}的连接器版本"
)
"""Words of an advice to take a newer release of a program that it does not name."""


NUMBERS = re.compile(r"\d{1,4}(?:\.\d{1,4}){1,3}")
NAMED_RELEASES = (
    r"(?: \([^()]{1,80}\))?(?: to| ?\u5347\u7ea7\u5230| ?\u5230)? "
    r"((?:\d[\d.]{1,14}(?:, |\u3001| )){1,6})(?:or (?:later|newer)\b|\u6216\u66f4)"
)
"""The releases that an advice names after a program from which on it is right: `to 3.0.1, 4.0.0 or later`."""


@dataclass(frozen=True, slots=True)
class Upgradable:
    """One entry of the file."""

    program: str
    names: tuple[str, ...]
    owner: str | None = None
    newest: str | None = None
    product: str | None = None
    lines: Mapping[str, str] = field(default_factory=dict)

    @property
    def class_owner(self) -> ClassOwner | None:
        """The entry of the class owners that has its releases."""
        return next((each for each in class_owners() if each.what == self.owner), None)

    def has(self, frame: str) -> bool:
        """Whether a frame is the program's."""
        if self.product:
            return products()[self.product].has(frame)
        found = owner_of(frame) if self.owner else None
        return found is not None and self.owner in (found.what, found.inside)

    def is_asked_by(self, clause: str) -> bool:
        """Whether a part of a sentence says to upgrade it, to no release that it names."""
        if not any(name.lower() in clause.lower() for name in self.names):
            return False
        found = self._asked.search(clause)
        return found is not None and RELEASE.search(FORMER.sub("", clause)) is None

    def outruns(self, advice: str, flink: str) -> str | None:
        """Its newest release for a version of Flink, where an advice asks for newer ones alone; else None."""
        release = self.class_owner.release_for(flink) if self.class_owner else None
        if release is None:
            return None
        newest = next((_numbers(each) for each in NUMBERS.findall(release) if each != flink), ())
        asked = [_numbers(each) for said in _naming(self.names).findall(advice) for each in NUMBERS.findall(said)]
        return release if newest and asked and min(asked) > newest else None

    @property
    def _asked(self) -> re.Pattern[str]:
        return _asking(self.names)


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


@cache
def _naming(names: tuple[str, ...]) -> re.Pattern[str]:
    named = "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
    return re.compile(rf"(?i)(?<![\w-])(?:{named}){NAMED_RELEASES}")


@cache
def _asking(names: tuple[str, ...]) -> re.Pattern[str]:
    named = "|".join(re.escape(each) for each in sorted(names, key=len, reverse=True))
    whole = rf"{NOT_RUNNING}(?<![\w-])(?:{named})(?![\w-]|'s| CDC| SQL| \d)"
    return re.compile(rf"(?i){ASKS}[^,\uff0c]{{0,40}}?{whole}|{whole}{AFTER}")


@cache
def upgradables() -> Mapping[str, Upgradable]:
    """Every program by its name. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("newest_releases.yaml")
    return {
        name: Upgradable(
            name,
            tuple(entry["names"]),
            entry.get("owner"),
            entry.get("newest"),
            entry.get("product"),
            dict(entry.get("lines", {})),
        )
        for name, entry in content.items()
    }


def program_behind(names: Iterable[str | None]) -> str | None:
    """The first program of the file that has one of these frames or classes; Flink has none of them."""
    named = [name for name in names if name]
    return next((each.program for name in named for each in upgradables().values() if each.has(name)), None)


def with_newest_release(advice: str, flink: str | None, program: str | None) -> str:
    """An advice with the newest releases of what it says to upgrade without saying to which, and with what the release
    that it names asks of Flink: a connector's newest one for the version that runs may be older.

    flink    the version that runs, as `1.18`; None where it is not known
    program  the one that failed, which an advice about `the connector` means
    """
    asked = [each for each in upgradables().values() if any(map(each.is_asked_by, CLAUSE.findall(advice)))]
    if not asked and program and OF_THE_CONNECTOR.search(advice) and RELEASE.search(advice) is None:
        asked = [upgradables()[program]]
    known = [release for each in asked if (release := _newest(each, flink)) and release not in advice]
    beyond = [release for each in upgradables().values() if flink and (release := each.outruns(advice, flink))]
    needed = [
        say("The newest known here for Flink {flink} is {release}: a newer one needs a newer Flink, too.", **named)
        for named in ({"flink": flink or "", "release": release} for release in beyond)
    ]
    return joined_sentences((advice, *[*known, *needed][:MOST_NAMED]))


def _newest(program: Upgradable, flink: str | None) -> str | None:
    """The sentence with a program's newest release for a version of Flink, or for each; None where none is known."""
    if program.newest:
        return say("Newest known here: {releases}.", releases=f"{program.program} {program.newest}")
    if program.lines:
        return _newest_of_lines(program, flink)
    owner = program.class_owner
    if owner is None:
        return None
    if flink is None:
        return say("Newest known here: {releases}.", releases=", ".join(releases_by_flink(owner)))
    release = owner.release_for(flink)
    return say("Newest known here for Flink {flink}: {release}.", flink=flink, release=release) if release else None


def _newest_of_lines(program: Upgradable, flink: str | None) -> str | None:
    """The newest patch release of the version that runs and the newest of all; of every version where none is known."""
    newest = sorted(program.lines.values(), key=lambda each: release_of(each) or (0, 0, 0), reverse=True)
    if flink is None:
        return say("Newest patch releases of Flink known here: {releases}.", releases=", ".join(newest[:MOST_LINES]))
    if flink not in program.lines:
        return None
    return say(
        "Newest known here: Flink {release} of the releases {line}, Flink {newest} of all.",
        release=program.lines[flink],
        line=flink,
        newest=newest[0],
    )


def releases_by_flink(owner: ClassOwner) -> list[str]:
    """The newest releases of a connector with the versions of Flink that they are for, the newest first, MOST_LISTED.

    A release with Flink's version in its name, as `paimon-flink-1.18-1.4.2`, stands once: `paimon-flink-<Flink>-1.4.2`.
    """
    lines: dict[str, list[str]] = {}
    for line in reversed(list(owner.releases)):
        named = re.sub(rf"(?<![\d.]){re.escape(line)}(?![.\d])", "<Flink>", owner.release_for(line) or "")
        lines.setdefault(named, []).append(line)
    return [
        say("{release} for Flink {versions}", release=release, versions="/".join(reversed(versions)))
        for release, versions in list(lines.items())[:MOST_LISTED]
    ]
