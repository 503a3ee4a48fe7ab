"""The unit of a fact, from its name's suffix, and whether a bound or a format is compatible with it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

NUMERIC = re.compile(r"_(ms|bytes|ratio|per_s)$")
"""Facts with these names are numbers."""

SHARE = re.compile(r"(^|_)share(_|$)")
SHARE_MEANING = re.compile(r"0 to 1\b|\bshare of\b|\bpart of the\b")
"""A ratio is a share, never above 1, when its name or its meaning says so; others are multiples."""

QUANTITY = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*([a-zA-Z%]{1,4})\s*")
TIMES = {"ms": 1, "s": 1000, "sec": 1000, "min": 60_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
SIZES = {"b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}
UNITS: Mapping[str, tuple[str, Mapping[str, float]]] = {
    "ms": ("milliseconds", TIMES),
    "bytes": ("bytes", SIZES),
    "ratio": ("a ratio", {"%": 0.01}),
    "per_s": ("a rate per second", {}),
}
"""Suffix of a name -> words of the unit, and its factor to other units."""

FORMAT_NEEDS: Mapping[str, str] = {
    "duration": "_ms",
    "durations": "_ms",
    "time": "_ms",
    "bytes": "bytes",
    "sizes": "bytes",
    "memory": "bytes",
    "percent": "ratio|share",
    "percents": "ratio|share",
    "rate": "_per_s",
}
"""Format of a placeholder -> required suffixes of the fact's name."""


def bound_mismatch(fact: str, op: str, value: Any, meaning: str) -> str:
    """The error in `fact op value`; empty when there is none.

    meaning  the signal's description of the fact
    """
    name = fact.rpartition(".")[2]
    suffix = NUMERIC.search(name)
    if not suffix or op in ("contains", "in"):
        return ""
    words, known = UNITS[suffix.group(1)]
    if isinstance(value, (bool, str)):
        return f"{name} is {words}: a number is expected, not {value!r}{_proposal(value, known)}"
    is_share = suffix.group(1) == "ratio" and (SHARE.search(name) or SHARE_MEANING.search(meaning))
    if is_share and value > 1:
        proposal = f"; {value:g} % is {value / 100:g}" if value <= 100 else ""
        return f"{name} is a share from 0 to 1, not {value!r}{proposal}"
    return ""


def _proposal(value: Any, known: Mapping[str, float]) -> str:
    found = QUANTITY.fullmatch(str(value))
    factor = known.get(found.group(2).lower()) if found else None
    return f"; {value} is {float(found.group(1)) * factor:g}" if found and factor else ""


def format_mismatch(fact: str, form: str) -> str:
    """The error in printing the fact in this format; empty when there is none."""
    name = fact.rpartition(".")[2]
    found, needed = NUMERIC.search(name), FORMAT_NEEDS.get(form)
    if found is None or needed is None or re.search(needed, name):
        return ""
    return f"{name} is {UNITS[found.group(1)][0]}, which cannot be written as {form!r}"
