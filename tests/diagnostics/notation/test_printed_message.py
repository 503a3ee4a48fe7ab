"""A message of an exception in a sentence: one line, without frames, cut after a word."""

from __future__ import annotations

import pytest

from diagnostics.notation.printed_message import CUT, MOST_CHARACTERS, one_line


@pytest.mark.parametrize(
    ("message", "printed"),
    [
        (
            "Give up committing.\n\nDon't panic!\nConflicts are normal",
            "Give up committing. Don't panic! Conflicts are normal",
        ),
        (
            "no data files\n\tat org.apache.iceberg.Preconditions.checkState(Preconditions.java:502)\n\tat x.Y.z",
            "no data files",
        ),
        ("it failed\n\t... 12 more", "it failed"),
        ("There is a newer producer.", "There is a newer producer"),
        ("and so on...", "and so on..."),
        ("", ""),
    ],
)
def test_it_is_one_line_without_frames_and_full_stop(message: str, printed: str) -> None:
    assert one_line(message) == printed


def test_a_long_one_is_cut_after_a_word_and_says_so() -> None:
    printed = one_line("word " * 200)
    assert printed.endswith(f"word{CUT}")
    assert len(printed) <= MOST_CHARACTERS


def test_one_word_that_is_too_long_is_cut_all_the_same() -> None:
    assert one_line("x" * 2_000) == f"{'x' * MOST_CHARACTERS}{CUT}"
