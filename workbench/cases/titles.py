"""The titles that the workbench itself gives to cases: stored in English, shown in the language of the reader.

What a person wrote is shown unchanged, unless it reads exactly like one of these.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, partial
from string import Formatter

from diagnostics.language import LANGUAGES
from workbench.languages.sentences import in_language, say, to_say

NEW = to_say("New incident")
UNTITLED = to_say("Untitled case")
SEVERAL_FILES = to_say("{first} and {count} more")
METRICS = to_say("{name}, metrics until {until}")
LOGS = to_say("{name}, logs until {until}")
PROFILE = to_say("{name}, profile of {moment}")
EARLY_WARNING = to_say("Early warning: {job}")
DEMOS = {
    "clickstream-checkpoints-expire": to_say("Demo: checkpoints of a clickstream job expire"),
    "lines-that-share-a-task": to_say("Demo: two business lines share a task"),
    "orders-one-hot-key": to_say("Demo: orders with one hot key"),
}
"""Name of the archive -> title."""
MADE = (NEW, UNTITLED, SEVERAL_FILES, METRICS, LOGS, PROFILE, EARLY_WARNING, *DEMOS.values())

STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
VALUES = {"count": r"\d+", "until": STAMP, "moment": STAMP}
"""Name of a value in a title -> what it looks like; names of jobs, clusters and files look like anything."""


def read_title(title: str) -> str:
    """A stored title in the language of the reader."""
    for text, pattern in _patterns():
        if found := pattern.fullmatch(title):
            return say(text, **found.groupdict())
    return title


def title_translations(title: str) -> Collection[str]:
    """What readers of each language see, and so search for."""
    return dict.fromkeys(map(partial(_in_language, title), LANGUAGES)).keys()


def _in_language(title: str, language: str) -> str:
    with in_language(language):
        return read_title(title)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((text, re.compile("".join(_parts(text)))) for text in MADE)


def _parts(text: str) -> Iterator[str]:
    for literal, name, _, _ in Formatter().parse(text):
        yield re.escape(literal)
        if name:
            yield f"(?P<{name}>{VALUES.get(name, '.+')})"
