"""JSON files with the line of each value, and the outline of a file from its head."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

from diagnostics.errors import LimitExceeded, UnreadableInput
from diagnostics.language import say
from diagnostics.notation.file_range import Head, Range, open_text
from diagnostics.notation.json_excerpt import complete_excerpt

MOST_DOCUMENT_BYTES = 32 * 1024 * 1024
"""Our choice: the largest answer seen from Flink is 3 MB; parsed JSON takes up to twenty times its text in memory."""

MOST_NUMBERED_CHARACTERS = 4 * 1024 * 1024
"""Documents of several lines above this are cited by pointer only: locating every value takes about 1 s."""

MOST_PLACES = 500_000
"""Documents with more values are cited by pointer only. Our choice: 4 MiB of Flink's have 250,000."""

DEEPEST = 16
"""Values nested deeper have no path of their own. Our choice: formats cite at most six levels, and paths of a million
values hundreds of levels deep would take gigabytes.
"""

OUTLINE_TOKENS = 1_500
"""Tokens that an outline reads: every answer of Flink shows its shape within 700 tokens. About half a millisecond."""

OUTLINE_DEPTH = 4

Key = str | int
Place = tuple[int | None, int | None]

_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[{}\[\],:\n]|[^\s"{}\[\],:]++', re.DOTALL)


@dataclass(slots=True)
class _Container:
    is_object: bool
    path: tuple[Key, ...]
    position: Key | None
    at_key: bool


@dataclass(frozen=True, slots=True)
class Step:
    """One token of JSON text: a scalar, or an opening or closing bracket, of the value at `path`."""

    kind: Literal["scalar", "open", "close"]
    path: tuple[Key, ...]
    line: int
    lexeme: str


def walk(text: str, most_tokens: int | None = None) -> Iterator[Step]:
    """The values of a JSON text in order down to DEEPEST, with their paths and lines.

    Accepts text that ends early or is malformed.
    """
    containers: list[_Container] = []
    line = 1
    for count, found in enumerate(_TOKEN.finditer(text)):
        if most_tokens is not None and count >= most_tokens:
            return
        lexeme = found.group()
        holder = containers[-1] if containers else None
        if lexeme == "\n":
            line += 1
        elif lexeme in "}]":
            if holder is None:
                return
            containers.pop()
            if len(containers) <= DEEPEST:
                yield Step("close", holder.path, line, lexeme)
        elif lexeme == ",":
            _next_item(holder)
        elif lexeme == ":":
            continue
        elif holder is not None and holder.at_key:
            holder.position, holder.at_key = _plain(lexeme), False
        else:
            is_deep = len(containers) > DEEPEST
            path = () if is_deep or holder is None or holder.position is None else (*holder.path, holder.position)
            is_open = lexeme in "{["
            if not is_deep:
                yield Step("open" if is_open else "scalar", path, line, lexeme)
            if is_open:
                is_object = lexeme == "{"
                containers.append(_Container(is_object, path, None if is_object else 0, is_object))


def _next_item(holder: _Container | None) -> None:
    if holder is None:
        return
    if holder.is_object:
        holder.at_key = True
    elif isinstance(holder.position, int):
        holder.position += 1


def _plain(lexeme: str) -> str:
    if "\\" in lexeme:
        try:
            return str(json.loads(lexeme))
        except ValueError:
            return lexeme
    return lexeme.strip('"')


@dataclass(frozen=True, slots=True)
class Outline:
    """The structure of the beginning of a JSON file.

    keys      path of an object, array positions as `*`, joined by `/` -> its keys; the outermost path is ``
    is_array  whether the outermost value is an array
    is_empty  whether it is `[]` or `{}`
    several   whether another value follows the first (JSON lines)
    """

    keys: Mapping[str, frozenset[str]]
    is_array: bool
    is_empty: bool
    several: bool

    def has(self, path: str, *keys: str) -> bool:
        """Whether the object at `path` has all these keys."""
        return self.keys.get(path, frozenset()).issuperset(keys)


@lru_cache(maxsize=4)
def _outline(text: str, complete: bool) -> Outline:
    if complete:
        try:
            return _outline_of(json.loads(text))
        except (ValueError, RecursionError):
            pass  # malformed, too deep, or several values: `walk` accepts them
    keys: dict[str, set[str]] = {}
    is_array = is_empty = several = False
    for number, step in enumerate(walk(text, OUTLINE_TOKENS)):
        if number == 0:
            is_array = step.lexeme == "["
            is_empty = True
        elif not step.path and step.kind != "close":
            several = True
            break
        else:
            is_empty = is_empty and step.kind == "close"
        if step.path and len(step.path) <= OUTLINE_DEPTH and isinstance(step.path[-1], str):
            parent = "/".join("*" if isinstance(part, int) else part for part in step.path[:-1])
            keys.setdefault(parent, set()).add(step.path[-1])
    return Outline({path: frozenset(found) for path, found in keys.items()}, is_array, is_empty, several)


def _outline_of(value: Any) -> Outline:
    """The outline of a parsed value; walking the text of a hundred small REST answers took a second."""
    keys: dict[str, set[str]] = defaultdict(set)
    level = [("", value)]
    for _ in range(OUTLINE_DEPTH):
        below = []
        for path, each in level:
            if isinstance(each, dict):
                keys[path].update(each)
            inside = each.items() if isinstance(each, dict) else (("*", item) for item in each)
            below += [(f"{path}/{key}" if path else key, item) for key, item in inside if isinstance(item, dict | list)]
        level = below
    found = {path: frozenset(names) for path, names in keys.items() if names}
    return Outline(found, isinstance(value, list), not value, several=False)


def outline(head: Head) -> Outline | None:
    """The outline of a JSON file, or of an excerpt of one, from its head; None when it does not begin like JSON."""
    text = head.text.lstrip("\ufeff \t\r\n")
    if text[:1] in ("{", "["):
        return _outline(text, head.complete)
    excerpt = complete_excerpt(text) if head.complete and text[:1] == '"' else None
    return _outline(excerpt, complete=True) if excerpt else None


@dataclass(slots=True)
class JsonDocument:
    """A parsed JSON file with the lines of its values.

    is_excerpt  whether it is no whole JSON, and was read as an excerpt
    """

    value: Any
    text: str
    is_excerpt: bool = False
    _places: dict[tuple[Key, ...], Place] | None = field(default=None, repr=False)

    def at(self, *path: Key) -> dict[str, Any]:
        """The citation columns of the value at `path`: line, last_line, pointer."""
        line, last_line = self._place(path)
        return {"line": line, "last_line": last_line, "pointer": pointer(*path)}

    def _place(self, path: tuple[Key, ...]) -> Place:
        if self._places is None:
            self._places = self._find_places()
        while path not in self._places:
            if not path:
                return (None, None)
            path = path[:-1]
        return self._places[path]

    def _find_places(self) -> dict[tuple[Key, ...], Place]:
        body = self.text.rstrip()
        before = len(body) - len(body.lstrip())
        if "\n" not in body.lstrip():
            line = 1 + body.count("\n", 0, before)
            return {(): (line, line)}
        if len(self.text) > MOST_NUMBERED_CHARACTERS:
            return {(): (None, None)}
        places: dict[tuple[Key, ...], Place] = {}
        for step in walk(self.text):
            first = places[step.path][0] if step.kind == "close" and step.path in places else step.line
            places[step.path] = (first, step.line)
            if len(places) > MOST_PLACES:
                return {(): (None, None)}
        return places


def pointer(*path: Key) -> str:
    """The JSON pointer (RFC 6901) of a path; the whole document is the empty string."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def read_json(part: Range, takes_excerpts: bool = False) -> JsonDocument:
    """The document in the file.

    takes_excerpts  whether it may be a part that a person copied, see `complete_excerpt`

    Raises  LimitExceeded, and UnreadableInput with reason and position: not JSON, ends early, nested too deeply.
    """
    if part.size > MOST_DOCUMENT_BYTES:
        raise LimitExceeded(
            say(
                "a JSON document of {size:,} bytes; at most {most_document:,} are read",
                size=part.size,
                most_document=MOST_DOCUMENT_BYTES,
            )
        )
    with open_text(part) as opened:
        text = opened.read()
    return parse_json(text, takes_excerpts)


def parse_json(text: str, takes_excerpts: bool = False) -> JsonDocument:
    """The document in `text`. Raises UnreadableInput as `read_json` does."""
    try:
        value = json.loads(text, parse_constant=lambda _name: None)
    except json.JSONDecodeError as error:
        if takes_excerpts and (excerpt := complete_excerpt(text)) is not None:
            return JsonDocument(json.loads(excerpt, parse_constant=lambda _name: None), excerpt, is_excerpt=True)
        ends_early = error.pos >= len(text.rstrip()) or error.msg.startswith("Unterminated string")
        what = say("the JSON document ends in the middle") if ends_early else say("not valid JSON")
        raise UnreadableInput(
            say(
                "{what}: {problem} at line {line}, column {column}",
                what=what,
                problem=error.msg,
                line=error.lineno,
                column=error.colno,
            )
        ) from None
    except RecursionError:
        raise LimitExceeded(say("JSON nested too deeply to be an answer of Flink (hundreds of levels)")) from None
    except ValueError as error:
        raise UnreadableInput(say("JSON with a number that is no number of any use: {error}", error=error)) from None
    return JsonDocument(value, text)
