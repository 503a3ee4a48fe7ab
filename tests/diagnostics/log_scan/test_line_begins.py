"""How many lines begin in some way: the same as a search of the whole text finds."""

from __future__ import annotations

import re

import pytest

from diagnostics.log_scan.line_begins import lines_that_begin

TIME = re.compile(rb"(?m)^\d\d:\d\d ")


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (b"10:15 a\n10:16 b\n", 2),
        (b"10:15 a\n10:16 b", 2),
        (b"10:15 a\n\tat 10:16 b\n10:17\n", 1),
        (b"\n\n10:15 a\r\n", 1),
        (b"", 0),
    ],
    ids=["whole lines", "no end of the last line", "elsewhere in a line", "blank lines", "empty"],
)
def test_lines_are_counted_that_begin_so(text: bytes, count: int) -> None:
    assert lines_that_begin(TIME, text) == count == len(TIME.findall(text))
