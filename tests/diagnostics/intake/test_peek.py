"""At upload, formats are listed from the heads of the files, without writing anything."""

from __future__ import annotations

import gzip
import os
import time
import tracemalloc
from pathlib import Path

import pytest

from diagnostics.formats import FORMATS
from diagnostics.intake import peek, sources_in, unpack
from diagnostics.intake.peeking import NOT_LOOKED_AT, PEEKED_FILES
from tests.diagnostics.intake.uploads import LOG, Desk, tarred, zipped

MIB = 1024**2


def sample(format_id: str) -> bytes:
    """A real text of that format."""
    return FORMATS[format_id].samples[0].content


def test_formats_are_listed_with_their_confidence(desk: Desk) -> None:
    source = desk.upload(
        "x.zip", zipped({"conf/flink-conf.yaml": sample("flink-configuration"), "note.txt": b"Hello\n"})
    )
    conf, note = peek(source.path, source.name)
    assert (conf.name, conf.recognition.format_id) == ("x.zip!/conf/flink-conf.yaml", "flink-configuration")
    assert conf.recognition.confidence > 0.5
    assert (note.recognition.format_id, note.refusal, note.bytes) == (None, None, 6)


@pytest.mark.parametrize("format_id", sorted(FORMATS))
def test_unpacking_shows_the_same_as_peeking(desk: Desk, format_id: str) -> None:
    content = sample(format_id)
    source = desk.upload("x.tgz", tarred({FORMATS[format_id].samples[0].name: content}, "w:gz"))
    [peeked] = peek(source.path, source.name)
    [unpacked] = unpack([source], desk.workspace).inputs
    assert peeked.recognition.format_id == unpacked.format_id == format_id
    assert (peeked.name, peeked.recognition.confidence) == (unpacked.name, unpacked.confidence)


def test_refusals_come_with_their_reason(desk: Desk) -> None:
    source = desk.upload("x.zip", zipped({"../a.log": LOG, "b.log": b"", "c.bin": bytes(900), "d.log": LOG}))
    assert [each.refusal for each in peek(source.path, source.name)] == [
        "its name leads out of the archive (..)",
        "empty",
        "not text: nothing but NUL bytes",
        None,
    ]


def test_the_size_of_a_large_compressed_file_is_not_known(desk: Desk) -> None:
    source = desk.upload("x.log.gz", gzip.compress(os.urandom(200_000).hex().encode()))
    [each] = peek(source.path, source.name)
    assert each.bytes is None


def test_a_large_upload_costs_only_its_head(desk: Desk) -> None:
    source = desk.upload("x.log", LOG * 200_000)
    peek(source.path, source.name)  # what the first look loads and compiles is not of this file
    tracemalloc.start()
    try:
        began = time.thread_time()
        [each] = peek(source.path, source.name)
        seconds, most_bytes = time.thread_time() - began, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert seconds < 1
    assert most_bytes < 4 * MIB
    assert each.bytes == source.path.stat().st_size


def test_files_beyond_the_limits_are_one_entry(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    many = desk.upload("many.zip", zipped({f"{number}": b"x" for number in range(PEEKED_FILES + 5)}))
    found = peek(many.path, many.name, seconds=60)
    assert len(found) == PEEKED_FILES + 1
    assert (found[-1].name, found[-1].recognition) == ("many.zip", NOT_LOOKED_AT)
    monkeypatch.setattr("diagnostics.intake.peeking.PEEKED_BYTES", MIB)
    deep = desk.upload("deep.tgz", tarred({"a.bin": os.urandom(2 * MIB), "b.log": LOG}, "w:gz"))
    assert [each.recognition == NOT_LOOKED_AT for each in peek(deep.path, deep.name, seconds=60)] == [False, True]


def test_nothing_is_written(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    elsewhere = desk.workspace / "tmp"
    elsewhere.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(elsewhere))
    source = desk.upload("x.tar", tarred({"in.zip": zipped({"a.log": LOG})}))
    assert [each.name for each in peek(source.path, source.name)] == ["x.tar!/in.zip!/a.log"]
    assert desk.written() == set()


def test_three_hundred_small_files_take_milliseconds_each(desk: Desk) -> None:
    samples = [each.samples[0].content for each in FORMATS.values()]
    folder = desk.uploads / "case"
    folder.mkdir()
    for number in range(300):
        (folder / f"{number}.txt").write_bytes(samples[number % len(samples)] + b"\n" * (number + 1))
    sources, _ = sources_in([folder])

    def seconds_of_a_file() -> float:
        began = time.thread_time()
        assert len(unpack(sources, desk.workspace).inputs) == 300
        return (time.thread_time() - began) / 300

    # Other work of the machine makes a reading slow, never quick.
    assert any(seconds_of_a_file() < 0.005 for _ in range(10)), "2 ms on a quiet machine"


def test_a_format_that_fails_costs_its_own_answer_only(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(head: object, **_words: object) -> None:
        raise RecursionError("too deep")

    monkeypatch.setattr("diagnostics.intake.text_head.recognise", broken)
    [file] = desk.unpack("x.log", LOG)
    assert file.error is None
    assert file.warnings == ("its format could not be recognised: RecursionError: too deep",)
    assert Path(str(file.path)).is_file()
