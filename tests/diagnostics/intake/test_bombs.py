"""Archives that expand without end, and the bounds of an upload: decompression stops in the middle of the stream."""

from __future__ import annotations

import gzip
import io
import os
import struct
import tracemalloc
import zipfile

from backports import zstd

from diagnostics.intake import Limits, unpack
from tests.diagnostics.intake.uploads import LOG, Desk, deflated, raw_zip, tarred, told, zipped

MIB = 1024**2
BOMB = "expands to more than 200 times its size"


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
