"""The colours of charts: a light and a dark palette, both distinguishable with red-green blindness.

The hues follow Okabe and Ito's colour-blind-safe set; ordered bands (OK, LOW, HIGH) also differ in lightness, so that
they remain distinguishable in grey.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from diagnostics.charting.chart import Theme


@dataclass(frozen=True, slots=True)
class Palette:
    """Every colour a chart may use.

    text, muted, grid, surface  the page's own
    alarm, warning, calm        severities, in order
    series                      for unordered series, distinguished by hue and by line style
    bands                       OK, LOW and HIGH of back pressure, in Flink's words
    load                        quiet, working and near the limit, for busy time
    phases                      of a checkpoint, in their order within a subtask
    levels                      of log records
    """

    text: str
    muted: str
    grid: str
    surface: str
    alarm: str
    warning: str
    calm: str
    neutral: str
    series: tuple[str, ...]
    bands: Mapping[str, str]
    load: Mapping[str, str]
    phases: Mapping[str, str]
    levels: Mapping[str, str]


_LIGHT = Palette(
    text="#1c2430",
    muted="#59636f",
    grid="#e4e8ed",
    surface="#ffffff",
    alarm="#c0321a",
    warning="#a86400",
    calm="#0b6fb8",
    neutral="#98a2ae",
    series=("#0b6fb8", "#c0501a", "#00805f", "#9c4a82", "#8a6d00", "#3f4b59"),
    bands={"OK": "#cfe8dd", "LOW": "#eda338", "HIGH": "#a8231a"},
    load={"quiet": "#c6dbef", "working": "#79aedb", "near the limit": "#0a4a85"},
    phases={
        "start_delay_ms": "#9c4a82",
        "alignment_ms": "#e69f00",
        "sync_ms": "#46a9dd",
        "async_ms": "#0b6fb8",
        "unknown": "#b9c1cb",
    },
    levels={"ERROR": "#c0321a", "WARN": "#e69f00", "INFO": "#79aedb", "DEBUG": "#b9c1cb", "TRACE": "#d9dee4"},
)

_DARK = Palette(
    text="#e4e9ef",
    muted="#9da8b5",
    grid="#2b3440",
    surface="#161c24",
    alarm="#ff7a66",
    warning="#f0b34a",
    calm="#63b0ec",
    neutral="#738090",
    series=("#63b0ec", "#f08c54", "#3ec6a0", "#dd8fc4", "#e0c34c", "#b4bfcc"),
    bands={"OK": "#2f6b57", "LOW": "#b87a1c", "HIGH": "#ff8a78"},
    load={"quiet": "#2d4a66", "working": "#4a86bd", "near the limit": "#93ccff"},
    phases={
        "start_delay_ms": "#dd8fc4",
        "alignment_ms": "#f0b34a",
        "sync_ms": "#8fd0f5",
        "async_ms": "#4596dc",
        "unknown": "#566271",
    },
    levels={"ERROR": "#ff7a66", "WARN": "#f0b34a", "INFO": "#4b83b5", "DEBUG": "#566271", "TRACE": "#3c4653"},
)


def palette(theme: Theme) -> Palette:
    """The colours of a theme."""
    return _DARK if theme.name == "dark" else _LIGHT
