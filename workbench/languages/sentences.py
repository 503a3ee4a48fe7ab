"""Sentences of the web side in the language of the reader, as `diagnostics.language` has them for the library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypedDict, cast

from django.utils.translation import gettext, gettext_lazy, ngettext

from diagnostics.language import to_say

__all__ = ["Said", "said", "say", "say_counted", "say_later", "sentence_of", "to_say"]


def say(text: str, /, **values: Any) -> str:
    """A literal, or a text marked before, with its values by name: `say("{count} files", count=3)`."""
    translated = gettext(text) if text else text  # the empty one is a catalogue's head
    return translated.format(**values) if values else translated


def say_later(text: str) -> str:
    """A literal that is translated when it is shown: names of choices, labels of fields."""
    return cast(str, gettext_lazy(text))


def say_counted(one: str, many: str, count: int, /, **values: Any) -> str:
    """A sentence whose words depend on a number, which is its value `count`."""
    return ngettext(one, many, count).format(count=count, **values)


class Said(TypedDict):
    """A stored sentence: the marked English text and its values, from which `sentence_of` makes it."""

    text: str
    values: Mapping[str, str]


def said(text: str, /, **values: Any) -> Said:
    """The sentence of a text that `to_say` marks."""
    return {"text": text, "values": {name: str(value) for name, value in values.items()}}


def sentence_of(stored: Said | str) -> str:
    """The sentence in the reader's language; a text of an earlier version unchanged."""
    return stored if isinstance(stored, str) else say(stored["text"], **stored["values"])
