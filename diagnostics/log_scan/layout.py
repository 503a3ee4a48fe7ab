"""The head of a log record: positions of time, level, logger, thread and message in the layouts that Flink ships.

The default layouts have fixed widths, which numpy reads for all records at once:

    2026-11-21 01:31:39,633 INFO  org.apache.flink....ClusterEntrypoint        [] - message      log4j 2, from 1.11
    2020-05-04 10:11:12,345 INFO  org.apache.flink....ClusterEntrypoint         - message        log4j 1, to 1.10

Other layouts (logback, thread names, ZooKeeper's, Hadoop's and the Kubernetes operator's, shortened logger names, the
tabs of operators written in Go) are matched with RE2.

Source: `flink-dist/src/main/flink-bin/conf/*.properties, logback*.xml` of Flink 1.9 to 2.3,
`helm/flink-kubernetes-operator/conf/log4j-operator.properties` of the operator 1.0 to 1.15.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.log_scan.head_words import HeadWords
from diagnostics.log_scan.line_begins import line_beginnings, lines_that_begin
from diagnostics.log_scan.slices import Offsets, slices

LEVELS = ("TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL")

MESSAGE_BYTES = 2_000
"""Bytes kept of a message, as in the table log_record."""

HEAD_BYTES = 16_384
"""Bytes of a head line that are parsed: names of threads that run SQL have thousands of characters."""

FIXED_BYTES = 128
"""Bytes from the start of a head line within which the fixed-width layouts have all fields before the message."""

_LEVEL = r"(?P<level>TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)"

_HEADS = (
    rf"^ +\[?{_LEVEL}\]? +(?:\[(?P<thread>[^\]]*)\] +)?(?P<logger>[\w.$/@-]+|\?) *"
    r"(?:\[(?P<context>[^\]]*)\])? *- (?P<message>.*)",
    rf"^ +\[(?P<thread>.+?)\] +{_LEVEL} +(?P<logger>\S+) +"
    r"(?:\[(?P<context>[^\]]*)\] *)?(?:.*? )?- (?P<message>.*)",
    rf"^ +(?:\[myid:[^\]]*\] +)?- +{_LEVEL} +\[(?P<thread>.*):(?P<logger>[\w$.]+)@[^\]]*\] +- (?P<message>.*)",
    rf"^ +(?P<logger>[\w.$/]+) +\[{_LEVEL} *\] ?(?:\[[\w.-]*[./][\w.-]*\])? *(?P<message>.*)",
    rf"^ +{_LEVEL} +\[(?P<thread>[^\]]*)\] +(?P<logger>[\w.$]+)(?: \([^)]*\))?: (?P<message>.*)",
    rf"^ +{_LEVEL} +(?P<logger>[\w.$]+): (?P<message>.*)",
    rf"^\t{_LEVEL}\t(?P<logger>[\w./-]+)(?:\t[\w./-]+\.go:\d+)?\t(?P<message>.*)",
    rf"^ *\| *{_LEVEL} *\| *(?P<thread>[^|]*[^| ]) *\| *(?P<logger>[\w.$/@-]+) *\| *(?P<message>.*)",
    rf"^[ \]|]*(?:\[(?P<thread>[^\]]*)\] *)?\[?{_LEVEL}\]?[ :|]+(?P<message>.*)",
)
"""Patterns after the time stamp, most frequent first. log4j 1 prints nothing for an empty context, log4j 2 prints
`[]`.
"""

_TIMED = re.compile(
    rb"(?m)^(?:(?P<date>\[?\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d)|(?P<short>\d\d/\d\d/\d\d \d\d:\d\d:\d\d)"
    rb"|(?P<clock>\d\d:\d\d:\d\d[,.]\d{3} ))"
)
_BRACKETED = re.compile(rb"(?m)^\[\d{4}[-/]\d\d")

_LEVEL_NEAR = re.compile(rb"^.{0,160}?\b(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\b(?!:)")
_LEVEL_BEHIND_THREAD = re.compile(rb"^[\d-]{0,10}[ T]?[\d:,.]{8,16} \[.{1,8000}?\] (?:TRACE|DEBUG|INFO|WARN|ERROR) ")

_ZONE = r"^[,.]?\d*(?: ?(?P<zone>Z|UTC|GMT|[+-]\d\d:?\d\d|[A-Z]{2,3}T))?\]?(?P<rest>[ \t].*|\]?$)"
"""Zone after the seconds. Names such as CST or CET are distinguished from levels by their end: no level ends with T."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Notation of time in a file: `date` (year first), `short` (yy/MM/dd), `clock` (no date), or None for no time.

    bracketed  the time is in square brackets
    """

    style: str | None
    bracketed: bool = False


@dataclass(frozen=True, slots=True)
class Heads:
    """The head lines of a stretch of log, one entry per record.

    line       index of its line in the stretch
    start      offset of that line
    ts_ms      epoch milliseconds, times without zone read as UTC; milliseconds of the day in the style `clock`
    message    at most MESSAGE_BYTES, as printed
    understood whether it has a level
    zone       as printed; null or empty when there is none
    """

    line: Offsets
    start: Offsets
    ts_ms: pa.Array
    level: pa.Array
    logger: pa.Array
    thread: pa.Array
    message: pa.Array
    understood: npt.NDArray[np.bool_]
    zone: pa.Array

    @property
    def utc_offset_min(self) -> int | None:
        """Minutes ahead of UTC of the first printed zone; None without a zone."""
        zones = pc.unique(self.zone).to_pylist()
        return next((_minutes(name) for name in zones if name and not _is_ambiguous(name)), None)

    @property
    def zone_name(self) -> str | None:
        """The first zone printed as ambiguous letters, whose times are read as UTC; else None."""
        return next((name for name in pc.unique(self.zone).to_pylist() if name and _is_ambiguous(name)), None)

    def part(self, first: int, last: int, lines_before: int) -> Heads:
        """Heads from `first` to before `last`; `lines_before` is subtracted from their lines."""
        texts = (self.ts_ms, self.level, self.logger, self.thread, self.message)
        ts_ms, level, logger, thread, message = (column.slice(first, last - first) for column in texts)
        return Heads(
            self.line[first:last] - lines_before,
            self.start[first:last],
            ts_ms,
            level,
            logger,
            thread,
            message,
            self.understood[first:last],
            self.zone.slice(first, last - first),
        )


def layout_of(head: bytes) -> Layout:
    """The notation of time in most of a file's cleaned first lines."""
    counts = Counter(found.lastgroup for found in line_beginnings(_TIMED, head))
    if not counts:
        return Layout(None)
    style = max(_TIMED.groupindex, key=lambda each: counts[each])
    return Layout(style, style == "date" and lines_that_begin(_BRACKETED, head) * 2 > counts[style])


def recognised_lines(head: bytes) -> tuple[int, int]:
    """Among the cleaned first lines: how many begin with a time and a level, and how many begin with a time."""
    timed = levelled = 0
    for line in head.split(b"\n")[:400]:
        if _TIMED.match(line):
            timed += 1
            levelled += bool(_LEVEL_NEAR.match(line) or _LEVEL_BEHIND_THREAD.match(line))
    return levelled, timed


def line_heads(buffer: bytes, starts: Offsets, layout: Layout) -> HeadWords:
    """What lines begin with, from where their time stamps are."""
    return HeadWords(buffer, starts + (1 if layout.bracketed else 0))


def head_lines(words: HeadWords, layout: Layout) -> Offsets:
    """Indexes of the lines that begin a record, with a time stamp in the file's notation."""
    if layout.style is None or not words.count:
        return np.empty(0, np.int64)
    digits, marks = _shape(layout)
    fits = words.are_digits(digits)
    for place, allowed in marks:
        octet = words.octet(place)
        fits &= np.logical_or.reduce([octet == each for each in allowed])
    return np.flatnonzero(fits)


def _shape(layout: Layout) -> tuple[tuple[int, ...], tuple[tuple[int, bytes], ...]]:
    if layout.style == "date":
        marks = ((4, b"-/"), (13, b":"), (7, b"-/"), (10, b" T"), (16, b":"))
        return (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18), marks
    if layout.style == "short":
        return (0, 1, 3, 4, 6, 7, 9, 10, 12, 13, 15, 16), ((2, b"/"), (5, b"/"), (8, b" "), (11, b":"), (14, b":"))
    return (0, 1, 3, 4, 6, 7, 9, 10, 11), ((2, b":"), (5, b":"), (8, b",."))


def parse_heads(
    buffer: bytes,
    words: HeadWords,
    lines: Offsets,
    starts: Offsets,
    ends: Offsets,
    layout: Layout,
    message_bytes: int = MESSAGE_BYTES,
) -> Heads:
    """The fields of every head line. `lines` are indexes into `starts` and `ends`, the lines of the stretch.

    message_bytes  needed of messages in the default layouts
    """
    start, end = starts[lines], ends[lines]
    has_room = not len(start) or start[-1] + FIXED_BYTES <= len(buffer)
    padded = np.frombuffer(buffer if has_room else buffer + bytes(FIXED_BYTES), np.uint8)
    stamp = start + (1 if layout.bracketed else 0)
    ts_ms, length = _times(words, layout)
    rest = stamp + length
    fast = _fixed_width(padded, start, rest, layout)
    level = pa.nulls(len(lines), pa.string())
    logger, thread, message = level, level, level
    rest = np.minimum(rest, end)
    if fast is not None:
        level, logger, message = _fixed_fields(buffer, padded, start, end, fast, message_bytes)
        slow = np.flatnonzero(fast == 0)
    else:
        slow = np.arange(len(lines))
    shift, zone = np.zeros(len(lines), np.int64), pa.nulls(len(lines), pa.string())
    if len(slow):
        slow_fields = _slow_fields(slices(buffer, rest[slow], np.minimum(end[slow], rest[slow] + HEAD_BYTES)))
        mask = np.zeros(len(lines), bool)
        mask[slow] = True
        level, logger, thread, message, zone = (
            pc.replace_with_mask(column, pa.array(mask), values)
            for column, values in zip((level, logger, thread, message, zone), slow_fields, strict=True)
        )
        shift[slow] = _shifts(slow_fields[4])
    times = pa.array(ts_ms - shift, pa.int64())
    understood = level.is_valid().to_numpy(zero_copy_only=False)
    return Heads(lines, start, times, level, logger, thread, message, understood, zone)


def plain_levels(words: HeadWords, layout: Layout) -> npt.NDArray[np.int8]:
    """Index in LEVELS of each head's level when it is below WARN and directly after a time without a zone; else -1.

    Other heads need RE2. Nearly all heads of the layouts that Flink ships have this form.
    """
    levels = np.full(words.count, -1, np.int8)
    if layout.style != "date" or layout.bracketed:
        return levels
    comma = words.octet(19)
    timed = ((comma == ord(",")) | (comma == ord("."))) & (words.octet(23) == ord(" ")) & words.are_digits((20, 21, 22))
    for place in range(LEVELS.index("WARN")):
        levels[timed & words.equal(24, f"{LEVELS[place]:5} ".encode())] = place
    return levels


def times_of(words: HeadWords, layout: Layout) -> Offsets:
    """Epoch milliseconds of heads without a zone."""
    return _times(words, layout)[0]


def _times(words: HeadWords, layout: Layout) -> tuple[Offsets, int]:
    """Epoch milliseconds (UTC) of time stamps, and their length (before fractions and zone)."""
    clock, length = {"date": (11, 19), "short": (9, 17), "clock": (0, 8)}[layout.style or "clock"]
    seconds = words.number(clock, 2) * 3600 + words.number(clock + 3, 2) * 60 + words.number(clock + 6, 2)
    if clock:
        seconds += _days_of(words, layout) * 86_400
    fraction = words.octet(length)
    has_fraction = (fraction == ord(",")) | (fraction == ord("."))
    has_fraction &= words.are_digits((length + 1, length + 2, length + 3))
    return seconds * 1000 + np.where(has_fraction, words.number(length + 1, 3), 0), length


def _days_of(words: HeadWords, layout: Layout) -> Offsets:
    """Days since 1970-01-01 of time stamps with a date, computed once for adjacent records of a day."""
    firsts = words.first_of_runs(10 if layout.style == "date" else 8)
    own = words.at(firsts)
    if layout.style == "date":
        days = _days(own.number(0, 4), own.number(5, 2), own.number(8, 2))
    else:
        days = _days(own.number(0, 2) + 2000, own.number(3, 2), own.number(6, 2))
    return np.repeat(days, np.diff(firsts, append=words.count))


def _days(year: Offsets, month: Offsets, day: Offsets) -> Offsets:
    """Days since 1970-01-01, counting years from March so that a leap day comes last."""
    year = year - (month <= 2)
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + np.where(month > 2, -3, 9)) + 2) // 5 + day - 1
    days: Offsets = era * 146_097 + year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year - 719_468
    return days


def _fixed_width(
    padded: npt.NDArray[np.uint8], start: Offsets, rest: Offsets, layout: Layout
) -> npt.NDArray[np.int64] | None:
    """Offset of each head's message in the default layout's widths, else 0; None when no head has this layout."""
    if layout.style != "date" or layout.bracketed:
        return None
    at = np.minimum(start, len(padded) - FIXED_BYTES)
    default = (padded[at + 23] == 32) & (padded[at + 29] == 32) & (padded[at + 30] != 32)
    default &= (padded[at + 93] == 32) & (padded[at + 90] == 32) & (rest == start + 19)
    octets = {place: padded[at + place] for place in (91, 92, 94, 95)}
    log4j2 = default & (octets[91] == ord("[")) & (octets[92] == ord("]"))
    log4j2 &= (octets[94] == ord("-")) & (octets[95] == 32)
    log4j1 = default & (octets[91] == 32) & (octets[92] == ord("-"))
    where = np.where(log4j2, 96, np.where(log4j1, 94, 0))
    return where if where.any() else None


def _fixed_fields(
    buffer: bytes,
    padded: npt.NDArray[np.uint8],
    start: Offsets,
    end: Offsets,
    where: npt.NDArray[np.int64],
    message_bytes: int,
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Level, logger and message of the heads in the default layout, null for the others."""
    at = np.where(where == 0, 0, start)
    code = padded[at + 24]
    names = pa.array([*LEVELS])
    index = np.full(len(start), -1)
    for place, name in enumerate(LEVELS):
        index[code == ord(name[0])] = place
    level = names.take(pa.array(index, mask=(index < 0) | (where == 0)))
    logger = pc.utf8_rtrim_whitespace(slices(buffer, at + 30, at + 90))
    message = slices(buffer, at + where, np.minimum(end, at + where + message_bytes))
    if where.all():
        return level, logger, message
    others, blank = pa.array(where == 0), pa.scalar(None, pa.string())
    return level, pc.if_else(others, blank, logger), pc.if_else(others, blank, message)


def _slow_fields(rest: pa.Array) -> tuple[pa.Array, pa.Array, pa.Array, pa.Array, pa.Array]:
    """Level, logger, thread, message and printed zone of heads in other layouts, from the text after the time."""
    zoned = pc.extract_regex(rest, pattern=_ZONE)
    zone, tail = pc.struct_field(zoned, "zone"), pc.struct_field(zoned, "rest")
    tail = pc.if_else(tail.is_valid(), tail, rest)
    level = logger = thread = message = pa.nulls(len(rest), pa.string())
    waiting = np.arange(len(rest))
    for pattern in _HEADS:
        matches = pc.extract_regex(tail.take(pa.array(waiting)), pattern=pattern)
        fits = matches.is_valid().to_numpy(zero_copy_only=False)
        if not fits.any():
            continue
        mask = np.zeros(len(rest), bool)
        mask[waiting[fits]] = True
        matches = matches.filter(pa.array(fits))
        names = {field.name for field in matches.type}
        put = pa.array(mask)
        level = pc.replace_with_mask(level, put, pc.struct_field(matches, "level"))
        message = pc.replace_with_mask(message, put, pc.struct_field(matches, "message"))
        if "logger" in names:
            logger = pc.replace_with_mask(logger, put, pc.struct_field(matches, "logger"))
        told = [pc.struct_field(matches, name) for name in ("thread", "context") if name in names]
        if told:
            named = told[0] if len(told) == 1 else pc.if_else(pc.not_equal(told[0], ""), told[0], told[1])
            thread = pc.replace_with_mask(thread, put, named)
        waiting = waiting[~fits]
        if not len(waiting):
            break
    mask = np.zeros(len(rest), bool)
    mask[waiting] = True
    message = pc.replace_with_mask(message, pa.array(mask), pc.utf8_ltrim_whitespace(tail.filter(pa.array(mask))))
    level = pc.if_else(pc.equal(level, "WARNING"), "WARN", level)
    thread = pc.if_else(pc.equal(thread, ""), pa.scalar(None, pa.string()), thread)
    text = pc.utf8_slice_codeunits(message, 0, MESSAGE_BYTES)
    return level, logger, thread, text, zone


def _shifts(zone: pa.Array) -> Offsets:
    """Milliseconds that each zone is ahead of UTC."""
    shift = np.zeros(len(zone), np.int64)
    for name in pc.unique(zone).to_pylist():
        if name and _minutes(name):
            shift[pc.equal(zone, name).fill_null(False).to_numpy(zero_copy_only=False)] = _minutes(name) * 60_000
    return shift


def _minutes(zone: str) -> int:
    """Minutes ahead of UTC of `+02:00`, `-0330`, `Z` or `UTC`."""
    if zone[0] not in "+-":
        return 0
    digits = zone[1:].replace(":", "")
    return (int(digits[:2]) * 60 + int(digits[2:])) * (1 if zone[0] == "+" else -1)


def _is_ambiguous(zone: str) -> bool:
    """Whether letters name several zones: CST is one of China, America and Cuba."""
    return zone[0].isalpha() and zone not in ("Z", "UTC", "GMT")
