"""The viewer finds the lines that the evidence cites, whatever they are packed in."""

from __future__ import annotations

import gzip
import json
import os

import pytest

from diagnostics.errors import UnreadableInput
from diagnostics.intake import SourceFile, read_lines, unpack
from diagnostics.intake.viewing import FULL_BYTES, MOST_LINES, SHORT_CHARACTERS
from tests.diagnostics.intake.uploads import Desk, tarred, text_of, zipped

NUMBERED = "".join(f"line {number} of the log\n" for number in range(1, 50_001))


def test_lines_of_a_plain_upload(desk: Desk) -> None:
    source = desk.upload("tm.log", NUMBERED.encode())
    for first in (1, 2, 12_345, 49_999):
        assert read_lines(source, None, first, first + 1) == [
            (first, f"line {first} of the log"),
            (first + 1, f"line {first + 1} of the log"),
        ]


def test_lines_beyond_the_end_are_not_there(desk: Desk) -> None:
    source = desk.upload("tm.log", b"a\nb\nlast")
    assert read_lines(source, None, 2, 90) == [(2, "b"), (3, "last")]
    assert read_lines(source, None, 7, 9) == []
    assert read_lines(source, None, 3, 2) == []
    assert read_lines(source, "tm.log", -5, 1) == [(1, "a")]


@pytest.mark.parametrize(
    ("name", "content", "member"),
    [
        ("x.log.gz", gzip.compress(NUMBERED.encode()), "x.log.gz"),
        ("x.zip", zipped({"a.log": b"other\n", "b/tm.log": NUMBERED.encode()}), "x.zip!/b/tm.log"),
        ("x.tgz", tarred({"a.log": b"other\n", "b/tm.log": NUMBERED.encode()}, "w:gz"), "x.tgz!/b/tm.log"),
        ("x.tar", tarred({"in.zip": zipped({"tm.log": NUMBERED.encode()})}), "x.tar!/in.zip!/tm.log"),
        ("x.log", NUMBERED.encode("utf-16"), "x.log"),
        ("x.log", NUMBERED.replace("\n", "\r\n").encode(), "x.log"),
    ],
    ids=["gz", "zip", "tgz", "zip-in-tar", "utf-16", "crlf"],
)
def test_lines_are_those_that_unpacking_gave(desk: Desk, name: str, content: bytes, member: str) -> None:
    source = desk.upload(name, content)
    given = next(file for file in unpack([source], desk.workspace).inputs if file.name == member)
    assert text_of(given) == NUMBERED
    found = read_lines(source, member, 40_000, 40_002)
    assert found == [(number, f"line {number} of the log") for number in (40_000, 40_001, 40_002)]
    if "!/" in member:
        assert read_lines(source, member.partition("!/")[2], 40_000, 40_002) == found


def test_the_number_of_lines_is_bounded(desk: Desk) -> None:
    source = desk.upload("tm.log", NUMBERED.encode())
    assert len(read_lines(source, None, 1, 10**9)) == MOST_LINES


def test_a_json_document_of_one_line_comes_whole(desk: Desk) -> None:
    document = json.dumps({"values": list(range(200_000))})
    [(number, text)] = read_lines(desk.upload("a.json", document.encode()), None, 1, 9)
    assert (number, json.loads(text)) == (1, json.loads(document))


def test_many_long_lines_are_shortened_once_they_are_too_much(desk: Desk) -> None:
    source = desk.upload("tm.log", (b"x" * 1_000_000 + b"\n") * 12)
    lengths = [len(text) for _, text in read_lines(source, None, 1, 12)]
    assert lengths[: FULL_BYTES // 1_000_000] == [1_000_000] * (FULL_BYTES // 1_000_000)
    assert all(length < SHORT_CHARACTERS + 40 for length in lengths[FULL_BYTES // 1_000_000 :])


def test_a_member_that_is_not_there_or_refused_says_so(desk: Desk) -> None:
    source = desk.upload("x.zip", zipped({"a.log": b"x\n", "../b.log": b"x\n", "c.log": os.urandom(900)}))
    with pytest.raises(UnreadableInput, match=r"holds no file 'gone\.log'"):
        read_lines(source, "gone.log", 1, 2)
    with pytest.raises(UnreadableInput, match="leads out of the archive"):
        read_lines(source, "x.zip!/../b.log", 1, 2)
    with pytest.raises(UnreadableInput, match="not text"):
        read_lines(source, "x.zip!/c.log", 1, 2)
    with pytest.raises(UnreadableInput, match="No such file"):
        read_lines(SourceFile(desk.uploads / "gone", "gone.log"), None, 1, 2)


def test_nothing_is_left_behind(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(desk.workspace))
    noise = os.urandom(5_000_000).hex().encode()
    source = desk.upload("x.tar", tarred({"in.zip": zipped({"noise.log": noise, "a.log": b"here\n"})}))
    assert read_lines(source, "in.zip!/a.log", 1, 1) == [(1, "here")]
    assert desk.written() == set()
