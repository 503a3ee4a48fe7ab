"""Busy and back-pressured time of every subtask over time, as heat maps in the bands of Flink's web UI."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.grafana_panel import BY_TASK, ONE_JOB, GrafanaPanel
from diagnostics.charting.panel import Panel, escaped, job_title, shortened, stacked
from diagnostics.charting.theme import palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.prevention.alert import FULL_MS_PER_S, HIGH_MS_PER_S
from diagnostics.prevention.series import TASK
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.load.activity_samples import activity_samples
from diagnostics.reconstruction.load.subtasks import mean_time_ratios
from diagnostics.vocabulary.load_levels import LOW_MOST, OK_MOST, QUIET_MOST, WORKING_MOST
from diagnostics.wording.phrase import duration, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_ROWS = 28
"""Rows of one heat map, the subtasks with the highest values. Our choice: one screen."""
MOST_SLOTS = 90
"""Maximum number of time slots: 2 * 28 * 90 cells."""

RATIOS = ("busy", "back_pressured")


def points(evidence: Evidence) -> Points | None:
    """The highest busy and back-pressured ratio of each subtask per time slot.

    Reads   metric_sample (busyTimeMsPerSecond, backPressuredTimeMsPerSecond), back_pressure, vertex, edge, job.
    Gives   {from_ms, slot_ms, slots, jobs: [{job_id, name, vertices: [{vertex, parallelism, subtasks:
            [{subtask, busy: [...], back_pressured: [...], busy_mean, back_pressured_mean}]}]}]}, vertices in the order
            of the data flow; null where there was no sample.
    Empty   None without any sample that has a time.
    """
    cells = activity_samples(evidence)
    times = sorted({ts for subtask in cells.values() for ts in subtask})
    if not times:
        return None
    steps = sorted(
        after - before for subtask in cells.values() for before, after in pairwise(sorted(subtask)) if after > before
    )
    width = slot_ms(times[0], times[-1], MOST_SLOTS, least_ms=steps[len(steps) // 4] if steps else 5000)
    slots = (times[-1] - times[0]) // width + 1
    cluster = cluster_of(evidence)
    names, counted = dict(cluster.job_names), mean_time_ratios(evidence)
    rows: dict[str | None, dict[str, list[dict[str, Any]]]] = {}
    for (job_id, vertex, subtask), samples in sorted(cells.items(), key=lambda item: repr(item[0])):
        means = {f"{name}_mean": _mean_of(samples, place) for place, name in enumerate(RATIOS)}
        for name, ratios in zip(RATIOS, counted, strict=True):
            if (mean := ratios.get((job_id, vertex), {}).get(subtask)) is not None:
                means[f"{name}_mean"] = round(mean, 4)
        row = {"subtask": subtask, **_in_slots(samples, times[0], width, slots), **means}
        rows.setdefault(job_id, {}).setdefault(vertex, []).append(row)
    jobs = [
        {"job_id": job_id, "name": names.get(job_id) if job_id else None, "vertices": _vertices(job_id, found, cluster)}
        for job_id, found in sorted(rows.items(), key=lambda item: str(item[0]))
    ]
    return {"from_ms": times[0], "to_ms": times[-1], "slot_ms": width, "slots": slots, "jobs": jobs}


def _in_slots(
    samples: Mapping[int, tuple[float | None, float | None]], from_ms: int, width: int, slots: int
) -> dict[str, list[float | None]]:
    slotted: dict[str, list[float | None]] = {name: [None] * slots for name in RATIOS}
    for ts_ms, pair in samples.items():
        slot = (ts_ms - from_ms) // width
        for name, value in zip(slotted, pair, strict=True):
            before = slotted[name][slot]
            if value is not None and (before is None or value > before):
                slotted[name][slot] = round(value, 3)
    return slotted


def _mean_of(samples: Mapping[int, tuple[float | None, float | None]], place: int) -> float | None:
    """The mean of all samples; a slot has the highest one of its samples only."""
    known = [pair[place] for pair in samples.values() if pair[place] is not None]
    return round(sum(value for value in known if value is not None) / len(known), 4) if known else None


def _vertices(job_id: str | None, rows: Mapping[str, list[dict[str, Any]]], cluster: Cluster) -> list[dict[str, Any]]:
    flow = sorted(rows, key=lambda vertex: (len(cluster.upstream((job_id, vertex))), vertex))
    kept = _hottest(rows)
    vertices = []
    for vertex in flow:
        task = cluster.tasks.get((job_id, vertex))
        subtasks = [row for row in rows[vertex] if (vertex, row["subtask"]) in kept]
        vertices.append(
            {"vertex": task.name if task else vertex, "parallelism": len(rows[vertex]), "subtasks": subtasks}
        )
    return vertices


def _hottest(rows: Mapping[str, list[dict[str, Any]]]) -> set[tuple[str, int]]:
    """The subtasks drawn: the hottest of each vertex first, then the hottest of all."""
    ranked = [
        (rank, -_highest(row["busy"]) - _highest(row["back_pressured"]), vertex, row["subtask"])
        for vertex, found in rows.items()
        for rank, row in enumerate(
            sorted(found, key=lambda row: (-_highest(row["busy"]) - _highest(row["back_pressured"]), row["subtask"]))
        )
    ]
    first_of_each = sorted(each for each in ranked if each[0] == 0)
    others = sorted((each for each in ranked if each[0] > 0), key=lambda each: each[1:])
    return {(vertex, subtask) for _, _, vertex, subtask in [*first_of_each, *others][:MOST_ROWS]}


def _highest(values: Sequence[float | None]) -> float:
    return max((value for value in values if value is not None), default=0.0)


BANDS = (
    ("OK", OK_MOST, to_say("OK ≤ {bound}")),
    ("LOW", LOW_MOST, to_say("LOW ≤ {bound}")),
    ("HIGH", 1.0, to_say("HIGH > {bound}")),
)
LOADS = (
    ("quiet", QUIET_MOST, to_say("Busy ≤ {bound}")),
    ("working", WORKING_MOST, to_say("Busy ≤ {bound}")),
    ("near the limit", 1.0, to_say("Busy > {bound}")),
)


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """Heat maps of back pressure, then of busy time, with a row per subtask for each task."""
    colours = palette(theme)
    kinds = (
        ("back_pressured", say("Back pressured"), BANDS, colours.bands),
        ("busy", say("Busy"), LOADS, colours.load),
    )
    panels: list[Panel] = []
    for name, title, bands, shades in kinds:
        keyed = False
        for job in points["jobs"]:
            prefix = f"{job['name'] or job['job_id']} · " if len(points["jobs"]) > 1 else ""
            for vertex in job["vertices"]:
                if not any(value is not None for row in vertex["subtasks"] for value in row[name]):
                    continue
                traces = [_heat_map(points, vertex, name, bands, shades)]
                traces += [] if keyed else _keys(points, bands, shades)
                keyed = True
                named = f"{title}{say(': ')}{prefix}{vertex['vertex']}"
                panels.append(_panel(named, vertex, traces, is_first=not panels))
    if panels and _has_gaps(points):
        # What is blank is not the same as 0 %.
        blank = {"color": colours.surface, "line": {"color": colours.muted, "width": 1}}
        panels[0] = replace(panels[0], traces=[*panels[0].traces, _key(points, say("No sample"), blank)])
    return stacked(panels, theme, axis="time")


def _panel(title: str, vertex: Mapping[str, Any], traces: Sequence[Mapping[str, Any]], *, is_first: bool) -> Panel:
    subtasks = vertex["subtasks"]
    hidden = vertex["parallelism"] - len(subtasks)
    return Panel(
        title=shortened(title, 90)
        + (
            say(" (hottest {subtasks} of {parallelism})", subtasks=len(subtasks), parallelism=vertex["parallelism"])
            if hidden
            else ""
        ),
        unit=say("Subtask") if is_first and len(subtasks) > 2 else "",
        height=max(15 * len(subtasks), 15),
        traces=traces,
        y={
            "type": "category",
            "categoryorder": "array",
            "categoryarray": [str(row["subtask"]) for row in reversed(subtasks)],
            "showgrid": False,
            "nticks": 0,
            "tickmode": "auto" if len(subtasks) > 12 else "linear",
            "rangemode": "normal",
        },
        x={"showgrid": False},
    )


def _heat_map(
    points: Points,
    vertex: Mapping[str, Any],
    name: str,
    bands: Sequence[tuple[str, float, str]],
    shades: Mapping[str, str],
) -> dict[str, Any]:
    width = points["slot_ms"]
    starts = [points["from_ms"] + slot * width for slot in range(points["slots"])]
    steps: list[list[Any]] = []
    low = 0.0
    for band, high, _ in bands:
        steps += [[low, shades[band]], [high, shades[band]]]
        low = high
    return {
        "type": "heatmap",
        "x": [start + width / 2 for start in starts],
        "y": [str(row["subtask"]) for row in vertex["subtasks"]],
        "z": [row[name] for row in vertex["subtasks"]],
        "text": [
            [_hover_text(busy, pressed) for busy, pressed in zip(row["busy"], row["back_pressured"], strict=True)]
            for row in vertex["subtasks"]
        ],
        "hovertemplate": (
            f"<b>{escaped(shortened(vertex['vertex']))}</b><br>{say('subtask %{y}, %{x}')}<br>%{{text}}<extra></extra>"
        ),
        "zmin": 0,
        "zmax": 1,
        "colorscale": steps,
        "showscale": False,
        "showlegend": False,
        "xgap": 1,
        "ygap": 1,
        "hoverongaps": False,
    }


def _hover_text(busy: float | None, pressed: float | None) -> str:
    parts = [say("busy {busy}", busy=percent(busy)) if busy is not None else say("busy unknown")]
    parts.append(
        say("back-pressured {pressed}", pressed=percent(pressed))
        if pressed is not None
        else say("back pressure unknown")
    )
    if busy is not None and pressed is not None:
        parts.append(say("idle {idle}", idle=percent(max(0.0, 1 - busy - pressed))))
    return say(", ").join(parts)


def _keys(points: Points, bands: Sequence[tuple[str, float, str]], shades: Mapping[str, str]) -> list[dict[str, Any]]:
    """Entries of the legend, which a heat map does not have itself."""
    return [
        _key(points, say(label, bound=percent(bound)), {"color": shades[band]})
        for (band, _, label), bound in zip(bands, _bounds(bands), strict=True)
    ]


def _key(points: Points, name: str, marker: Mapping[str, Any]) -> dict[str, Any]:
    key = {"type": "scatter", "mode": "markers", "hoverinfo": "skip", "x": [points["from_ms"]], "y": [None]}
    return {**key, "name": name, "marker": {"symbol": "square", "size": 11, **marker}}


def _has_gaps(points: Points) -> bool:
    """Whether a subtask that is drawn has no sample in some slot."""
    rows = [row for job in points["jobs"] for vertex in job["vertices"] for row in vertex["subtasks"]]
    return any(None in row[name] and any(value is not None for value in row[name]) for row in rows for name in RATIOS)


def _bounds(bands: Sequence[tuple[str, float, str]]) -> list[float]:
    """The bound that the label of each band names: its own, of the last one that of the band below."""
    bounds = [high for _, high, _ in bands]
    return [*bounds[:-1], bounds[-2]]


def summary(points: Points) -> str:
    """The most back-pressured and the busiest task."""
    readings = [
        (f"{vertex['vertex']}{job_title(job, points)}", row)
        for job in points["jobs"]
        for vertex in job["vertices"]
        for row in vertex["subtasks"]
    ]
    pressed = max(readings, key=lambda each: _mean(each[1], "back_pressured") or 0.0)
    busiest = max(readings, key=lambda each: _mean(each[1], "busy") or 0.0)
    text = []
    mean = _mean(pressed[1], "back_pressured")
    highest = max(_highest(row["back_pressured"]) for _, row in readings)
    if mean is not None and highest <= OK_MOST:
        text.append(
            say("No task is back-pressured (at most {highest} in a sample).", highest=percent(highest))
            if highest
            else say("No task is back-pressured.")
        )
    elif mean is not None:
        of_subtask = [value for value in pressed[1]["back_pressured"] if value is not None]
        band = _band(max(of_subtask))
        slots = sum(_band(value) == band for value in of_subtask)
        text.append(
            say(
                "Most back-pressured: subtask {subtask} of {task}, {band} ({mean}) in its only sample.",
                subtask=pressed[1]["subtask"],
                task=pressed[0],
                band=band,
                mean=percent(mean),
            )
            if len(of_subtask) == 1
            else say(
                "Most back-pressured: subtask {subtask} of {task}, {band} for {time} of {whole} ({mean} of the time on "
                "average, {highest} in its highest sample).",
                subtask=pressed[1]["subtask"],
                task=pressed[0],
                band=band,
                time=duration(slots * points["slot_ms"]),
                whole=duration(len(of_subtask) * points["slot_ms"]),
                mean=percent(mean),
                highest=percent(max(of_subtask)),
            )
        )
    if (mean := _mean(busiest[1], "busy")) is not None:
        samples = sum(value is not None for value in busiest[1]["busy"])
        text.append(
            say(
                "Busiest: subtask {subtask} of {task}, {mean} in its only sample.",
                subtask=busiest[1]["subtask"],
                task=busiest[0],
                mean=percent(mean),
            )
            if samples == 1
            else say(
                "Busiest: subtask {subtask} of {task}, {mean} of the time on average over {whole}.",
                subtask=busiest[1]["subtask"],
                task=busiest[0],
                mean=percent(mean),
                whole=duration(samples * points["slot_ms"]),
            )
        )
    return joined_sentences(text)


def _mean(row: Mapping[str, Any], name: str) -> float | None:
    """The mean of a subtask's samples; points of former releases have its slots only."""
    if f"{name}_mean" in row:
        mean: float | None = row[f"{name}_mean"]
        return mean
    known = [value for value in row[name] if value is not None]
    return sum(known) / len(known) if known else None


def _band(ratio: float) -> str:
    return next(band for band, high, _ in BANDS if ratio <= high)


def table(points: Points) -> list[list[Any]]:
    """One row per subtask and slot with a sample."""
    header = [
        say("Job"),
        say("Task"),
        say("Subtask"),
        say("From (UTC, epoch ms)"),
        say("Busy ratio"),
        say("Back-pressured ratio"),
    ]
    rows = [
        [
            job["name"] or job["job_id"],
            vertex["vertex"],
            row["subtask"],
            points["from_ms"] + slot * points["slot_ms"],
            row["busy"][slot],
            row["back_pressured"][slot],
        ]
        for job in points["jobs"]
        for vertex in job["vertices"]
        for row in vertex["subtasks"]
        for slot in range(points["slots"])
        if row["busy"][slot] is not None or row["back_pressured"][slot] is not None
    ]
    return [header, *rows]


CHART = Chart(
    id="subtask-activity",
    title=to_say("Busy and back-pressured time"),
    order=20,
    axis="time",
    missing=to_say(
        "Metrics over time would fill this chart: scrapes of the Prometheus reporter "
        "(`curl -s <taskmanager>:9249/metrics` every few seconds), or the back pressure of each vertex "
        "(`curl -s $REST/jobs/<job>/vertices/<vertex>/backpressure`)."
    ),
    panels=(
        GrafanaPanel(
            to_say("Busiest subtask of each task"),
            "ms",
            {"{{task_name}}": f"max {BY_TASK} ({TASK}busyTimeMsPerSecond{{{ONE_JOB}}})"},
            FULL_MS_PER_S,
        ),
        GrafanaPanel(
            to_say("Most back-pressured subtask of each task"),
            "ms",
            {"{{task_name}}": f"max {BY_TASK} ({TASK}backPressuredTimeMsPerSecond{{{ONE_JOB}}})"},
            HIGH_MS_PER_S,
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
