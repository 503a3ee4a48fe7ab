"""What somebody who means harm, or a full disk, makes of an archive. Each is told by name; the rest is read."""

from __future__ import annotations

import gzip
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
from backports import zstd

from diagnostics.intake import Limits, SourceFile, peek, unpack
from tests.diagnostics.intake.uploads import LOG, Desk, deflated, raw_zip, tarred, text_of, told, zipped

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


class TestBombs:
    """Decompression stops in the middle of the stream."""

    def test_one_file_in_a_zip(self, desk: Desk) -> None:
        bomb, read = desk.unpack("x.zip", zipped({"bomb.log": b"\n" * (12 * MIB), "good.log": LOG}))
        assert BOMB in str(bomb.error)
        assert bomb.bytes < 11 * MIB
        assert read.error is None
        assert desk.written() == {"inputs/1.txt"}

    def test_a_gzip(self, desk: Desk) -> None:
        [bomb] = desk.unpack("x.log.gz", gzip.compress(b"\n" * (12 * MIB)))
        assert BOMB in str(bomb.error)
        assert desk.written() == set()

    def test_a_zstd_bomb(self, desk: Desk) -> None:
        [bomb] = desk.unpack("x.log.zst", zstd.compress(b"\n" * (12 * MIB)))
        assert BOMB in str(bomb.error)
        assert bomb.bytes < 11 * MIB

    def test_a_zstd_window_beyond_the_bound(self, desk: Desk) -> None:
        options = {zstd.CompressionParameter.window_log: 28, zstd.CompressionParameter.checksum_flag: 1}
        compressor = zstd.ZstdCompressor(options=options)
        packed = compressor.compress(LOG) + compressor.flush()
        [file] = desk.unpack("x.log.zst", packed)
        assert "memory" in str(file.error) + str(file.warnings)

    def test_a_gzip_in_a_gzip(self, desk: Desk) -> None:
        [bomb] = desk.unpack("x.log.gz", gzip.compress(gzip.compress(b"\n" * (12 * MIB))))
        assert BOMB in str(bomb.error)

    def test_a_zip_in_a_zip(self, desk: Desk) -> None:
        bombs = desk.unpack("x.zip", zipped({"in.zip": zipped({f"{n}.log": b"\n" * (12 * MIB) for n in range(3)})}))
        assert all(BOMB in str(bomb.error) for bomb in bombs)
        assert desk.written() == set()

    def test_a_tar_ends_there_and_keeps_what_came_before(self, desk: Desk) -> None:
        files = told(desk.unpack("x.tgz", tarred({"good.log": LOG, "b.log": b"\n" * (12 * MIB), "c.log": LOG}, "w:gz")))
        assert files["x.tgz!/good.log"] is None
        assert BOMB in str(files["x.tgz!/b.log"])
        assert BOMB in str(files["x.tgz"])
        assert "x.tgz!/c.log" not in files

    def test_many_members_each_below_the_bound_of_one(self, desk: Desk) -> None:
        content = zipped({f"{number}.log": b"\n" * (MIB // 4) for number in range(30)})
        files = desk.unpack("x.zip", content, Limits(ratio_from_bytes=MIB))
        assert len(files) < 15
        assert BOMB in str(files[-1].error)
        assert files[-1].name == "x.zip"
        assert sum(path.stat().st_size for path in desk.workspace.rglob("*.txt")) <= 200 * len(content)

    def test_entries_that_share_their_content(self, desk: Desk) -> None:
        packed = deflated(b"\n" * (3 * MIB))
        local = raw_zip(b"0.log", packed, size=3 * MIB)
        start = local.index(b"PK\x01\x02")
        entry = local[start : local.index(b"PK\x05\x06")]
        count = 200
        end = struct.pack("<HHHHIIH", 0, 0, count, count, len(entry) * count, start, 0)
        files = desk.unpack("x.zip", local[:start] + entry * count + b"PK\x05\x06" + end)
        assert BOMB in str(files[-1].error)
        assert len(files) < 10

    def test_sizes_that_the_directory_states_are_not_believed(self, desk: Desk) -> None:
        [bomb] = desk.unpack("x.zip", raw_zip(b"x.log", deflated(b"1" * (12 * MIB)), size=10))
        assert BOMB in str(bomb.error)

    def test_memory_stays_small(self, desk: Desk) -> None:
        source = desk.upload("x.zip", zipped({"bomb.log": b"\n" * (30 * MIB)}))
        tracemalloc.start()
        unpack([source], desk.workspace)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 8 * MIB

    def test_a_short_repetitive_file_is_no_bomb(self, desk: Desk) -> None:
        [file] = desk.unpack("x.log.gz", gzip.compress(LOG * 10_000))
        assert file.error is None


class TestCutOff:
    """What was there before the cut is kept."""

    def test_a_gzip(self, desk: Desk) -> None:
        numbered = "".join(f"{number} {number * 7919 % 10007}\n" for number in range(20_000))
        packed = gzip.compress(numbered.encode())
        [file] = desk.unpack("x.log.gz", packed[: len(packed) // 2])
        assert file.warnings == ("cut off: its end is missing; what was there before is kept",)
        kept = text_of(file)
        assert numbered.startswith(kept)
        assert len(kept) > len(numbered) * 0.4

    def test_a_gzip_without_content(self, desk: Desk) -> None:
        [file] = desk.unpack("x.log.gz", gzip.compress(LOG)[:10])
        assert file.error == "empty; cut off: its end is missing; what was there before is kept"

    def test_a_gzip_whose_check_sum_is_wrong_keeps_all_its_text(self, desk: Desk) -> None:
        packed = bytearray(gzip.compress(LOG))
        packed[-8] ^= 1
        [file] = desk.unpack("x.log.gz", bytes(packed))
        assert text_of(file) == LOG.decode()
        assert file.warnings == ("its check sum does not hold: some of its bytes are wrong",)

    def test_a_gzip_that_is_damaged_in_the_middle(self, desk: Desk) -> None:
        numbered = "".join(f"{number} {number * 7919 % 10007}\n" for number in range(60_000)).encode()
        packed = bytearray(gzip.compress(numbered))
        middle = len(packed) // 2
        packed[middle : middle + 64] = b"\xff" * 64
        [file] = desk.unpack("x.log.gz", bytes(packed))
        assert file.error is None
        assert len(file.warnings) >= 1
        assert text_of(file)[:10_000].encode() == numbered[:10_000]

    def test_a_zip_without_its_directory(self, desk: Desk) -> None:
        whole = zipped({"a.log": LOG, "b.log": os.urandom(2000).hex().encode()})
        a, b, archive = desk.unpack("x.zip", whole[: whole.index(b"PK\x01\x02") - 500])
        assert text_of(a) == LOG.decode()
        assert a.warnings == ()
        assert 0 < b.bytes < 4000
        assert b.warnings == ("cut off: its end is missing; what was there before is kept",)
        assert archive.name == "x.zip"
        assert "its directory at the end is missing" in str(archive.error)

    def test_a_streamed_zip_without_its_directory(self, desk: Desk) -> None:
        class Unseekable(io.BytesIO):
            def seekable(self) -> bool:
                return False

            def tell(self) -> int:
                raise OSError

        target = Unseekable()
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a.log", LOG)
            archive.writestr("b.log", LOG)
        whole = target.getvalue()
        files = desk.unpack("x.zip", whole[: whole.index(b"PK\x01\x02")])
        assert [file.bytes for file in files] == [len(LOG), len(LOG), 0]

    def test_a_tar_in_the_middle_of_a_file(self, desk: Desk) -> None:
        files = desk.unpack("x.tar", tarred({"a.log": LOG, "b.log": LOG * 20})[: 512 * 6])
        assert [file.error is None for file in files] == [True, True, False]
        assert files[1].warnings[0].startswith("cut off: ")
        assert "cut off" in str(files[2].error)

    def test_a_tar_gz(self, desk: Desk) -> None:
        noise = os.urandom(20_000).hex().encode()
        packed = tarred({"a.log": LOG, "b.log": noise}, "w:gz")
        files = told(desk.unpack("x.tgz", packed[: len(packed) // 2]))
        assert files["x.tgz!/a.log"] is None
        assert files["x.tgz!/b.log"] is None
        assert "cut off" in str(files["x.tgz"])

    def test_a_tar_with_a_damaged_header_does_not_end_silently(self, desk: Desk) -> None:
        whole = bytearray(tarred({"a.log": LOG, "b.log": LOG}))
        second = whole.index(b"b.log")
        whole[second + 148 : second + 156] = b"7777777\0"
        files = told(desk.unpack("x.tar", bytes(whole)))
        assert files["x.tar!/a.log"] is None
        assert "damaged" in str(files["x.tar"])

    def test_a_zip_entry_whose_check_sum_is_wrong(self, desk: Desk) -> None:
        [file] = desk.unpack("x.zip", raw_zip(b"x.log", deflated(LOG), size=10))
        assert text_of(file) == LOG.decode()
        assert file.warnings == ("its check sum does not hold: some of its bytes are wrong",)


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


class TestBounds:
    """Each bound is named in its message."""

    def test_the_number_of_files(self, desk: Desk) -> None:
        content = zipped({f"tm-{number}.log": b"x\n" for number in range(20)})
        sources = [desk.upload("many.zip", content), desk.upload("late.log", LOG)]
        files = unpack(sources, desk.workspace, Limits(files=7)).inputs
        assert [file.name for file in files[:7]] == [f"many.zip!/tm-{number}.log" for number in range(7)]
        assert told(files[7:]) == {
            "many.zip": "more than 7 files in one upload, which is the bound: "
            "many.zip!/tm-7.log and what comes after it were not read",
            "late.log": "not read: 7 files in one upload is the bound",
        }

    def test_ten_thousand_files_of_a_zip(self, desk: Desk) -> None:
        content = zipped({f"{number}": b"" for number in range(10_000)}, zipfile.ZIP_STORED)
        files = desk.unpack("many.zip", content)
        assert len(files) == 5_001
        assert str(files[-1].error).startswith("more than 5,000 files in one upload, which is the bound")

    def test_the_number_of_entries_counts_folders(self, desk: Desk) -> None:
        target = io.BytesIO()
        with zipfile.ZipFile(target, "w") as archive:
            for number in range(30):
                archive.mkdir(f"{number}")
        [file] = desk.unpack("x.zip", target.getvalue(), Limits(files=5))
        assert "more than 20 entries, which is the bound" in str(file.error)

    def test_the_size_of_one_file(self, desk: Desk) -> None:
        limits = Limits(file_bytes=1000)
        large, small = desk.unpack("x.zip", zipped({"large.log": LOG * 9, "small.log": LOG}), limits)
        assert large.error == "larger than 1000 bytes, which is the bound for one file"
        assert small.error is None
        [plain] = desk.unpack("plain.log", LOG * 9, limits)
        assert plain.error == "larger than 1000 bytes, which is the bound for one file"

    def test_the_size_of_all_files(self, desk: Desk) -> None:
        sources = [desk.upload(f"{number}.log", LOG) for number in range(5)]
        files = unpack(sources, desk.workspace, Limits(total_bytes=2 * len(LOG) + 10)).inputs
        assert [file.error is None for file in files] == [True, True, False, False, False]
        assert "decompressed in one upload, which is the bound" in str(files[2].error)
        assert str(files[4].error).startswith("not read: more than ")

    def test_what_archives_in_archives_decompress(self, desk: Desk) -> None:
        inner = {f"{number}.tgz": tarred({"x.log": os.urandom(40_000)}, "w:gz") for number in range(9)}
        files = desk.unpack("x.tgz", tarred(inner, "w:gz"), Limits(total_bytes=100_000))
        assert "archives within archives decompress to more than" in str(files[-1].error)


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
