"""The generated script makes the shares that were measured, and says so itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from diagnostics.reproduction import reproduction

SKEWED = {"key_distribution.top_key_share_ratio": 0.9, "key_distribution.distinct_keys": 3202}
LATE = {"late_records.dropped_ratio": 0.25, "device_clocks.bound_ms": 4000, "device_clocks.lag_max_ms": 40_000}


def run(tmp_path: Path, text: str | None, *options: str) -> subprocess.CompletedProcess[str]:
    assert text is not None
    script = tmp_path / "reproduce.py"
    script.write_text(text, "utf-8")
    command = [sys.executable, "-I", str(script), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("facts", [SKEWED, LATE, SKEWED | LATE], ids=["skewed", "late", "both"])
def test_two_hundred_thousand_records_have_the_measured_shares(tmp_path: Path, facts: dict[str, Any]) -> None:
    done = run(tmp_path, reproduction(facts.get), "--records", "200000", "--check")
    assert (done.returncode, done.stderr.count(": ok"), done.stdout) == (0, 2, "")


def test_the_share_printed_in_the_source_document_would_be_refused(tmp_path: Path) -> None:
    """It states 90 % and sends 10 %."""
    text = reproduction(SKEWED.get)
    assert text is not None
    done = run(tmp_path, text.replace("chance.random() < HOT_SHARE", "chance.random() < 0.1"), "--check")
    assert (done.returncode, "hot key" in done.stderr, "OFF" in done.stderr) == (1, True, True)


def test_records_are_keyed_lines_for_a_producer(tmp_path: Path) -> None:
    done = run(tmp_path, reproduction(SKEWED.get), "--records", "3")
    assert [line.count("\t") for line in done.stdout.splitlines()] == [1, 1, 1]


def test_a_hostile_key_stays_a_string(tmp_path: Path) -> None:
    key = '"\nimport os; os.abort()  # \\'
    done = run(tmp_path, reproduction({**SKEWED, "key_distribution.top_key": key}.get), "--check")
    assert done.returncode == 0


def test_without_skew_or_lateness_there_is_no_script() -> None:
    assert reproduction({}.get) is None
