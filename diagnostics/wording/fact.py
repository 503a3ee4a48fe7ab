"""The name and the value of a measured fact in words. The suffix of its name is its unit."""

from __future__ import annotations

from typing import Any

from diagnostics.language import listed, say
from diagnostics.vocabulary.stored_words import in_reader_words
from diagnostics.wording import phrase

SUFFIXES = {
    "_ms": "duration",
    "_bytes": "bytes",
    "_ratio": "percent",
    "_ratio_before": "percent",
    "_share": "percent",
    "_per_s": "rate",
    "_at": "time",
}
"""Suffix of a fact's name -> format of its value."""

MULTIPLES = ("skew_ratio", "max_to_mean_ratio")
"""Ratios that are multiples, not shares."""

BYTES_PER_SECOND = "bytes_per_s"
"""Part of the names of rates in bytes, such as `bytes_per_s_max`."""

LISTED_VALUES = 20
"""Values of a list that are printed. Our choice: a line of a table."""


def fact_name(fact: str) -> str:
    """`load_balance.hot_share_ratio` as `hot share`, with its subject when the name alone is unclear."""
    key, _, name = fact.rpartition(".")
    suffix = next(filter(name.endswith, SUFFIXES), "")
    words = name.removesuffix(suffix).replace("_", " ")
    return words if " " in words else f"{words} ({key.rpartition('.')[2].replace('_', ' ')})" if key else words


LARGEST_PERCENT = 2
"""Ratios from here on are multiples: 104 % beside a bound of 50 % reads well, 365 % does not. Our choice."""


def fact_value(value: Any, fact: str, beside: Any = None) -> str:
    """A fact's value in the unit of its name's suffix; a ratio in the unit of the larger of it and `beside`.

    A value that differs from `beside`, but not once both are rounded, has its exact number behind it.
    """
    if value is None:
        return say("unknown")
    if value == "":
        return say("(empty)")
    name = fact.rpartition(".")[2]
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, list):
        return listed(fact_value(item, fact) for item in value[:LISTED_VALUES])
    if not isinstance(value, (int, float)):
        return str(in_reader_words(fact, value))
    largest = max(value, beside) if isinstance(beside, (int, float)) else value
    if name.endswith(MULTIPLES) or (name.endswith("_ratio") and largest >= LARGEST_PERCENT):
        number = phrase.number(value)
        return say("1 time") if number == "1" else say("{number} times", number=number)
    if BYTES_PER_SECOND in name:
        return f"{phrase.size(value)}/s"
    shown = phrase.FORMATS[next((form for suffix, form in SUFFIXES.items() if name.endswith(suffix)), "number")]
    exact = exact_fact_value(value, fact)
    is_told_apart = beside is None or value == beside or shown(value) != shown(beside)
    return shown(value) if is_told_apart or not exact else f"{shown(value)} ({exact})"


def exact_fact_value(value: Any, fact: str) -> str:
    """The exact value when the shown one is rounded: `2,232,000 ms`, `301,989,888 bytes`; else empty."""
    units = {"_ms": "ms", "_bytes": "bytes"}
    unit = next((unit for suffix, unit in units.items() if fact.endswith(suffix)), None)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value:,.0f} {unit}" if unit and is_number else ""
