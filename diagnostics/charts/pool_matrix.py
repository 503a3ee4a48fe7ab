"""The matrix of input and output pools: which tasks are held back, hold others back, or only pass it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import median
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.quantiles import middle
from diagnostics.charting.chart import Chart, Points, StoredSignals, Theme, facts_of
from diagnostics.charting.panel import Panel, escaped, job_title, shortened, stacked
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.graph import job_graph
from diagnostics.reconstruction.load.pools import FULL, pools_of_tasks
from diagnostics.reconstruction.load.pressure_origin import origins
from diagnostics.reconstruction.load.timeline import load_timelines
from diagnostics.vocabulary.load_levels import LOW_MOST, WORKING_MOST
from diagnostics.wording.phrase import enumeration, percent, within_sentence

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.job.graph import JobGraph
    from diagnostics.reconstruction.load.timeline import Timeline

MOST_TASKS = 40
"""Tasks of a job in the chart, those with the fullest pools. Our choice."""
NAME_LENGTH = 24

CELLS: Mapping[str, tuple[str, str]] = {
    "free": (to_say("Both have room"), to_say("not back-pressured")),
    "held": (to_say("Output full, input has room"), to_say("held back from below")),
    "origin": (
        to_say("Input full, output has room, and a task above has a full output"),
        to_say("back pressure begins here"),
    ),
    "awaited": (
        to_say("Input full, output has room, and the tasks above, whose outputs have room, are back-pressured"),
        to_say("back pressure begins here"),
    ),
    "near": (
        to_say("Input full, output has room, and no task above has a full output"),
        to_say("near its limit"),
    ),
    "pressed": (
        to_say("Input full, output has room when it is read, and the task is back-pressured itself"),
        to_say("held back from below, passes it on to the tasks above"),
    ),
    "unused": (
        to_say("Input full, output has room, and the task is not busy"),
        to_say("not near its limit"),
    ),
    "passes": (to_say("Both full"), to_say("held back from below, passes it on to the tasks above")),
}
"""Cell -> what the pools are, and what it means. Source: Flink's blog of 2019-07-23, "Flink Network Stack Vol. 2:
Monitoring, Metrics, and that Backpressure Thing", https://flink.apache.org/2019/07/23/. Ours is `awaited`: a pool is
read at one instant and need not be full while its task waits, so the measured time of waiting decides.
"""
HELD_SOURCE = (to_say("Output full"), CELLS["held"][1])
"""The words of a source that is held back: it has no input pool."""
ORIGINS = ("origin", "awaited")


def cell_of(
    in_use: float | None,
    out_use: float | None,
    upstream_out: float | None,
    *,
    is_awaited: bool = False,
    held: float | None = None,
    busy: float | None = None,
) -> str:
    """The cell of a task.

    in_use, out_use  use of its pools; None where it has none, as the input of a source and the output of a sink
    upstream_out     the fullest output pool of the tasks right above, None when not known
    is_awaited       whether the back-pressured time of the tasks above shows that they wait for this one
    held, busy       its usual back-pressured and busy ratio, None when not known
    """
    is_in, is_out = (in_use or 0.0) >= FULL, (out_use or 0.0) >= FULL
    if is_in and is_out:
        return "passes"
    if is_out:
        return "held"
    if is_in:
        if (upstream_out or 0.0) >= FULL:
            return "origin"
        return "awaited" if is_awaited else _without_origin(held, busy)
    return "free"


def _without_origin(held: float | None, busy: float | None) -> str:
    """The cell of a task with a full input that no task above waits for."""
    if held is not None and held > LOW_MOST:
        return "pressed"
    return "unused" if busy is not None and busy < WORKING_MOST else "near"


def points(evidence: Evidence) -> Points | None:
    """The pools and the cell of each task.

    Reads   metric_sample (pool usage, back-pressured time), back_pressure, vertex, edge, job.
    Gives   {jobs: [{job_id, name, left_out, held, tasks: [{name, in, out, cell}]}]}; uses are the median of the subtask
            with the fullest pool, null where a task has no such pool; `held` is the highest back-pressured ratio of the
            job, null when that is not known.
    Empty   None when no job has a pool that is FULL.
    """
    cluster = cluster_of(evidence)
    pools, loads = pools_of_tasks(evidence), load_timelines(evidence)
    jobs: list[dict[str, Any]] = []
    for job_id in sorted({job for job, _ in pools}, key=str):
        own = {vertex: of_task for (job, vertex), of_task in pools.items() if job == job_id}
        seen = {vertex: next(iter(of_task.uses.values())).highest.vertex or vertex for vertex, of_task in own.items()}
        graph = job_graph(cluster, job_id, seen)
        timeline = loads.get(job_id, {})
        awaited = _awaited(timeline, graph)
        tasks: list[dict[str, Any]] = []
        for vertex, of_task in own.items():
            above = graph.above(vertex) if graph.edges_known else ()
            is_source = graph.edges_known and not above
            outs = [use for each in above if each in own and (use := own[each].fullest_out) is not None]
            in_use = None if is_source else of_task.usual("in")
            is_sink = graph.edges_known and not graph.all_below(vertex)
            out_use = None if is_sink else of_task.usual("out")
            moments = timeline.get(vertex, ())
            cell = cell_of(
                in_use,
                out_use,
                max(outs, default=None),
                is_awaited=vertex in awaited,
                held=middle(each.held_max for each in moments),
                busy=middle(each.busy_max for each in moments),
            )
            tasks.append({"name": graph.name(vertex), "in": in_use, "out": out_use, "cell": cell})
        tasks.sort(key=lambda task: (-max(task["in"] or 0.0, task["out"] or 0.0), task["name"]))
        if any(task["cell"] != "free" for task in tasks):
            name = cluster.job_names.get(job_id) if job_id else None
            left_out = max(len(tasks) - MOST_TASKS, 0)
            jobs.append(
                {
                    "job_id": job_id,
                    "name": name,
                    "left_out": left_out,
                    "held": _most_held(timeline),
                    "tasks": tasks[:MOST_TASKS],
                }
            )
    return {"jobs": jobs} if jobs else None


def _awaited(timeline: Timeline, graph: JobGraph) -> set[str]:
    """The tasks that others usually wait for more than half of the time while they are the origin."""
    return {
        vertex
        for vertex, moments in origins(timeline, graph).items()
        if median(moment.upstream_ratio for moment in moments) > LOW_MOST
    }


def _most_held(timeline: Timeline) -> float | None:
    """The highest back-pressured ratio of any task at any time."""
    return max(
        (moment.held_max for moments in timeline.values() for moment in moments if moment.held_max is not None),
        default=None,
    )


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A dot for each task: its input pool to the right, its output pool upwards; the cells that hold one are shaded."""
    colours = palette(theme)
    panels = [_panel(job, points, colours) for job in points["jobs"]]
    drawn = stacked(panels, theme, axis="own", x_title=say("Input pool in use (%)"))
    for index, job in enumerate(points["jobs"]):
        suffix = "" if index == 0 else str(index + 1)
        drawn["layout"]["shapes"] += _cells(job, suffix, colours)
    return drawn


def _panel(job: Mapping[str, Any], points: Points, colours: Palette) -> Panel:
    tasks = job["tasks"]
    more = say(" · {left_out} more tasks not drawn", left_out=job["left_out"]) if job["left_out"] else ""
    return Panel(
        title=say("Pools of each task{job}{more}", job=job_title(job, points), more=more),
        unit=say("Output pool (%)"),
        height=230,
        traces=[
            {
                "type": "scatter",
                "mode": "markers+text",
                "name": say("Tasks"),
                "showlegend": False,
                "x": [min((task["in"] or 0.0) * 100, 110) for task in tasks],
                "y": [min((task["out"] or 0.0) * 100, 110) for task in tasks],
                "marker": {
                    "size": 11,
                    "color": [colours.alarm if task["cell"] in ORIGINS else colours.calm for task in tasks],
                },
                "text": [escaped(shortened(task["name"], NAME_LENGTH)) for task in tasks],
                "textposition": ["middle left" if (task["in"] or 0.0) > 0.6 else "middle right" for task in tasks],
                "textfont": {"size": 11, "color": colours.text},
                "customdata": [_hover_text(task) for task in tasks],
                "hovertemplate": "%{customdata}<extra></extra>",
            }
        ],
        x={"range": [-6, 116]},
        y={"range": [-10, 118]},
    )


def _hover_text(task: Mapping[str, Any]) -> str:
    pools, meaning = map(say, CELLS[task["cell"]])
    labels = (("in", say("input")), ("out", say("output")))
    uses = " · ".join(f"{label} {percent(task[pool])}" for pool, label in labels if task[pool] is not None)
    return f"<b>{escaped(task['name'])}</b><br>{uses}<br>{pools}: {meaning}"


def _cells(job: Mapping[str, Any], suffix: str, colours: Palette) -> list[dict[str, Any]]:
    """The lines between the cells, and a shade on those that hold a task beyond the first."""
    edge, low, high = FULL * 100, (-10, -6), (118, 116)
    places = {
        "held": (low[1], edge, edge, high[0]),
        "origin": (edge, low[0], high[1], edge),
        "awaited": (edge, low[0], high[1], edge),
        "near": (edge, low[0], high[1], edge),
        "pressed": (edge, low[0], high[1], edge),
        "unused": (edge, low[0], high[1], edge),
        "passes": (edge, edge, high[1], high[0]),
    }
    taken = {task["cell"] for task in job["tasks"]}
    shades = [
        {
            "type": "rect",
            "layer": "below",
            "xref": f"x{suffix}",
            "yref": f"y{suffix}",
            **dict(zip(("x0", "y0", "x1", "y1"), places[cell], strict=True)),
            "fillcolor": colours.bands["HIGH" if cell in ORIGINS else "LOW"],
            "opacity": 0.16,
            "line": {"width": 0},
        }
        for cell in places
        if cell in taken
    ]
    lines = [
        {
            "type": "line",
            "xref": f"x{suffix}",
            "yref": f"y{suffix}",
            **ends,
            "line": {"color": colours.muted, "width": 1, "dash": "dash"},
        }
        for ends in (
            {"x0": edge, "x1": edge, "y0": low[0], "y1": high[0]},
            {"x0": low[1], "x1": high[1], "y0": edge, "y1": edge},
        )
    ]
    return [*shades, *lines]


def summary(points: Points) -> str:
    """The tasks of each cell, and what the cell means; pools with room are not listed."""
    return summary_by_job(points, _job_summary)


def _words(task: Mapping[str, Any]) -> tuple[str, str]:
    """What the pools of a task are, and what it means."""
    return HELD_SOURCE if task["cell"] == "held" and task["in"] is None else CELLS[task["cell"]]


def _job_summary(job: Mapping[str, Any]) -> str:
    sentences = []
    for pools, meaning in (HELD_SOURCE, *CELLS.values()):
        names = [task["name"] for task in job["tasks"] if _words(task) == (pools, meaning)]
        if names and pools != CELLS["free"][0]:
            sentences.append(
                say(
                    "{tasks}: {pools}, so {meaning}.",
                    tasks=enumeration(names),
                    pools=within_sentence(say(pools)),
                    meaning=say(meaning),
                )
            )
    held = job["held"]
    if held is not None:
        sentences.append(
            say(
                "In its highest single sample a subtask of the job is back-pressured {held} of the time.",
                held=percent(held),
            )
        )
    return joined_sentences(sentences)


def table(points: Points) -> list[list[Any]]:
    """One row for each task."""
    rows: list[Sequence[Any]] = [
        [job["name"] or job["job_id"], task["name"], task["in"], task["out"], *map(say, _words(task))]
        for job in points["jobs"]
        for task in job["tasks"]
    ]
    return [
        [say("Job"), say("Task"), say("Input pool (ratio)"), say("Output pool (ratio)"), say("Pools"), say("Meaning")],
        *map(list, rows),
    ]


def _all_have_room(signals: StoredSignals) -> str | None:
    pools = ("in_ratio", "out_ratio")
    uses = [facts[pool] for facts in facts_of(signals, "buffer_pools") for pool in pools if pool in facts]
    if not uses or max(uses) >= FULL:
        return None
    return say("No buffer pool is usually full (at most {use} in use).", use=percent(max(uses)))


CHART = Chart(
    id="pool-matrix",
    title=to_say("Input and output pools"),
    order=24,
    axis="own",
    missing=to_say(
        "Metrics with `inPoolUsage` and `outPoolUsage` of the tasks would fill this chart. It shows only pools "
        "that "
        "are full or nearly so."
    ),
    panels=(),  # the panels of the subtasks' activity show who is held back
    points=points,
    figure=figure,
    summary=summary,
    table=table,
    nothing=_all_have_room,
)
