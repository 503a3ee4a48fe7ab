"""Errors in one shown text: names that only this product explains, gaps, and numbers that no reader takes in."""

from __future__ import annotations

import re
from collections.abc import Iterator

PLACEHOLDER = re.compile(r"<[A-Za-z][^<>|;&]{0,120}>")
"""A value that the reader fills in."""

INTERNAL = re.compile(
    r"\b[SF]\d{3}\b|\breference/|\b[\w-]+\.csv\b|\b(?:diagnostics|workbench|tests)/\w"
    r"|\{[a-z_]+\.[a-z_.]+(?:\|\w+)?\}|\[\w+\|\w+\]|<[a-z]+[_.][a-z_.]+>"
)
"""Ids of sources and rows, files of this repository and its specification, facts and choices that were not filled."""


def internal_names(text: str) -> Iterator[str]:
    """Names in a shown text that only this product's own files explain."""
    yield from (f"an internal name, {name}: {text}" for name in INTERNAL.findall(text))


SAME_ENDS = re.compile(r"(?<![\w.,-])(\d[\d.,]*(?: ?[%A-Za-z]+)?) to \1(?![\w.,])")
CODE = re.compile(r"`[^`]*`")
"""Code within a sentence, whose numbers stay as they are."""
UNSEPARATED = re.compile(r"(?<![\w.:/#-])\d{5,}(?![\w.:/-])")


OF_THE_JVM = ("<init>", "<clinit>")
"""Names of constructors and static blocks in stack frames."""


def sentence_faults(text: str) -> Iterator[str]:
    """Of a sentence: a gap where a value was to be, a range of one value, a long number without separators."""
    yield from (f"a gap, {gap}: {text}" for gap in PLACEHOLDER.findall(text) if gap not in OF_THE_JVM)
    yield from (f"a range of one value, {value}: {text}" for value in SAME_ENDS.findall(text))
    yield from (f"a long number, {value}: {text}" for value in UNSEPARATED.findall(CODE.sub("", text)))
