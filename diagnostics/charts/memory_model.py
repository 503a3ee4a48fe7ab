"""Flink's memory model of each TaskManager as a picture: configured parts, their sum, and what was used of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import MEMORY_UNITS, Panel, axis_unit, escaped, row_axis, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.configuration.memory_model import PARTS, memory_models
from diagnostics.reconstruction.failures.incident_log import incident_log
from diagnostics.wording.phrase import memory, percent, within_sentence

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.configuration.memory_model import MemoryModel

MOST_TASK_MANAGERS = 8
"""TaskManagers in the chart, those with the highest use of a limit. Our choice: one screen."""
ROW, LEAST_HEIGHT = 24, 90
"""Pixels of a row, and the minimum height of the plot."""
NAME_LENGTH = 30
NEARLY_FULL = 0.9
"""Share of a limit from which on the summary names it. Our choice."""
NAMED_WHEN_FULL = ("heap", "metaspace")
"""Network memory, and managed memory with RocksDB, are reserved as a whole at the start: full is usual there."""

TITLES = {
    "framework_heap": to_say("Framework heap"),
    "task_heap": to_say("Task heap"),
    "managed": to_say("Managed memory"),
    "framework_off_heap": to_say("Framework off-heap"),
    "task_off_heap": to_say("Task off-heap"),
    "network": to_say("Network memory"),
    "metaspace": to_say("JVM metaspace"),
    "overhead": to_say("JVM overhead"),
}
"""Part -> its name in Flink's documentation."""
AREAS = {
    "heap": to_say("JVM heap"),
    "managed": to_say("Managed memory"),
    "direct": to_say("Direct memory"),
    "network": to_say("Network memory"),
    "metaspace": to_say("JVM metaspace"),
}
"""What was measured in use -> its name."""
FIRST_PART = {"heap": "framework_heap", "managed": "managed", "direct": "framework_off_heap", "metaspace": "metaspace"}
"""What was measured in use -> the part below whose beginning its bar begins; direct memory includes the network's."""


def points(evidence: Evidence) -> Points | None:
    """The configured parts and the measured use of each TaskManager.

    Reads   task_manager, metric_sample (Status.*), config_option, log_record.
    Gives   {derived, assumed, counted, refused, task_managers: [{name, total_bytes, parts: {part: bytes},
            limits: {area: bytes}, room: {area: bytes}, used: {area: bytes}}]}; `refused` when network buffers were,
            `derived` when Flink's formulas gave the parts from a configuration, `room` what the use is compared with.
    Empty   None when no TaskManager and no configuration states its memory.
    """
    models = memory_models(evidence)
    if not models:
        return None
    fullest = sorted(models, key=lambda each: (-max(_shares(each).values(), default=0.0), each.task_manager or ""))
    return {
        "derived": models[0].task_manager is None,
        "assumed": models[0].assumed,
        "counted": len(models),
        "refused": incident_log(evidence).count("buffers") > 0,
        "task_managers": [
            {
                "name": model.task_manager,
                "total_bytes": model.total_bytes,
                "parts": dict(model.parts),
                "limits": dict(model.limits),
                "room": dict(model.room),
                "used": dict(model.used),
            }
            for model in fullest[:MOST_TASK_MANAGERS]
        ],
    }


def _shares(model: MemoryModel) -> Mapping[str, float]:
    room = model.room
    return {area: used / room[area] for area, used in model.used.items() if room[area]}


def _room(manager: Mapping[str, Any]) -> Mapping[str, float]:
    """What the use is compared with; the configured limits in points that were stored before they had it."""
    room: Mapping[str, float] = manager.get("room", manager["limits"])
    return room


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A row with the configured parts of each TaskManager and below it a row with what was used."""
    colours = palette(theme)
    managers = points["task_managers"]
    largest = max(each["total_bytes"] for each in managers)
    divisor, unit = axis_unit(largest, MEMORY_UNITS, "bytes")
    rows = [row for each in managers for row in _rows(each, points)]
    left_out = points["counted"] - len(managers)
    more = say(" · {left_out} more TaskManagers not drawn", left_out=left_out) if left_out else ""
    panel = Panel(
        title=say("Configured parts and the most in use{more}", more=more),
        unit="",
        height=max(ROW * len(rows), LEAST_HEIGHT),
        traces=_traces(points, colours, divisor),
        x={"range": [0, 1.02 * largest / divisor], "showgrid": True},
        y=row_axis(rows),
    )
    drawn = stacked([panel], theme, axis="own", x_title=say("Memory ({unit})", unit=unit))
    drawn["layout"]["legend"]["traceorder"] = "normal"
    return drawn


def _rows(manager: Mapping[str, Any], points: Points) -> list[str]:
    """The labels of the rows of one TaskManager: configured, and in use where that was measured."""
    name = say("Derived from the configuration") if points["derived"] else manager["name"]
    label = escaped(shortened(name, NAME_LENGTH))
    return [say("{label} configured", label=label), say("{label} in use", label=label)] if manager["used"] else [label]


def _traces(points: Points, colours: Palette, divisor: float) -> list[dict[str, Any]]:
    colour = _colours(colours)
    configured = [
        _bar(
            say(title),
            [
                (_rows(each, points)[0], each["parts"][part], f"{say(title)}: {memory(each['parts'][part])}")
                for each in points["task_managers"]
            ],
            colour[part],
            divisor,
        )
        for part, title in TITLES.items()
    ]
    used = [
        {
            **_bar(
                say("{area} in use", area=say(AREAS[area])),
                [(_rows(each, points)[1], each["used"][area], _used_text(area, each)) for each in with_use],
                colour["task_heap" if area == "heap" else part],
                divisor,
            ),
            "base": [_begins_at(part, each) / divisor for each in with_use],
            "showlegend": False,
        }
        for area, part in FIRST_PART.items()
        if (with_use := [each for each in points["task_managers"] if area in each["used"]])
    ]
    return [*configured, *used]


def _begins_at(part: str, manager: Mapping[str, Any]) -> float:
    """Where a part begins in the row of the configured ones."""
    parts: Mapping[str, float] = manager["parts"]
    return sum(parts[each] for each in PARTS[: PARTS.index(part)])


def _used_text(area: str, manager: Mapping[str, Any]) -> str:
    used, limit = manager["used"][area], _room(manager)[area]
    if not limit:
        return say("{area} in use: {used}", area=say(AREAS[area]), used=memory(used))
    return say(
        "{area} in use: {used} ({share} of {limit})",
        area=say(AREAS[area]),
        used=memory(used),
        share=percent(used / limit),
        limit=memory(limit),
    )


def _bar(title: str, rows: Sequence[tuple[str, float, str]], colour: str, divisor: float) -> dict[str, Any]:
    return {
        "type": "bar",
        "orientation": "h",
        "name": title,
        "y": [label for label, _, _ in rows],
        "x": [value / divisor for _, value, _ in rows],
        "marker": {"color": colour},
        "text": [text for _, _, text in rows],
        "textposition": "none",
        "hovertemplate": "%{y}<br>%{text}<extra></extra>",
    }


def _colours(colours: Palette) -> Mapping[str, str]:
    return {
        "framework_heap": colours.load["quiet"],
        "task_heap": colours.load["working"],
        "managed": colours.series[2],
        "framework_off_heap": colours.series[4],
        "task_off_heap": colours.phases["alignment_ms"],
        "network": colours.series[3],
        "metaspace": colours.series[1],
        "overhead": colours.neutral,
    }


def summary(points: Points) -> str:
    """The sum of the parts, and the parts that are nearly full."""
    managers = points["task_managers"]
    first = managers[0]
    total = sum(first["parts"].values())
    sizes = say(", ").join(
        f"{within_sentence(say(TITLES[part]))} {memory(first['parts'][part])}" for part in PARTS if first["parts"][part]
    )
    sentence = (
        to_say("The configuration gives a TaskManager {total} in total: {sizes}.")
        if points["derived"]
        else to_say("{name} has {total} in total: {sizes}.")
    )
    text = say(sentence, name=first["name"], total=memory(total), sizes=sizes)
    if points["derived"]:
        assumed = (
            say("The version of Flink is not known; defaults of 1.17 and newer are assumed.")
            if points["assumed"]
            else ""
        )
        return joined_sentences((text, say("Its use was not measured."), assumed))
    full = [
        say(
            "{area} {used} ({share} of {limit}) of {name}",
            area=say(AREAS[area]),
            used=memory(manager["used"][area]),
            share=percent(manager["used"][area] / _room(manager)[area]),
            limit=memory(_room(manager)[area]),
            name=manager["name"],
        )
        for manager in managers
        for area in NAMED_WHEN_FULL
        if _room(manager)[area] and manager["used"].get(area, 0.0) >= NEARLY_FULL * _room(manager)[area]
    ]
    refused = say("Requests for network buffers were refused: the network memory was used up.")
    last = say("Nearly full: {full}.", full=say("; ").join(full)) if full else say("No measured part is nearly full.")
    if points.get("refused"):
        return joined_sentences((text, last, refused) if full else (text, refused))
    return joined_sentences((text, last))


def table(points: Points) -> list[list[Any]]:
    """One row for each part of each TaskManager, and their sum."""
    rows: list[list[Any]] = [["TaskManager", say("Part"), say("Configured (bytes)"), say("Most in use (bytes)")]]
    for manager in points["task_managers"]:
        name = manager["name"] or say("derived from the configuration")
        rows += [[name, say(title), round(manager["parts"][part]), None] for part, title in TITLES.items()]
        rows.append([name, say("Sum of the parts"), round(sum(manager["parts"].values())), None])
        rows.append([name, say("Total process memory"), round(manager["total_bytes"]), None])
        rows += [
            [name, say(title), round(manager["limits"][area]), _whole(manager["used"].get(area))]
            for area, title in AREAS.items()
        ]
    return rows


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


CHART = Chart(
    id="memory-model",
    title=to_say("Memory of the TaskManagers"),
    order=52,
    axis="own",
    missing=to_say(
        "The answer about a TaskManager, or a configuration with `taskmanager.memory.process.size`, would fill "
        "this "
        "chart: `curl -s $REST/taskmanagers/<id> > taskmanager.json`."
    ),
    panels=(),  # the panels of garbage collection show the heap; the other parts are settings
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
