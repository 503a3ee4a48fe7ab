"""Crash reports of a JVM beyond the format's samples."""

from __future__ import annotations

from pathlib import Path

import pytest

from diagnostics.formats import FORMATS, recognise
from tests.diagnostics.formats.reading_aids import head_of, read

CRASH = FORMATS["jvm-crash-report"]
BEGIN = (
    "#\n# A fatal error has been detected by the Java Runtime Environment:\n"
    "#\n#  SIGSEGV (0xb) at pc=0x1, pid=1, tid=1\n"
)


@pytest.mark.parametrize(
    ("frame", "told"),
    [
        ("# C  [libc.so.6+0x85f14]", "[libc.so.6]"),
        ("# V  [libjvm.so+0x1]  G1CollectedHeap::collect+0x2", "[libjvm.so] G1CollectedHeap::collect"),
        ("# J 4217 c2 com.acme.Lookup.get(I)V (12 bytes) @ 0x1 [0x2+0x3]", "com.acme.Lookup.get"),
        ("# j  com.acme.Lookup.get()V+1", "com.acme.Lookup.get()V+1"),
    ],
)
def test_the_problematic_frame_is_read_of_every_kind(frame: str, told: str, tmp_path: Path) -> None:
    (row,) = read(CRASH, f"{BEGIN}# Problematic frame:\n{frame}\n", tmp_path).rows["log_record"]
    assert row["root_cause_frame"] == told


def test_the_command_line_shows_the_process_and_a_flag_that_comes_twice_counts_once(tmp_path: Path) -> None:
    text = (
        f"{BEGIN}\nCommand Line: -Xmx64m org.apache.flink.runtime.entrypoint.StandaloneSessionClusterEntrypoint\n"
        "jvm_args: -Xmx64m\n"
    )
    found = read(CRASH, text, tmp_path)
    assert [(row["key"], row["process"]) for row in found.rows["config_option"]] == [("heap.max", "jobmanager")]
    assert found.coverage[0].role == "jobmanager"


def test_a_report_that_ends_early_is_still_a_crash(tmp_path: Path) -> None:
    (row,) = read(CRASH, BEGIN, tmp_path).rows["log_record"]
    assert (row["event"], row["level"], row["last_line"]) == ("mem.hs_err", "FATAL", 4)


def test_the_same_lines_in_the_output_of_a_process_are_no_report() -> None:
    text = "2026-11-21 01:31:39,633 INFO  a.B [] - started\n" * 20 + BEGIN
    assert recognise(head_of(text)).format_id != CRASH.id
