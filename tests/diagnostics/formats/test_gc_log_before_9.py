"""GC logs of JDK 6 to 8 beyond their samples; `test_public_files.py` reads the public ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats import FORMATS
from diagnostics.notation.file_range import Head
from tests.diagnostics.formats.reading_aids import read

OLD = FORMATS["gc-log-before-9"]


@pytest.mark.parametrize(
    ("text", "kind", "cause", "pause_ms", "after_mib"),
    [
        ("1.000: [GC 65536K->10240K(102400K), 0.0100000 secs]", "young", None, 10.0, 10),
        ("1.000: [GC pause (mixed), 0,0665670 secs]", "mixed", None, 66.567, None),
        ("1.000: [Full GC (System.gc())  40M->20M(64M), 0.2500000 secs]", "full", "System.gc()", 250.0, 20),
        ("1.000: [GC remark 1.001: [GC ref-proc, 0.0001 secs], 0.0050000 secs]", "remark", None, 5.0, None),
        ("1.000: [Pause Init Mark (process weakrefs), 3.341 ms]", "remark", None, 3.341, None),
        ("1.000: [Concurrent cleanup 1613M->1361M(1636M), 0.092 ms]", "concurrent", None, 0.092, 1361),
        ("1.000: [GC cleanup 30M->20M(64M), 0.0010000 secs]", "cleanup", None, 1.0, 20),
    ],
)
def test_pauses_of_every_collector(
    text: str, kind: str, cause: str | None, pause_ms: float, after_mib: int | None, tmp_path: Path
) -> None:
    (row,) = read(OLD, f"{text}\n", tmp_path).rows["gc_pause"]
    assert (row["kind"], row["cause"], row["pause_ms"]) == (kind, cause, pytest.approx(pause_ms))
    assert row["after_bytes"] == (None if after_mib is None else after_mib * 2**20)


def test_a_collection_goes_on_over_the_lines_that_show_ages(tmp_path: Path) -> None:
    text = (
        "2.000: [GC (Allocation Failure) 2.000: [ParNew\n"
        "Desired survivor size 1048576 bytes, new threshold 6 (max 6)\n"
        "- age   1:     524288 bytes,     524288 total\n"
        ": 34944K->3456K(39296K), 0.0123000 secs] 34944K->4096K(126720K), 0.0124000 secs]\n"
        "3.000: [GC (Allocation Failure) 38000K->4200K(126720K), 0.0100000 secs]\n"
    )
    rows = read(OLD, text, tmp_path).rows["gc_pause"]
    assert [(row["line"], row["last_line"], row["after_bytes"]) for row in rows] == [
        (1, 4, 4096 * 2**10),
        (5, 5, 4200 * 2**10),
    ]


def test_a_collection_that_was_cut_off_is_not_counted(tmp_path: Path) -> None:
    found = read(OLD, "2.000: [GC (Allocation Failure) 2.000: [ParNew\n", tmp_path)
    assert (found.records, found.rows.get("gc_pause")) == (0, None)


def test_a_log_of_an_application_that_talks_of_gc_is_not_one() -> None:
    text = "2026-11-21 10:00:00,000 WARN  Monitor [] - [GC (young)] took long\n" * 3
    assert OLD.recognise(Head("app.log", text.encode(), text, True)) == 0
