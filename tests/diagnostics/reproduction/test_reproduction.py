"""The generated script makes the shares that were measured, and says so itself."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from diagnostics.reproduction import reproduction

SKEWED = {"key_distribution.top_key_share_ratio": 0.9, "key_distribution.distinct_keys": 3202}
LATE = {"late_records.dropped_ratio": 0.25, "device_clocks.bound_ms": 4000, "device_clocks.lag_max_ms": 40_000}

CLOCKS = {
    "device_clocks.devices": 200,
    "device_clocks.fast_devices": 16,
    "device_clocks.fast_by_min_ms": 15_100,
    "device_clocks.fast_by_max_ms": 44_000,
    "device_clocks.slow_devices": 16,
    "device_clocks.slow_by_min_ms": 13_000,
    "device_clocks.slow_by_max_ms": 38_100,
    "device_clocks.right_over_bound_ratio": 0.0,
    "device_clocks.bound_ms": 5_000,
    "device_clocks.lag_max_ms": 39_700,
    "late_records.dropped_ratio": 0.634,
    "key_distribution.top_key": "sensor-0069",
    "key_distribution.top_key_share_ratio": 0.0058,
    "key_distribution.top_multiple_ratio": 1.15,
    "key_distribution.distinct_keys": 200,
    "load_balance.hot_share_ratio": 0.54,
}
"""Measured in a case of 32 wrong clocks, whose script made 63 % of the records late at random and no clock fast."""


def run(tmp_path: Path, text: str | None, *options: str) -> subprocess.CompletedProcess[str]:
    assert text is not None
    script = tmp_path / "reproduce.py"
    script.write_text(text, "utf-8")
    command = [sys.executable, "-I", str(script), *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.mark.parametrize("facts", [SKEWED, LATE, SKEWED | LATE, CLOCKS], ids=["skewed", "late", "both", "wrong clocks"])
def test_two_hundred_thousand_records_have_the_measured_shares(tmp_path: Path, facts: dict[str, Any]) -> None:
    done = run(tmp_path, reproduction(facts.get), "--records", "200000", "--check")
    assert (done.returncode, done.stderr.count(": ok"), done.stdout) == (0, 3, "")


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


def test_wrong_clocks_are_made_as_they_are_and_not_as_late_records(tmp_path: Path) -> None:
    """The repair, time stamps from the future kept out of the watermark, shows only where there are such."""
    done = run(tmp_path, reproduction(CLOCKS.get), "--records", "3000")
    offsets: dict[str, set[int]] = {}
    for line in done.stdout.splitlines():
        key, value = line.split("\t")
        assert key.startswith("key-"), "no key is hot: the most frequent one has 1.15 times an average key's"
        record = json.loads(value)
        offsets.setdefault(key, set()).add(record["event_time"] - record["ingest_time"])
    fast = {key for key, seen in offsets.items() if min(seen) > 0}
    slow = {key for key, seen in offsets.items() if max(seen) < -5_000}

    assert (len(fast), len(slow)) == (16, 16)
    assert all(len(offsets[key]) == 1 for key in fast | slow), "a clock is off by a constant amount"
    assert {min(min(offsets[key]) for key in fast), max(max(offsets[key]) for key in fast)} == {15_100, 44_000}
    assert {min(min(offsets[key]) for key in slow), max(max(offsets[key]) for key in slow)} == {-38_100, -13_000}


def test_records_of_wrong_clocks_are_printed_when_they_arrive(tmp_path: Path) -> None:
    """Else their times of arrival, and with them all event times, would be ahead of the wall clock."""
    done = run(tmp_path, reproduction(CLOCKS.get), "--records", "500")
    arrivals = [json.loads(line.split("\t")[1])["ingest_time"] for line in done.stdout.splitlines()]
    assert len(arrivals) == 500
    assert max(arrivals) <= time.time() * 1000


def test_an_even_load_has_no_hot_key() -> None:
    even = {"load_balance.hot_share_ratio": 0.54, "load_balance.skew_ratio": 1.08}
    assert reproduction(even.get) is None
    text = reproduction((even | LATE).get)
    assert text is not None
    assert "HOT_SHARE = 0.0" in text
