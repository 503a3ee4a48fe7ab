"""Normalises names for comparison, because Prometheus reporters replace most characters."""

from __future__ import annotations

import re


def normalised(printed: str | None) -> str:
    """A resource id or name with every character except letters and digits as `_`, as Prometheus reporters print it."""
    return re.sub(r"\W", "_", printed or "")
