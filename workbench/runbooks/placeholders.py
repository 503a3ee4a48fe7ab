"""Placeholders in a runbook's commands and settings for values without evidence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

PLACEHOLDER = re.compile(r"<([a-z][a-zA-Z0-9' -]{1,60})>")
"""Placeholders in texts of runbooks; names of Java's types begin with a capital letter."""


def placeholders(steps: Iterable[Mapping[str, Any]]) -> list[str]:
    """Distinct placeholders in the commands and settings of the filled steps, in order."""
    return list(dict.fromkeys(name for step in steps for text in _texts(step) for name in PLACEHOLDER.findall(text)))


def _texts(step: Mapping[str, Any]) -> Iterator[str]:
    yield from (each["command"] for each in step["look"])
    if step["savepoint"]:
        yield step["savepoint"]["command"]
    yield from (each["to"] for each in step["change"] if each["kind"] != "code")
