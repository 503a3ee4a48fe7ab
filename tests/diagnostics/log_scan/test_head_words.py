"""Heads that are read eight bytes at a time, against the plain reading of each line."""

from __future__ import annotations

import random
import re
from datetime import UTC, datetime

import numpy as np
import pytest

from diagnostics.log_scan.head_words import HEAD, HeadWords
from diagnostics.log_scan.layout import Layout, head_lines, line_heads, plain_levels, times_of
from diagnostics.log_scan.stretch import line_bounds

BEGINS = {
    "date": re.compile(rb"\d{4}[-/]\d\d[-/]\d\d[ T]\d\d:\d\d:\d\d"),
    "short": re.compile(rb"\d\d/\d\d/\d\d \d\d:\d\d:\d\d"),
    "clock": re.compile(rb"\d\d:\d\d:\d\d[,.]\d{3}"),
}
PRINTED = {"date": "%Y-%m-%d %H:%M:%S", "short": "%y/%m/%d %H:%M:%S", "clock": "%H:%M:%S"}
LAST_MOMENT_MS = 2_500_000_000_000


def mutated_lines(style: str, chance: random.Random) -> list[bytes]:
    """Heads of a style, of which most have a byte replaced, some by one that no digit check may carry over."""
    lines = []
    for _ in range(400):
        moment = datetime.fromtimestamp(chance.randrange(LAST_MOMENT_MS) / 1000, UTC)
        printed = f"{moment:{PRINTED[style]}},{moment.microsecond // 1000:03} {chance.choice(['INFO ', 'WARN '])} a.b -"
        line = bytearray(printed.encode())
        if chance.random() < 0.7:
            line[chance.randrange(len(line))] = chance.choice((0, 0x2F, 0x3A, 0x39, 0xFF, 0xFA, ord("-"), ord(" ")))
        lines.append(bytes(line[: chance.choice((3, len(line), len(line)))]))
    return lines


@pytest.mark.parametrize("style", BEGINS)
def test_a_head_begins_where_its_pattern_matches(style: str) -> None:
    buffer = b"\n".join(mutated_lines(style, random.Random(style)))
    starts, _ = line_bounds(buffer)
    found = head_lines(line_heads(buffer, starts, Layout(style)), Layout(style)).tolist()
    assert found == [line for line, start in enumerate(starts.tolist()) if BEGINS[style].match(buffer, start)]


def test_times_are_those_of_the_calendar() -> None:
    chance = random.Random(7)
    moments = sorted(chance.randrange(LAST_MOMENT_MS) for _ in range(500))
    moments += [moments[-1] + step for step in range(5)]
    told = [datetime.fromtimestamp(each / 1000, UTC) for each in moments]
    buffer = b"\n".join(f"{each:%Y-%m-%d %H:%M:%S},{round(each.microsecond / 1000):03} INFO".encode() for each in told)
    starts, _ = line_bounds(buffer)
    words = line_heads(buffer, starts, Layout("date"))
    assert times_of(words, Layout("date")).tolist() == moments
    assert set(plain_levels(words, Layout("date")).tolist()) <= {-1, 2}


@pytest.mark.parametrize("length", [0, 1, 7, 8, HEAD - 1, HEAD, HEAD + 1, 3 * HEAD])
def test_zeros_follow_the_end_of_the_buffer(length: int) -> None:
    buffer = bytes(range(1, length + 1))
    words = HeadWords(buffer, np.arange(length))
    for place in range(HEAD):
        assert words.octet(place).tolist() == [*range(place + 1, length + 1), *[0] * min(place, length)]
