"""Archives are recognised by content, not by name."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile

import pytest
from backports import zstd

from diagnostics.intake import Limits, unpack
from tests.diagnostics.intake.uploads import LOG, Desk, deflated, raw_zip, tarred, text_of, told, zipped

ONE_FILE = {"logs/tm.log": LOG}


@pytest.mark.parametrize(
    "content",
    [
        zipped(ONE_FILE),
        zipped(ONE_FILE, zipfile.ZIP_STORED),
        zipped(ONE_FILE, zipfile.ZIP_BZIP2),
        tarred(ONE_FILE),
        tarred(ONE_FILE, layout=tarfile.GNU_FORMAT),
        tarred(ONE_FILE, layout=tarfile.USTAR_FORMAT),
        tarred(ONE_FILE, "w:gz"),
        tarred(ONE_FILE, "w:bz2"),
        tarred(ONE_FILE, "w:xz"),
        zstd.compress(tarred(ONE_FILE)),
    ],
    ids=["deflate", "stored", "zip-bzip2", "pax", "gnu", "ustar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst"],
)
def test_an_archive_gives_its_files_under_its_name(desk: Desk, content: bytes) -> None:
    [file] = desk.unpack("bundle.bin", content)
    assert (file.name, file.error, file.warnings) == ("bundle.bin!/logs/tm.log", None, ())
    assert text_of(file) == LOG.decode()
    assert file.bytes == len(LOG)


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress, zstd.compress])
def test_a_compressed_file_keeps_its_name(desk: Desk, pack) -> None:
    [file] = desk.unpack("tm.log.gz", pack(LOG))
    assert (file.name, file.bytes, text_of(file)) == ("tm.log.gz", len(LOG), LOG.decode())


def test_a_log_called_zip_is_read_as_the_log_that_it_is(desk: Desk) -> None:
    [file] = desk.unpack("tm.zip", LOG)
    assert (file.name, file.error) == ("tm.zip", None)


def test_several_gzips_after_one_another_are_one_file(desk: Desk) -> None:
    [file] = desk.unpack("tm.log.gz", gzip.compress(LOG) + gzip.compress(LOG) + bytes(512))
    assert text_of(file) == LOG.decode() * 2
    assert file.warnings == ()


def test_several_zstd_frames_after_one_another_are_one_file(desk: Desk) -> None:
    [file] = desk.unpack("tm.log.zst", zstd.compress(LOG) + zstd.compress(LOG))
    assert (text_of(file), file.warnings) == (LOG.decode() * 2, ())


def test_a_gzip_header_with_every_optional_field_is_passed(desk: Desk) -> None:
    body = gzip.compress(LOG)[10:]
    header = b"\x1f\x8b\x08\x1e" + bytes(6) + b"\x03\x00abc" + b"name.log\x00" + b"a comment\x00" + b"\x00\x00"
    [file] = desk.unpack("tm.log.gz", header + body)
    assert text_of(file) == LOG.decode()


def test_trailing_bytes_of_a_gzip_are_left_out_and_reported(desk: Desk) -> None:
    [file] = desk.unpack("tm.log.gz", gzip.compress(LOG) + b"something else entirely")
    assert text_of(file) == LOG.decode()
    assert "after the end of the gzip" in file.warnings[0]


def test_an_archive_in_an_archive_is_opened(desk: Desk) -> None:
    inner = {"a/tm.zip": zipped(ONE_FILE), "b/jm.tar.gz": tarred(ONE_FILE, "w:gz"), "c/x.log.gz": gzip.compress(LOG)}
    files = desk.unpack("all.tgz", tarred(inner, "w:gz"))
    assert told(files) == {
        "all.tgz!/a/tm.zip!/logs/tm.log": None,
        "all.tgz!/b/jm.tar.gz!/logs/tm.log": None,
        "all.tgz!/c/x.log.gz": None,
    }


def test_the_third_archive_within_another_is_refused_and_the_rest_read(desk: Desk) -> None:
    deep = zipped({"two.zip": zipped({"three.zip": zipped(ONE_FILE), "near.log": LOG}), "top.log": LOG})
    files = told(desk.unpack("one.zip", deep))
    assert files.pop("one.zip!/two.zip!/three.zip") == "a zip inside 2 other archives: 2 is the bound"
    assert files == {"one.zip!/two.zip!/near.log": None, "one.zip!/top.log": None}


def test_too_many_compressions_over_one_another_are_refused(desk: Desk) -> None:
    [twice] = desk.unpack("x.gz", gzip.compress(gzip.compress(LOG)))
    assert twice.error is None
    [thrice] = desk.unpack("x.gz", gzip.compress(gzip.compress(gzip.compress(LOG))))
    assert thrice.error == "compressed more than 2 times over, which is the bound"


def test_a_large_zip_in_an_archive_goes_through_the_workspace_and_leaves_nothing(desk: Desk) -> None:
    inner = zipped({f"{number}.log": LOG for number in range(9)}, zipfile.ZIP_STORED)
    files = desk.unpack("all.tar", tarred({"in.zip": inner}), Limits(spooled_bytes=1000))
    assert [text_of(file) for file in files] == [LOG.decode()] * 9
    assert desk.written() == {f"inputs/{number}.txt" for number in range(9)}


def test_names_that_windows_wrote_are_paths(desk: Desk) -> None:
    [file] = desk.unpack("w.zip", zipped({"logs\\jm.log": LOG}))
    assert file.name == "w.zip!/logs/jm.log"


def test_a_long_name_of_a_tar_is_whole(desk: Desk) -> None:
    name = "/".join(["folder-with-a-long-name"] * 12) + "/tm.log"
    for layout in (tarfile.PAX_FORMAT, tarfile.GNU_FORMAT):
        [file] = desk.unpack("x.tar", tarred({name: LOG}, layout=layout))
        assert file.name == f"x.tar!/{name}"


def test_names_in_gbk_and_utf8_without_a_flag_are_readable(desk: Desk) -> None:
    for codec in ("gbk", "utf-8"):
        [file] = desk.unpack("x.zip", raw_zip("日志.log".encode(codec), deflated(LOG), size=len(LOG)))
        assert file.name == "x.zip!/日志.log"


def test_a_name_that_an_archive_has_twice_gets_a_number_and_both_are_read(desk: Desk) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("tm.log", LOG)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("tm.log", LOG * 2)
    first, second = desk.unpack("x.zip", target.getvalue())
    assert (first.name, first.warnings) == ("x.zip!/tm.log", ())
    assert second.name == "x.zip!/tm (2).log"
    assert second.warnings == ("the archive holds several files of this name: this one got a number",)
    assert second.bytes == 2 * first.bytes


def test_two_uploads_of_one_name_are_distinguished(desk: Desk) -> None:
    sources = [desk.upload("tm.log", LOG), desk.upload("tm.log", LOG)]
    assert [file.name for file in unpack(sources, desk.workspace).inputs] == ["tm.log", "tm (2).log"]


def test_folders_are_no_files_and_an_archive_of_none_says_so(desk: Desk) -> None:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.mkdir("logs")
    for content in (target.getvalue(), zipped({})):
        [file] = desk.unpack("x.zip", content)
        assert (file.name, file.path, file.error) == ("x.zip", None, "empty: the archive holds no file")


def test_a_jar_is_not_searched_for_evidence(desk: Desk) -> None:
    [file] = desk.unpack("job.jar", zipped({"META-INF/MANIFEST.MF": b"x", "a/Job.class": b"\xca\xfe\xba\xbe"}))
    assert (file.name, file.error) == ("job.jar", "a Java archive (jar): programs are no evidence")


@pytest.mark.parametrize(
    ("signature", "kind"),
    [(b"7z\xbc\xaf\x27\x1c", "7-Zip"), (b"Rar!\x1a\x07\x00", "RAR"), (b"\x04\x22\x4d\x18", "LZ4")],
)
def test_an_archive_of_another_kind_is_named(desk: Desk, signature: bytes, kind: str) -> None:
    [file] = desk.unpack("logs", signature + bytes(600))
    assert file.error == f"{kind} archives are not read; send it as zip, tar.gz, gz, bz2, xz or zst"


def test_file_ids_are_positions_also_of_refused_files(desk: Desk) -> None:
    files = desk.unpack("x.zip", zipped({"a.log": LOG, "b.log": b"", "c.log": LOG}))
    assert [file.file_id for file in files] == [0, 1, 2]
    assert [file.error for file in files] == [None, "empty", None]
