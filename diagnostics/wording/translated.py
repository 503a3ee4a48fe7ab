"""A text of a YAML file with its translations, which state the same facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from diagnostics.wording import phrase
from diagnostics.yaml_document import with_translations


def translated(
    english: str, entry: Mapping[str, Any], name: str, report: Callable[[str], None], index: int | None = None
) -> str:
    """The text with the translations that the entry has for it.

    name, index  where the entry has it; the index in a list of texts
    report       called with what is wrong with a translation: the text is then English alone
    """
    try:
        text = with_translations(english, entry, name, index)
    except ValueError as error:
        report(str(error))
        return english
    if lost := phrase.facts_lost(text):
        report(lost)
    return text
