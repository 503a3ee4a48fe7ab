"""Functions in a job's source whose result depends on the previous one of the same key. The source is never run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from diagnostics.notation.source_text import Call, Lines, enclosed

LONGEST_METHOD = 20_000
"""Characters of a method that are read. Our choice: some hundred lines."""
MOST_METHODS = 200
MERGES = frozenset(["max", "min", "sum", "add", "valueOf"])
"""Methods that combine a previous value with a new one so that partial results can be merged."""

_METHOD = re.compile(r"\b(processElement|flatMap|map)\s?\([^(){};]{0,400}\)\s{0,80}(?:throws\s[\w.,\s]{1,200})?\{")
_READ = re.compile(r"\b([A-Za-z_]\w{0,60})\s{0,20}=\s{0,20}([A-Za-z_]\w{0,60})\.value\(\)")
_OWN = re.compile(r"(?<![\w.])([a-z]\w{1,60})\s?\(")


def previous_results(plain: str) -> Iterator[Call]:
    """The reads of a state whose value goes into a call of the job's own before that state is written.

    A value that is merely added to, or compared with, is no such read: its partial results can be merged.
    """
    lines = Lines(plain)
    for method in islice(_METHOD.finditer(plain), MOST_METHODS):
        body = enclosed(plain, method.end() - 1, LONGEST_METHOD)
        for read in _READ.finditer(body or ""):
            rest = (body or "")[read.end() :]
            before, written, _ = rest.partition(f"{read.group(2)}.update(")
            if written and _is_handed_on(plain, before, read.group(1)):
                line = lines.at(method.end() + read.start())
                yield Call(read.group(2), "value", (), line, line)


def _is_handed_on(plain: str, statements: str, variable: str) -> bool:
    """Whether one of the statements gives the variable to a method that the source itself defines."""
    for called in _OWN.finditer(statements):
        name, given = called.group(1), enclosed(statements, called.end() - 1)
        is_own = re.search(
            rf"\b[\w<>\[\]]+\s+{name}\s?\([^(){{}};]{{0,400}}\)\s{{0,80}}(?:throws[^{{}};]{{0,200}})?\{{", plain
        )
        if given and name not in MERGES and is_own and re.search(rf"\b{variable}\b", given):
            return True
    return False
