"""Text in any encoding is read as UTF-8, with a warning when the encoding is uncertain."""

from __future__ import annotations

import codecs
import gzip
import os
import random
import struct
from typing import Any

import pytest

from tests.diagnostics.intake.uploads import LINE, LOG, Desk, text_of

CHINESE = "2026-11-21 01:40:00,000 WARN  com.acme.risk.RiskScore [] - 订单延迟 下游写入变慢 等待 3 秒\n"
GERMAN = "2026-11-21 01:40:00,000 WARN  com.acme.risk.RiskScore [] - Schlüssel für Größe überschritten\n"


def test_a_clean_upload_is_read_in_place(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", (LINE + CHINESE).encode())
    assert file.path == desk.uploads / "0"
    assert file.warnings == ()
    assert desk.written() == set()


def test_a_utf8_mark_is_taken_away(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", codecs.BOM_UTF8 + CHINESE.encode())
    assert text_of(file) == CHINESE
    assert file.path is not None
    assert file.path.parent == desk.workspace / "inputs"


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("text", [LINE * 9, CHINESE * 9], ids=["latin", "chinese"])
def test_wide_text_with_a_mark(desk: Desk, codec: str, text: str) -> None:
    [file] = desk.unpack("tm.log", ("\ufeff" + text.replace("\n", "\r\n")).encode(codec))
    assert (text_of(file), file.warnings) == (text, ())


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("text", [LINE * 9, CHINESE * 9], ids=["latin", "chinese"])
def test_utf16_without_a_mark(desk: Desk, codec: str, text: str) -> None:
    [file] = desk.unpack("tm.log", text.encode(codec))
    assert text_of(file) == text


def test_utf16_across_many_pieces(desk: Desk) -> None:
    text = (LINE + CHINESE) * 4_000
    [file] = desk.unpack("tm.log", text.encode("utf-16"))
    assert text_of(file) == text


def test_utf16_that_ends_within_a_character_says_where(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", (LINE * 3).encode("utf-16")[:-1])
    assert text_of(file) == LINE * 2 + LINE[:-1] + "\ufffd"
    assert file.warnings == ("wrong bytes, shown as \ufffd, in line 3",)


@pytest.mark.parametrize("codec", ["gbk", "gb18030"])
def test_gb_lines_after_many_ascii_lines(desk: Desk, codec: str) -> None:
    [file] = desk.unpack("tm.log", (LINE * 4_000).encode() + (CHINESE * 5).encode(codec))
    assert text_of(file) == LINE * 4_000 + CHINESE * 5
    assert file.warnings == ("not UTF-8, read as GB 18030: 5 lines, the first is line 4,001",)


def test_gb_lines_among_utf8_lines_are_both_right(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", CHINESE.encode() + CHINESE.encode("gbk") + CHINESE.encode())
    assert text_of(file) == CHINESE * 3
    assert file.warnings == ("not UTF-8, read as GB 18030: line 2",)


def test_latin_letters_are_not_taken_for_chinese(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", LOG + GERMAN.encode("latin-1"))
    assert text_of(file) == LOG.decode() + GERMAN
    assert file.warnings == (
        "neither UTF-8 nor GB 18030, read as Latin-1, so that letters beyond ASCII may be wrong: line 4",
    )


def test_one_wrong_byte_in_a_utf8_line_spoils_only_itself(desk: Desk) -> None:
    wrong = CHINESE.encode().replace(b"WARN", b"WA\xffRN")
    [file] = desk.unpack("tm.log", CHINESE.encode() + wrong)
    assert text_of(file) == CHINESE + CHINESE.replace("WARN", "WA\ufffdRN")
    assert file.warnings == ("wrong bytes, shown as \ufffd, in line 2",)


def test_a_character_cut_at_the_end_of_the_file_spoils_only_itself(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", LOG + CHINESE.encode()[:-2])
    assert text_of(file).endswith("3 \ufffd")
    assert file.warnings == ("wrong bytes, shown as \ufffd, in line 4",)


def test_a_few_nuls_are_left_out_and_said(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", LOG + b"a\0\0b\n" + LOG)
    assert text_of(file) == LOG.decode() + "ab\n" + LOG.decode()
    assert file.warnings == ("NUL bytes left out in line 4",)


def test_colours_stay_for_the_formats(desk: Desk) -> None:
    [file] = desk.unpack("tm.log", b"\x1b[31mERROR\x1b[0m \x1b[1mred\x1b[0m\n" * 9)
    assert file.error is None
    assert "\x1b[31m" in text_of(file)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "empty"),
        (random.Random(1).randbytes(50_000), "not text: 1"),
        (bytes(5_000), "not text: nothing but NUL bytes"),
        (bytes(range(32)) * 200, "not text: 81 % of its first bytes are control characters"),
        (struct.pack("<500d", *[1 / (n + 1) for n in range(500)]), "not text: "),
        (b"JAVA PROFILE 1.0.2\x00" + bytes(600), "not text: a Java heap dump"),
        (b"\x89PNG\r\n\x1a\n" + bytes(600), "not text: a PNG picture"),
        (b"\xca\xfe\xba\xbe" + bytes(60), "not text: a Java class"),
        (b"%PDF-1.7\n" + LOG, "not text: a PDF document"),
        (b"\xff\xfe" + b"\x00\xd8" * 600, "not text: no encoding fits its bytes"),
    ],
)
def test_what_is_no_text_is_refused_with_its_kind(desk: Desk, content: bytes, reason: str) -> None:
    [file] = desk.unpack("tm.log", content)
    assert str(file.error).startswith(reason)
    assert (file.path, file.format_id) == (None, None)


def test_encodings_hold_within_archives(desk: Desk) -> None:
    [file] = desk.unpack("tm.log.gz", gzip.compress(CHINESE.encode("utf-16") + b"\n"))
    assert text_of(file).startswith(CHINESE)


@pytest.mark.parametrize("size", [16, 30_000, 65_536, 65_537, 3_000_000])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_hole_before_a_log_that_was_emptied_while_written_is_left_out(desk: Desk, size: int, pack: Any) -> None:
    noise = os.urandom(20_000).hex()
    [file] = desk.unpack("tm.log", pack(bytes(size) + (LINE * 4 + noise).encode()))
    assert text_of(file) == LINE * 4 + noise
    assert file.format_id == "flink-log"
    assert file.warnings == (
        f"begins with {size:,} NUL bytes, as a log does that was emptied while written: they are left out",
    )


@pytest.mark.parametrize("size", [16, 65_536, 200_000])
def test_nothing_but_nuls_is_no_text(desk: Desk, size: int) -> None:
    [file] = desk.unpack("tm.log", bytes(size))
    assert file.error == "not text: nothing but NUL bytes"
