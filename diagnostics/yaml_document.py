"""Strict YAML for rules, runbooks and catalogues, with the line of every entry."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import yaml

from diagnostics.errors import InvalidRule
from diagnostics.language import SUFFIXES, Text, say, to_say

LONGEST_DOCUMENT = 100_000
"""Characters. Our choice: the longest shipped runbook has half of it."""

DEEPEST_NESTING = 40
"""Nesting depth of mappings and lists. Our choice: rules need a dozen, and reading takes quadratic time."""

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

    Refuses anchors and aliases, because a few lines can expand to gigabytes; tags, because they change the meaning of
    the text; and duplicate keys.
    Raises InvalidRule naming source and line.
    """
    if len(text) > longest:
        fault = say("{count:,} characters, at most {most:,} are read", count=len(text), most=longest)
        raise InvalidRule([Fault(source, 1, fault)])
    try:
        _refuse_bombs(text, source)
        root = yaml.compose(text, Loader=yaml.CSafeLoader)
    except RecursionError:
        raise InvalidRule([Fault(source, 0, say("nested too deeply"))]) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        column = error.problem_mark.column + 1 if error.problem_mark else 1
        raise InvalidRule([Fault(source, line, _fault(error.problem or "", column))]) from None
    except yaml.YAMLError as error:
        raise InvalidRule([Fault(source, 0, str(error))]) from None
    if not isinstance(root, yaml.MappingNode):
        raise InvalidRule([Fault(source, 1, say("a mapping is expected, `key: value`"))])
    lines: dict[Place, int] = {(): 1}
    errors: list[str] = []
    content = _Values(source, lines, errors).of(root, ())
    if errors:
        raise InvalidRule(errors)
    return YamlDocument(source, content, lines)


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


def _refuse_bombs(text: str, source: str) -> None:
    """Raises InvalidRule for a short text that expands without bounds, before parsing it."""
    depth = 0
    for token in yaml.scan(text, Loader=yaml.CSafeLoader):
        kind = type(token)
        refused = NOT_ALLOWED.get(kind)
        if refused:
            raise InvalidRule([Fault(source, token.start_mark.line + 1, say(refused))])
        depth += DEPTH_CHANGES.get(kind, 0)
        if depth > DEEPEST_NESTING:
            reason = say("nested more than {most} deep", most=DEEPEST_NESTING)
            raise InvalidRule([Fault(source, token.start_mark.line + 1, reason)])


NOT_ALLOWED = {
    yaml.AliasToken: to_say("aliases (*name) are not allowed"),
    yaml.TagToken: to_say("tags (!name) are not allowed"),
}
DEPTH_CHANGES = {
    yaml.FlowMappingStartToken: 1,
    yaml.FlowSequenceStartToken: 1,
    yaml.BlockMappingStartToken: 1,
    yaml.BlockSequenceStartToken: 1,
    yaml.FlowMappingEndToken: -1,
    yaml.FlowSequenceEndToken: -1,
    yaml.BlockEndToken: -1,
}


class _Values:
    """Converts nodes to values, with the line and the errors of each."""

    def __init__(self, source: str, lines: dict[Place, int], errors: list[str]) -> None:
        self._source = source
        self._lines = lines
        self._errors = errors
        self._scalars = yaml.constructor.SafeConstructor()

    def of(self, node: yaml.Node, place: Place) -> Any:
        """The value of a node; None for an invalid scalar, which becomes an error."""
        self._lines[place] = node.start_mark.line + 1
        if isinstance(node, yaml.MappingNode):
            mapping: dict[str, Any] = {}
            for key_node, value_node in node.value:
                key = str(key_node.value)
                if key in mapping:
                    self._wrong(key_node, say("{name} comes twice", name=repr(key)))
                mapping[key] = self.of(value_node, (*place, key))
                self._lines[*place, key] = key_node.start_mark.line + 1
            return mapping
        if isinstance(node, yaml.SequenceNode):
            return [self.of(item, (*place, index)) for index, item in enumerate(node.value)]
        try:
            value = self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError) as error:
            self._wrong(node, str(error))
            return None
        if isinstance(value, int) and value.bit_length() > MOST_BITS:
            self._wrong(node, say("a whole number of more than {most} bits", most=MOST_BITS))
            return None
        return value

    def _wrong(self, node: yaml.Node, reason: str) -> None:
        self._errors.append(Fault(self._source, node.start_mark.line + 1, reason))
