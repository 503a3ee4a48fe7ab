"""Removes what containers and terminals put around the lines of a log; the number of lines is unchanged."""

from __future__ import annotations

import re
from collections.abc import Callable

from diagnostics.log_scan.changed_traces import has_headed_traces, unfolded, without_heads
from diagnostics.log_scan.json_lines import are_json_lines, from_json_lines
from diagnostics.log_scan.line_begins import lines_that_begin
from diagnostics.log_scan.line_process import COMPOSE, STERN
from diagnostics.notation.file_range import JSON_BEGINS

_CRI = rb"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}(?:Z|[+-]\d\d:\d\d) (?:stdout|stderr) "
_CONTAINERD = re.compile(rb"(?m)" + _CRI + rb"[FP] ")
_PART_OF_CONTAINERD = re.compile(_CRI + rb"(?P<flag>[FP]) ")
"""Parts of a line that containerd wrote in pieces of 16 KiB; all but the last are marked P. Source: CRI log format."""
_KUBECTL_TIMESTAMP = re.compile(rb"(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}(?:Z|[+-]\d\d:\d\d) ")
_KUBECTL_PREFIX = re.compile(rb"(?m)^\[pod/[^\]\n]{1,300}\] ")
_COMPOSE = re.compile(rb"(?m)^" + COMPOSE)
_SYSLOG = re.compile(
    rb"(?m)^(?:<\d{1,3}>)?"
    rb"(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}[Z+-][\d:]{0,5}) "
    rb"(?!(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL) )[\w.-]{1,253} [\w./@-]{1,100}(?:\[\d{1,10}\])?: "
)
_STERN = re.compile(rb"(?m)^" + STERN)
LOGCLI = re.compile(rb"(?m)^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]{0,12}(?:Z|[+-]\d\d:\d\d)) \{[^}\n]{0,4000}\} {1,500}")
"""The arrival time and the labels that `logcli` puts before a line, padded with spaces."""

_LEVEL_FIRST = re.compile(
    rb"(?m)^\[?(TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL) {0,4}\]? {1,4}"
    rb"(\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d[.,\d]{0,10}\]?)(?= )"
)
"""Beginning of a record whose layout prints the level before the time."""

_AROUND = (_KUBECTL_PREFIX, _COMPOSE, LOGCLI, _STERN, _CONTAINERD)
_AROUND_A_TIME = (_SYSLOG, _KUBECTL_TIMESTAMP)
_ANY_PREFIX = re.compile(
    rb"(?m)^(?:" + b"|".join(each.pattern.removeprefix(b"(?m)^") for each in (*_AROUND, *_AROUND_A_TIME)) + b")"
)
"""Any of these: most files have none, which one search shows."""

_ANSI = re.compile(rb"\x1b\[[0-9;]{0,20}[A-Za-z]")

_TIME_FIRST = re.compile(rb"(?m)^\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d")

_OF_A_TRACE = re.compile(rb"(?m)^\s{0,20}(?:at [\w$./<>]+\(|\.\.\. \d+ (?:more|common frames)|Caused by: )")
"""Lines of a stack trace that follow its first one."""

MOST_OF_A_HEAD = 0.6
"""Minimum share of the first lines with a prefix for it to be removed from all lines. Our choice."""

JUDGED_BYTES = 16_384
"""Bytes of a file's beginning that are examined, about a hundred lines. Our choice: a prefix is on all lines."""

Cleaner = Callable[[bytes], bytes]


def cleaner_for(head: bytes) -> Cleaner:
    """A function that removes the container's prefix from a file's lines, chosen by the first lines."""
    whole_lines = head.rfind(b"\n", 0, JUDGED_BYTES) + 1
    shown = _plain(head[:whole_lines] if whole_lines and len(head) > JUDGED_BYTES else head)
    steps: list[Cleaner] = []
    has_prefix = _carried(_ANY_PREFIX, shown)
    for pattern in _AROUND if has_prefix and not JSON_BEGINS.match(shown) else ():
        if _carried(pattern, shown):
            steps.append(_without_cri if pattern is _CONTAINERD else _remover(pattern))
            shown = steps[-1](shown)
    if are_json_lines(shown):
        return _applying([*steps, _from_json])
    for pattern in _AROUND_A_TIME if has_prefix else ():
        if not _carried(pattern, shown):
            continue
        without = pattern.sub(b"", shown)
        if are_json_lines(without):
            return _applying([*steps, _remover(pattern), _from_json])
        # A layout may begin like the prefix, with a time in ISO 8601: it is one before another time or a trace.
        if _TIME_FIRST.search(without) or _LEVEL_FIRST.search(without) or _OF_A_TRACE.search(without):
            return _applying([*steps, _remover(pattern)])
    if lines_that_begin(_LEVEL_FIRST, shown) > lines_that_begin(_TIME_FIRST, shown):
        steps.append(_with_time_first)
        shown = steps[-1](shown)
    if has_headed_traces(shown):
        steps.append(without_heads)
    return _applying([*steps, unfolded])


def _applying(steps: list[Cleaner]) -> Cleaner:
    def clean(text: bytes) -> bytes:
        text = _plain(text)
        for step in steps:
            text = step(text)
        return text

    return clean


def _carried(pattern: re.Pattern[bytes], head: bytes) -> bool:
    lines = sum(1 for line in head.split(b"\n")[:-1] if line.strip()) or 1
    return lines_that_begin(pattern, head) / lines >= MOST_OF_A_HEAD


def _remover(pattern: re.Pattern[bytes]) -> Cleaner:
    return lambda text: pattern.sub(b"", text)


def _without_cri(text: bytes) -> bytes:
    """Joins the parts of a line at its first part; as many empty lines follow as there were further parts."""
    return _joined_lines(text) if b" P " in text else _CONTAINERD.sub(b"", text)


def _joined_lines(text: bytes) -> bytes:
    lines: list[bytes] = []
    parts: list[bytes] = []
    for line in text.split(b"\n"):
        found = _PART_OF_CONTAINERD.match(line)
        parts.append(line[found.end() :] if found else line)
        if found is None or found["flag"] == b"F":
            lines += [b"".join(parts), *[b""] * (len(parts) - 1)]
            parts = []
    if parts:
        lines += [b"".join(parts), *[b""] * (len(parts) - 1)]
    return b"\n".join(lines)


def _with_time_first(text: bytes) -> bytes:
    return _LEVEL_FIRST.sub(rb"\2 \1", text)


def _from_json(text: bytes) -> bytes:
    """Colours within a string are only visible after decoding."""
    return _ANSI.sub(b"", from_json_lines(text))


def _plain(text: bytes) -> bytes:
    if b"\x1b" in text:
        text = _ANSI.sub(b"", text)
    # Searching one byte is ten times as fast as two.
    return text.replace(b"\r\n", b"\n") if b"\r" in text else text
