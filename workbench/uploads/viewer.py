"""Reads the lines around a citation, and the value at a JSON pointer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from diagnostics.errors import DiagnosticsError
from diagnostics.intake import SourceFile, read_document, read_lines
from workbench.languages.sentences import say
from workbench.limits.selectors import limits_now
from workbench.untrusted.storable import storable
from workbench.uploads.models import UploadedFile

CONTEXT_LINES = 30
MOST_LINES = 1000
"""Lines of one window, whatever was requested."""
LONGEST_LINE = 4000
"""Characters of one line that are shown; the file can be downloaded."""
MOST_JSON_BYTES = 4_000_000
MOST_SECONDS = 10.0
"""Time limit for reaching a line or a value. Our choice: enough for two gigabytes of a log."""
MOST_POINTED_LINES = 60

LEVELS = ("ERROR", "FATAL", "WARN")
LEVEL_PLACE = 120
"""Characters at the beginning of a record in which its level is searched."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line for display."""

    number: int
    text: str
    left_out: int
    is_cited: bool
    level: str


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines of a file.

    error  why they cannot be read, for the user
    """

    lines: Sequence[Line]
    first: int
    last: int
    is_start: bool
    is_end: bool
    error: str | None = None


@dataclass(frozen=True, slots=True)
class PointedPart:
    """A line of the pretty-printed JSON around a pointer."""

    text: str
    is_target: bool


def window_of(file: UploadedFile, member: str, cited: range, before: int, after: int) -> Window:
    """The cited lines with `before` and `after` lines around them."""
    first = max(1, cited.start - before)
    last = min(cited.stop - 1 + after, first + MOST_LINES - 1)
    source = SourceFile(path=file.path, name=file.name)
    try:
        read = read_lines(source, member, first, last, limits_now().unpacked, MOST_SECONDS)
    except (DiagnosticsError, OSError) as error:
        reason = str(error) if isinstance(error, DiagnosticsError) else say("The stored file cannot be opened.")
        return Window((), first, last, is_start=first == 1, is_end=True, error=reason)
    lines = [_line(number, text, cited) for number, text in read]
    return Window(
        lines,
        first,
        lines[-1].number if lines else first,
        is_start=first == 1,
        is_end=len(lines) < last - first + 1,
    )


def _line(number: int, text: str, cited: range) -> Line:
    head = text[:LEVEL_PLACE]
    return Line(
        number=number,
        text=text[:LONGEST_LINE],
        left_out=max(len(text) - LONGEST_LINE, 0),
        is_cited=number in cited,
        level=next((level for level in LEVELS if f"{level} " in head), ""),
    )


def pointed(file: UploadedFile, member: str, line: int, pointer: str) -> list[PointedPart]:
    """The value at a JSON pointer within its object, as pretty-printed lines; empty when there is no such value.

    The document is the whole file or, in JSON lines, the cited line. A document that is too long to parse while a user
    waits gives nothing.
    """
    source, limits = SourceFile(path=file.path, name=file.name), limits_now().unpacked
    readings: tuple[Callable[[], str | None], ...] = (
        lambda: read_document(source, member, MOST_JSON_BYTES, limits, MOST_SECONDS),
        lambda: "".join(text for _, text in read_lines(source, member, line, line, limits, MOST_SECONDS)),
    )
    for read in readings:
        try:
            text = read()
            document = storable(json.loads(text)) if text else None
            parts = list(islice(_around(document, pointer), MOST_POINTED_LINES))
        except (DiagnosticsError, OSError, ValueError, RecursionError):
            continue
        if parts:
            return parts
    return []


def _around(document: Any, pointer: str) -> Iterator[PointedPart]:
    keys = [key.replace("~1", "/").replace("~0", "~") for key in pointer.split("/")[1:]]
    holder, value = None, document
    for key in keys:
        holder = value
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isascii() and key.isdigit() and int(key) < len(value):
            value = value[int(key)]
        else:
            return
    if not keys:
        return
    if isinstance(holder, dict):
        for name, each in holder.items():
            yield from _part(f"{json.dumps(name, ensure_ascii=False)}: ", each, is_target=name == keys[-1])
    elif isinstance(holder, list):
        yield from _part(f"[{keys[-1]}]: ", value, is_target=True)


def _part(label: str, value: Any, *, is_target: bool) -> Iterator[PointedPart]:
    """The target in full, its neighbours shortened to one line."""
    if not is_target:
        short = json.dumps(value, ensure_ascii=False)
        yield PointedPart(label + (short if len(short) <= 120 else f"{short[:117]}…"), is_target=False)
        return
    for number, line in enumerate(json.dumps(value, ensure_ascii=False, indent=2).splitlines()):
        yield PointedPart((label if number == 0 else "  ") + line[:LONGEST_LINE], is_target=True)
