"""Line numbers are those of an editor; no line is endless."""

from __future__ import annotations

import io
import json

import pytest

from diagnostics.intake import Limits
from diagnostics.intake.encoding import Encoding
from diagnostics.intake.lines import CleanText, is_clean
from diagnostics.intake.streams import PIECE_BYTES
from tests.diagnostics.intake.uploads import LINE, LOG, Desk, text_of

MIB = 1024**2


class Trickle(io.BytesIO):
    """A stream that gives few bytes at once, as a decompressor may."""

    def __init__(self, content: bytes, most: int) -> None:
        super().__init__(content)
        self._most = most

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(self._most)


def clean(content: bytes, line_bytes: int | None = None, most: int = 7) -> tuple[str, tuple[str, ...]]:
    """The clean text of a trickling stream and its warnings."""
    text = CleanText(Trickle(content, most), Encoding("utf-8"), line_bytes)
    return b"".join(text.pieces()).decode("utf-8"), text.warnings()


@pytest.mark.parametrize("most", [1, 2, 3, 5, 100])
def test_every_line_end_becomes_a_newline(most: int) -> None:
    assert clean(b"a\r\nb\rc\n\r\nd\r\re\r", most=most) == ("a\nb\nc\n\nd\n\ne\n", ())


def test_a_carriage_return_at_the_end_of_a_piece_is_one_line_end(desk: Desk) -> None:
    content = b"x" * (PIECE_BYTES - 1) + b"\r\n" + LOG.replace(b"\n", b"\r\n")
    [file] = desk.unpack("tm.log", content)
    assert text_of(file) == "x" * (PIECE_BYTES - 1) + "\n" + LOG.decode()


def test_a_last_line_without_end_stays_without(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", b"a\r\nb")
    assert text_of(file) == "a\nb"


@pytest.mark.parametrize("most", [1, 4, 7, 1000])
def test_a_long_line_is_shortened_and_named(most: int) -> None:
    text, warnings = clean(b"one\n" + b"x" * 50 + b"\nthree\n", line_bytes=20, most=most)
    assert text == "one\n" + "x" * 20 + " ... (shortened from 50 bytes)\nthree\n"
    assert warnings == ("longer than 20 bytes and shortened: line 2",)


@pytest.mark.parametrize("most", [1, 5, 1000])
def test_shortening_does_not_split_a_character(most: int) -> None:
    text, _ = clean("订单延迟".encode() * 9 + b"\nnext\n", line_bytes=20, most=most)
    assert text.splitlines() == ["订单延迟订单 ... (shortened from 108 bytes)", "next"]


def test_lines_without_bound_are_whole_however_they_come() -> None:
    content = ("订单延迟" * 300_000).encode()
    text = CleanText(Trickle(content, 65_537), Encoding("utf-8"), None)
    assert b"".join(text.pieces()) == content
    assert text.warnings() == ()


def test_five_mebibytes_without_a_line_end(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", LOG + b"x" * (5 * MIB))
    assert file.warnings == ("longer than 1 MiB and shortened: line 4",)
    text = text_of(file)
    assert len(text) == len(LOG) + MIB + len(" ... (shortened from 5,242,880 bytes)")


def test_many_long_lines_are_counted(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", LOG + (b"x" * 200 + b"\n") * 3, Limits(line_bytes=150))
    assert file.warnings == ("longer than 150 bytes and shortened: 3 lines, the first is line 4",)


def test_a_json_document_of_one_long_line_stays_whole(desk: Desk) -> None:
    document = json.dumps({"values": list(range(400_000))})
    [file] = desk.unpack("a.json", document.encode())
    assert len(document) > 2 * MIB
    assert (text_of(file), file.warnings) == (document, ())


def test_a_clean_file_is_distinguished_from_others(desk: Desk) -> None:
    path = desk.uploads / "x"
    for content, expected in (
        (LOG, True),
        ("订单".encode() * 200_000, True),
        (b"", True),
        (LOG.replace(b"\n", b"\r\n"), False),
        (LOG + b"\0", False),
        (LOG + b"\xff", False),
        (LOG + "订".encode()[:2], False),
        (b"x" * 2_000, False),
        (LOG + b"x" * 2_000 + b"\n", False),
    ):
        path.write_bytes(content)
        assert is_clean(path, 2_000_000 if len(content) > 10_000 else 1_000) is expected


def test_line_numbers_hold_over_many_pieces(desk: Desk) -> None:
    content = LINE.encode() * 20_000 + b"wrong \xe9 byte\n" + LINE.encode() * 20_000 + b"a\0b\n"
    [file] = desk.unpack("tm.log", content)
    assert file.warnings == (
        "neither UTF-8 nor GB 18030, read as Latin-1, so that letters beyond ASCII may be wrong: line 20,001",
        "NUL bytes left out in line 40,002",
    )
    assert text_of(file).count("\n") == content.count(b"\n")
