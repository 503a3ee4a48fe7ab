"""Patterns of log records that are more or less frequent in one stretch of time than in another."""

from __future__ import annotations

from pathlib import Path

from diagnostics.log_book.comparing import changed_patterns
from tests.diagnostics.log_book.books import log_book

HOUR = 1_795_222_800_000
"""2026-11-21 01:00:00 UTC."""
NORMAL, BAD = (HOUR, HOUR + 59_999), (HOUR + 60_000, HOUR + 179_999)


def line(second: int, message: str) -> str:
    return f"2026-11-21 01:{second // 60:02}:{second % 60:02},000 INFO  a.B [] - {message}\n"


def test_new_gone_and_more_frequent_patterns_have_rates_the_clearest_first(tmp_path: Path) -> None:
    lines = [line(second, "steady") for second in range(0, 180, 2)]
    lines += [line(second, f"slow {second}") for second in range(60, 180)]
    lines += [line(second, "gone") for second in range(0, 60, 4)]
    book = log_book(tmp_path, {"a.log": "".join(lines)})

    found = changed_patterns(book, NORMAL, BAD)

    assert [(each["text"], each["normal"], each["bad"], each["times"]) for each in found] == [
        ("slow <n>", 0.0, 60.0, None),
        ("gone", 15.0, 0.0, None),
    ]
    # All 120 in the second stretch, which is two thirds of the time: (120 - 80) / sqrt(120 * 2/3 * 1/3).
    assert round(found[0]["effect"], 2) == 7.75


def test_stretches_of_different_lengths_are_compared_by_rate(tmp_path: Path) -> None:
    book = log_book(tmp_path, {"a.log": "".join(line(second, "steady") for second in range(180))})

    assert changed_patterns(book, NORMAL, BAD) == []
