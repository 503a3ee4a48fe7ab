"""Acts that hold values of the evidence, recognised in the English in which facts are stored."""

from __future__ import annotations

import re
from functools import cache
from string import Formatter

from diagnostics.language import Text
from diagnostics.vocabulary.asked_act import ASKED, act_that_quotes
from diagnostics.vocabulary.message_remedies import message_remedies, with_values

LONGEST = 4_000
"""Characters of a text in which a form is looked for. Our choice: twice the longest act with its values."""
VALUE = r"[^\n]{0,400}?"
"""A value of the evidence. Our choice: longer than what any entry takes, or a quoted request may have."""


def filled_remedy(english: str) -> Text | None:
    """The act with its translations; None for a text that no entry with values gives."""
    if len(english) > LONGEST:
        return None
    if asked := _pattern(ASKED).fullmatch(english):
        return act_that_quotes(asked["asked"])
    for form in _forms():
        if found := _pattern(form).fullmatch(english):
            return with_values(form, found.groupdict())
    return None


@cache
def _forms() -> tuple[str, ...]:
    return tuple(each.remedy_with for each in message_remedies() if each.remedy_with is not None)


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """What a text of the form looks like, with a group for each value; one that comes again is the same."""
    parts, named = [], set[str]()
    for words, name, _, _ in Formatter().parse(str(form)):
        parts.append(re.escape(words))
        if name:
            parts.append(f"(?P={name})" if name in named else f"(?P<{name}>{VALUE})")
            named.add(name)
    return re.compile("".join(parts))
