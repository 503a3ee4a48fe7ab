"""Names in a job's source that a block of code repeats: of its state, its key and its events. The source is never run.

Only names and plain literals are given, which mean nothing but themselves wherever they are copied to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from diagnostics.notation.source_text import PLAIN_CODE, Lines, calls, enclosed

MOST = 200
"""Names of one kind that are read. Our choice: a job has a few."""
DESCRIPTORS = (
    "ValueStateDescriptor",
    "MapStateDescriptor",
    "ListStateDescriptor",
    "ReducingStateDescriptor",
    "AggregatingStateDescriptor",
)
"""Source: Flink documentation, Working with State."""

_LITERAL = re.compile(r'"([A-Za-z_][\w.-]{0,120})"')
_KEY_BY = re.compile(r"\.\s{0,80}keyBy\s?\(")
_PART_OF_RECORD = re.compile(r"\b([A-Za-z_]\w{0,60})\s?->\s{0,20}([A-Za-z_]\w{0,60})\.([A-Za-z_]\w{0,80}(?:\(\))?)$")
_PROCESSED = re.compile(r"\s{0,200}\.\s{0,80}process\s?\(\s{0,80}new\s{1,20}([A-Za-z_][\w.]{0,120})\s?\(")
_EVENTS = re.compile(
    r"WatermarkStrategy\s{0,80}\.\s{0,80}<\s{0,20}([A-Za-z_][\w.]{0,120})\s{0,20}>\s{0,80}for[A-Z]\w{0,60}\s?\("
)
_ASSIGNER = re.compile(
    r"\.\s{0,80}withTimestampAssigner\s?\(\s{0,80}\(\s{0,20}([A-Za-z_]\w{0,60})\s{0,20},\s{0,20}[A-Za-z_]\w{0,60}"
    r"\s{0,20}\)\s{0,20}->\s{0,80}([A-Za-z_]\w{0,60})\.([A-Za-z_]\w{0,80}(?:\(\))?)\s{0,80}\)"
)

Named = tuple[str, str, int]
"""Kind, name and line."""


def code_names(plain: str) -> Iterator[Named]:
    """The names in a text without comments, those of one kind in its order."""
    yield from _states(plain)
    yield from _keys(plain)
    yield from _events(plain)


def _states(plain: str) -> Iterator[Named]:
    """Class, name and types of each state descriptor."""
    for call in islice(calls(plain, DESCRIPTORS.__contains__), MOST):
        yield "state-class", call.name, call.line
        name, *types = call.arguments or ("",)
        if literal := _LITERAL.fullmatch(name):
            yield "state-name", literal.group(1), call.line
        if types and PLAIN_CODE.fullmatch(together := ", ".join(types)):
            yield "state-types", together, call.line


def _keys(plain: str) -> Iterator[Named]:
    """What each `keyBy` takes of a record, and the function behind it."""
    lines = Lines(plain)
    for key_by in islice(_KEY_BY.finditer(plain), MOST):
        inside = enclosed(plain, key_by.end() - 1)
        if inside is None:
            continue
        taken = _PART_OF_RECORD.search(inside.strip())
        if taken and taken.group(1) == taken.group(2):
            yield "key-part", taken.group(3), lines.at(key_by.start())
        behind = _PROCESSED.match(plain, key_by.end() + len(inside) + 1)
        if behind:
            yield "keyed-function", behind.group(1), lines.at(behind.start(1))


def _events(plain: str) -> Iterator[Named]:
    """The type of the events that watermarks are made of, and where their time is."""
    lines = Lines(plain)
    for strategy in islice(_EVENTS.finditer(plain), MOST):
        yield "event-type", strategy.group(1), lines.at(strategy.start())
    for assigner in islice(_ASSIGNER.finditer(plain), MOST):
        if assigner.group(1) == assigner.group(2):
            yield "event-time", assigner.group(3), lines.at(assigner.start())
