"""Blocks of Java that a compiler would refuse for their syntax. No compiler is on every machine; the grammar is."""

from __future__ import annotations

import re
from collections.abc import Iterator

import tree_sitter_java
from tree_sitter import Language, Parser

from tests.reading.sentence_faults import PLACEHOLDER

PLACES = (
    "%s",
    "class Job { %s\n}",
    "class Job { void run() throws Exception { %s\n} }",
    "class Job { Object value = %s\n; }",
    "class Job { Object value = stream%s\n; }",
)
"""Where a block may stand: a file, a class, a method, a value, the rest of a chain of calls."""
ELIDED = re.compile(r"\(\s*\.\.\.\s*\)")
"""Arguments that stay as they are."""

PARSER = Parser(Language(tree_sitter_java.language()))


def java_faults(code: str) -> Iterator[str]:
    """Of a block of code: no place of a Java program takes it."""
    whole = ELIDED.sub("()", PLACEHOLDER.sub("Placeholder", code))
    if not any(_is_valid(place % whole) for place in PLACES):
        yield f"not Java: {code}"


def _is_valid(program: str) -> bool:
    return not PARSER.parse(program.encode()).root_node.has_error
