"""What the names of operators show about event time: which ones emit by a watermark only, and which ones assign it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from diagnostics.notation.printed_name import normalised

EVENT_TIME = re.compile(
    r"eventtime(?:windows|session|trigger)|windowaggregate.*time_col_+(?!_|proc)|window.*rowtime", re.I
)
"""Names of windows by event time, normalised: `Window(TumblingEventTimeWindows(10000), EventTimeTrigger, …)` of the
DataStream API, `WindowAggregate(window=[TUMBLE(time_col=[ts], …)])` of SQL. Source: Flink's WindowOperatorBuilder and
table planner.
"""
ALWAYS = re.compile(r"(?<![a-z])(?:globalwindowaggregate|window(?:join|rank|deduplicate)|temporaljoin)_", re.I)
"""Operators of SQL that exist by event time only, normalised. Source: Flink's planner, which makes two phases of no
window by processing time, and refuses joins, ranks and deduplications of such windows and temporal joins.
"""
SHORT_NAME = re.compile(
    r"(?<![a-z])(?:(?:global|group)?window_?(?:aggregate|join|rank|deduplicate)|overaggregate|temporalsort|match)_\d|cepoperator",
    re.I,
)
"""Names of SQL's operators since Flink 1.15, normalised, as `WindowAggregate[6]`, without their kind of time.
Source: table.exec.simplify-operator-name-enabled.
"""
SIZE = re.compile(
    r"(?:tumbling|sliding)eventtimewindows_(?P<ms>\d{1,15})(?!\d)|(?<![a-z])size_+(?P<count>\d{1,9})_(?P<unit>ms|s|min|h|d)(?![a-z])",
    re.I,
)
"""The size of a window in its name, normalised: `TumblingEventTimeWindows(10000)`, `size=[10 s]`."""
UNIT_MS = {"ms": 1, "s": 1_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000}
OTHER_TIME = re.compile(r"processingtimetrigger|counttrigger|purgingtrigger|deltatrigger", re.I)
"""Triggers, normalised, with which a window by event time may fire without a watermark."""
ASSIGNS = ("watermarkassigner", "timestamps_watermarks")
"""Operators that assign watermarks, normalised: with one in the job, windows of a short name are by event time."""


def needs_watermarks(name: str, assigned: bool) -> bool:
    """Whether a task or operator of this name emits by a watermark only.

    assigned  whether the job has an operator that assigns watermarks
    """
    printed = normalised(name)
    if EVENT_TIME.search(printed) or ALWAYS.search(printed):
        return True
    return assigned and SHORT_NAME.search(printed) is not None


def window_size_ms(name: str) -> int | None:
    """The size of the tumbling, sliding or cumulating window in a name, ms; None where it shows none."""
    size = SIZE.search(normalised(name))
    if size is None:
        return None
    return int(size["ms"]) if size["ms"] else int(size["count"]) * UNIT_MS[size["unit"].lower()]


def may_fire_early(name: str) -> bool:
    """Whether a trigger in the name may fire before a watermark."""
    return OTHER_TIME.search(normalised(name)) is not None


def assigns_watermarks(names: Iterable[str]) -> bool:
    """Whether one of the names is that of an operator that assigns watermarks."""
    return any(part in normalised(name).lower() for name in names for part in ASSIGNS)
