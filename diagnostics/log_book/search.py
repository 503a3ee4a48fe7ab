"""The search syntax for log records: words, "phrases", /expressions/ and fields, negated with `-`.

    expired level:warn+ -logger:kafka checkpoint=42 "switched from RUNNING" /timed? out/

All terms have to hold. A term is one of

    word  "some words"         the text of the record or of its stack trace contains it, in any letter case
    /expression/               RE2 finds it there; RE2 takes linear time, whatever the expression is
    field:part  field:"part"   the field contains it, in any letter case; for numbers the same as `=`
    field=value                the field is exactly that
    field:a,b                  one of several
    level:warn+                that level or a graver one
    checkpoint:10..20          numbers between two, both included
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from diagnostics.errors import DiagnosticsError
from diagnostics.language import listed, say
from diagnostics.log_book.columns import LEVELS

MOST_TERMS = 30
MOST_TERM = 1_000
MOST_VALUES = 50
"""Limits of a search. Our choice: ten times what people type."""

TEXT_FIELDS = {
    "logger": "logger",
    "thread": "thread",
    "task": "task",
    "event": "event",
    "exception": "exception_class",
    "cause": "root_cause_class",
    "taskmanager": "task_manager",
    "job": "job_id",
}
"""Field -> column of text."""

NUMBER_FIELDS = {"checkpoint": "checkpoint_id", "attempt": "attempt", "subtask": "subtask", "line": "line"}
"""Field -> column of numbers. `subtask` counts from 0, as Flink's REST answers do."""

FILE_FIELDS = {"file": "name", "host": "host", "role": "role"}
"""Field -> attribute of a file."""

FIELDS = ("level", "pattern", *TEXT_FIELDS, *NUMBER_FIELDS, *FILE_FIELDS)

SIGNS = {":": ":", "=": "=", "\uff1a": ":", "\uff1d": "="}
COMMAS = re.compile("[,\uff0c\u3001]")
"""The signs behind a field and between its values; a Chinese keyboard writes the full-width ones."""

_FIELD = re.compile(rf"(?P<field>{'|'.join(FIELDS)})(?P<sign>[{''.join(SIGNS)}])", re.IGNORECASE)
_RANGE = re.compile(r"(?P<first>\d{1,18})(?:\.\.(?P<last>\d{1,18}))?$")

Kind = Literal["text", "expression", "part", "exact", "level", "number"]


class InvalidSearch(DiagnosticsError):
    """An invalid search; the text names the term and the expected syntax."""


@dataclass(frozen=True, slots=True)
class Term:
    """One condition.

    field     null for the text of the record
    values    texts, an expression, or "first..last" of numbers and of levels' indexes; one of them has to match
    source    as typed
    """

    kind: Kind
    field: str | None
    values: tuple[str, ...]
    excluded: bool
    source: str

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The values of a number or level term, as pairs of first and last."""
        pairs = (each.split("..") for each in self.values)
        return [(int(first), int(last)) for first, last in pairs]


@dataclass(frozen=True, slots=True)
class Search:
    """Terms that all have to hold."""

    terms: tuple[Term, ...] = ()

    @property
    def looked_for(self) -> Search:
        """The terms about the text that are not negated, whose matches are highlighted."""
        return Search(tuple(each for each in self.terms if each.field is None and not each.excluded))

    @property
    def narrowed_by(self) -> Search:
        """The other terms."""
        looked_for = self.looked_for.terms
        return Search(tuple(each for each in self.terms if each not in looked_for))


CLOSING = {'"': '"', "\u201c": "\u201d"}
"""Quotation mark before a phrase -> the one after it; a Chinese keyboard writes the second pair."""


def parse_search(text: str) -> Search:
    """The parsed search. Raises InvalidSearch."""
    terms = tuple(_terms(text))
    if len(terms) > MOST_TERMS:
        raise InvalidSearch(
            say("A search has at most {most} terms; this one has {count}.", most=MOST_TERMS, count=len(terms))
        )
    return Search(terms)


def quoted(value: str) -> str:
    """A value quoted for use after `=` or `:`."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _terms(text: str) -> Iterator[Term]:
    place = 0
    while place < len(text):
        if text[place].isspace():
            place += 1
            continue
        start = place
        excluded = text[place] == "-" and place + 1 < len(text) and not text[place + 1].isspace()
        place += excluded
        named = _FIELD.match(text, place)
        place = named.end() if named else place
        value, kind, place = _value(text, place)
        source = text[start:place]
        if len(source) > MOST_TERM:
            raise InvalidSearch(say("A term has at most {most} characters: {term}…", most=MOST_TERM, term=source[:40]))
        if named:
            yield _field_term(named["field"].lower(), SIGNS[named["sign"]], value, kind, excluded, source)
        elif value:
            yield Term("expression" if kind == "expression" else "text", None, (value,), excluded, source)


def _value(text: str, place: int) -> tuple[str, str, int]:
    """The value at this offset, its kind (phrase, expression or word), and its end."""
    opening = text[place : place + 1]
    if opening in CLOSING:
        value, end = _until(text, place + 1, CLOSING[opening])
        return value, "phrase", end
    if opening == "/":
        found = re.compile(r"/((?:[^/\\]|\\.)+)/(?=\s|$)", re.DOTALL).match(text, place)
        if found:
            return found[1], "expression", found.end()
    end = place
    while end < len(text) and not text[end].isspace():
        end += 1
    return text[place:end], "word", end


def _until(text: str, place: int, closing: str) -> tuple[str, int]:
    value = []
    while place < len(text) and text[place] != closing:
        if text[place] == "\\" and place + 1 < len(text):
            place += 1
        value.append(text[place])
        place += 1
    return "".join(value), min(place + 1, len(text))


def _field_term(field: str, sign: str, value: str, kind: str, excluded: bool, source: str) -> Term:
    if not value:
        example = f"{field}{sign}{_EXAMPLES.get(field, 'value')}"
        raise InvalidSearch(say("{term} has no value: write for example {example}", term=source, example=example))
    values = tuple(each for each in COMMAS.split(value) if each)[:MOST_VALUES] if kind == "word" else (value,)
    if field == "level":
        return Term("level", field, tuple(_level(each, source) for each in values), excluded, source)
    if field in NUMBER_FIELDS:
        return Term("number", field, tuple(_number(each, source) for each in values), excluded, source)
    if kind == "expression":
        return Term("expression", field, values, excluded, source)
    return Term("exact" if sign == "=" or field == "pattern" else "part", field, values, excluded, source)


_EXAMPLES = {"level": "warn+", "checkpoint": "42", "attempt": "0", "subtask": "3", "line": "100..200"}


def _level(value: str, source: str) -> str:
    name = value.rstrip("+").upper()
    name = {"WARNING": "WARN"}.get(name, name)
    if name not in LEVELS:
        raise InvalidSearch(
            say(
                "{term}: a level is one of {levels}, with + for it and the graver ones.",
                term=source,
                levels=listed(LEVELS),
            )
        )
    place = LEVELS.index(name)
    return f"{place}..{len(LEVELS) - 1 if value.endswith('+') else place}"


def _number(told: str, source: str) -> str:
    found = _RANGE.match(told)
    if not found:
        raise InvalidSearch(say("{term}: this field is a number, or two with .. between them.", term=source))
    return f"{found['first']}..{found['last'] or found['first']}"
