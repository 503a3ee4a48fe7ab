"""The job graph: busy and back-pressured time of each task, the origin of back pressure, and one task in detail."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Choice, Points, Theme
from diagnostics.charting.panel import escaped, shortened
from diagnostics.charting.task_boxes import ACROSS, DOWN, HEIGHT
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.load.tasks import job_tasks
from diagnostics.vocabulary.load_levels import QUIET_MOST, WORKING_MOST, pressure_level
from diagnostics.wording.phrase import FORMATS, duration, enumeration, number, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence


def points(evidence: Evidence) -> Points | None:
    """Every task with its busy and back-pressured ratios, and its subtasks.

    Reads   vertex, edge, job, metric_sample, back_pressure, subtask, stack_sample.
    Gives   {jobs: [{job_id, name, edges_known, pressed_ms, vertices: [{id, name, parallelism, depth, parents, busy,
            busy_peak, held, held_peak, idle, origin_moments, moments, look_up_share, lag_ms, subtasks: [[subtask,
            task_manager, busy, held, records_in, records_out]]}]}]}; ratios are the mean over the time in which back
            pressure was HIGH (`pressed_ms`), else over all of it, of the subtask that has most, and its peak; null
            where nothing is measured.
    Empty   None without a task.
    """
    jobs = list(job_tasks(evidence))
    return {"jobs": jobs} if jobs else None


SPOTS = 6
"""Hover targets within a box: a single square of its height does not cover its width on a wide page."""
SHARES = 7
"""Pixels of the bar with the three shares at the lower edge of a box."""
KEY_ROW, KEYS_DOWN = 18, 2
"""Pixels of a row of the key, and the keys of a row on a phone."""


def key_of(job: Mapping[str, Any], vertex: Mapping[str, Any]) -> str:
    """The key of a task as a choice."""
    return f"{job['job_id'] or ''}:{vertex['id']}"


def choices(points: Points) -> Sequence[Choice]:
    """Every task in the order of the data flow; origins of back pressure are marked."""
    return [
        Choice(
            key_of(job, vertex),
            shortened(vertex["name"], 32),
            f"{vertex['name']}{say(': ')}{_state(vertex)}",
            is_bad=_is_alarming(job, vertex),
            job_id=job["job_id"],
        )
        for job in points["jobs"]
        for vertex in job["vertices"]
    ]


def _is_origin(vertex: Mapping[str, Any]) -> bool:
    """Whether it was the origin of back pressure at a fifth of all moments or more, and then usually not quiet.

    Tasks that wait for a quiet one wait for what lies between: the network, or the channels of another TaskManager.
    """
    busy = vertex.get("origin_busy")
    if busy is not None and busy <= QUIET_MOST:
        return False
    return bool(vertex["moments"]) and vertex["origin_moments"] * 5 >= vertex["moments"]


def _is_alarming(job: Mapping[str, Any], vertex: Mapping[str, Any]) -> bool:
    """Whether it is the origin of back pressure that is HIGH somewhere in its job; of less, no job suffers."""
    return _is_origin(vertex) and any(pressure_level(each["held"] or 0.0) == "HIGH" for each in job["vertices"])


def _state(vertex: Mapping[str, Any]) -> str:
    """The state in Flink's words."""
    words = []
    if vertex["held"] is not None:
        level = pressure_level(vertex["held"])
        words.append(say("back pressure {level} ({held})", level=level, held=percent(vertex["held"])))
    if vertex["busy"] is not None:
        words.append(say("busy {busy}", busy=percent(vertex["busy"])))
    if _is_origin(vertex):
        words.append(say("back pressure begins here"))
    return say(", ").join(words) or say("not measured")


def _chosen(points: Points) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    """The selected task and its job; else the origin of back pressure; else the busiest task."""
    every = [(job, vertex) for job in points["jobs"] for vertex in job["vertices"]]
    for job, vertex in every:
        if key_of(job, vertex) == points.get("chosen"):
            return job, vertex
    return max(
        every,
        key=lambda each: (
            _is_origin(each[1]),
            each[1]["origin_moments"],
            each[1]["busy"] or 0.0,
            each[1]["held"] or 0.0,
        ),
    )


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A box for each task in the direction of the flow; the colour is the state, the bar the ratios."""
    colours = palette(theme)
    boxes = DOWN if points.get("narrow") else ACROSS
    chosen = key_of(*_chosen(points))
    shapes: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    spots: list[tuple[float, float, str, str]] = []
    top = 0.0
    widest = 1
    for job in points["jobs"]:
        if len(points["jobs"]) > 1:
            notes.append(_note(f"<b>{escaped(job['name'] or job['job_id'] or '')}</b>", 0, top + 14, colours, "left"))
            top += 30
        places, rows = boxes.spots(job, top)
        widest = max(widest, boxes.columns(job))
        for vertex in job["vertices"]:
            for parent in vertex["parents"]:
                if parent in places:
                    path = boxes.arrow(places[parent], places[vertex["id"]])
                    shapes.append(_arrow(path, colours))
        for vertex in job["vertices"]:
            left, upper = places[vertex["id"]]
            key = key_of(job, vertex)
            shapes += _box(job, vertex, (left, upper, boxes.width), colours, is_chosen=key == chosen)
            notes += _texts(job, vertex, (left, upper, boxes.name_length), colours)
            told = _hover_text(vertex)
            middles = [left + boxes.width * (place + 0.5) / SPOTS for place in range(SPOTS)]
            spots += [(middle, upper + HEIGHT / 2, key, told) for middle in middles]
        top += rows * boxes.line
    width = widest * boxes.column
    axis = {"visible": False, "fixedrange": True}
    keys = [f"<span style='color:{colour}'>{mark}</span> {label}" for mark, label, colour in _key(colours)]
    in_row = KEYS_DOWN if boxes.is_down else len(keys)
    for first in range(0, len(keys), in_row):
        notes.append(_note("   ".join(keys[first : first + in_row]), 0, top + 8, colours, "left"))
        top += KEY_ROW
    top -= KEY_ROW
    return {
        "data": [
            {
                "type": "scatter",
                "mode": "markers",
                "x": [x for x, _, _, _ in spots],
                "y": [y for _, y, _, _ in spots],
                "customdata": [key for _, _, key, _ in spots],
                "text": [text for _, _, _, text in spots],
                "marker": {"symbol": "square", "size": HEIGHT, "opacity": 0},
                "hovertemplate": "%{text}<extra></extra>",
                "showlegend": False,
            }
        ],
        "layout": {
            "height": top + 44,
            "margin": dict.fromkeys(("l", "r", "t", "b"), 6),
            "paper_bgcolor": "rgba(0,0,0,0)",
            "plot_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": "system-ui, sans-serif", "size": 12, "color": colours.text},
            "hoverlabel": {"align": "left", "namelength": -1},
            "xaxis": {**axis, "range": [-6, width]},
            "yaxis": {**axis, "range": [top + 28, -6]},
            "shapes": shapes,
            "annotations": notes,
            "dragmode": False,
            "meta": {"chosen": chosen, "least_width": width},
        },
    }


def _key(colours: Palette) -> Sequence[tuple[str, str, str]]:
    """Mark, meaning and colour; what was not measured is hollow."""
    return (
        ("■", say("idle or working"), colours.load["quiet"]),
        ("■", say("busy > 80 %"), colours.load["working"]),
        ("■", say("back pressure LOW"), colours.bands["LOW"]),
        ("■", say("back pressure HIGH"), colours.bands["HIGH"]),
        ("□", say("not measured"), colours.muted),
    )


def _fill(vertex: Mapping[str, Any], colours: Palette) -> str:
    if vertex["held"] is not None and pressure_level(vertex["held"]) != "OK":
        return colours.bands[pressure_level(vertex["held"])]
    if vertex["busy"] is not None:
        return colours.load["working" if vertex["busy"] > WORKING_MOST else "quiet"]
    return colours.surface


def _box(
    job: Mapping[str, Any],
    vertex: Mapping[str, Any],
    place: tuple[float, float, int],
    colours: Palette,
    *,
    is_chosen: bool,
) -> list[Any]:
    """The shapes of a task; `place` is the left and upper edge of its box, and its width."""
    left, upper, box_width = place
    is_origin = _is_origin(vertex)
    marked = colours.alarm if _is_alarming(job, vertex) else colours.bands["LOW"]
    edge = marked if is_origin else colours.calm if is_chosen else colours.muted
    width = 4 if is_origin else 3 if is_chosen else 1
    frame = _rectangle(left, upper, left + box_width, upper + HEIGHT, colours.surface, edge, width)
    frame["line"]["dash"] = "dot" if is_chosen and is_origin else "solid"
    head = _rectangle(left, upper, left + 10, upper + HEIGHT, _fill(vertex, colours), "rgba(0,0,0,0)", 0)
    shapes = [frame, head]
    at = left + 14.0
    room = box_width - 18
    shares = (
        (vertex["busy"], colours.load["working"]),
        (vertex["held"], colours.bands[pressure_level(vertex["held"] or 0.0)]),
        (vertex["idle"], colours.load["quiet"]),
    )
    known = [(share, colour) for share, colour in shares if share]
    whole = max(sum(share for share, _ in known), 1.0)
    for share, colour in known:
        end = at + room * share / whole
        shapes.append(_rectangle(at, upper + HEIGHT - SHARES - 4, end, upper + HEIGHT - 4, colour, "rgba(0,0,0,0)", 0))
        at = end
    return shapes


def _rectangle(x0: float, y0: float, x1: float, y1: float, fill: str, edge: str, width: int) -> dict[str, Any]:
    line = {"color": edge, "width": width}
    return {"type": "rect", "x0": x0, "y0": y0, "x1": x1, "y1": y1, "fillcolor": fill, "line": line, "layer": "below"}


def _arrow(path: str, colours: Palette) -> dict[str, Any]:
    return {"type": "path", "path": path, "line": {"color": colours.muted, "width": 1.5}, "layer": "below"}


def _texts(
    job: Mapping[str, Any], vertex: Mapping[str, Any], place: tuple[float, float, int], colours: Palette
) -> list[dict[str, Any]]:
    """The words in the box of a task; `place` is its left and upper edge, and the characters of a name."""
    left, upper, most = place
    name = f"<b>{escaped(shortened(vertex['name'], most))}</b>"
    shares = " · ".join(
        f"{label} {percent(vertex[column])}"
        for label, column in ((say("busy"), "busy"), (say("back-pressured"), "held"))
        if vertex[column] is not None
    )
    second = say("origin of back pressure") if _is_origin(vertex) else ""
    parallel = say("parallelism {parallelism}", parallelism=vertex["parallelism"]) if vertex["parallelism"] else ""
    third = " · ".join(part for part in (second, parallel) if part)
    notes = [_note(name, left + 15, upper + 14, colours, "left")]
    notes.append(_note(shares or say("not measured"), left + 15, upper + 32, colours, "left", small=True))
    if third:
        notes.append(_note(third, left + 15, upper + 48, colours, "left", small=True, alarm=_is_alarming(job, vertex)))
    return notes


def _note(
    text: str, x: float, y: float, colours: Palette, anchor: str, *, small: bool = False, alarm: bool = False
) -> dict[str, Any]:
    return {
        "text": text,
        "x": x,
        "y": y,
        "xanchor": anchor,
        "yanchor": "middle",
        "showarrow": False,
        "align": "left",
        "captureevents": False,
        "font": {"size": 10.5 if small else 12, "color": colours.alarm if alarm else colours.text},
    }


def _hover_text(vertex: Mapping[str, Any]) -> str:
    lines = [f"<b>{escaped(vertex['name'][:100])}</b>", _state(vertex)]
    for label, column in ((say("busy"), "busy_peak"), (say("back-pressured"), "held_peak")):
        if vertex[column] is not None:
            lines.append(say("{label} at most {share}", label=label, share=percent(vertex[column])))
    if vertex["idle"] is not None:
        lines.append(say("idle {idle}", idle=percent(vertex["idle"])))
    lines.append(say("click for its subtasks"))
    return "<br>".join(lines)


def summary(points: Points) -> str:
    """The origin of back pressure, and the facts of the selected task."""
    job, vertex = _chosen(points)
    begun = [each["name"] for every in points["jobs"] for each in every["vertices"] if _is_origin(each)]
    origin = say("Back pressure begins in {tasks}.", tasks=say(" and in ").join(begun)) if begun else ""
    parts = [f"{vertex['name']}{say(': ')}{_state(vertex)}"]
    if vertex["idle"] is not None:
        parts.append(say("idle {idle}", idle=percent(vertex["idle"])))
    records = [row[4] if row[4] else row[5] for row in vertex["subtasks"]]
    if any(records):
        total = number(sum(each or 0 for each in records))
        parts.append(say("{records} records since its last start", records=total))
    if vertex["lag_ms"] is not None:
        lag = duration(abs(vertex["lag_ms"]))
        is_behind = vertex["lag_ms"] >= 0
        parts.append(
            say("watermark {lag} behind the clock at the end", lag=lag)
            if is_behind
            else say("watermark {lag} ahead of the clock at the end", lag=lag)
        )
    if vertex["look_up_share"]:
        parts.append(
            say("{look_up_share} of its samples look something up", look_up_share=percent(vertex["look_up_share"]))
        )
    elif vertex["named_look_up"]:
        parts.append(say("a look-up join"))
    unknown = "" if job["edges_known"] else say("The files do not tell how the tasks are connected.")
    facts = say("{facts}.", facts=say(", ").join(parts))
    return joined_sentences((origin, facts, _statistic(job, vertex), unknown))


def _statistic(job: Mapping[str, Any], vertex: Mapping[str, Any]) -> str:
    """Which number of the time the ratios are: a finding has that of the time in which a task held others back."""
    if vertex["held"] is None and vertex["busy"] is None:
        return ""
    if pressed := job.get("pressed_ms"):  # points of former releases do not have it
        return say(
            "Ratios are means over the moments at which back pressure was HIGH, from {since} to {until}, of the "
            "subtask that has most.",
            since=FORMATS["time"](pressed[0]),
            until=FORMATS["time"](pressed[1]),
        )
    columns = ((say("busy"), "busy_peak"), (say("back-pressured"), "held_peak"))
    highest = enumeration(
        [f"{label} {percent(peak)}" for label, column in columns if (peak := vertex.get(column)) is not None]
    )
    if not highest:
        return say("Ratios are means over the whole time, of the subtask that has most.")
    return say(
        "Ratios are means over the whole time, of the subtask that has most; the highest single samples are {highest}.",
        highest=highest,
    )


def table(points: Points) -> list[list[Any]]:
    """One row per subtask, those of the selected task first; a task without known subtasks has one row."""
    header = [
        say("Job"),
        say("Task"),
        say("Subtask"),
        "TaskManager",
        say("Busy ratio"),
        say("Back-pressured ratio"),
        say("Records in"),
        say("Records out"),
        say("Task's watermark lag (ms)"),
        say("Task's share of look-ups"),
        say("Back pressure begins here"),
    ]
    chosen = key_of(*_chosen(points))
    rows = []
    every = [(job, vertex) for job in points["jobs"] for vertex in job["vertices"]]
    for job, vertex in sorted(every, key=lambda each: key_of(*each) != chosen):
        task = [vertex["lag_ms"], vertex["look_up_share"], say("yes") if _is_origin(vertex) else say("no")]
        for row in vertex["subtasks"] or [[None, None, vertex["busy"], vertex["held"], None, None]]:
            rows.append([job["name"] or job["job_id"], vertex["name"], *row, *task])
    return [header, *rows]


CHART = Chart(
    id="job-graph",
    title=to_say("Job graph"),
    order=5,
    axis="own",
    missing=to_say(
        "The job's plan would fill this chart: `curl -s $REST/jobs/<job> > job.json`, and the back pressure of "
        "each "
        "vertex (`curl -s $REST/jobs/<job>/vertices/<vertex>/backpressure`) colours it."
    ),
    panels=(),  # the panels of the subtasks' activity show it
    points=points,
    figure=figure,
    summary=summary,
    table=table,
    choices=choices,
)
