"""Functions in a job's source whose result depends on the previous one of the same key. The source is never run."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from itertools import islice

from diagnostics.notation.source_text import Call, Lines, enclosed

LONGEST_METHOD = 20_000
"""Characters of a method that are read. Our choice: some hundred lines."""
MOST_METHODS = 200
MERGES = frozenset(["max", "min", "sum", "add", "valueOf"])
"""Methods that combine a previous value with a new one so that partial results can be merged."""
KEYWORDS = frozenset(["catch", "for", "if", "switch", "synchronized", "while"])
"""Words of Java that a bracket and a block follow, like a method's name."""

_SIGNATURE = r"\s?\([^(){};]{0,400}\)\s{0,80}(?:throws\s[\w.,\s]{1,200})?\{"
_METHOD = re.compile(rf"\b(processElement|flatMap|map){_SIGNATURE}")
_OWN = re.compile(rf"(?<=[\w>\]])\s{{1,20}}([a-z]\w{{1,60}}){_SIGNATURE}")
_READ = re.compile(r"\b([A-Za-z_]\w{0,60})\s{0,20}=\s{0,20}([A-Za-z_]\w{0,60})\.value\(\)")
_CALL = re.compile(r"(?<![\w.])([a-z]\w{1,60})\s?\(")
_NAME = re.compile(r"[A-Za-z_]\w{0,200}")


def previous_results(plain: str) -> Iterator[Call]:
    """The reads of a state whose value goes into a call of the job's own before that state is written.

    A value that is merely added to, or compared with, is no such read: its partial results can be merged. The only
    argument of a read is the method that its value goes to.
    """
    lines = Lines(plain)
    own = {found.group(1) for found in _OWN.finditer(plain)} - MERGES - KEYWORDS
    for method in islice(_METHOD.finditer(plain), MOST_METHODS):
        body = enclosed(plain, method.end() - 1, LONGEST_METHOD)
        for read in _READ.finditer(body or ""):
            rest = (body or "")[read.end() :]
            before, written, _ = rest.partition(f"{read.group(2)}.update(")
            taker = _taker(before, read.group(1), own) if written else None
            if taker:
                line = lines.at(method.end() + read.start())
                yield Call(read.group(2), "value", (taker,), line, line)


def _taker(statements: str, variable: str, own: Collection[str]) -> str | None:
    """The first of the job's own methods that one of the statements gives the variable to."""
    for called in _CALL.finditer(statements):
        if called.group(1) in own and variable in _NAME.findall(enclosed(statements, called.end() - 1) or ""):
            return called.group(1)
    return None
