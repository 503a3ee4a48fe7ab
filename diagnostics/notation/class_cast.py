"""What a ClassCastException says: the two classes, whether one is a relocated copy, and which loaders have them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

_CAST = re.compile(r"(?:class )?(\S{1,200}) cannot be cast to (?:class )?([^\s(]{1,200})")
_LOADER = re.compile(
    r"(\S{1,200}) is in (?:unnamed module|module \S{1,100}) of loader ('[a-z]{1,20}'|[\w.$]{1,200} ?@?\w{0,20})"
)
_RELOCATED = re.compile(r"^((?:[A-Za-z_$][\w$]{0,100}\.){1,8}(?:shaded?|relocated|thirdparty|repackaged))\.(.{3,200})$")
_OF_A_JOB = ("org.apache.flink.util.", "org.apache.flink.runtime.execution.librarycache.")
LEAST_PACKAGES = 2
"""Parts of a package that two classes share behind a relocation. Our choice: `com.google`, `org.apache.kafka`."""

Loaders = Literal["job_and_lib", "two_jobs"]


@dataclass(frozen=True, slots=True)
class ClassCast:
    """The class of the object, and that to which the code casts it.

    relocated  the one of both that was moved into the package of the product that brings it
    plain      the other one, which has the package of its library
    loaders    `job_and_lib` if the job's class loader has one and that of lib/ the other, `two_jobs` if two loaders of
               jobs have them; None where the message does not say so
    """

    source: str
    target: str
    relocated: str | None = None
    plain: str | None = None
    loaders: Loaders | None = None

    @property
    def moved_into(self) -> str:
        """The package of the product that brings the relocated class."""
        found = _RELOCATED.match(self.relocated or "")
        return found[1].rpartition(".")[0] if found else (self.relocated or "").removesuffix(f".{self.plain}")


def class_cast(message: str) -> ClassCast | None:
    """The cast that a message describes; None for another message."""
    cast = _CAST.search(message)
    if cast is None:
        return None
    source, target = cast[1], cast[2].rstrip(".;,")
    pairs = ((source, target), (target, source))
    moved, plain = next((each for each in pairs if _is_copy(*each)), (None, None))
    return ClassCast(source, target, moved, plain, _loaders(message[cast.end() :]) if source == target else None)


def _is_copy(moved: str, plain: str) -> bool:
    """Whether one class is of a library that was moved into another package, and the other one of the library."""
    if plain.count(".") >= LEAST_PACKAGES and moved.endswith(f".{plain}"):
        return True
    place = _RELOCATED.match(moved)
    if place is None or _RELOCATED.match(plain):
        return False
    inner, outer = place[2].split(".")[:-1], plain.split(".")[:-1]
    shared = LEAST_PACKAGES + (plain.startswith("org.apache."))
    return len(outer) >= shared and inner[:shared] == outer[:shared]


def _loaders(places: str) -> Loaders | None:
    named = [each[2] for each in _LOADER.finditer(places)]
    if len(named) < 2:
        return None
    of_jobs = [each for each in named if each.startswith(_OF_A_JOB)]
    if len(of_jobs) == 1 and "'app'" in named:
        return "job_and_lib"
    return "two_jobs" if len(set(of_jobs)) == 2 else None
