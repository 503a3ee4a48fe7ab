"""Flink's levels of back pressure, and the bands of busy time that charts and findings share."""

from __future__ import annotations

from typing import Literal

PressureLevel = Literal["OK", "LOW", "HIGH"]

OK_MOST, LOW_MOST = 0.1, 0.5
"""Back-pressured share of time up to which a subtask is OK, and up to which LOW; above it is HIGH.
Source: Flink documentation, Monitoring Back Pressure,
https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/monitoring/back_pressure/"""

LEAST_OF_LEVEL = {"ok": 0.0, "low": OK_MOST + 0.01, "high": LOW_MOST + 0.01}
"""The least whole percent of a level: what an answer with the level alone shows for certain."""

QUIET_MOST, WORKING_MOST = 0.5, 0.8
"""Busy share of time up to which a subtask is quiet, and from which it is near its limit. Our choice: above 800 ms per
second little is left for a burst.
"""

FULLY_BUSY = 0.95
"""Busy share of time from which a subtask has no time left: records queue in front of it, and the tasks upstream are
held back as soon as the buffers between them are full. Our choice: the rest is what the gauge misses.
"""


def pressure_level(ratio: float) -> PressureLevel:
    """The level of a back-pressured share of time (0 to 1)."""
    return "OK" if ratio <= OK_MOST else "LOW" if ratio <= LOW_MOST else "HIGH"
