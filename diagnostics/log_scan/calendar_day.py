"""The date of log records whose time stamps have none: from the file itself, incremented at each midnight."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date

import numpy as np

from diagnostics.language import say, to_say
from diagnostics.log_scan.slices import Offsets
from diagnostics.notation.file_range import Range, open_file

DAY_MS = 86_400_000

MIDNIGHT_STEP_MS = 2 * 3_600_000
"""A clock that goes back further has passed midnight. The end of summer time takes it back one hour; threads that write
concurrently disorder lines by milliseconds. Our choice between.
"""

STEP_BYTES = 65_536
"""Midnights before a range are searched in steps: one is missed only when a day has fewer bytes than a step."""

LOOK_BYTES = 16_384
"""Bytes read at each step to find a time."""

NO_DAY = to_say(
    "the times have no date, and neither the content nor the name of the file contains one: records have no time"
)

_CLOCK = re.compile(rb"(?m)^(\d\d):(\d\d):(\d\d)[,.](\d{3}) ")
_DATED_LINE = re.compile(rb"(?m)^\[?(20\d\d)-(\d\d)-(\d\d)[ T]\d\d:\d\d")
_TRIGGERED = re.compile(
    rb"(?m)^(\d\d):(\d\d):(\d\d)[,.]\d{3} [^\n]{1,400}?Triggering checkpoint \d{1,18} [^\n]{1,200}?@ (\d{13}) "
)
_DATED_NAME = re.compile(r"(?<!\d)(20\d\d)([-_.]?)(0[1-9]|1[0-2])\2(0[1-9]|[12]\d|3[01])(?!\d)")


def first_day(name: str, sample: bytes) -> tuple[int, str] | None:
    """Days from 1970-01-01 to the first record's day, and a sentence on how it was determined; None when unknown.

    name    the file's name in the upload
    sample  its cleaned beginning

    The content takes precedence over the name: a line with a date, or the trigger time of a checkpoint; of the name the
    part nearest to its end. The clock is read as UTC.
    """
    dated = _DATED_LINE.search(sample)
    day = _day(*map(int, dated.groups())) if dated else None
    if dated and day is not None:
        return day - _midnights(_clocks(sample[: dated.start()])), _sentence(day, say("a line that has one"))
    triggered = _TRIGGERED.search(sample)
    if triggered:
        hour, minute, second, epoch_ms = map(int, triggered.groups())
        day = round((epoch_ms / 1000 - (hour * 3600 + minute * 60 + second)) / 86_400)
        before = _midnights(_clocks(sample[: triggered.start() + 13]))
        return day - before, _sentence(day, say("the trigger time of a checkpoint"))
    for year, _, month, of_month in reversed(_DATED_NAME.findall(name)):
        day = _day(int(year), int(month), int(of_month))
        if day is not None:
            return day, _sentence(day, say("the file's name"))
    return None


def _sentence(day: int, source: str) -> str:
    told = date.fromordinal(day + date(1970, 1, 1).toordinal()).isoformat()
    return say(
        "the times have no date: {day} is taken from {source}, and an earlier time of day begins the next day",
        day=told,
        source=source,
    )


def _day(year: int, month: int, of_month: int) -> int | None:
    try:
        return date(year, month, of_month).toordinal() - date(1970, 1, 1).toordinal()
    except ValueError:
        return None


def _clocks(text: bytes) -> list[int]:
    return [_clock_ms(found) for found in _CLOCK.finditer(text)]


def _clock_ms(found: re.Match[bytes]) -> int:
    hour, minute, second, milli = map(int, found.groups())
    return ((hour * 60 + minute) * 60 + second) * 1000 + milli


def _midnights(clocks: list[int]) -> int:
    return int(passed_midnights(np.array(clocks, np.int64))[-1]) if clocks else 0


def passed_midnights(clocks_ms: Offsets) -> Offsets:
    """Number of midnights since the first of these times of day, for each."""
    return np.cumsum(np.diff(clocks_ms, prepend=clocks_ms[:1]) < -MIDNIGHT_STEP_MS).astype(np.int64)


def clocks_before(part: Range, clean: Callable[[bytes], bytes]) -> list[int]:
    """Times of day in ms in the file before a range, one per step."""
    clocks = []
    with open_file(part) as opened:
        for at in range(0, part.start, STEP_BYTES):
            opened.seek(at)
            clock = _CLOCK.search(clean(opened.read(min(LOOK_BYTES, part.start - at))))
            if clock:
                clocks.append(_clock_ms(clock))
    return clocks
