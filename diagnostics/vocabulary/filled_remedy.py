"""Acts that hold values of the evidence, recognised in the English in which facts are stored."""

from __future__ import annotations

from functools import cache
from string import Formatter
from typing import Any

import re2

from diagnostics.language import Text
from diagnostics.vocabulary.asked_act import ASKED, act_that_quotes
from diagnostics.vocabulary.message_remedies import message_remedies, with_values
from diagnostics.vocabulary.required_options import required_options

LONGEST = 4_000
"""Characters of a text in which a form is looked for. Our choice: twice the longest act with its values."""
VALUE = r"[^\n]*?"
"""A value of the evidence. RE2 matches it: its time is linear in the text, which may hold what a person wrote."""


def filled_remedy(english: str) -> Text | None:
    """The act with its translations; None for a text that no entry with values gives."""
    if len(english) > LONGEST:
        return None
    if asked := _values(ASKED, english):
        return act_that_quotes(asked["asked"])
    for form in _forms():
        if values := _values(form, english):
            return with_values(form, values)
    return None


@cache
def _forms() -> tuple[str, ...]:
    of_messages = (form for each in message_remedies() for form in each.forms)
    return (*of_messages, *required_options().acts.values())


def _values(form: str, english: str) -> dict[str, str] | None:
    """The value of each name; None where the text has another form, or a name that comes again has another value."""
    pattern, names = _pattern(form)
    if (match := pattern.fullmatch(english)) is None:
        return None
    values: dict[str, str] = {}
    for name, value in zip(names, match.groups(), strict=True):
        if values.setdefault(name, value) != value:
            return None
    return values


@cache
def _pattern(form: str) -> tuple[Any, tuple[str, ...]]:
    """What a text of the form looks like, with a group for each value, and the names of the groups in order."""
    parts, names = [], list[str]()
    for words, name, _, _ in Formatter().parse(str(form)):
        parts.append(re2.escape(words))
        if name:
            parts.append(f"({VALUE})")
            names.append(name)
    return re2.compile("".join(parts)), tuple(names)
