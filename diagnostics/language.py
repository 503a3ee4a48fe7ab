"""The language of the reader: texts that carry their translations, and sentences of code made in that language.

English is the language of everything that is stored. A text of a rule, runbook or catalogue is a `Text`, which has its
translations from the same file; a sentence of code is made by `say` from the catalogue `locale/` beside this module.
"""

from __future__ import annotations

import gettext
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any

ENGLISH = "en"
CHINESE = "zh-hans"

SUFFIXES: Mapping[str, str] = {CHINESE: "zh"}
"""Language -> suffix of the entries with its texts: `title_zh` beside `title`."""

CATALOGUES = Path(__file__).parent / "locale"
DOMAIN = "diagnostics"
FOLDERS: Mapping[str, str] = {CHINESE: "zh_Hans"}
"""Language -> folder of its catalogue."""

_reader: ContextVar[str] = ContextVar("reader", default=ENGLISH)


@contextmanager
def reading_in(language: str) -> Iterator[None]:
    """Sentences made within are for a reader of this language."""
    token = _reader.set(language)
    try:
        yield
    finally:
        _reader.reset(token)


def reader_language() -> str:
    """The language of the sentences that are made now."""
    return _reader.get()


def reads_chinese() -> bool:
    """Whether sentences are made in Chinese, which joins them without spaces and has no plural."""
    return _reader.get() == CHINESE


class Text(str):
    """An English text with its translations by language. It compares and hashes as the English one, so that a rule with
    translations equals the same rule without them.
    """

    translations: Mapping[str, str]

    def __new__(cls, english: str, translations: Mapping[str, str]) -> Text:
        text = super().__new__(cls, english)
        text.translations = translations
        return text

    def __reduce__(self) -> tuple[Callable[..., Text], tuple[str, Mapping[str, str]]]:
        return Text, (str(self), dict(self.translations))


def in_reader_language(text: str) -> str:
    """The text as its reader's language has it; the English one where it is not translated."""
    return text.translations.get(_reader.get(), text) if isinstance(text, Text) else text


def say(text: str, /, **values: Any) -> str:
    """A sentence of code in the reader's language: `say("{count} files", count=3)`.

    The text is a literal, or one marked by `to_say`, so that the catalogue has it.
    """
    translated = _catalogue(_reader.get()).gettext(text)
    return translated.format(**values) if values else translated


def say_counted(one: str, many: str, count: int, /, **values: Any) -> str:
    """A sentence whose words depend on a number, which is its value `count`."""
    return _catalogue(_reader.get()).ngettext(one, many, count).format(count=count, **values)


def to_say(text: str) -> str:
    """Marks a literal that `say` translates later."""
    return text


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    if language not in FOLDERS:
        return gettext.NullTranslations()
    return gettext.translation(DOMAIN, str(CATALOGUES), [FOLDERS[language]])
