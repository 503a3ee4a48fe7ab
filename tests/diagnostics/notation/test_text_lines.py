"""Lines of a text as an editor counts them, whatever their length and wherever a block of the file ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.notation.file_range import Range
from diagnostics.notation.text_lines import numbered_lines, raw_lines


def part_of(folder: Path, content: bytes, start: int = 0, end: int | None = None) -> Range:
    path = folder / "text"
    path.write_bytes(content)
    return Range(0, "text", str(path), start, len(content) if end is None else end, len(content))


@pytest.mark.parametrize("block_bytes", [1, 2, 3, 5, 1000])
@pytest.mark.parametrize(
    ("content", "lines"),
    [
        ("", []),
        ("one\n", ["one"]),
        ("one \t\r\n\n  two", ["one", "", "  two"]),
        ("\n\n", ["", ""]),
        ("über\n\u2028鲸\n", ["über", "\u2028鲸"]),
        ("a" * 40 + "\nb\n", ["a" * 12, "b"]),
        ("ü" * 40 + "\n" + "鲸" * 40, ["ü" * 12, "鲸" * 12]),
    ],
    ids=["empty", "one", "blank-ends", "blank", "other-languages", "long", "long-characters"],
)
def test_lines_are_numbered_and_cut_wherever_a_block_ends(
    content: str, lines: list[str], block_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("diagnostics.notation.text_lines.BLOCK_BYTES", block_bytes)
    assert list(numbered_lines(part_of(tmp_path, content.encode()), 12)) == list(enumerate(lines, 1))


def test_bytes_that_are_no_utf_8_are_replaced_and_raw_lines_have_them(tmp_path: Path) -> None:
    part = part_of(tmp_path, b"caf\xe9 \nb")
    assert list(numbered_lines(part, 12)) == [(1, "caf\ufffd"), (2, "b")]
    assert list(raw_lines(part, 12)) == [b"caf\xe9 ", b"b"]


def test_a_range_ends_where_the_next_begins(tmp_path: Path) -> None:
    content = b"one\ntwo\nthree\n"
    assert list(numbered_lines(part_of(tmp_path, content, 0, 4), 12)) == [(1, "one")]
    assert list(numbered_lines(part_of(tmp_path, content, 4), 12)) == [(1, "two"), (2, "three")]
