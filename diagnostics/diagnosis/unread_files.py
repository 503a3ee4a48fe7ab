"""The files of a case that were not understood, or not read to their end, as a sentence names them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.language import say, say_stored
from diagnostics.wording.phrase import enumeration

MOST_NAMED = 3
"""Files that a sentence names. Our choice: the list of files has them all."""


def unread_files(inputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the files that no format understood, in the order of the entries of `inputs[]`."""
    return [str(each["file"]) for each in inputs if not each.get("format") and not each.get("refused")]


def refused_files(inputs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Names of the files that could not be read, or not to their end (a cut archive, an encrypted one), with why."""
    return [
        say("{file} ({reason})", file=each["file"], reason=say_stored(each["warnings"][0]))
        for each in inputs
        if each.get("refused")
    ]


def name_files(files: Sequence[str]) -> str:
    """The files in a sentence; of many the first ones, and how many more there are."""
    more = [say("{count} more files", count=len(files) - MOST_NAMED)] if len(files) > MOST_NAMED else []
    return enumeration([*files[:MOST_NAMED], *more])
