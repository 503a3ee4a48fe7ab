"""Answers of Flink's REST API that a person pasted one below the other, with what was asked or said between them.

curl -s http://jobmanager:8081/jobs/62c0ae9f2958cc5d669a5f9058cc4097/checkpoints
{"counts": {"completed": 0, "failed": 57}}

{"vertices": [...]}

Each answer becomes a file of its own, on the lines where it stands; its name is the path that was asked, where one is
stated. Text beside the answers is another file if a format reads it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from diagnostics.formats import Recognition, recognise
from diagnostics.notation.file_range import Head

MOST_BYTES = 65_536
"""Larger files are written by programs. Our choice: the head of a file, which is read ahead in any case."""
MOST_ANSWERS = 100
"""Values read of one text, the first ones. Our choice: who pastes more sends a file for each."""
ANSWER_FORMATS = "flink-rest-"
"""Beginning of the ids of the formats of Flink's REST API."""
FEW = 3
"""Values that are looked at first: records of a program in JSON are many, and none of them is an answer. Our choice."""
SURE = 0.5
"""Confidence from which the text as a whole is of another format. Our choice: a copied message has less."""
BESIDE = "text.txt"

_GOES_ON = re.compile(rb"[}\]]\s*+[^\s,}\]]|\A\s{0,100}[^\s{\[]")
"""What no single JSON value has outside its strings: text behind a bracket that is no comma, or text in front of it."""
_BEGINNING = re.compile(r'(?m)^[ \t,]{0,40}(?=\{\s{0,100}["}]|\[\s{0,100}[{\]])')
_NEXT = re.compile(r'[\s,;]{0,400}(?=\{\s{0,100}["}]|\[\s{0,100}[{\]])')
"""Where a value begins: on a line of its own, or directly behind another value."""
_LEXEME = re.compile(r'"(?:[^"\\\n]|\\.)*+"|[{}\[\]]')
_PATH = re.compile(r"/((?:jobs|taskmanagers|jobmanager|overview|config)\b(?:/[\w:.@-]{1,100}){0,8})")


@dataclass(frozen=True, slots=True)
class PastedAnswer:
    """One piece of the text as a file; the lines before it are empty, so that its lines keep their numbers."""

    name: str
    content: bytes


@dataclass(frozen=True, slots=True)
class _Value:
    start: int
    end: int


def pasted_answers(content: bytes) -> Sequence[PastedAnswer]:
    """The pieces of a text that holds answers of Flink and something else, or several of them; empty for other files.

    content  the whole file, or its beginning when it has more than MOST_BYTES
    """
    if len(content) > MOST_BYTES or not _GOES_ON.search(content):
        return ()
    text = content.decode("utf-8", "replace").replace("\r\n", "\n")
    values = list(_values(text))
    beside = _without(text, values)
    if not values or (len(values) == 1 and not beside.strip()) or not _are_answers(text, values):
        return ()
    answers = [PastedAnswer(_name(text, values, place), _alone(text, each)) for place, each in enumerate(values)]
    return [*answers, PastedAnswer(BESIDE, beside.encode())] if _format_of(beside) else answers


def _values(text: str) -> Iterator[_Value]:
    """The outermost JSON values in order; one without an end goes on to the end of the text."""
    begin = _BEGINNING.search(text)
    for _ in range(MOST_ANSWERS):
        if begin is None:
            return
        end = _end_of(text, begin.end())
        yield _Value(begin.end(), end)
        begin = _NEXT.match(text, end) or _BEGINNING.search(text, end)


def _end_of(text: str, start: int) -> int:
    depth = 0
    for lexeme in _LEXEME.finditer(text, start):
        depth += (lexeme[0] in "{[") - (lexeme[0] in "}]")
        if depth == 0:
            return lexeme.end()
    return len(text)


def _are_answers(text: str, values: Sequence[_Value]) -> bool:
    """Whether half of the values are answers of Flink; behind other text only where that is of no format as a whole."""
    if text[: values[0].start].strip():
        whole = _recognised(text)
        if whole.confidence >= SURE and not (whole.format_id or "").startswith(ANSWER_FORMATS):
            return False
    are_read = (_is_answer(text[each.start : each.end]) for each in values)
    first = list(islice(are_read, FEW))
    return any(first) and 2 * (sum(first) + sum(are_read)) >= len(values)


def _is_answer(text: str) -> bool:
    return (_format_of(text) or "").startswith(ANSWER_FORMATS)


def _format_of(text: str) -> str | None:
    return _recognised(text).format_id if text.strip() else None


def _recognised(text: str) -> Recognition:
    return recognise(Head("", text.encode(), text, complete=True))


def _without(text: str, values: Sequence[_Value]) -> str:
    """The text beside the values, on its own lines; without commas between them."""
    kept, at = [], 0
    for each in values:
        kept += [text[at : each.start].strip(" \t,"), "\n" * text.count("\n", each.start, each.end)]
        at = each.end
    return "".join([*kept, text[at:].strip(" \t,")])


def _alone(text: str, value: _Value) -> bytes:
    return ("\n" * text.count("\n", 0, value.start) + text[value.start : value.end] + "\n").encode()


def _name(text: str, values: Sequence[_Value], place: int) -> str:
    """The path stated last before the value, else its number."""
    before = values[place - 1].end if place else 0
    asked = _PATH.findall(text[before : values[place].start])
    return f"{asked[-1].strip('/')}.json" if asked else f"{place + 1}.json"
