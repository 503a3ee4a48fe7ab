"""Where a template takes a fact: `{signal.fact|format}`, and the spaces beside it."""

from __future__ import annotations

import re

PLACEHOLDER = re.compile(r"\{([A-Za-z_][A-Za-z0-9_.-]{0,120})(?:\|([a-z]{1,20}))?\}")
GAPS = re.compile(rf"((?<=[\u4e00-\u9fff]) )?{PLACEHOLDER.pattern}( (?=[\u4e00-\u9fff]))?")
"""A placeholder with the spaces that Chinese has beside a Latin value, and not beside a Chinese one."""
CHINESE_LETTER = re.compile(r"[\u4e00-\u9fff]")


def gaps_kept(place: re.Match[str], said: str) -> tuple[str, str]:
    """The spaces before and after a value that stay.

    place  a match of GAPS
    said   the text of the value
    """
    left, right = place.group(1) or "", place.group(4) or ""
    return "" if CHINESE_LETTER.match(said) else left, "" if CHINESE_LETTER.match(said[-1:]) else right
