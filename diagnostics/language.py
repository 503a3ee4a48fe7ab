"""The language of the reader: texts that carry their translations, and sentences of code made in that language.

English is the language of everything that is stored. A text of a rule, runbook or catalogue is a `Text`, which has its
translations from the same file; a sentence of code is made by `say` from the catalogue `locale/` beside this module.
Most sentences are made when they are read. Those that are stored, such as warnings about files, are said again by
`say_stored`: who writes them writes `say`, and neither the stored form nor the answers of the API change.
"""

from __future__ import annotations

import argparse
import gettext
import re
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from string import Formatter
from typing import Any

ENGLISH = "en"
CHINESE = "zh-hans"

SUFFIXES: Mapping[str, str] = {CHINESE: "zh"}
"""Language -> suffix of the entries with its texts: `title_zh` beside `title`."""
LANGUAGES = (ENGLISH, *SUFFIXES)
TERMINAL_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
"""Variables that name the locale of messages, the first that is set counts. Source: POSIX.1-2017, "Environment
Variables", 8.2.
"""

CATALOGUES = Path(__file__).parent / "locale"
DOMAIN = "diagnostics"


@dataclass(frozen=True, slots=True)
class Catalogue:
    """Translations of the sentences of a house: a folder in the layout of gettext, and the name of the files there."""

    folder: Path
    domain: str

    def of(self, language: str) -> Path:
        """The compiled file of a language of FOLDERS."""
        return self.folder / FOLDERS[language] / "LC_MESSAGES" / f"{self.domain}.mo"


LIBRARY = Catalogue(CATALOGUES, DOMAIN)
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


def command_language(arguments: Sequence[str], environ: Mapping[str, str]) -> str:
    """The language of a command at a terminal: `--language`, else that of the locale.

    Chinese of any region is simplified Chinese, like for a browser.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--language", nargs="?")
    chosen = parser.parse_known_args(arguments)[0].language
    if chosen in LANGUAGES:
        return str(chosen)
    locale = next(filter(None, map(environ.get, TERMINAL_VARIABLES)), "")
    return CHINESE if re.match(r"zh(?![a-z])", locale) else ENGLISH


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
    return say_from(LIBRARY, text, values)


def say_from(catalogue: Catalogue, text: str, values: Mapping[str, Any]) -> str:
    """`say` with the sentences of a house."""
    translated = _catalogue(_reader.get(), catalogue).gettext(text) if text else text  # the empty one is its head
    return translated.format(**values) if values else translated


def say_counted(one: str, many: str, count: int, /, **values: Any) -> str:
    """A sentence whose words depend on a number, which is its value `count`."""
    return say_counted_from(LIBRARY, one, many, {"count": count, **values})


def say_counted_from(catalogue: Catalogue, one: str, many: str, values: Mapping[str, Any]) -> str:
    """`say_counted` with the sentences of a house."""
    return _catalogue(_reader.get(), catalogue).ngettext(one, many, values["count"]).format(**values)


def to_say(text: str) -> str:
    """Marks a literal that `say` translates later."""
    return text


def joined_sentences(sentences: Iterable[str]) -> str:
    """Sentences one after the other; no space follows a Chinese full stop, but one follows a log line at an end."""
    text = ""
    for sentence in filter(None, sentences):
        text += sentence if not text or text.endswith(CHINESE_ENDS) else f" {sentence}"
    return text


def listed(names: Iterable[str]) -> str:
    """Names with the comma of the reader's language: `a, b, c`, in Chinese `a、b、c`."""
    return (CHINESE_COMMA if reads_chinese() else ", ").join(names)


LONGEST_STORED = 2_000
"""Longer texts stay English: no sentence of ours is as long. Our choice."""
DEEPEST_VALUE = 2
"""Sentences within sentences that are said again. Our choice: an error within a warning."""
FEWEST_LETTERS, FEWEST_WORDS = 7, 2
"""What a template needs outside of its values to be recognised: `{a} of {b}` would fit any text. Our choice."""


def say_stored(english: str, catalogues: tuple[Catalogue, ...] = (LIBRARY,)) -> str:
    """A sentence that `say` made in English and that was stored, in the reader's language.

    The stored text is its own key: a text without values is in one of the catalogues, and one with values has the words
    of its template there, with the values between them. A text that fits no template, or one in two ways, stays
    English.
    """
    return _said_again(_reader.get(), english, catalogues, 0)


@lru_cache(maxsize=4096)
def _said_again(language: str, english: str, catalogues: tuple[Catalogue, ...], depth: int) -> str:
    if language not in FOLDERS or len(english) > LONGEST_STORED or depth > DEEPEST_VALUE or not english:
        return english
    for catalogue in catalogues:
        translated = _catalogue(language, catalogue).gettext(english)
        if translated != english:
            return translated
    templates = (each for catalogue in catalogues for each in _templates(language, catalogue))
    fitting = [(each, values) for each in templates if (values := each.values_in(english)) is not None]
    if fitting:
        template, values = max(fitting, key=lambda pair: pair[0].length)
        # A single word is a name more often than a sentence: an operator may be called `Records`.
        said = {
            name: _said_again(language, value, catalogues, depth + 1) if " " in value else value
            for name, value in values.items()
        }
        return template.translated.format(**said)
    if NUMBERS.fullmatch(english):
        *others, last = NUMBER.findall(english)
        conjunction = _catalogue(language, LIBRARY).gettext("and")
        return f"{CHINESE_COMMA.join(others)} {conjunction} {last}"
    sentences = SENTENCE_END.split(english)
    if len(sentences) > 1:
        with reading_in(language):
            return joined_sentences(_said_again(language, each, catalogues, depth) for each in sentences)
    reasons = english.split(REASONS_APART)
    said_each = [_said_again(language, each, catalogues, depth) for each in reasons] if len(reasons) > 1 else reasons
    return english if said_each == reasons else "\uff1b".join(said_each)


REASONS_APART = "; "
CHINESE_COMMA = "\u3001"
CHINESE_ENDS = ("\u3002", "\uff1f", "\uff01")
NUMBER = re.compile(r"\d+")
NUMBERS = re.compile(r"\d+(?:, \d+)* and \d+")
"""An enumeration of numbers, as of subtasks, within a stored sentence."""
SENTENCE_END = re.compile(r"(?<=[.!?]) (?=[A-Z])")


@dataclass(frozen=True, slots=True)
class _Template:
    """An English text with values, to recognise it in what was stored.

    words       what stands before, between and after the values
    names       of the values
    translated  the translation, whose values are texts already
    """

    words: tuple[str, ...]
    names: tuple[str, ...]
    translated: str

    @property
    def length(self) -> int:
        return sum(map(len, self.words))

    def values_in(self, text: str) -> dict[str, str] | None:
        """The values of a text that has the words of this template; None when it has not, or in two ways."""
        first, *between = self.words
        last = between.pop()
        if not (text.startswith(first) and text.endswith(last) and len(text) >= len(first) + len(last)):
            return None
        inner = text[len(first) : len(text) - len(last)]
        values = _parted(inner, between)
        if values is None or values != _parted(inner[::-1], [word[::-1] for word in between[::-1]], backwards=True):
            return None
        by_name = dict(zip(self.names, values, strict=True))
        return by_name if all(by_name[name] == value for name, value in zip(self.names, values, strict=True)) else None


def _parted(text: str, words: Iterable[str], *, backwards: bool = False) -> list[str] | None:
    """What stands between the words, each at its first place after the one before; None when one is missing."""
    parts = []
    for word in words:
        if word not in text:
            return None
        part, _, text = text.partition(word)
        parts.append(part)
    parts.append(text)
    return [part[::-1] for part in parts[::-1]] if backwards else parts


@cache
def _templates(language: str, catalogue: Catalogue) -> tuple[_Template, ...]:
    """The translated texts with values."""
    return tuple(
        template
        for english, translated in _entries(catalogue.of(language))
        if translated and (template := _template(english, translated)) is not None
    )


def _template(english: str, translated: str) -> _Template | None:
    """The template of a text; None for one whose values nothing separates, or with too few words of its own.

    A text with facts as values (`{restarts.restarts|often}`) is filled when it is read, so that it is never stored.
    """
    words, names = [""], []
    try:
        for literal, name, _, _ in Formatter().parse(english):
            words[-1] += literal
            if name:
                names.append(name)
                words.append("")
    except ValueError:  # a single brace: it is no text of `say`
        return None
    own = " ".join(words)
    if (
        not names
        or not all(map(str.isidentifier, names))
        or "" in words[1:-1]
        or sum(map(str.isalpha, own)) < FEWEST_LETTERS
        or len(re.findall(r"[^\W\d_]+", own)) < FEWEST_WORDS
    ):
        return None
    return _Template(tuple(words), tuple(names), _without_formats(translated))


def _without_formats(text: str) -> str:
    """The text with `{count}` for `{count:,}`."""
    parts = []
    for literal, name, _, _ in Formatter().parse(text):
        parts.append(literal.replace("{", "{{").replace("}", "}}"))
        if name:
            parts.append(f"{{{name}}}")
    return "".join(parts)


def _entries(path: Path) -> Iterator[tuple[str, str]]:
    """Each English text of a compiled catalogue, singular and plural, with its translation.

    Source of the layout: GNU gettext manual, "The Format of GNU MO Files".
    """
    content = path.read_bytes()
    _, _, count, texts, translations = struct.unpack_from("<5I", content)
    for place in range(count):
        english, translated = (
            content[start : start + length].decode()
            for length, start in (
                struct.unpack_from("<2I", content, table + 8 * place) for table in (texts, translations)
            )
        )
        for form in english.split("\0"):
            yield form, translated.partition("\0")[0]


@cache
def _catalogue(language: str, catalogue: Catalogue) -> gettext.NullTranslations:
    if language not in FOLDERS:
        return gettext.NullTranslations()
    return gettext.translation(catalogue.domain, str(catalogue.folder), [FOLDERS[language]])
