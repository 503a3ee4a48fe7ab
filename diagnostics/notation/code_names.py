"""Names in a job's source that a block of code repeats: of its state, its key and its events. The source is never run.

Names and plain literals mean nothing but themselves wherever they are copied to. Calls that a block replaces are given
as the source has them, where they are on one line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from diagnostics.notation.code_argument import handed_arguments
from diagnostics.notation.code_buffer import unsaved_buffers
from diagnostics.notation.code_call import known_calls
from diagnostics.notation.code_look_up import asked
from diagnostics.notation.code_request import sink_requests
from diagnostics.notation.code_source import attached_sources, sources_by_clock, sources_of_own_records
from diagnostics.notation.source_text import QUOTED_CODE, TYPED_CODE, Lines, calls, classes, enclosed

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
    r"\.\s{0,80}withTimestampAssigner\s?\(\s{0,80}\(\s{0,20}([A-Za-z_]\w{0,60})\s{0,20},\s{0,20}([A-Za-z_]\w{0,60})"
    r"\s{0,20}\)\s{0,20}->\s{0,80}([A-Za-z_]\w{0,60})\.([A-Za-z_]\w{0,80}(?:\(\))?)\s{0,80}\)"
)
_WINDOW = re.compile(r"\.window\s?\(")
_IMPORT = re.compile(r"^[ \t]{0,20}import[ \t]{1,20}([A-Za-z_][\w.]{1,200}(?:\.\*)?)[ \t]{0,20};?$", re.MULTILINE)
_STATE = re.compile(
    r"\b([A-Za-z_]\w{0,60})\s?=\s?getRuntimeContext\(\)\.get(?:Map)?State\("
    r"\s?new\s(?:Value|Map)StateDescriptor\b"
)
_INNER = r"(?:[^;=<>]|<(?:[^;=<>]|<[^;=<>]{1,100}>){1,100}>){1,200}"
_FIELD = re.compile(rf"(?<=[a-z])State<({_INNER})>\s{{1,20}}([A-Za-z_]\w{{0,60}})\s{{0,20}};")
_ATTACHED = re.compile(r"\.(?:map|flatMap|process|filter)\s?\(\s?new\s([A-Za-z_]\w{0,100})\s?\(")
_SPREAD = re.compile(r"\.(?:rebalance|rescale|shuffle)\(\)(?=\s{0,200}\Z)")
"""A call that spreads records evenly, at the end of the text."""
LONGEST_GAP = 220
"""Characters in front of a call in which the call before it is looked for. Our choice: a line break and an indent."""

Named = tuple[str, str, int]
"""Kind, name and line."""


def code_names(plain: str) -> Iterator[Named]:
    """The names in a text without comments, those of one kind in its order."""
    yield from _states(plain)
    yield from _keys(plain)
    yield from _events(plain)
    yield from _quotes(plain)
    for statement, line in sink_requests(plain):
        yield "sink-request", "request", line
        yield from _quoted("request", statement, line)
    for buffer, line in unsaved_buffers(plain):
        yield "unsaved-buffer", buffer, line
    for function, argument, line in handed_arguments(plain):
        yield "handed-argument", f"{function} {argument}", line
    for source, line in attached_sources(plain):
        yield "source", source, line
    for source, line in sources_of_own_records(plain):
        yield "source-of-own-records", source, line
    for count, line in sources_by_clock(plain):
        yield "source-by-clock", count, line
    yield from _imports(plain)


def _imports(plain: str) -> Iterator[Named]:
    lines = Lines(plain)
    for found in islice(_IMPORT.finditer(plain), MOST):
        yield "import", found.group(1), lines.at(found.start(1))


def _states(plain: str) -> Iterator[Named]:
    """Class, name and types of each state descriptor."""
    for call in islice(calls(plain, DESCRIPTORS.__contains__), MOST):
        yield "state-class", call.name, call.line
        name, *types = call.arguments or ("",)
        if literal := _LITERAL.fullmatch(name):
            yield "state-name", literal.group(1), call.line
        if types and TYPED_CODE.fullmatch(together := ", ".join(types)):
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
        event, recorded, taken_of, part = assigner.groups()
        line = lines.at(assigner.start())
        if event == taken_of:
            yield "event-time", part, line
            yield "assigner-event", event, line
            yield "assigner-recorded", recorded, line
            yield from _quoted("assigner", assigner.group(), line)


def _quotes(plain: str) -> Iterator[Named]:
    """The calls that blocks of code replace: windows, the state of a descriptor that is given at once, look-ups."""
    lines = Lines(plain)
    for window in islice(_WINDOW.finditer(plain), MOST):
        line = lines.at(window.start())
        yield "windowing", "window", line
        yield from _quoted("window", _whole_call(plain, window), line)
    types = {each.group(2): each.group(1) for each in islice(_FIELD.finditer(plain), MOST)}
    for state in islice(_STATE.finditer(plain), MOST):
        line, variable = lines.at(state.start()), state.group(1)
        opening = plain.index("(", plain.index(".get", state.start()))
        inside = enclosed(plain, opening)
        yield from _quoted("state-statement", f"{plain[state.start() : opening]}({inside})" if inside else "", line)
        yield "state-variable", variable, line
        if TYPED_CODE.fullmatch(types.get(variable, "")):
            yield "state-type", types[variable], line
    waiting = {name: tuple(asked(body)) for name, body in _classes_that_wait(plain).items()}
    for attached in islice(_ATTACHED.finditer(plain), MOST):
        if attached.group(1) in waiting:
            line = lines.at(attached.start())
            yield "waiting-function", attached.group(1), line
            whole = _whole_call(plain, attached)
            yield from _quoted("look-up", whole, line)
            before = _SPREAD.search(plain, max(0, attached.start() - LONGEST_GAP), attached.start())
            if before:
                yield "look-up-partition", before.group(), line
            yield "look-up-made", _construction(whole, attached.group(1)), line
            for kind, name in waiting[attached.group(1)]:
                yield kind, name, line


def _classes_that_wait(plain: str) -> dict[str, str]:
    """The classes of the source that hold a call which waits for an outside system, and their texts."""
    lines = Lines(plain)
    waits = [call.line for kind, call in known_calls(plain) if kind == "blocking"]
    return {
        name: plain[begin:end]
        for name, begin, end in (classes(plain) if waits else ())
        if any(lines.at(begin) <= line <= lines.at(end) for line in waits)
    }


def _whole_call(plain: str, begun: re.Match[str]) -> str:
    """The call from its dot to its closing bracket; empty where that is too far away."""
    opening = plain.index("(", begun.start())
    inside = enclosed(plain, opening)
    return "" if inside is None else f"{plain[begun.start() : opening]}({inside})"


def _construction(call: str, function: str) -> str:
    """`Function(arguments)` within the call that attaches a function; `Function(...)` where it is not on one line."""
    begun = call.find(f"{function}(")
    arguments = enclosed(call, begun + len(function)) if begun >= 0 else None
    made = f"{function}({arguments})"
    return made if arguments is not None and QUOTED_CODE.fullmatch(made) else f"{function}(...)"


def _quoted(kind: str, text: str, line: int) -> Iterator[Named]:
    """The text where it is on one line and is nothing but a call."""
    if QUOTED_CODE.fullmatch(text):
        yield kind, text, line
