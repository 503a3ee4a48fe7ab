"""Restriction of rules to Flink versions."""

from __future__ import annotations

import re

from diagnostics.evidence.subject import FactValue

VERSION = re.compile(r"(\d{1,3})\.(\d{1,3})")


def within(window: str | None, version: FactValue) -> bool:
    """Whether a version such as `1.20.5` is in a range such as `>=1.11,<2.0`; an unknown version is in every range."""
    found = VERSION.match(version) if isinstance(version, str) else None
    if window is None or found is None:
        return True
    actual = (int(found.group(1)), int(found.group(2)))
    return all(_holds(part, actual) for part in window.split(","))


def _holds(part: str, actual: tuple[int, int]) -> bool:
    op = part.rstrip("0123456789.")
    major, _, minor = part[len(op) :].partition(".")
    bound = (int(major), int(minor))
    return {">=": actual >= bound, "<=": actual <= bound, "<": actual < bound, ">": actual > bound}[op]
