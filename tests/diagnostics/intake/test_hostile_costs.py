"""Uploads that are cheap to send are cheap to refuse, and no file of an upload affects another one."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile

import pytest
from backports import zstd

from diagnostics.intake import Limits, compression, peek, unpack
from diagnostics.intake.limits import STREAM_BYTES
from diagnostics.intake.sources import Names
from diagnostics.intake.zip_archive import zip_remains
from tests.diagnostics.intake.uploads import LOG, Desk, deflated, raw_zip, tarred, text_of


def test_compressed_parts_that_hold_nothing(desk: Desk) -> None:
    limits = Limits(file_bytes=100 * STREAM_BYTES)
    [file] = desk.unpack("x.gz", gzip.compress(b"") * 50 + gzip.compress(LOG) + gzip.compress(b"") * 200, limits)
    assert text_of(file) == LOG.decode()
    assert file.warnings == (
        "more than 100 compressed parts after one another, which is the bound; what was there before is kept",
    )


def test_compressed_parts_of_all_files_together(desk: Desk) -> None:
    parts = zstd.compress(b"") * 40 + zstd.compress(LOG)
    files = desk.unpack(
        "x.tar", tarred({f"{number}.zst": parts for number in range(5)}), Limits(total_bytes=100 * STREAM_BYTES)
    )
    assert [file.error is None for file in files] == [True, True, False]
    assert files[-1].error == (
        "more than 100 compressed parts after one another, which is the bound; the files before that were read"
    )


def test_headers_of_a_zip_that_have_no_name_count_too() -> None:
    header = struct.pack("<4sHHHHHIIIHH", b"PK\x03\x04", 20, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    remains = io.BytesIO(header * 1_000 + raw_zip(b"x.log", deflated(LOG), size=10))
    assert list(zip_remains(remains, 900)) == []
    assert [entry.name for entry in zip_remains(remains, 1_100)] == ["x.log"]


def test_records_of_an_extended_tar_header_beyond_all_use_are_not_read(desk: Desk) -> None:
    records = b"12 path=a.b\n" + b"5 a=\n" * 200_000 + b"12 path=c.d\n"
    header = tarfile.TarInfo("x")
    header.type, header.size = tarfile.XHDTYPE, len(records)
    packed = header.tobuf() + records + bytes(-len(records) % 512) + tarred({"tm.log": LOG})
    [file] = desk.unpack("x.tar", packed)
    assert (file.name, text_of(file)) == ("x.tar!/a.b", LOG.decode())


def test_thousands_of_files_of_one_name() -> None:
    names = Names()
    taken = [names.take("logs/tm.log") for _ in range(20_000)]
    assert (taken[0], taken[1], taken[-1]) == ("logs/tm.log", "logs/tm (2).log", "logs/tm (20000).log")
    assert len(set(taken)) == len(names) == 20_000


def test_a_number_of_thousands_of_digits_is_said_and_ends_nothing(desk: Desk) -> None:
    number, log = desk.upload("x.json", b'{"size": ' + b"9" * 5_000 + b"}"), desk.upload("tm.log", LOG)
    kept, read = unpack([number, log], desk.workspace).inputs
    assert (kept.error, read.error) == (None, None)
    assert kept.warnings[0].startswith("JSON with a number that is no number of any use: ")
    assert [each.refusal for each in peek(number.path, "x.json")] == [None]


def test_a_file_over_which_our_own_code_fails_costs_no_other(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise RuntimeError("our fault")

    monkeypatch.setitem(compression._DECOMPRESSORS, compression.Container.ZSTD, fails)
    sources = [desk.upload("bad.zst", zstd.compress(LOG)), desk.upload("good.log", LOG)]
    bad, good = unpack(sources, desk.workspace).inputs
    assert (bad.error, good.error) == ("cannot be read further: RuntimeError: our fault", None)
    assert [each.refusal for each in peek(sources[0].path, "bad.zst")] == [bad.error]
