"""The release of a JVM, as GC logs, crash reports and Flink's REST API print it."""

from __future__ import annotations

import re

_OLD = re.compile(r"\b1\.([5-8])(?:[._/]|\b)")
_HOTSPOT = re.compile(r"\b2([0-5])\.\d{1,4}-b\d")
_NEW = re.compile(r"(?<![\d.])(\d{1,2})(?:\.\d{1,4}){0,4}[+/]")
_RELEASES = {"5": 8, "4": 7, "3": 7, "2": 7, "1": 7, "0": 6}
"""Last digit of HotSpot's version 20 to 25 -> release of Java. Source: release notes of the JDKs 6, 7 and 8."""


def java_release(printed: str) -> int | None:
    """The release, 8 for `1.8.0_342`, 17 for `17.0.15+6`; None where the text has none."""
    old = _OLD.search(printed)
    if old:
        return int(old[1])
    hotspot = _HOTSPOT.search(printed)
    if hotspot:
        return _RELEASES[hotspot[1]]
    new = _NEW.search(printed)
    return int(new[1]) if new and int(new[1]) >= 9 else None
