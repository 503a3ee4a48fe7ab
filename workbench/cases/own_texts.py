"""Texts that the workbench itself writes where people write too: titles of cases, notes, and names of changes.

They are stored in English and shown in the language of the reader. What a person wrote is shown unchanged, unless it
reads exactly like one of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from string import Formatter

from diagnostics.language import LANGUAGES
from diagnostics.symptoms import UNDECIDED, symptoms
from workbench.languages.sentences import in_language, say, say_stored, to_say

LONGEST_LINE = 2_000
"""Longer lines are shown as stored: no text of ours is as long. Our choice."""

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

KEPT = to_say("The evidence is to be kept.")
KEPT_NO_LONGER = to_say("The evidence is to be kept no longer.")
FILE_DELETED = to_say("The evidence was deleted: {count} file.")
FILES_DELETED = to_say("The evidence was deleted: {count} files.")
LEFT_OUT = to_say("{cluster} was left out: {error}.")
CHECK_FOUND = to_say("A check of {cluster} found: {text}")
"""As earlier versions wrote it."""
CHECK_FOUND_IN = to_say("A check of {cluster} found in the job {job}: {text}")
IMPORTED = to_say("Imported from a bundle. There the verdict was: {verdict}, {sure} sure, health {score} of 100.")
FIRES = to_say("The alert {alert} fires, says {source}.")
FIRES_BECAUSE = to_say("The alert {alert} fires, says {source}: {summary}")
FIRES_SINCE = to_say("The alert {alert} fires since {since}, says {source}.")
FIRES_SINCE_BECAUSE = to_say("The alert {alert} fires since {since}, says {source}: {summary}")
RESOLVED = to_say("The alert {alert} is resolved, says {source}.")

INCIDENT = to_say("The incident")
AFTER_A_CHANGE = to_say("After a change")
AFTER_ALERT = to_say("After the alert {alert}")
FIRES_AGAIN = to_say("The alert {alert} fires again")

STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d UTC"
ONE = r"(?:(?! was left out: ).)+"
"""Earlier versions wrote several such sentences into one line, which stays English."""
LOOKS = {
    "cluster": ONE,
    "error": ONE,
    "count": r"\d+",
    "until": STAMP,
    "moment": STAMP,
    "since": r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC",
    "source": r"[-\w]+",
    "sure": r"[\d.]+ %",
    "score": r"\d+",
}
"""Name of a value -> what it looks like; names of jobs, files and alerts look like anything."""


def _read_verdict(title: str) -> str:
    return next((each.read_title for each in (*symptoms().values(), UNDECIDED) if each.title == title), title)


READ: Mapping[str, Callable[[str], str]] = {"error": say_stored, "text": say_stored, "verdict": _read_verdict}
"""Name of a value that is stored in English itself -> how it is read."""


@dataclass(frozen=True, slots=True)
class OwnTexts:
    """The texts that the workbench writes into one kind of column."""

    texts: tuple[str, ...]

    def read(self, stored: str) -> str:
        """In the language of the reader, line by line: the lines of an alert's text below the first are its own."""
        return "\n".join(map(self._read_line, stored.split("\n")))

    def translations(self, stored: str) -> Collection[str]:
        """What readers of each language see, and so search for."""
        return dict.fromkeys(map(partial(self._read_in, stored), LANGUAGES)).keys()

    def _read_in(self, stored: str, language: str) -> str:
        with in_language(language):
            return self.read(stored)

    def _read_line(self, line: str) -> str:
        for text, pattern in _patterns(self.texts):
            if len(line) <= LONGEST_LINE and (found := pattern.fullmatch(line)):
                return say(text, **{name: READ.get(name, str)(value) for name, value in found.groupdict().items()})
        return line


TITLES = OwnTexts((NEW, UNTITLED, SEVERAL_FILES, METRICS, LOGS, PROFILE, EARLY_WARNING, *DEMOS.values()))
NOTES = OwnTexts(
    (
        *(KEPT, KEPT_NO_LONGER, FILE_DELETED, FILES_DELETED, LEFT_OUT, CHECK_FOUND_IN, CHECK_FOUND, IMPORTED),
        *(FIRES_SINCE, FIRES_SINCE_BECAUSE, FIRES, FIRES_BECAUSE, RESOLVED),
    )
)
CHANGES = OwnTexts((INCIDENT, AFTER_A_CHANGE, AFTER_ALERT, FIRES_AGAIN))


@cache
def _patterns(texts: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((text, re.compile("".join(_parts(text)))) for text in texts)


def _parts(text: str) -> Iterator[str]:
    for literal, name, _, _ in Formatter().parse(text):
        yield re.escape(literal)
        if name:
            yield f"(?P<{name}>{LOOKS.get(name, '.+')})"
