"""User-defined layouts of log lines, which administrators describe for logs in no known layout.

Matching lines are rewritten in Flink's default layout while a file is unpacked, and then read like any log. The number
of lines is unchanged, so line numbers are those of the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any

import re2

from diagnostics.language import listed, say
from diagnostics.log_scan.layout import LEVELS, recognised_lines
from diagnostics.log_scan.prefixes import cleaner_for

GROUPS = {"time", "level", "message", "logger", "thread"}
NEEDED = {"time", "level", "message"}
LEVEL_NAMES = {
    **{level: level for level in LEVELS},
    **{level[0]: level for level in LEVELS},
    "WARNING": "WARN",
    "SEVERE": "ERROR",
    "ERR": "ERROR",
    "CRITICAL": "FATAL",
    "NOTICE": "INFO",
    "CONFIG": "DEBUG",
    "FINE": "DEBUG",
    "FINER": "TRACE",
    "FINEST": "TRACE",
}
"""Other loggers' names of the levels. Source: java.util.logging.Level, RFC 5424."""

LONGEST_PATTERN = 2_000
PATTERN_MEMORY = 8 * 1024 * 1024
"""Memory limit of RE2 for one expression. Source: RE2's own default."""
LINES_LOOKED_AT = 400
LONGEST_LINE = 16_384
"""Bytes of a line in which fields are matched; the rest belongs to the message."""
LONGEST_TIME = 100
KNOWN_TIMES = 65_536


@dataclass(frozen=True, slots=True)
class LogLayout:
    """A log's layout of records.

    pattern      an RE2 expression for the first line of a record, in linear time for any line; groups `time`, `level`,
                 `message`, and optionally `logger` and `thread`
    time_format  in the notation of Python's strptime; without a zone (%z) the time is read as UTC
    finds        sample lines that begin a record; the layout must match each
    """

    title: str
    pattern: str
    time_format: str
    finds: Sequence[str]

    def errors(self) -> list[str]:
        """Errors of the expression and of the sample lines, as sentences."""
        if len(self.pattern) > LONGEST_PATTERN:
            return [
                say(
                    "The expression has {count} characters; {most} is the bound.",
                    count=len(self.pattern),
                    most=LONGEST_PATTERN,
                )
            ]
        try:
            groups = {name.decode() for name in _compiled(self.pattern).groupindex}
        except re2.error as error:
            told = error.args[0] if error.args else error
            reason = told.decode("utf-8", "replace") if isinstance(told, bytes) else told
            return [say("Not an RE2 expression: {reason}.", reason=reason)]
        if missing := sorted(NEEDED - groups):
            return [
                say(
                    "The expression has no group named {names}: write (?P<{first}>...).",
                    names=listed(missing),
                    first=missing[0],
                )
            ]
        if unknown := sorted(groups - GROUPS):
            return [
                say(
                    "No group of a layout is named {names}; there are {known}.",
                    names=listed(unknown),
                    known=listed(sorted(GROUPS)),
                )
            ]
        if not self.finds:
            return [say("A line is missing that the layout has to read.")]
        return [reason for line in self.finds if (reason := self._reason(line))]

    def fits(self, head: bytes) -> bool:
        """Whether it matches more of a file's first lines than the known layouts do."""
        lines = head.split(b"\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]
        read = sum(1 for line in lines if self._plain(line) is not None)
        return read > recognised_lines(cleaner_for(head)(head))[0]

    def rewritten(self, text: bytes) -> bytes:
        """The text with every line that begins a record rewritten in Flink's default layout."""
        lines = text.split(b"\n")
        return b"\n".join(line if (plain := self._plain(line)) is None else plain for line in lines)

    def pieces(self, texts: Iterator[bytes]) -> Iterator[bytes]:
        """`rewritten` for a text in pieces of whole lines."""
        return map(self.rewritten, texts)

    def _plain(self, line: bytes) -> bytes | None:
        found = _compiled(self.pattern).fullmatch(line[:LONGEST_LINE]) if line else None
        if found is None:
            return None
        fields: dict[bytes, bytes | None] = found.groupdict()
        moment = _moment(_text(fields.get(b"time")), self.time_format)
        level = LEVEL_NAMES.get(_text(fields.get(b"level")).upper())
        if moment is None or level is None:
            return None
        thread = f"[{told}] " if (told := _text(fields.get(b"thread"))) else ""
        logger = "_".join(_text(fields.get(b"logger")).split()) or "?"
        message = (fields.get(b"message") or b"") + line[LONGEST_LINE:]
        return f"{moment} {thread}{level} {logger} - ".encode() + message

    def _reason(self, line: str) -> str | None:
        """The reason why a line does not match; None when it does."""
        found = _compiled(self.pattern).fullmatch(line.encode())
        if found is None:
            return say("The expression does not fit the whole line: {line}", line=line)
        time, level = (_text(found.groupdict()[name]) for name in (b"time", b"level"))
        if _moment(time, self.time_format) is None:
            return say(
                "{time!r} is no time of the format {format!r} with a year, an hour and a minute: {line}",
                time=time,
                format=self.time_format,
                line=line,
            )
        is_read = self._plain(line.encode()) is not None
        return None if is_read else say("{level!r} is no level: {line}", level=level, line=line)


def _text(group: bytes | None) -> str:
    return (group or b"").decode("utf-8", "replace")


@cache
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem = PATTERN_MEMORY
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


@lru_cache(KNOWN_TIMES)
def _moment(time: str, time_format: str) -> str | None:
    """The time in Flink's layout, in UTC; None when invalid."""
    if len(time) > LONGEST_TIME:
        return None
    try:
        told = datetime.strptime(time, time_format)  # noqa: DTZ007 - most layouts print no zone
        moment = told.astimezone(UTC) if told.tzinfo else told
    except (ValueError, OverflowError, re.error):
        return None  # strptime compiles the format to an expression, which must not contain a directive twice
    return moment.strftime("%Y-%m-%d %H:%M:%S,%f")[:23] if moment.year >= 1970 else None
