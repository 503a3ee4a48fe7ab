"""Load by subtask: each subtask's share of its task's records compared with the even share, and its busy time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.balance import is_hot
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.grafana_panel import BY_TASK, ONE_JOB, GrafanaPanel
from diagnostics.charting.panel import Panel, Threshold, Trace, job_title, shortened, stacked
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import say, to_say
from diagnostics.prevention.series import TASK
from diagnostics.reconstruction.job.cluster import VertexKey, cluster_of
from diagnostics.reconstruction.load.subtasks import load_snapshots, mean_time_ratios, task_spreads
from diagnostics.wording.phrase import percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

MOST_VERTICES = 6
MOST_SUBTASKS = 200
"""The most uneven tasks of a job, and of each the subtasks with the most records. Our choice."""
EVEN_MOST = 1.2
"""Multiple of the even share up to which a task counts as evenly spread. Our choice: random keys vary by as much."""
FEW_SUBTASKS = 10
"""Up to this number each bar is labelled with its value, on a phone that of the records only."""
BAR_WIDTH = 0.95
"""Part of a subtask's place that its bars take: Plotly's gap between bars is 0.05 here."""
FEWEST_PLACES = 6
"""Minimum number of places on the axis, so that a task of two does not look heavier than one of ten."""


def points(evidence: Evidence) -> Points | None:
    """Records and busy ratio of every subtask, for tasks of at least two subtasks.

    Reads   the same as the finding about uneven load (`task_spreads`), vertex, job.
    Gives   {jobs: [{job_id, name, vertices: [{vertex, direction, parallelism, even_share, subtasks: [{subtask, records,
            share, busy}]}]}]}, the most uneven task first. direction is `in`, for sources `out`.
    Empty   None when no task has two subtasks with records.
    """
    busy = _busy(evidence)
    jobs: dict[str | None, list[dict[str, Any]]] = {}
    cluster = cluster_of(evidence)
    for (job_id, vertex), (direction, records, loads) in sorted(
        _shares(evidence).items(), key=lambda item: repr(item[0])
    ):
        total = sum(loads.values())
        if len(records) < 2 or not total:
            continue
        task = cluster.tasks.get((job_id, vertex))
        subtasks = [
            {
                "subtask": subtask,
                "records": round(count),
                "share": round(loads[subtask] / total, 4),
                "busy": busy.get((job_id, vertex), {}).get(subtask),
            }
            for subtask, count in sorted(records.items())
        ]
        kept = sorted(subtasks, key=lambda each: (-(each["records"] or 0), each["subtask"] or 0))[:MOST_SUBTASKS]
        jobs.setdefault(job_id, []).append(
            {
                "vertex": task.name if task else vertex,
                "direction": direction,
                "parallelism": len(records),
                "even_share": round(1 / len(records), 4),
                "subtasks": sorted(kept, key=lambda each: each["subtask"]),
            }
        )
    if not jobs:
        return None
    return {
        "jobs": [
            {
                "job_id": job_id,
                "name": cluster.job_names.get(job_id) if job_id else None,
                "vertices": sorted(vertices, key=lambda each: (-_skew(each), each["vertex"]))[:MOST_VERTICES],
            }
            for job_id, vertices in sorted(jobs.items(), key=lambda item: str(item[0]))
        ]
    }


def _skew(vertex: Mapping[str, Any]) -> float:
    return max(float(each["share"]) for each in vertex["subtasks"]) / float(vertex["even_share"])


def _shares(evidence: Evidence) -> dict[VertexKey, tuple[str, Mapping[int, float], Mapping[int, float]]]:
    """(job, task) -> direction, records and load of each subtask, as in the finding, else from the last answer."""
    spreads = task_spreads(evidence)
    shares: dict[VertexKey, tuple[str, Mapping[int, float], Mapping[int, float]]] = {}
    for vertex, taken in load_snapshots(evidence).items():
        if spread := spreads.get(vertex):
            shares[vertex] = (spread.direction, spread.counts, spread.records.loads)
            continue
        for direction, counts in (
            ("in", {subtask: load.records_in for subtask, load in taken[-1].items()}),
            ("out", {subtask: load.records_out for subtask, load in taken[-1].items()}),
        ):
            known = {subtask: count for subtask, count in counts.items() if count is not None}
            if any(known.values()):
                shares[vertex] = (direction, known, known)
                break
    return shares


def _busy(evidence: Evidence) -> dict[VertexKey, dict[int, float]]:
    """Mean busy ratio of each subtask over the whole time."""
    return {
        vertex: {subtask: round(ratio, 4) for subtask, ratio in by_subtask.items()}
        for vertex, by_subtask in mean_time_ratios(evidence)[0].items()
    }


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """For each task bars of the records' shares and of busy time, and the even share as a line."""
    colours = palette(theme)
    panels: list[Panel] = []
    counts = [len(vertex["subtasks"]) for job in points["jobs"] for vertex in job["vertices"]]
    places = max([*counts, FEWEST_PLACES])
    labels: list[dict[str, Any]] = []
    for job in points["jobs"]:
        prefix = f"{job['name'] or job['job_id']} · " if len(points["jobs"]) > 1 else ""
        for vertex in job["vertices"]:
            suffix = str(len(panels) + 1) if panels else ""
            labels += _labels(vertex, colours, suffix, is_narrow=points.get("narrow", False))
            keys = _keys(points, colours) if not panels else []
            panels.append(_panel(vertex, prefix, colours, places, keys))
    drawn = stacked(panels, theme, axis="own", x_title=say("Subtask"), barmode="group")
    busy = next((each for each in drawn["data"] if each["name"] == say("Busy time")), None)
    if busy is not None:
        busy["showlegend"] = True
    drawn["layout"]["annotations"] += labels
    return drawn


def _panel(vertex: Mapping[str, Any], prefix: str, colours: Palette, places: int, keys: Sequence[Trace]) -> Panel:
    """The panel of a task; that on top has the keys of the legend."""
    subtasks: Sequence[Mapping[str, Any]] = vertex["subtasks"]
    hot = [is_hot(each["share"], 1.0, vertex["parallelism"]) for each in subtasks]
    hidden = vertex["parallelism"] - len(subtasks)
    names = [str(each["subtask"]) for each in subtasks]
    traces: list[dict[str, Any]] = [
        {
            "type": "bar",
            "name": say("Share of the records"),
            "showlegend": False,
            "x": names,
            "y": [100 * each["share"] for each in subtasks],
            "marker": {"color": [colours.warning if marked else colours.calm for marked in hot]},
            "customdata": [f"{each['records']:,}" for each in subtasks],
            "hovertemplate": say("subtask %{x}<br>%{customdata} records, %{y:.1f} %") + "<extra></extra>",
        }
    ]
    is_timed = any(each["busy"] is not None for each in subtasks)
    if is_timed:
        traces.append(
            {
                "type": "bar",
                "name": say("Busy time"),
                "showlegend": False,
                "x": names,
                "y": [None if each["busy"] is None else 100 * each["busy"] for each in subtasks],
                "marker": {
                    "color": colours.surface,
                    "line": {"width": 1.5, "color": colours.muted},
                    "pattern": {"shape": "/", "fgcolor": colours.muted, "size": 5, "solidity": 0.3},
                },
                "hovertemplate": say("subtask %{x}<br>busy %{y:.0f} % of the time") + "<extra></extra>",
            }
        )
    shown = (
        say(" (most loaded {subtasks} of {parallelism})", subtasks=len(subtasks), parallelism=vertex["parallelism"])
        if hidden
        else ""
    )
    is_tall = any(hot) or bool(keys)
    even = Threshold(
        100 * vertex["even_share"],
        say("Even share {even_share}", even_share=percent(vertex["even_share"])),
        is_alarm=False,
    )
    return Panel(
        title=say(
            to_say("{task}: records in") if vertex["direction"] == "in" else to_say("{task}: records out"),
            task=shortened(prefix + vertex["vertex"], 80),
        )
        + shown
        + ("" if is_timed else say(", busy time not measured")),
        unit="%",
        height=150 if is_tall else 80,
        traces=[*traces, *keys],
        thresholds=[even],
        x={"type": "category", "showgrid": False, "range": [-0.5, places - 0.5]},
        y={"range": [0, 116 if is_tall else 136], "tickvals": [0, 50, 100]},
    )


def _keys(points: Points, colours: Palette) -> list[dict[str, Any]]:
    """Entries of the legend: the bars of records have more than one colour, so that they have none themselves."""
    every = [(vertex, each) for job in points["jobs"] for vertex in job["vertices"] for each in vertex["subtasks"]]
    hot = any(is_hot(each["share"], 1.0, vertex["parallelism"]) for vertex, each in every)
    known = [(say("Share of the records"), colours.calm)]
    known += [(say("Share far above the even one"), colours.warning)] if hot else []
    marker = {"symbol": "square", "size": 11}
    return [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [str(every[0][1]["subtask"])],
            "y": [None],
            "marker": {**marker, "color": colour},
            "hoverinfo": "skip",
        }
        for name, colour in known
    ]


def _labels(vertex: Mapping[str, Any], colours: Palette, suffix: str, *, is_narrow: bool) -> list[dict[str, Any]]:
    """The values above the bars, on a ground of their own: the line of the even share must not strike them out."""
    subtasks: Sequence[Mapping[str, Any]] = vertex["subtasks"]
    is_timed = any(each["busy"] is not None for each in subtasks)
    columns = ("share", "busy") if is_timed else ("share",)
    few = len(subtasks) <= FEW_SUBTASKS
    labels = []
    for place, load in enumerate(subtasks):
        for number, column in enumerate(columns):
            is_shown = few or (column == "share" and is_hot(load["share"], 1.0, vertex["parallelism"]))
            if load[column] is None or not is_shown or (is_narrow and column == "busy"):
                continue
            aside = 0.0 if is_narrow else (number - (len(columns) - 1) / 2) * BAR_WIDTH / len(columns)
            labels.append(
                {
                    "text": percent(load[column]),
                    "xref": f"x{suffix}",
                    "yref": f"y{suffix}",
                    "x": place + aside,
                    "y": 100 * load[column],
                    "yanchor": "bottom",
                    "yshift": 1,
                    "showarrow": False,
                    "font": {"size": 11},
                    "bgcolor": colours.surface,
                    "borderpad": 0,
                }
            )
    return labels


def summary(points: Points) -> str:
    """The most uneven task and its hottest subtask; that the load is even where it is."""
    every = [(job, vertex) for job in points["jobs"] for vertex in job["vertices"]]
    job, worst = max(every, key=lambda each: _skew(each[1]))
    hottest = max(worst["subtasks"], key=lambda each: (each["share"], -each["subtask"]))
    if _skew(worst) <= EVEN_MOST:
        return say(
            "The records are spread evenly: the subtask with the most has {times:.2f} times the even share of its "
            "task.",
            times=max(_skew(worst), 1.0),
        )
    sentence = (
        to_say(
            "The most uneven task is {task}: subtask {subtask} has {share} of the records where {even_share} would be "
            "even."
        )
        if hottest["busy"] is None
        else to_say(
            "The most uneven task is {task}: subtask {subtask} has {share} of the records where {even_share} would be "
            "even; it is busy {busy} of the time on average."
        )
    )
    return say(
        sentence,
        task=f"{worst['vertex']}{job_title(job, points)}",
        subtask=hottest["subtask"],
        share=percent(hottest["share"]),
        even_share=percent(worst["even_share"]),
        busy=percent(hottest["busy"]),
    )


def table(points: Points) -> list[list[Any]]:
    """One row per subtask."""
    header = [
        say("Job"),
        say("Task"),
        say("Subtask"),
        say("Records"),
        say("Direction"),
        say("Share"),
        say("Even share"),
        say("Busy ratio"),
    ]
    rows = [
        [
            job["name"] or job["job_id"],
            vertex["vertex"],
            load["subtask"],
            load["records"],
            say("in") if vertex["direction"] == "in" else say("out"),
            load["share"],
            vertex["even_share"],
            load["busy"],
        ]
        for job in points["jobs"]
        for vertex in job["vertices"]
        for load in vertex["subtasks"]
    ]
    return [header, *rows]


CHART = Chart(
    id="load-by-subtask",
    title=to_say("Load by subtask"),
    order=30,
    axis="own",
    missing=to_say(
        "The vertices of the job from the REST API (`curl -s $REST/jobs/<job>/vertices/<vertex> > vertex.json`) or "
        "metrics of each subtask would fill this chart."
    ),
    panels=(
        GrafanaPanel(
            to_say("Records in: busiest subtask against the mean"),
            "short",
            {
                "{{task_name}}": f"max {BY_TASK} ({TASK}numRecordsInPerSecond{{{ONE_JOB}}})"
                f" / avg {BY_TASK} ({TASK}numRecordsInPerSecond{{{ONE_JOB}}})"
            },
            2,
        ),
    ),
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
