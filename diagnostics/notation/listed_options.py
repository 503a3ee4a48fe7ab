"""The options that a message of Flink's tables lists: those that a connector does not have, and those that are missing.

Unsupported options:        Missing required options are:

scan.startup.mode           url

Supported options: …
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

MOST_NAMES = 12
_LIST = r":\s*((?:[a-z][\w.-]{0,100}(?:\s+|$)){1,200})"
_UNSUPPORTED = re.compile("Unsupported options" + _LIST)
_MISSING = re.compile("(?:Missing required|required) options are" + _LIST)
_LIST_HEAD = re.compile(r"\s{0,8}[A-Z][\w ]{0,60}options(?: are)?:\s*")
_LIST_NAME = re.compile(r"\s{0,8}(?:[a-z][\w.-]{0,80})?\s*")
_CONNECTOR = re.compile(r"Unsupported options found for (?:\w+ )?'([^'\s]{1,80})'")


@dataclass(frozen=True, slots=True)
class ListedOptions:
    """What one message lists; empty without a list."""

    connector: str | None = None
    unsupported: Sequence[str] = ()
    missing: Sequence[str] = ()


def listed_options(message: str) -> ListedOptions:
    """The options that a message lists, in its order. Source: FactoryUtil of Flink's Table API."""
    named = _CONNECTOR.search(message)
    return ListedOptions(named[1] if named else None, _names(_UNSUPPORTED, message), _names(_MISSING, message))


def is_listed(line: str, is_listing: bool) -> bool:
    """Whether a line is the head of such a list, or below one a name or nothing: the message above it goes on.

    is_listing  whether the line above was listed
    """
    return _LIST_HEAD.fullmatch(line) is not None or (is_listing and _LIST_NAME.fullmatch(line) is not None)


def _names(pattern: re.Pattern[str], message: str) -> Sequence[str]:
    """The names below the head, up to the next head, which begins with a capital letter."""
    found = pattern.search(message)
    return tuple(found[1].split()[:MOST_NAMES]) if found else ()
