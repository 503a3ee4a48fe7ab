"""Truncated or damaged archives: the readable beginning is read, and the damage is reported."""

from __future__ import annotations

import gzip
import io
import os
import zipfile

from tests.diagnostics.intake.uploads import LOG, Desk, deflated, raw_zip, tarred, text_of, told, zipped

MIB = 1024**2


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
