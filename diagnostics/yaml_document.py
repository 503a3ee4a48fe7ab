"""Strict YAML for rules, runbooks and catalogues, with the line of every entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import yaml

from diagnostics.errors import InvalidRule
from diagnostics.language import SUFFIXES, Text, say, to_say

LONGEST_DOCUMENT = 100_000
"""Characters. Our choice: the longest shipped runbook has half of it."""

DEEPEST_NESTING = 40
"""Nesting depth of mappings and lists. Our choice: rules need a dozen, and reading takes quadratic time."""

TEXT_TAG = yaml.resolver.BaseResolver.DEFAULT_SCALAR_TAG

MOST_BITS = 64
"""Bits of an integer. Our choice: epoch nanoseconds fit; Python refuses to print numbers of thousands of digits."""

FAULTS: Mapping[str, str] = {
    "mapping values are not allowed in this context": to_say(
        "a colon cannot be here: put the entry below its parent, or the text in quotation marks"
    ),
    "did not find expected ',' or ']'": to_say("a list in brackets lacks a comma or its closing bracket"),
    "did not find expected ',' or '}'": to_say("a mapping in braces lacks a comma or its closing brace"),
    "did not find expected '-' indicator": to_say("an entry of a list has no dash, or another indentation"),
    "did not find expected key": to_say("an entry has another indentation than the one before"),
    "did not find expected node content": to_say("a value is missing"),
    "could not find expected ':'": to_say("a key has no colon behind it"),
    "found character that cannot start any token": to_say(
        "a value begins with a character that it cannot begin with, such as a tab or @: put the text in quotation marks"
    ),
    "found unexpected end of stream": to_say("a quotation mark is not closed"),
    "found undefined alias": to_say("an alias refers to no anchor"),
    "found unknown escape character": to_say("an unknown escape behind a backslash: use single quotation marks"),
    "but found another document": to_say("there is more than one document"),
}
"""What the parser calls the usual mistakes -> our words. Source: libyaml 0.2.5, scanner.c and parser.c."""

Place = tuple[str | int, ...]
"""Path of an entry, e.g. `("when", "all", 0, "value")`."""


class Fault(str):
    """A mistake in a document: `source line N: what` in the language of the reader, and its parts.

    line  from 1; 0 where the document has no lines
    """

    source: str
    line: int
    text: str

    def __new__(cls, source: str, line: int, text: str) -> Fault:
        if line:
            fault = super().__new__(cls, say("{source} line {line}: {text}", source=source, line=line, text=text))
        else:
            fault = super().__new__(cls, say("{source}: {text}", source=source, text=text))
        fault.source, fault.line, fault.text = source, line, text
        return fault

    def __reduce__(self) -> tuple[type[Fault], tuple[str, int, str]]:
        return Fault, (self.source, self.line, self.text)


@dataclass(frozen=True, slots=True)
class YamlDocument:
    """A mapping with the line (from 1) of each of its entries."""

    source: str
    content: Mapping[str, Any]
    lines: Mapping[Place, int]

    def line(self, place: Place) -> int:
        """The line of the entry, or of its nearest ancestor; 0 when the content has no lines."""
        found = (self.lines[place[:length]] for length in range(len(place), -1, -1) if place[:length] in self.lines)
        return next(found, 0)

    def fault(self, place: Place, text: str) -> Fault:
        """A mistake in the entry."""
        return Fault(self.source, self.line(place), text)


def read_yaml(text: str, source: str, longest: int = LONGEST_DOCUMENT) -> YamlDocument:
    """The mapping in the text, which has at most `longest` characters.

    Refuses aliases, because a few lines of them can expand to gigabytes; tags, because they change the meaning of
    the text; and duplicate keys.
    Raises InvalidRule naming source and line.
    """
    if len(text) > longest:
        fault = say("{count:,} characters, at most {most:,} are read", count=len(text), most=longest)
        raise InvalidRule([Fault(source, 1, fault)])
    reader = _Reader(source, text)
    try:
        content = reader.document()
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        column = error.problem_mark.column + 1 if error.problem_mark else 1
        raise InvalidRule([Fault(source, line, _fault(error.problem or "", column))]) from None
    except yaml.YAMLError as error:
        raise InvalidRule([Fault(source, 0, str(error))]) from None
    finally:
        reader.close()
    if not isinstance(content, dict):
        raise InvalidRule([Fault(source, 1, say("a mapping is expected, `key: value`"))])
    if reader.errors:
        raise InvalidRule(reader.errors)
    return YamlDocument(source, content, reader.lines)


def _fault(problem: str, column: int) -> str:
    """A mistake in our words, with the column and beside them those of the parser, by which people search."""
    words = say(FAULTS[problem]) if problem in FAULTS else say("the text is not valid YAML")
    if not problem:
        return words
    return say("{words} (column {column}; the parser says: {problem})", words=words, column=column, problem=problem)


def translated_names(names: Iterable[str]) -> frozenset[str]:
    """The entries with these names and those with their translations: `title` and `title_zh`."""
    return frozenset(each for name in names for each in (name, *(f"{name}_{suffix}" for suffix in SUFFIXES.values())))


def with_translations(english: str, entry: Mapping[str, Any], name: str, index: int | None = None) -> str:
    """An English text of an entry with the translations beside it.

    index  of a text in a list, whose translations are a list of the same length
    Raises ValueError when a translation is no text, or the lists differ in length.
    """
    translations = {}
    for language, suffix in SUFFIXES.items():
        said = entry.get(f"{name}_{suffix}")
        if index is not None and said is not None:
            if not isinstance(said, list) or len(said) != len(entry[name]):
                raise ValueError(
                    say("`{field}` has a text for each of `{other}`", field=f"{name}_{suffix}", other=name)
                )
            said = said[index]
        if said is None:
            continue
        if not isinstance(said, str) or not said.strip():
            raise ValueError(say("`{field}` is a text", field=f"{name}_{suffix}"))
        translations[language] = said.strip()
    return Text(english, translations) if translations else english


class _Reader:
    """Makes values of the parser's events in one pass, with the line of each and the errors of all.

    What expands without bounds is refused at its event, before anything is made of what follows.
    """

    def __init__(self, source: str, text: str) -> None:
        self.lines: dict[Place, int] = {(): 1}
        self.errors: list[str] = []
        self._source = source
        self._loader: Any = yaml.CSafeLoader(text)  # its stubs lack types
        self._scalars = yaml.constructor.SafeConstructor()
        self._depth = 0

    def close(self) -> None:
        """Releases the parser."""
        self._loader.dispose()

    def document(self) -> Any:
        """The value of the only document; None without one."""
        while isinstance(event := self._next(), yaml.StreamStartEvent | yaml.DocumentStartEvent):
            pass
        if isinstance(event, yaml.StreamEndEvent):
            return None
        value = self._value(event, ())
        self._next()  # the end of the document
        following = self._next()
        if not isinstance(following, yaml.StreamEndEvent):
            raise yaml.MarkedYAMLError(problem="but found another document", problem_mark=following.start_mark)
        return value

    def _next(self) -> Any:
        return self._loader.get_event()

    def _value(self, event: Any, place: Place) -> Any:
        """The value that begins with the event; None for an invalid scalar, which becomes an error."""
        self.lines[place] = event.start_mark.line + 1
        if isinstance(event, yaml.AliasEvent):
            self._refuse(event, say("aliases (*name) are not allowed"))
        if event.tag is not None:
            self._refuse(event, say("tags (!name) are not allowed"))
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event)
        self._depth += 1
        if self._depth > DEEPEST_NESTING:
            self._refuse(event, say("nested more than {most} deep", most=DEEPEST_NESTING))
        value = self._mapping(place) if isinstance(event, yaml.MappingStartEvent) else self._list(place)
        self._depth -= 1
        return value

    def _mapping(self, place: Place) -> dict[str, Any]:
        mapping: dict[str, Any] = {}
        while not isinstance(begins := self._next(), yaml.MappingEndEvent):
            if isinstance(begins, yaml.ScalarEvent) and begins.tag is None:
                key = str(begins.value)
            else:
                key = str(self._value(begins, place))
            if key in mapping:
                self._wrong(begins, say("{name} comes twice", name=repr(key)))
            mapping[key] = self._value(self._next(), (*place, key))
            self.lines[*place, key] = begins.start_mark.line + 1
        return mapping

    def _list(self, place: Place) -> list[Any]:
        items: list[Any] = []
        while not isinstance(begins := self._next(), yaml.SequenceEndEvent):
            items.append(self._value(begins, (*place, len(items))))
        return items

    def _scalar(self, event: Any) -> Any:
        tag = self._loader.resolve(yaml.ScalarNode, event.value, event.implicit)
        if tag == TEXT_TAG:
            return event.value
        try:
            value = self._scalars.construct_object(yaml.ScalarNode(tag, event.value, event.start_mark, event.end_mark))
        except (yaml.YAMLError, ValueError) as error:
            self._wrong(event, str(error))
            return None
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            self._wrong(event, say("a whole number of more than {most} bits", most=MOST_BITS))
            return None
        return value

    def _refuse(self, event: Any, reason: str) -> NoReturn:
        raise InvalidRule([Fault(self._source, event.start_mark.line + 1, reason)])

    def _wrong(self, event: Any, reason: str) -> None:
        self.errors.append(Fault(self._source, event.start_mark.line + 1, reason))
