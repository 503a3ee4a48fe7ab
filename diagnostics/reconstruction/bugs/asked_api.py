"""What code that was compiled for one Flink asks of another: the lines of Flink that have it."""

from __future__ import annotations

import re

from diagnostics.evidence.subject import FactValue
from diagnostics.notation.missing_member import missing_method
from diagnostics.vocabulary.class_owners import MISSING_CLASS, MISSING_METHOD
from diagnostics.vocabulary.flink_api import PACKAGE, ApiLife, life_of_class, life_of_constant, life_of_method
from diagnostics.vocabulary.known_bug import Release

_CONSTANT = re.compile(r"(?:does not have member field '[\w.$]{1,250} )?\b([A-Za-z_]\w{2,80})'?$")
"""The name in a NoSuchFieldError, as Java 8 and Java 21 print it."""


def asked_api(exception: str, message: str, name: str | None, flink: Release | None) -> dict[str, FactValue]:
    """What an error of class loading asks Flink for, and the lines of Flink that have it; nothing where all have it.

    name   the class that the error names
    flink  the version that runs, where it is known
    """
    found = _asked(exception.rpartition(".")[2], message, name)
    if found is None:
        return {}
    asked, life = found
    line = flink[:2] if flink else None
    return {
        "asked": asked,
        "asked_lines": life.lines,
        "asked_now": life.now,
        "asked_from": life.place_of(line) if line else None,
        "asked_nearest": life.nearest_to(line) if line else None,
    }


def _asked(exception: str, message: str, name: str | None) -> tuple[str, ApiLife] | None:
    if exception in MISSING_METHOD and (method := missing_method(message)):
        life = life_of_method(*method)
        return (_printed(*method), life) if life else None
    if exception in MISSING_CLASS and name and name.startswith(PACKAGE):
        life = life_of_class(name)
        return (name, life) if life else None
    if exception == "NoSuchFieldError" and (constant := _CONSTANT.search(message)):
        own = life_of_constant(constant[1])
        return (f"{own[0]}.{constant[1]}", own[1]) if own else None
    return None


def _printed(name: str, method: str) -> str:
    """`a.b.C.m(D, long): E`, so that a method shows what it gives where only that differs."""
    called, _, result = method.replace(",", ", ").rpartition(")")
    return f"{name}.{called})" + ("" if result == "void" else f": {result}")
