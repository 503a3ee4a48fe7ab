"""Sentences of the web side in the language of the reader, as `diagnostics.language` has them for the library.

They need no Django that is set up, so that the launcher says them too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, TypedDict, cast

from django.utils import translation
from django.utils.translation import gettext_lazy

from diagnostics import language as library
from diagnostics.language import ENGLISH, LIBRARY, Catalogue, to_say

__all__ = [
    "Said",
    "in_english",
    "in_language",
    "said",
    "say",
    "say_counted",
    "say_later",
    "say_stored",
    "sentence_of",
    "to_say",
]

OWN = Catalogue(Path(__file__).parent / "locale", "django")
CATALOGUES = (OWN, LIBRARY)


@contextmanager
def in_language(language: str) -> Iterator[None]:
    """Sentences of both houses that are made within are in this language."""
    with translation.override(language), library.reading_in(language):
        yield


def in_english() -> AbstractContextManager[None]:
    """Sentences made within are stored, and said again by `say_stored` when they are read."""
    return in_language(ENGLISH)


def say(text: str, /, **values: Any) -> str:
    """A literal, or a text marked before, with its values by name: `say("{count} files", count=3)`."""
    return library.say_from(OWN, text, values)


def say_later(text: str) -> str:
    """A literal that is translated when it is shown: names of choices, labels of fields."""
    return cast(str, gettext_lazy(text))


def say_counted(one: str, many: str, count: int, /, **values: Any) -> str:
    """A sentence whose words depend on a number, which is its value `count`."""
    return library.say_counted_from(OWN, one, many, {"count": count, **values})


def say_stored(english: str) -> str:
    """A sentence that `say` of either house made in English and that was stored, in the reader's language."""
    return library.say_stored(english, CATALOGUES)


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
