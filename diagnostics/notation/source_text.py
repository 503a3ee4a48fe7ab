"""Minimal parsing of Java, Scala, Python and SQL source: removes comments, lists calls with their arguments."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

LONGEST_CALL = 600
"""Characters of a call's arguments that are read. Our choice: settings are short."""
MOST_CALLS = 2_000
"""Calls whose arguments are read, the first ones. Our choice: a job has a few dozen settings."""
LINE_START = 200
"""Characters before a comment mark that are examined to decide whether it begins its line. Our choice."""

HINT = "/*+"
"""Beginning of a hint of SQL, which is no comment: `/*+ OPTIONS('scan.mode'='latest') */` changes what a query does."""

_MARK = re.compile(r"\"|'|//|/\*|--|#")
_CALL = re.compile(
    r"(?:\b([A-Za-z_]\w{0,60})\s{0,80}\.\s{0,80})?\b([A-Za-z_]\w{2,80})(?:<[\w\s,.?<>\[\]]{0,120}>)?\s?\("
)
_EXPRESSION = r"[A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}|\[\]|\(\)){0,8}"
PLAIN_CODE = re.compile(rf"{_EXPRESSION}(?:, {_EXPRESSION}){{0,3}}")
"""Names with `[]` and `()`, such as `byte[].class` and `getKey()`: they mean nothing but themselves in code."""

QUOTED_CODE = re.compile(r"\.?[A-Za-z_][\w .,()<>\[\]{}\"'+*/%=?:!@-]{1,400}\)")
"""A call of a source on one line, unchanged: a shell takes it for an error, whatever it holds."""
_TYPE = r"[A-Za-z_]\w{0,80}(?:\.[A-Za-z_]\w{0,80}){0,8}(?:\[\])?"
_OF_TYPES = rf"{_TYPE}(?:<{_TYPE}(?:, ?{_TYPE}){{0,3}}>)?"
_OF_TYPES_OF_TYPES = rf"{_TYPE}(?:<{_OF_TYPES}(?:, ?{_OF_TYPES}){{0,3}}>)?"
TYPED_CODE = re.compile(
    rf"{PLAIN_CODE.pattern}|{_OF_TYPES_OF_TYPES}(?:, ?{_OF_TYPES_OF_TYPES}){{0,3}}|{QUOTED_CODE.pattern}"
)
"""Types such as `Map<String, List<Long>>`, and what gives one: `byte[].class`, `Types.LIST(Types.STRING)`. They belong
into Java only: in a shell `<` and `>` have a meaning.
"""
SOURCE_FORMS = {"code": PLAIN_CODE, "source": QUOTED_CODE, "type": TYPED_CODE}
"""Format of a placeholder in code -> the texts of a source that are inserted for it."""

MOST_CLASSES, LONGEST_CLASS = 200, 40_000
"""Classes of a source, and the characters of one, that are read. Our choice: a job has a few of some hundred lines."""
_CLASS = re.compile(r"\bclass\s{1,20}([A-Za-z_]\w{0,100})\b[^{};]{0,400}\{")

_MARK_OR_QUOTES = re.compile(r"""[()\[\]{},]|"(?:\\.|[^"\\\n])*+"?|'(?:\\.|[^'\\\n])*+'?""", re.DOTALL)
_DEPTH = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1, ",": 0}


@dataclass(frozen=True, slots=True)
class Call:
    """One call `receiver.name(arguments)`; the receiver is the word before the dot, None without one."""

    receiver: str | None
    name: str
    arguments: tuple[str, ...]
    line: int
    last_line: int


def without_comments(text: str) -> str:
    """The text with its comments blanked; line numbers stay the same.

    `//` and `/*` begin a comment in any language, `--` between spaces in SQL (elsewhere it is the decrement), `#` at
    the start of a line in Python. Quoted text and the hints of SQL are unchanged.
    """
    kept: list[str] = []
    at = 0
    while mark_match := _MARK.search(text, at):
        mark, start = mark_match.group(), mark_match.start()
        if mark in "\"'":
            end = _end_of_quotes(text, start, mark)
            kept.append(text[at:end])
        elif (mark in ("#", "--") and not _starts_comment(text, start, mark)) or text.startswith(HINT, start):
            end = mark_match.end()
            kept.append(text[at:end])
        else:
            end = _end_of_comment(text, start, mark)
            kept += [text[at:start], "\n" * text.count("\n", start, end)]
        at = end
    return "".join([*kept, text[at:]])


def _starts_comment(text: str, start: int, mark: str) -> bool:
    before = text[max(0, start - LINE_START) : start]
    if not before.rpartition("\n")[2].strip():
        return True
    return mark == "--" and before[-1:].isspace() and text[start + 2 : start + 3].isspace()


def _end_of_quotes(text: str, start: int, mark: str) -> int:
    at = start + 1
    while at < len(text) and text[at] not in (mark, "\n"):
        at += 2 if text[at] == "\\" else 1
    return min(at + 1, len(text))


def _end_of_comment(text: str, start: int, mark: str) -> int:
    end = text.find("*/", start + 2) if mark == "/*" else text.find("\n", start)
    if end < 0:
        return len(text)
    return end + 2 if mark == "/*" else end


class Lines:
    """Line numbers of offsets in a text, from 1."""

    def __init__(self, text: str) -> None:
        self._text = text

    def at(self, place: int) -> int:
        """The line of an offset."""
        return bisect_right(_breaks(self._text), place - 1) + 1


@lru_cache(maxsize=2)
def _breaks(text: str) -> list[int]:
    """Where lines end: each reader of a source asks for those of the same text."""
    return [found.start() for found in re.finditer("\n", text)]


def calls(text: str, wanted: Callable[[str], bool]) -> Iterator[Call]:
    """The calls with the wanted names in a text without comments, in order, including calls within arguments."""
    lines = Lines(text)
    named = (found for found in _CALL.finditer(text) if wanted(found.group(2)))
    for found in islice(named, MOST_CALLS):
        inside = enclosed(text, found.end() - 1)
        if inside is not None:
            first, last = lines.at(found.start()), lines.at(found.end() + len(inside))
            yield Call(found.group(1), found.group(2), tuple(parted(inside)), first, last)


def enclosed(text: str, opening: int, longest: int = LONGEST_CALL) -> str | None:
    """The text between the bracket at `opening` and its partner; None when that is too far away or missing."""
    depth = 0
    for place, change in _marks(text, opening, opening + longest):
        depth += change
        if depth == 0:
            return text[opening + 1 : place]
    return None


def classes(text: str) -> Iterator[tuple[str, int, int]]:
    """Name, begin and end of each class whose end is not too far away."""
    begun = list(islice(_CLASS.finditer(text), MOST_CLASSES))
    partners = _partners(text) if begun else {}
    for each in begun:
        opening = each.end() - 1
        end = partners.get(opening, len(text))
        if opening + 1 < end < min(len(text), opening + LONGEST_CLASS):
            yield each.group(1), each.start(), end


def _partners(text: str) -> dict[int, int]:
    """Opening bracket -> its partner. In one pass: a text in nested classes would be read once for each of them."""
    partners, unclosed = {}, []
    for place, change in _marks(text, 0, len(text)):
        if change > 0:
            unclosed.append(place)
        elif change < 0 and unclosed:
            partners[unclosed.pop()] = place
    return partners


def parted(inside: str) -> Sequence[str]:
    """The arguments, split at commas outside brackets and quotes."""
    parts, depth, begun = [], 0, 0
    for place, change in _marks(inside, 0, len(inside)):
        depth += change
        if change == depth == 0:
            parts.append(inside[begun:place].strip())
            begun = place + 1
    last = inside[begun:].strip()
    return [*parts, last] if last or parts else []


def _marks(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Place of each bracket and comma outside quotes, and by how much the depth changes there."""
    for each in _MARK_OR_QUOTES.finditer(text, begin, end):
        change = _DEPTH.get(text[each.start()])
        if change is not None:
            yield each.start(), change
