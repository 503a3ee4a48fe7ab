"""Where a sink of a job's source begins a request to an outside system. The source is never run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import accumulate

from diagnostics.notation.code_call import known_calls
from diagnostics.notation.source_text import Call, Lines, classes

LONGEST_REQUEST = 2_000
"""Characters between the statement that makes a connection and the call that waits for its answer. Our choice."""

_ATTACHED = re.compile(r"\b(?:addSink|sinkTo)\s?\(\s{0,80}new\s{1,20}([A-Za-z_]\w{0,100})\s?[(<]")
_DECLARED = re.compile(r"[A-Za-z_][\w<>.]{0,80}\s{1,20}([A-Za-z_]\w{0,60})\s?=[^=]")
_REPEATED = re.compile(r"\b(?:for|while|do)\b")
_PART_OF_ANOTHER = re.compile(r"(?:if|else|for|while|do|case|default|try|catch)\b")


def attached_sinks(plain: str) -> set[str]:
    """The classes that the job attaches as sinks."""
    return {each.group(1) for each in _ATTACHED.finditer(plain)}


def sink_requests(plain: str) -> Iterator[tuple[str, int]]:
    """The statement that begins each request in a class that the job attaches as a sink, empty where it is not one of
    its own on one line, and the line of the call that waits for the answer.
    """
    attached = attached_sinks(plain)
    waits = [call for kind, call in known_calls(plain) if kind == "blocking"] if attached else []
    lines = Lines(plain)
    for name, begin, end in classes(plain) if waits else ():
        if name not in attached:
            continue
        for call in waits:
            if lines.at(begin) <= call.line <= lines.at(end):
                yield _beginning(plain[begin:end], call, call.line - lines.at(begin)), call.line


def _beginning(source: str, call: Call, lines_before: int) -> str:
    """The statement that makes the connection of this one request, else the one that waits for the answer."""
    on_line = sum(len(each) for each in source.splitlines(keepends=True)[:lines_before])
    at = source.find(call.name, on_line)
    if at < 0:
        return ""
    return _connection(source, call.receiver, at) or _statement(source, at)


def _connection(source: str, receiver: str | None, at: int) -> str:
    """The statement before the call that declares its receiver in the same block, unless the call is repeated."""
    if receiver is None:
        return ""
    before = source[max(at - LONGEST_REQUEST, 0) : at]
    for found in reversed([each for each in _DECLARED.finditer(before) if each.group(1) == receiver]):
        between = before[found.end() :]
        depths = accumulate((letter == "{") - (letter == "}") for letter in between)
        if not _REPEATED.search(between) and min(depths, default=0) >= 0:
            return _statement(before, found.start())
    return ""


def _statement(source: str, at: int) -> str:
    """The whole statement at a place, without its semicolon; empty where it is part of another one."""
    begin = max(source.rfind(mark, 0, at) for mark in ";{}") + 1
    end = source.find(";", at)
    statement = source[begin:end].strip() if end >= 0 else ""
    is_whole = begin > 0 and statement.count("(") == statement.count(")")
    return statement if is_whole and not _PART_OF_ANOTHER.match(statement) else ""
