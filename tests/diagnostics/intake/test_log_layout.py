"""User-defined layouts of logs: what they read and refuse, with unchanged line numbers."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import pytest

from diagnostics.formats import FORMATS
from diagnostics.intake import LogLayout, SourceFile, peek, unpack
from tests.diagnostics.formats.log_lines import AT_01_31_39_633, COMPLETED, COORDINATOR, LAYOUTS
from tests.diagnostics.formats.reading_aids import read_path

LAYOUT = LogLayout(
    "Payments",
    r"(?P<time>\d\d\.\d\d\.\d{4} \d\d:\d\d:\d\d,\d{3}) <(?P<level>\w+)> (?P<logger>\S+) "
    r"@(?P<thread>[^@]*)@ (?P<message>.*)",
    "%d.%m.%Y %H:%M:%S,%f",
    ("21.11.2026 01:31:39,633 <INFO> a.B @main@ said",),
)
LOG = (
    f"21.11.2026 01:31:39,633 <INFO> {COORDINATOR} @jobmanager-io-1@ {COMPLETED}\n"
    "21.11.2026 01:31:40,000 <SEVERE> com.acme.Sink @Sink (1/2)#0@ it failed\n"
    "java.io.IOException: gone\n"
    "\tat com.acme.Sink.write(Sink.java:9)\n"
    "21.11.2026 01:31:41,000 <INFO> com.acme.Sink @main@ on\n"
)


def given(folder: Path, text: str, name: str = "payments.log") -> SourceFile:
    path = folder / "given"
    path.write_text(text)
    return SourceFile(path, name)


def test_a_log_in_a_layout_of_ones_own_is_a_log_like_any_other(tmp_path: Path) -> None:
    source = given(tmp_path, LOG)
    (without,) = unpack([source], tmp_path / "without").inputs
    assert without.format_id is None
    (file,) = unpack([source], tmp_path / "with", layouts=[LAYOUT]).inputs
    assert (file.format_id, file.error) == ("flink-log", None)
    assert [each.recognition.format_id for each in peek(source.path, source.name, layouts=[LAYOUT])] == ["flink-log"]
    assert file.path is not None
    first, failed, last = read_path(FORMATS["flink-log"], file.path, file.name).rows["log_record"]
    assert (first["ts_ms"], first["event"], first["thread"]) == (
        AT_01_31_39_633,
        "jm.ckpt.completed",
        "jobmanager-io-1",
    )
    assert (failed["level"], failed["user_frame"]) == ("ERROR", "com.acme.Sink.write")
    assert [(each["line"], each["last_line"]) for each in (first, failed, last)] == [(1, 1), (2, 4), (5, 5)]
    assert source.path.read_text() == LOG


def test_it_holds_inside_archives_in_any_encoding_and_for_times_with_a_zone(tmp_path: Path) -> None:
    zoned = replace(
        LAYOUT, pattern=LAYOUT.pattern.replace(r",\d{3}", r",\d{3} \S+"), time_format=f"{LAYOUT.time_format} %z"
    )
    path = tmp_path / "given"
    path.write_bytes(LOG.replace(",633", ",633 +0200").encode("utf-16"))
    (file,) = unpack([SourceFile(path, "x.log")], tmp_path / "work", layouts=[zoned]).inputs
    assert file.path is not None
    assert file.path.read_text().startswith("2026-11-20 23:31:39,633 [jobmanager-io-1] INFO ")


def test_a_log_that_a_shipped_layout_reads_is_left_alone(tmp_path: Path) -> None:
    pattern = r"(?P<time>\S+ \S+) (?P<level>\w+) (?P<message>.*)"
    greedy = replace(LAYOUT, pattern=pattern, time_format="%Y-%m-%d %H:%M:%S,%f")
    source = given(tmp_path, (LAYOUTS["log4j 2"] + "\n") * 20)
    (file,) = unpack([source], tmp_path / "work", layouts=[greedy]).inputs
    assert file.path == source.path


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"pattern": "(?P<time>"}, "Not an RE2 expression"),
        ({"pattern": r"(?P<time>\d+) (?P<message>.*)"}, "no group named level"),
        ({"pattern": LAYOUT.pattern.replace("<thread>", "<thraed>")}, "No group of a layout is named thraed"),
        ({"pattern": "x" * 2_001}, "2000 is the bound"),
        ({"pattern": LAYOUT.pattern.replace("@ ", "@@ ")}, "does not fit the whole line"),
        ({"time_format": "%d.%m.%Y"}, "is no time of the format"),
        ({"finds": ()}, "A line is missing"),
        ({"finds": ("21.11.2026 01:31:39,633 <LOUD> a.B @main@ said",)}, "'LOUD' is no level"),
    ],
)
def test_a_layout_that_does_not_read_its_lines_says_why(wrong: dict[str, object], reason: str) -> None:
    assert LAYOUT.errors() == []
    (error,) = replace(LAYOUT, **wrong).errors()  # type: ignore[arg-type]
    assert reason in error


def test_a_time_without_a_year_is_unknown() -> None:
    layout = replace(LAYOUT, pattern=LAYOUT.pattern.replace(r"\.\d{4}", ""), time_format="%d.%m %H:%M:%S,%f")
    (error,) = replace(layout, finds=("21.11 01:31:39,633 <INFO> a.B @main@ said",)).errors()
    assert "with a year" in error


def test_hostile_lines_take_no_time() -> None:
    nested = replace(LAYOUT, pattern=r"(?P<time>(\d+)+\.(\d+)+)(?P<level>(\w+)+)(?P<message>(.*)*)")
    begun = time.monotonic()
    for line in (b"1" * 16_000, b"1." * 8_000, b"21.11.2026 " * 1_400):
        assert nested.rewritten(line) == line
        assert LAYOUT.rewritten(line) == line
    assert time.monotonic() - begun < 2
