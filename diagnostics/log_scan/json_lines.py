"""JSON around log records: layouts that print a record as an object, and shippers that wrap a process's lines.

Identified by their fields, under the names of log4j's templates (ECS, Logstash, GELF, Google Cloud), its older
JsonLayout, logback's encoders, Amazon's Managed Service for Flink, Docker's json-file driver, Fluent Bit, Loki,
CloudWatch and Elasticsearch. An object becomes the lines that a plain layout would have printed; they stay one line of
the file, with LINE_BREAK between them. An object without a time has that of its wrapper, or the one before it.

Source: log4j `log4j-layout-template-json` event templates; logstash-logback-encoder; Docker json-file; CloudWatch Logs
`get-log-events` and `aws logs tail`; Loki `logcli --output=jsonl`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import Any

LINE_BREAK = b"\r"
"""Separates the lines of a record within one line of a file."""

MOST_DEPTH = 3
"""Nested wrappers that are opened: a shipper's, a container's, the layout's own. Our choice."""

MOST_ELEMENTS = 1_000
"""Frames read of a stack trace in a list. Java's own limit of a trace is 1,024 frames."""

LINES_LOOKED_AT = 50
LEAST_SHARE = 0.6
"""Minimum share of the first lines that must be log records in JSON. Our choice, as for other prefixes."""

_WRAPPED = ("_source", "jsonPayload", "fields", "@message")
_MESSAGES = ("message", "msg", "@message", "log", "line", "short_message", "textPayload", "_raw", "body")
_TIMES = ("@timestamp", "timestamp", "time", "ts", "timeMillis", "instant", "timeStamp", "eventTime", "datetime")
_LEVELS = ("level", "log.level", "severity", "levelname", "loglevel", "log_level", "logLevel", "messageType")
_LOGGERS = ("loggerName", "logger_name", "log.logger", "logger", "_logger", "LoggerName")
_THREADS = ("thread", "thread_name", "process.thread.name", "threadName", "_thread")
_TRACES = (
    "error.stack_trace",
    "stack_trace",
    "stackTrace",
    "stacktrace",
    "exception",
    "thrown",
    "throwable",
    "throwableInformation",
    "full_message",
    "_exception",
)

_SYSLOG_LEVELS = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
"""Severities 0 to 7 of RFC 5424, which GELF prints as numbers."""

_LEVEL = re.compile(r"(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)$")
_HAS_HEAD = re.compile(r"\s{0,4}\[?(?:\d{4}[-/]\d\d[-/]\d\d[ T]|\d\d/\d\d/\d\d )?\d\d:\d\d:\d\d[,. Z+\]]")
_ISO = re.compile(r"\d{4}-\d\d-\d\d[T _]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?$")
_NUMBER = re.compile(r"\d{9,19}(?:\.\d{1,9})?$")
_TOLD_BEFORE = re.compile(rb"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[^ ]{0,20}) (?:[^ {]{1,512} )?(?=\{)")
"""A time, and optionally the name of a stream, before an object, as `aws logs tail` prints it."""


def are_json_lines(head: bytes) -> bool:
    """Whether most of the first lines are objects that wrap a log line or are a record."""
    told = [line for line in head.split(b"\n")[:-1] if line.strip()] or [head]
    shown = told[:LINES_LOOKED_AT]
    records = sum(1 for line in shown if _object_in(line) and text_of(line) is not None)
    return records >= LEAST_SHARE * len(shown)


def from_json_lines(text: bytes) -> bytes:
    """The text with every object replaced by the lines of a plain layout; the number of lines is unchanged.

    A malformed object, or one without a record, gets the time of the line before, so that it counts as a record that
    was not understood.
    """
    lines = text.split(b"\n")
    stamp = "1970-01-01 00:00:00"
    for place, line in enumerate(lines):
        if not _object_in(line):
            continue
        told = text_of(line)
        if told is not None:
            found = _ISO.match(told[:30].partition(" [")[0].rstrip()) or _HAS_HEAD.match(told)
            stamp = told[: found.end()].rstrip(" []") if found else stamp
            lines[place] = one_line(told)
        elif line.endswith(b"}") or place < len(lines) - 1:
            lines[place] = stamp.encode() + b" " + line
    return b"\n".join(lines)


def text_of(line: bytes) -> str | None:
    """The log text in a JSON object, one or several lines; None when it holds no log record."""
    before = _TOLD_BEFORE.match(line)
    value = object_of(line[before.end() :] if before else line)
    return log_text(value, plain_time(before[1].decode("ascii", "replace")) if before else None) if value else None


def _object_in(line: bytes) -> bool:
    """Whether a line begins like an object, or like one after its time."""
    return line.lstrip().startswith(b"{") or _TOLD_BEFORE.match(line) is not None


def object_of(line: bytes | str) -> dict[str, Any] | None:
    """The JSON object in a line; None for other lines."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def one_line(text: str) -> bytes:
    """A record's text of several lines as one line of a file."""
    return text.replace("\r\n", "\n").rstrip("\n").replace("\n", "\r").encode("utf-8", "replace")


def log_text(fields: Mapping[str, Any], time_of_entry: str | None = None, depth: int = 1) -> str | None:
    """The log text of an object: the text that it wraps, or its fields as a line of a plain layout with its stack
    trace.

    time_of_entry  the time of its wrapper, used when the object has none
    """
    message = _first_text(fields, _MESSAGES)
    time = _time(fields) or time_of_entry
    if depth < MOST_DEPTH:
        inner = _inner(fields, message, time, depth)
        if inner is not None:
            return inner
    level = _level(_first(fields, _LEVELS))
    if message is None:
        return None
    if _HAS_HEAD.match(message) or level is None or time is None:
        return message if _is_wrapper(fields) or _HAS_HEAD.match(message) else None
    logger = re.sub(r"\s+", "_", _first_text(fields, _LOGGERS) or "")[:500]
    thread = re.sub(r"\s+", " ", _first_text(fields, _THREADS) or "")[:2_000]
    head = f"{time} [{thread}] {level} {logger or '?'} - " if thread else f"{time} {level} {logger or '?'} - "
    return "\n".join((head + message, *_trace(fields)))


def entry_text(fields: Mapping[str, Any]) -> str | None:
    """The text of an entry of a log store: a record, or a continuation line."""
    return log_text(fields) or _first_text(fields, _MESSAGES)


def arrival_of(fields: Mapping[str, Any]) -> float | None:
    """Arrival time of an entry at its store, in seconds since 1970."""
    time = _time(fields)
    try:
        moment = datetime.fromisoformat(time) if time else None
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() if moment else None


def _inner(fields: Mapping[str, Any], message: str | None, time: str | None, depth: int) -> str | None:
    for name in _WRAPPED:
        if isinstance(fields.get(name), dict):
            found = log_text(fields[name], time, depth + 1)
            if found is not None:
                return found
    if message is not None and message.lstrip().startswith("{"):
        value = object_of(message)
        return log_text(value, time, depth + 1) if value is not None else None
    return None


def _is_wrapper(fields: Mapping[str, Any]) -> bool:
    """Whether the object describes a line's origin: a stream, labels, a time of arrival."""
    return any(name in fields for name in ("stream", "labels", "kubernetes", "ingestionTime", "logStreamName", "@log"))


def _value(fields: Mapping[str, Any], name: str) -> Any:
    """A field by its dotted name, with dots in the key or nested objects."""
    if name in fields:
        return fields[name]
    value: Any = fields
    for part in name.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def _first(fields: Mapping[str, Any], names: Sequence[str]) -> Any:
    found = (_value(fields, name) for name in names)
    return next((each for each in found if each not in (None, "")), None)


def _time(fields: Mapping[str, Any]) -> str | None:
    """The first time that can be read: `@timestamp` may have a custom pattern where `instant` has a number."""
    return next(filter(None, (plain_time(_value(fields, name)) for name in _TIMES)), None)


def _first_text(fields: Mapping[str, Any], names: Sequence[str]) -> str | None:
    found = (_value(fields, name) for name in names)
    return next((each for each in found if isinstance(each, str)), None)


def _level(value: Any) -> str | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int) and 0 <= value < len(_SYSLOG_LEVELS):
        return _SYSLOG_LEVELS[value]
    if isinstance(value, dict):
        value = value.get("name")
    named = value.upper() if isinstance(value, str) else ""
    return named if _LEVEL.match(named) else None


def plain_time(value: Any) -> str | None:
    """A time in ISO 8601, unchanged, or from a number since 1970 (s, ms, us or ns by magnitude) in UTC."""
    if isinstance(value, dict):
        seconds, nanoseconds = value.get("epochSecond"), value.get("nanoOfSecond", 0)
        if not isinstance(seconds, int) or not isinstance(nanoseconds, int) or not 0 <= nanoseconds < 10**9:
            return None
        return _from_seconds(seconds + nanoseconds / 1e9) if 0 < seconds < 10**11 else None
    if isinstance(value, str):
        if _ISO.match(value):
            return value.replace("_", " ")
        if not _NUMBER.match(value):
            return None
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    seconds = float(min(max(value, 0), 10**19))
    while seconds >= 1e11:
        seconds /= 1000
    return _from_seconds(seconds)


def _from_seconds(seconds: float) -> str | None:
    if not 0 < seconds < 1e11:
        return None
    return datetime.fromtimestamp(round(seconds, 3), UTC).strftime("%Y-%m-%d %H:%M:%S.%f")[:23]


def _trace(fields: Mapping[str, Any]) -> Iterator[str]:
    """The lines of the record's stack trace."""
    trace = _first(fields, _TRACES)
    if isinstance(trace, str):
        lines = trace.splitlines()
        named = _first_text(fields, ("error.type", "exception_class"))
        if named and lines and not lines[0].startswith(named):
            yield f"{named}: {_first_text(fields, ('error.message', 'exception_message')) or ''}"
        yield from lines[:MOST_ELEMENTS]
    elif isinstance(trace, list):
        yield from islice((str(each) for each in trace if isinstance(each, str)), MOST_ELEMENTS)
    elif isinstance(trace, dict):
        yield from _thrown(trace)


def _thrown(thrown: Mapping[str, Any]) -> Iterator[str]:
    """The lines of an exception object with its causes (log4j's JsonLayout, Logstash's template)."""
    title = ""
    for _ in range(MOST_DEPTH * 10):
        name = _first_text(thrown, ("name", "exception_class", "class"))
        said = _first_text(thrown, ("message", "exception_message", "localizedMessage"))
        stack = _first(thrown, ("extendedStackTrace", "stacktrace", "stackTrace", "stack_trace"))
        if isinstance(stack, str):
            if name and not stack.lstrip().startswith(name):
                yield f"{title}{name}: {said or ''}"
            yield from stack.splitlines()[:MOST_ELEMENTS]
            return
        yield f"{title}{name or '?'}: {said or ''}"
        for frame in islice(stack if isinstance(stack, list) else (), MOST_ELEMENTS):
            if isinstance(frame, dict):
                place = f"{frame.get('file') or 'Unknown Source'}:{frame.get('line')}"
                yield f"\tat {frame.get('class')}.{frame.get('method')}({place})"
        cause = thrown.get("cause")
        if not isinstance(cause, dict):
            return
        thrown, title = cause, "Caused by: "
