"""Log volume by level: errors and warnings in a panel of their own, all records below."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import harmless_errors, log_volume
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import Panel, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import in_reader_language, joined_sentences, listed, say, say_counted, to_say
from diagnostics.vocabulary.harmless_errors import harmless_errors as harmless_catalogue
from diagnostics.wording.phrase import FORMATS, duration

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_SLOTS = 480
SLOTS_MS = (
    1000,
    2000,
    5000,
    10_000,
    15_000,
    30_000,
    60_000,
    300_000,
    600_000,
    1_800_000,
    3_600_000,
    21_600_000,
    86_400_000,
)
"""Widths of the time slots: the narrowest that gives at most MOST_SLOTS is used; one minute covers eight hours."""

FEW_RECORDS = 5
"""Up to this number the axis has a tick per record, so that there are no fractions."""

LEVELS = ("ERROR", "WARN", "INFO", "DEBUG", "TRACE")
"""FATAL is counted as ERROR."""
ALARMING = ("ERROR", "WARN")


def points(evidence: Evidence) -> Points | None:
    """Records per level and time slot.

    Reads   log_count; log_record for the errors that are harmless by themselves.
    Gives   {from_ms, slot_ms, slots, undated, levels: {level: {slot: records}}, harmless: {kind: errors}}; slots
            without records are left out.
    Empty   None without a record that has a time.
    """
    import pyarrow.compute as pc

    counts = evidence.answer(log_volume.AGGREGATOR)
    dated = counts.filter(counts["first"].is_valid())
    if not dated.num_rows:
        return None
    first, last = pc.min(dated["first"]).as_py(), pc.max(dated["last"]).as_py()
    width = next((each for each in SLOTS_MS if (last - first + 1) * 1000 <= each * MOST_SLOTS), SLOTS_MS[-1])
    from_ms = first * 1000 // width * width
    levels: dict[str, dict[str, int]] = {}
    slots = dated.append_column("slot", pc.divide(pc.subtract(pc.multiply(dated["first"], 1000), from_ms), width))
    for row in slots.group_by(["level", "slot"], use_threads=False).aggregate([("records", "sum")]).to_pylist():
        counted = levels.setdefault("ERROR" if row["level"] == "FATAL" else row["level"] or "INFO", {})
        counted[str(row["slot"])] = counted.get(str(row["slot"]), 0) + row["records_sum"]
    return {
        "from_ms": from_ms,
        "to_ms": last * 1000 + 999,
        "slot_ms": width,
        "slots": (last * 1000 - from_ms) // width + 1,
        "undated": (pc.sum(counts["records"]).as_py() or 0) - (pc.sum(dated["records"]).as_py() or 0),
        "levels": {level: levels[level] for level in LEVELS if level in levels},
        "harmless": {
            row["kind"]: row["records"]
            for row in evidence.answer(harmless_errors.AGGREGATOR).to_pylist()
            if row["is_error"]
        },
    }


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """Stacked bars; the legend switches levels."""
    colours = palette(theme)
    slot_length = duration(points["slot_ms"])
    alarming = [level for level in ALARMING if level in points["levels"]]
    panels = []
    if alarming:
        panels.append(
            Panel(
                title=say("Errors and warnings, each {slot_length}", slot_length=slot_length),
                unit=say("Records"),
                height=110,
                y={"dtick": 1} if _highest(points, alarming) <= FEW_RECORDS else {},
                traces=[_bars(points, level, colours, shown=True) for level in alarming],
            )
        )
    panels.append(
        Panel(
            title=say("All records, each {slot_length}", slot_length=slot_length),
            unit=say("Records"),
            height=110,
            traces=[_bars(points, level, colours, shown=level not in alarming) for level in reversed(points["levels"])],
        )
    )
    return stacked(panels, theme, axis="time")


def _highest(points: Points, levels: Sequence[str]) -> int:
    """Upper bound of the stacks of these levels."""
    return sum(max(points["levels"][level].values()) for level in levels)


def _bars(points: Points, level: str, colours: Palette, *, shown: bool) -> dict[str, Any]:
    counted = sorted((int(slot), count) for slot, count in points["levels"][level].items())
    width = points["slot_ms"]
    return {
        "type": "bar",
        "name": level,
        "legendgroup": level,
        "showlegend": shown,
        "x": [points["from_ms"] + slot * width + width / 2 for slot, _ in counted],
        "y": [count for _, count in counted],
        "width": width,
        "marker": {"color": colours.levels[level], "line": {"width": 0}},
        "hovertemplate": f"{level}: {say('%{y:,} records')}<br>%{{x}}<extra></extra>",
    }


def summary(points: Points) -> str:
    """Number of records per level, the errors that are harmless, and the time of most errors or warnings."""
    sums = {level: sum(counted.values()) for level, counted in points["levels"].items()}
    counts = say_counted(
        "{count:,} record: {levels}.",
        "{count:,} records: {levels}.",
        sum(sums.values()),
        levels=say(", ").join(say("{count:,} {level}", count=count, level=level) for level, count in sums.items()),
    )
    text = joined_sentences(each for each in (counts, _harmless(points, sums.get("ERROR", 0))) if each)
    for level in ALARMING:
        counted = points["levels"].get(level)
        if counted and max(counted.values()) > 1:
            slot, count = max(counted.items(), key=lambda item: (item[1], -int(item[0])))
            start_ms = points["from_ms"] + int(slot) * points["slot_ms"]
            return joined_sentences(
                (
                    text,
                    say(
                        "Most {level} records in {slot}, {count:,}, came from {time} on.",
                        level=level,
                        slot=duration(points["slot_ms"]),
                        count=count,
                        time=FORMATS["time"](start_ms),
                    ),
                )
            )
    return text


def _harmless(points: Points, errors: int) -> str:
    """How many of the errors are known to be harmless by themselves, each kind named; empty where none is.

    The stored points of earlier versions do not have them.
    """
    known = harmless_catalogue()
    kinds = {kind: count for kind, count in points.get("harmless", {}).items() if kind in known}
    if not kinds:
        return ""
    named = [in_reader_language(known[kind].what) for kind in kinds]
    if len(kinds) > 1:
        named = [
            say("{what} ({count:,})", what=what, count=count) for what, count in zip(named, kinds.values(), strict=True)
        ]
    return say_counted(
        "Of {errors:,} ERROR, {count:,} is known to be harmless by itself: {kinds}.",
        "Of {errors:,} ERROR, {count:,} are known to be harmless by themselves: {kinds}.",
        sum(kinds.values()),
        errors=errors,
        kinds=listed(named),
    )


def table(points: Points) -> list[list[Any]]:
    """One row per slot with records."""
    slots = sorted({int(slot) for counted in points["levels"].values() for slot in counted})
    rows = [
        [
            points["from_ms"] + slot * points["slot_ms"],
            *(points["levels"].get(level, {}).get(str(slot), 0) for level in LEVELS),
        ]
        for slot in slots
    ]
    return [[say("From (UTC, epoch ms)"), *LEVELS], *rows]


CHART = Chart(
    id="log-volume",
    title=to_say("Log volume by level"),
    order=70,
    axis="time",
    missing=to_say(
        "Logs of the JobManager and the TaskManagers would fill this chart: `kubectl logs <pod> > "
        "taskmanager.log`, or "
        "`log/flink-*.log` of each host."
    ),
    panels=(),  # log lines are no metric
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
