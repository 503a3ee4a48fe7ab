"""Which metrics are kept as series."""

from __future__ import annotations

import re
from pathlib import Path

from diagnostics.vocabulary import followed_metrics
from diagnostics.vocabulary.followed_metrics import is_followed

LIBRARY = Path(followed_metrics.__file__).parents[1]


def test_a_listed_metric_is_followed() -> None:
    assert is_followed("busyTimeMsPerSecond")


def test_a_star_matches_the_rest_of_a_name() -> None:
    assert is_followed("Status.JVM.GarbageCollector.G1_Young_Generation.Time")


def test_a_longer_name_is_another_metric() -> None:
    assert not is_followed("busyTimeMsPerSecondMax")
    assert not is_followed("")


def test_each_listed_metric_is_asked_for_by_name() -> None:
    listed = [line.strip(" -\n").strip('"') for line in (LIBRARY / "vocabulary" / "followed_metrics.yaml").open()]
    names = [name.removesuffix("*") for name in listed if re.fullmatch(r"[\w.]+\*?", name)]
    code = "".join(
        path.read_text("utf-8")
        for room in ("signals", "reconstruction", "charts", "profiles", "proof")
        for path in (LIBRARY / room).rglob("*.py")
    )
    assert len(names) > 20
    assert [name for name in names if name.rpartition(".")[2] not in code and name not in code] == []
