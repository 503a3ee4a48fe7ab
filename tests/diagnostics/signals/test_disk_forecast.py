"""When a disk is full, from free bytes over time; and when nothing is foreseen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from diagnostics.signals.disk_forecast import measure
from tests.diagnostics.hand_made import START, hand_made, needs, only

GB = 1e9
MINUTE = 60_000


def space(values: Sequence[float], mount: str = "/ckpt", fstype: str = "ext4") -> list[dict[str, Any]]:
    """Free gigabytes, a sample each minute."""
    about = {
        "metric": "node_filesystem_avail_bytes",
        "labels": f"device=/dev/vdb,fstype={fstype},instance=h7:9100,mountpoint={mount}",
    }
    return [{**about, "ts_ms": START + at * MINUTE, "value": value * GB} for at, value in enumerate(values)]


def facts_of(*rows: dict[str, Any]) -> dict[str, Any]:
    return dict(only(measure(hand_made(metric_sample=rows)), "disk_forecast").facts)


def test_a_disk_that_loses_a_gigabyte_each_minute_is_full_when_the_line_is() -> None:
    """100 GB at first, 20 minutes later 80: full in another 80."""
    facts = facts_of(*space([100.0 - at for at in range(21)]))
    assert (facts["place"], facts["host"], facts["free_bytes"]) == ("/ckpt", "h7:9100", 80 * GB)
    assert facts["full_in_ms"] == pytest.approx(80 * MINUTE)
    assert facts["falls_bytes_per_h"] == pytest.approx(60 * GB)
    assert facts["error_bytes"] == pytest.approx(0)


def test_the_interval_holds_the_true_end_of_a_scattered_fall() -> None:
    scatter = [0.4, -0.3, 0.1, -0.5, 0.2, 0.5, -0.1]
    facts = facts_of(*space([100.0 - at + scatter[at % 7] for at in range(21)]))
    assert facts["full_earliest_ms"] < 80 * MINUTE < facts["full_latest_ms"]
    assert facts["error_bytes"] > 0


def test_the_disk_that_is_full_first_is_named() -> None:
    rows = [*space([100.0 - at for at in range(21)]), *space([50.0 - at for at in range(21)], "/logs")]
    facts = facts_of(*rows)
    assert (facts["place"], facts["file_systems"]) == ("/logs", 2)


@pytest.mark.parametrize(
    "values",
    [
        [100.0, 99.0, 98.0, 97.0, 96.0],
        [*(100.0 - at for at in range(12)), *[88.0] * 12],
        [100.0] * 20,
        [80.0 + at for at in range(20)],
        [1_000.0 - at for at in range(20)],
    ],
    ids=["five points", "a plateau at the end", "no change", "it empties", "too far away"],
)
def test_nothing_is_foreseen(values: list[float]) -> None:
    assert facts_of(*space(values)) == {"file_systems": 1}


def test_a_file_system_in_memory_is_no_disk() -> None:
    found = measure(hand_made(metric_sample=space([100.0 - at for at in range(21)], "/run", "tmpfs")))
    assert needs(found) == {"disk_forecast": "disk-space"}
