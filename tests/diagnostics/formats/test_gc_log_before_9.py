"""GC logs of JDK 6 to 8 beyond their samples, and the public ones of the corpus where it is there."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.format import HEAD_BYTES, Head, Range, Rows
from diagnostics.formats import FORMATS
from tests.diagnostics.formats.reading_aids import read

OLD, UNIFIED = FORMATS["gc-log-before-9"], FORMATS["gc-log"]
PUBLIC = Path(__file__).resolve().parents[4] / "shared" / "corpus" / "public"
NO_EVENTS = ("SampleOpenJdk1_8_0ShenandoahDetailsShutdown.txt",)
"""Only the heap at the end of a run."""


@pytest.mark.parametrize(
    ("text", "kind", "cause", "pause_ms", "after_mib"),
    [
        ("1.000: [GC 65536K->10240K(102400K), 0.0100000 secs]", "young", None, 10.0, 10),
        ("1.000: [GC pause (mixed), 0,0665670 secs]", "mixed", None, 66.567, None),
        ("1.000: [Full GC (System.gc())  40M->20M(64M), 0.2500000 secs]", "full", "System.gc()", 250.0, 20),
        ("1.000: [GC remark 1.001: [GC ref-proc, 0.0001 secs], 0.0050000 secs]", "remark", None, 5.0, None),
        ("1.000: [GC cleanup 30M->20M(64M), 0.0010000 secs]", "cleanup", None, 1.0, 20),
    ],
)
def test_pauses_of_every_collector(
    text: str, kind: str, cause: str | None, pause_ms: float, after_mib: int | None, tmp_path: Path
) -> None:
    (row,) = read(OLD, f"{text}\n", tmp_path).rows["gc_pause"]
    assert (row["kind"], row["cause"], row["pause_ms"]) == (kind, cause, pytest.approx(pause_ms))
    assert row["after_bytes"] == (None if after_mib is None else after_mib * 2**20)


def test_a_collection_goes_on_over_the_lines_that_tell_ages(tmp_path: Path) -> None:
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
    assert read(OLD, "2.000: [GC (Allocation Failure) 2.000: [ParNew\n", tmp_path).rows["gc_pause"] == []


def test_a_log_of_an_application_that_talks_of_gc_is_not_one() -> None:
    text = "2026-11-21 10:00:00,000 WARN  Monitor [] - [GC (young)] took long\n" * 3
    assert OLD.recognise(Head("app.log", text.encode(), text, True)) == 0


@pytest.mark.skipif(not PUBLIC.is_dir(), reason="the corpus is not here")
def test_every_public_log_of_these_jdks_is_read() -> None:
    unread = []
    for path in sorted([*PUBLIC.glob("gctoolkit/*.log"), *PUBLIC.glob("gcviewer/Sample*.txt")]):
        content = path.read_bytes()[:HEAD_BYTES]
        head = Head(path.name, content, content.decode("utf-8", "replace"), False)
        if path.name in NO_EVENTS or UNIFIED.recognise(head) > OLD.recognise(head):
            continue
        size = path.stat().st_size
        given = OLD.read(Range(0, path.name, str(path), 0, size, size)) if OLD.recognise(head) else ()
        pauses = sum(len(each.rows) for each in given if isinstance(each, Rows) and each.table == "gc_pause")
        if not pauses and b"[GC" in content:
            unread.append(path.name)
    assert unread == []
