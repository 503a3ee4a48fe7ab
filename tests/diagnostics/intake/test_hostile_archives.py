"""Hostile and damaged archives: each bad entry is reported by name, and the others are read."""

from __future__ import annotations

import io
import os
import random
import resource
import signal
import struct
import tarfile
import tracemalloc
import zipfile

import pytest

from diagnostics.intake import SourceFile, peek, unpack
from tests.diagnostics.intake.uploads import LOG, Desk, raw_zip, tarred, text_of, told, zipped

MIB = 1024**2
BOMB = "expands to more than 200 times its size"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("../../escaped.log", "leads out of the archive"),
        ("logs/../../escaped.log", "leads out of the archive"),
        ("..\\..\\escaped.log", "leads out of the archive"),
        ("/etc/escaped.log", "an absolute path"),
        ("\\\\server\\escaped.log", "an absolute path"),
        ("C:\\escaped.log", "a drive letter"),
        ("c:escaped.log", "a drive letter"),
    ],
)
@pytest.mark.parametrize("pack", [zipped, tarred])
def test_a_path_escape_is_refused_and_nothing_is_written_outside(desk: Desk, name: str, reason: str, pack) -> None:
    before = set(desk.uploads.parent.rglob("*"))
    refused, read = desk.unpack("x.bin", pack({name: LOG, "good.log": LOG}))
    assert reason in str(refused.error)
    assert refused.path is None
    assert read.error is None
    new = {path for path in desk.uploads.parent.rglob("*") if path not in before}
    assert new == {desk.uploads / "0", desk.workspace / "inputs", desk.workspace / "inputs" / "1.txt"}


def test_no_name_of_an_archive_becomes_a_name_on_the_disk(desk: Desk) -> None:
    desk.unpack("x.zip", zipped({"nul\n.log": LOG, "</td><script>.log": LOG, "\u202egol.txt": LOG, "n" * 900: LOG}))
    assert desk.written() == {f"inputs/{number}.txt" for number in range(4)}


def test_names_are_shown_without_what_does_not_print(desk: Desk) -> None:
    files = desk.unpack("x.zip", zipped({"nul\n\x1b[2J.log": LOG, "\u202egol.txt": LOG}))
    assert list(told(files)) == ["x.zip!/nul__[2J.log", "x.zip!/_gol.txt"]


def test_a_name_beyond_the_bound_is_refused_and_shown_shortened(desk: Desk) -> None:
    long, read = desk.unpack("x.zip", zipped({"n" * 5000: LOG, "good.log": LOG}))
    assert long.error == "its name has 5,000 characters; 1,024 is the bound"
    assert len(long.name) < 150
    assert read.error is None


def test_links_devices_and_pipes_of_a_tar_are_refused_one_by_one(desk: Desk) -> None:
    target = io.BytesIO()
    with tarfile.open(fileobj=target, mode="w:gz") as archive:
        for name, kind in (
            ("sym", tarfile.SYMTYPE),
            ("hard", tarfile.LNKTYPE),
            ("device", tarfile.CHRTYPE),
            ("pipe", tarfile.FIFOTYPE),
            ("odd", b"Z"),
        ):
            info = tarfile.TarInfo(name)
            info.type, info.linkname = kind, "/etc/passwd"
            archive.addfile(info)
        info = tarfile.TarInfo("good.log")
        info.size = len(LOG)
        archive.addfile(info, io.BytesIO(LOG))
    assert told(desk.unpack("x.tgz", target.getvalue())) == {
        "x.tgz!/sym": "a symbolic link: links are not followed",
        "x.tgz!/hard": "a hard link: links are not followed",
        "x.tgz!/device": "a device, not a file",
        "x.tgz!/pipe": "a pipe, not a file",
        "x.tgz!/odd": "an entry of the unknown type b'Z'",
        "x.tgz!/good.log": None,
    }


def test_links_and_pipes_of_a_zip_are_refused(desk: Desk) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, mode in (("link.log", 0o120777), ("pipe.log", 0o010666)):
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            archive.writestr(info, "/etc/passwd")
        archive.writestr("good.log", LOG)
    assert told(desk.unpack("x.zip", target.getvalue())) == {
        "x.zip!/link.log": "a symbolic link: links are not followed",
        "x.zip!/pipe.log": "a device or pipe, not a file",
        "x.zip!/good.log": None,
    }


def test_an_encrypted_entry_is_refused_with_what_to_do(desk: Desk) -> None:
    [file] = desk.unpack("x.zip", raw_zip(b"secret.log", bytes(range(200)), size=188, flags=1, method=0))
    assert (file.name, file.error) == ("x.zip!/secret.log", "encrypted: send it without a password")


@pytest.mark.parametrize(("method", "called"), [(9, "Deflate64"), (93, "Zstandard"), (77, "unknown")])
def test_an_unsupported_compression_is_named(desk: Desk, method: int, called: str) -> None:
    [file] = desk.unpack("x.zip", raw_zip(b"x.log", b"....", size=4, method=method))
    assert file.error == f"compressed with method {method} ({called}), which is not read; pack it with Deflate"


class TestCostlyHeaders:
    """Headers that ask for memory."""

    @pytest.mark.parametrize("kind", [tarfile.XHDTYPE, tarfile.GNUTYPE_LONGNAME, tarfile.XGLTYPE])
    def test_a_huge_extended_header(self, desk: Desk, kind: bytes) -> None:
        info = tarfile.TarInfo("x")
        info.type, info.size = kind, 40 * MIB
        source = desk.upload("x.tar", info.tobuf() + bytes(40 * MIB))
        tracemalloc.start()
        [file] = unpack([source], desk.workspace).inputs
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert "an extended header of more than 1 MiB" in str(file.error)
        assert peak < 4 * MIB

    def test_a_huge_zip_directory(self, desk: Desk) -> None:
        entry = zipped({"x.log": LOG})
        start, end = entry.index(b"PK\x01\x02"), entry.index(b"PK\x05\x06")
        many = entry[start:end] * (9 * MIB // (end - start))
        record = struct.pack("<HHHHIIH", 0, 0, 9, 9, len(many), start, 0)
        [file] = desk.unpack("x.zip", entry[:start] + many + b"PK\x05\x06" + record)
        assert "its directory has" in str(file.error)
        assert "8,388,608 is the bound" in str(file.error)

    def test_a_gzip_header_without_end(self, desk: Desk) -> None:
        [file] = desk.unpack("x.gz", b"\x1f\x8b\x08\x08" + bytes(6) + b"n" * (MIB // 2))
        assert file.error == "damaged: its gzip header has no end"

    def test_a_directory_that_leads_nowhere(self, desk: Desk) -> None:
        whole = bytearray(zipped({"x.log": LOG}))
        whole[whole.index(b"PK\x01\x02") + 42] = 7
        assert "leads to no file" in str(desk.unpack("x.zip", bytes(whole))[0].error)

    @pytest.mark.parametrize("offset", [7, 2**32 - 2])
    @pytest.mark.parametrize("around", [lambda inner: inner, lambda inner: zipped({"in.zip": inner})])
    def test_offsets_outside_of_the_archive(self, desk: Desk, offset: int, around) -> None:
        whole = bytearray(zipped({"x.log": LOG}))
        struct.pack_into("<I", whole, whole.index(b"PK\x05\x06") + 16, offset)
        files = desk.unpack("x.zip", around(bytes(whole)))
        assert all(file.error for file in files)

    def test_a_tar_entry_of_more_bytes_than_there_can_be(self, desk: Desk) -> None:
        info = tarfile.TarInfo("x.log")
        info.size = 2**70
        files = desk.unpack("x.tar", info.tobuf(tarfile.GNU_FORMAT) + LOG)
        assert "cut off" in str(files[-1].error)
        [peeked, cut] = peek(desk.uploads / "0", "x.tar")
        assert (peeked.refusal, "cut off" in str(cut.refusal)) == (None, True)

    @pytest.mark.parametrize("seed", range(60))
    def test_any_damage_ends_in_messages(self, desk: Desk, seed: int) -> None:
        chance = random.Random(seed)
        files = {"a/x.log": LOG * 30, "b.json": b"[1,2,3]", "in.zip": zipped({"y.log": LOG})}
        packers = [zipped, tarred, lambda given: tarred(given, "w:gz"), lambda given: tarred(given, "w:xz")]
        content = bytearray(chance.choice(packers)(files))
        for _ in range(chance.randint(1, 30)):
            content[chance.randrange(len(content))] = chance.randrange(256)
        inputs = desk.unpack("x", bytes(content[: chance.randint(1, len(content))]))
        assert inputs
        for file in inputs:
            assert (file.path is None) == (file.error is not None)
            if file.path:
                text_of(file)


def test_a_source_that_is_a_link_a_pipe_or_missing_is_refused(desk: Desk) -> None:
    link, pipe = desk.uploads / "link", desk.uploads / "pipe"
    link.symlink_to("/etc/passwd")
    os.mkfifo(pipe)
    sources = [SourceFile(path, path.name) for path in (link, pipe, desk.uploads / "gone")]
    assert told(unpack(sources, desk.workspace).inputs) == {
        "link": "a link, which is not followed",
        "pipe": "cannot be read: not a regular file",
        "gone": "cannot be read: No such file or directory",
    }


def test_a_full_disk_costs_one_message(desk: Desk) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    source = desk.upload("x.zip", zipped({"large.log": LOG * 1000, "small.log": LOG}))
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        large, small = unpack([source], desk.workspace).inputs
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert large.error == "cannot be unpacked: File too large"
    assert small.error is None
    assert desk.written() == {"inputs/1.txt"}


def test_the_damage_of_one_upload_does_not_touch_the_next(desk: Desk) -> None:
    sources = [desk.upload("broken.zip", b"PK\x03\x04" + bytes(100)), desk.upload("good.log", LOG)]
    broken, good = unpack(sources, desk.workspace).inputs
    assert broken.error is not None
    assert good.path == desk.uploads / "1"
    assert text_of(good) == LOG.decode()
