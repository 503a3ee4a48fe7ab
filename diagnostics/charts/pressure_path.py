"""How back pressure travels: buffer pools and back-pressured time of the tasks on the path, and the source rate."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, StoredSignals, Theme, facts_of
from diagnostics.charting.panel import Panel, Threshold, escaped, job_title, shortened, single_line, stacked
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.task_start import task_starts
from diagnostics.reconstruction.load.pools import pools_of_tasks
from diagnostics.reconstruction.load.pressed_time import pressed_spans
from diagnostics.reconstruction.load.source_rates import source_rates
from diagnostics.reconstruction.load.tasks import job_tasks
from diagnostics.reconstruction.load.timeline import load_timelines
from diagnostics.vocabulary.load_levels import OK_MOST, QUIET_MOST
from diagnostics.wording.phrase import FORMATS, duration, number, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.job.cluster import Cluster, VertexKey
    from diagnostics.reconstruction.load.pools import TaskPools
    from diagnostics.reconstruction.load.pressed_time import Span
    from diagnostics.reconstruction.load.source_rates import SourceRate

MOST_TASKS = 16
"""Tasks of a path in the chart, those nearest to the origin. Our choice: more are not readable side by side."""
MOST_RATES = 300
"""Points of the source rate; of more every n-th interval is taken. Our choice."""
NAME_LENGTH = 22
HARDLY = 0.05
"""Use of a pool below which it counts as empty. Our choice."""
LEAST_CHANGE = 0.1
"""A smaller relative change of the source rate is not put into words. Our choice: it varies by that much anyway."""

BARS = {
    "in": to_say("Input pool in use"),
    "out": to_say("Output pool in use"),
    "held": to_say("Back pressured"),
    "busy": to_say("Busy"),
}


def points(evidence: Evidence) -> Points | None:
    """The tasks from the sources to the origin of back pressure, with their pools and ratios, and the source rate.

    Reads   vertex, edge, job, metric_sample, back_pressure, subtask, log_record (starts of tasks).
    Gives   {jobs: [{job_id, name, pressed_ms, origin, start_ms, apart, tasks: [{id, name, in, out, held, busy}], rates:
            [[ts_ms, per_s]], change: {at_ms, before_per_s, after_per_s} or null}]}; `start_ms` is the longest start of
            the origin where back pressure is that of its starts, else null; `apart` is whether a sender of the origin
            runs in another TaskManager, null where that is not known; pools are those of findings, ratios those of the
            job graph (`reconstruction/load/tasks.py`); null where nothing is known, and for the input of a source.
            Tasks are in the order of the data flow.
    Empty   None when no task with a known origin is back-pressured, or without known edges.
    """
    pools, rates, cluster = pools_of_tasks(evidence), source_rates(evidence), cluster_of(evidence)
    timelines = load_timelines(evidence)
    jobs = []
    for job in job_tasks(evidence):
        origin = max(job["vertices"], key=lambda each: each["origin_moments"])
        path = _path(job["vertices"], origin) if job["edges_known"] and origin["origin_moments"] else []
        if max((each["held"] or 0.0 for each in path), default=0.0) > OK_MOST:
            jobs.append(
                {
                    "job_id": job["job_id"],
                    "name": job["name"],
                    "pressed_ms": job["pressed_ms"],
                    "origin": origin["id"],
                    "start_ms": _start_ms(evidence, origin, pressed_spans(timelines.get(job["job_id"], {})).values()),
                    "apart": _is_apart(cluster, job["job_id"], origin),
                    "tasks": [_task(job["job_id"], each, pools) for each in path],
                    **_course(rates.get(job["job_id"])),
                }
            )
    return {"jobs": jobs} if jobs else None


def _start_ms(evidence: Evidence, origin: Mapping[str, Any], pressed: Collection[Span]) -> int | None:
    """The longest start of the origin, ms, where most of the spans with back pressure are times in which it started."""
    starts = [each for each in task_starts(evidence) if normalised(each.vertex) == normalised(origin["name"])]
    spans = [(each.running_ms - each.took_ms, each.running_ms) for each in starts]
    while_starting = sum(
        any(min(until, end) - max(since, begin) > (until - since) / 2 for begin, end in spans)
        for since, until in pressed
    )
    return starts[0].took_ms if starts and while_starting > len(pressed) / 2 else None


def _is_apart(cluster: Cluster, job_id: str | None, origin: Mapping[str, Any]) -> bool | None:
    """Whether records cross the network to the origin; None where the place of a task is not known."""
    homes: set[str] = set()
    for vertex in (origin["id"], *origin["parents"]):
        found = {normalised(home) for (job, task, _), home in cluster.homes.items() if (job, task) == (job_id, vertex)}
        if not found:
            return None
        homes |= found
    return len(homes) > 1


def _path(vertices: Sequence[Mapping[str, Any]], origin: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The tasks upstream of the origin, the origin, and those right below it, at most MOST_TASKS."""
    parents = {each["id"]: each["parents"] for each in vertices}
    distance = {origin["id"]: 0}
    front = [origin["id"]]
    while front:
        front = list(dict.fromkeys(above for each in front for above in parents.get(each, ()) if above not in distance))
        distance |= dict.fromkeys(front, max(distance.values()) + 1)
    distance |= {each["id"]: 1 for each in vertices if origin["id"] in each["parents"] and each["id"] not in distance}
    nearest = sorted(distance, key=lambda each: distance[each])[:MOST_TASKS]
    return [each for each in vertices if each["id"] in nearest]


def _task(job_id: str | None, vertex: Mapping[str, Any], pools: Mapping[VertexKey, TaskPools]) -> dict[str, Any]:
    of_task = pools.get((job_id, vertex["id"])) or pools.get((job_id, normalised(vertex["name"])))
    read = {"in", "out"} if vertex["parents"] else {"out"}
    usual = {pool: of_task.usual(pool) if of_task and pool in read else None for pool in ("in", "out")}
    use = {pool: None if share is None else round(share, 3) for pool, share in usual.items()}
    return {"id": vertex["id"], "name": vertex["name"], **use, "held": vertex["held"], "busy": vertex["busy"]}


def _course(rate: SourceRate | None) -> dict[str, Any]:
    """Records per second between the samples, and the largest change."""
    if rate is None or rate.change is None:
        return {"rates": [], "change": None}
    taken = rate.summed[:: -(-len(rate.summed) // MOST_RATES)]
    steps = [
        [later[0], round((later[1] - earlier[1]) * 1000 / (later[0] - earlier[0]), 2)]
        for earlier, later in pairwise(taken)
        if later[0] > earlier[0]
    ]
    change = {
        "at_ms": rate.change.at_ms,
        "until_ms": rate.change.until_ms,
        "from_ms": rate.change.from_ms,
        "before_per_s": rate.change.before_per_s,
        "after_per_s": rate.change.after_per_s,
    }
    return {"rates": steps, "change": change}


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """Bars for each task from the sources to the origin; below, the records per second that the sources emit."""
    colours = palette(theme)
    panels = []
    for index, job in enumerate(points["jobs"]):
        panels.append(_bars(job, points, colours, first=index == 0))
        if job["rates"]:
            panels.append(_rates(job, points, colours))
    return stacked(panels, theme, axis="own", x_title="", barmode="group")


def _bars(job: Mapping[str, Any], points: Points, colours: Palette, *, first: bool) -> Panel:
    tasks = job["tasks"]
    names = [_label(each, is_origin=_is_origin(each, job)) for each in tasks]
    colour = {
        "in": colours.series[2],
        "out": colours.series[0],
        "held": colours.bands["HIGH"],
        "busy": colours.load["working"],
    }
    return Panel(
        title=say(
            to_say("From the sources to the origin of back pressure{job}")
            if any(_is_origin(each, job) for each in tasks)
            else to_say("From the sources to the first task that is not back-pressured{job}"),
            job=job_title(job, points),
        ),
        unit=say("Share (%)"),
        height=190,
        traces=[
            {
                "type": "bar",
                "name": say(title),
                "legendgroup": bar,
                "showlegend": first,
                "x": names,
                "y": [None if each[bar] is None else each[bar] * 100 for each in tasks],
                "marker": {"color": colour[bar]},
                "text": [escaped(each["name"]) for each in tasks],
                "textposition": "none",
                "hovertemplate": f"%{{text}}<br>{say(title).lower()} %{{y:.0f}} %<extra></extra>",
            }
            for bar, title in BARS.items()
            if any(each[bar] is not None for each in tasks)
        ],
        x={"type": "category", "categoryorder": "array", "categoryarray": names, "automargin": True},
    )


def _is_origin(task: Mapping[str, Any], job: Mapping[str, Any]) -> bool:
    """Whether the task holds the others back: one that is hardly busy only shows where back pressure ends."""
    return bool(task["id"] == job["origin"]) and not _is_quiet(task)


def _is_quiet(task: Mapping[str, Any]) -> bool:
    return task["busy"] is not None and task["busy"] <= QUIET_MOST


def _label(task: Mapping[str, Any], *, is_origin: bool) -> str:
    name = escaped(shortened(task["name"], NAME_LENGTH))
    return f"<b>{name}</b><br>{say('origin')}" if is_origin else name


def _rates(job: Mapping[str, Any], points: Points, colours: Palette) -> Panel:
    change = job["change"]
    shows = change is not None and _change_ratio(change) is not None
    lines = [
        Threshold(
            change["before_per_s"], say("before {before}/s", before=number(change["before_per_s"])), is_alarm=False
        ),
        Threshold(change["after_per_s"], say("after {after}/s", after=number(change["after_per_s"])), is_alarm=False),
    ]
    return Panel(
        title=say("Records that the sources emit{job}", job=job_title(job, points)),
        unit=say("Records/s"),
        height=110,
        traces=[single_line(job["rates"], say("Sources"), colours.calm, say("%{y:,.0f} records/s"))],
        thresholds=lines if shows else [],
        x={"type": "date"},
    )


def _change_ratio(change: Mapping[str, Any]) -> float | None:
    """The relative change of the source rate; None for one that is too small, or from nothing."""
    before, after = change["before_per_s"], change["after_per_s"]
    ratio = (after - before) / before if before > 0 else 0.0
    return ratio if abs(ratio) >= LEAST_CHANGE else None


def summary(points: Points) -> str:
    """Where back pressure begins, how it reaches the sources, and what they emit before and after."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    origin = next(task for task in job["tasks"] if task["id"] == job["origin"])
    # Points of former releases do not say over which time the ratios are means.
    average = say("on average, while back pressure was HIGH") if job.get("pressed_ms") else say("on average")
    start_ms = job.get("start_ms")
    sentences = (
        [
            say(
                "Tasks upstream of {task} wait while it starts: it took {took} from INITIALIZING to RUNNING.",
                task=origin["name"],
                took=duration(start_ms),
            )
        ]
        if start_ms
        else [
            _origin_in_words(origin, average),
            _pool_in_words(origin, job.get("apart"), lasted=bool(job.get("pressed_ms"))),
        ]
    )
    waiting = sorted((task for task in job["tasks"] if (task["held"] or 0.0) > OK_MOST), key=lambda task: -task["held"])
    for task in waiting[:2]:
        sentence = (
            to_say("{task} is back-pressured {held} of the time {average}.")
            if task["out"] is None
            else to_say("{task} is back-pressured {held} of the time {average}; its output pool is full.")
            if task["out"] > 1
            else to_say("{task} is back-pressured {held} of the time {average}; {out} of its output pool is in use.")
        )
        shares = {"held": percent(task["held"]), "out": percent(task["out"])}
        sentences.append(say(sentence, task=task["name"], average=average, **shares))
    change = job["change"]
    if change and (ratio := _change_ratio(change)) is not None:
        before, after = number(change["before_per_s"]), number(change["after_per_s"])
        sentences.append(
            say(
                "The sources emitted {before} records/s until {until} and {after} records/s from {since} on ({ratio}).",
                before=before,
                until=FORMATS["time"](change["until_ms"]),
                after=after,
                since=FORMATS["time"](change["from_ms"]),
                ratio=_signed(ratio),
            )
        )
    return joined_sentences(sentences)


def _origin_in_words(origin: Mapping[str, Any], average: str) -> str:
    """Where the wait begins; `average` says over which time its ratios are means."""
    busy, name = origin["busy"], origin["name"]
    if _is_quiet(origin):
        return say(
            "Tasks upstream of {task} wait although it is busy only {busy} of the time {average}.",
            task=name,
            busy=percent(busy),
            average=average,
        )
    if busy is None:
        return say("Back pressure begins at {task}.", task=name)
    return say(
        "Back pressure begins at {task} (busy {busy} {average}).", task=name, busy=percent(busy), average=average
    )


def _pool_in_words(origin: Mapping[str, Any], apart: bool | None, *, lasted: bool) -> str:
    """What the input pool of the task at which the wait begins shows; `apart` as in the points.

    lasted  whether the ratios are those of the time with back pressure: a pool that is empty otherwise explains nothing
    """
    pool = origin["in"]
    if pool is None:
        return ""
    if pool >= HARDLY:
        return say(
            "{pool} of its input pool is in use; it grants its senders credits only for free buffers.",
            pool=percent(pool),
        )
    if apart is None:
        return say(
            "Its input pool is empty: its senders are in the same TaskManager and use none of these buffers, "
            "or their records do not arrive."
        )
    if not apart:
        return say("Its input pool is empty because all of its senders are in the same TaskManager.")
    if _is_quiet(origin) and lasted:
        return say(
            "Its input pool is empty although it has senders in other TaskManagers: the records do not arrive over the "
            "network."
        )
    return say("Its input pool is empty most of the time.")


def _signed(ratio: float) -> str:
    return f"{'+' if ratio > 0 else MINUS}{abs(ratio) * 100:,.0f} %"


MINUS = "\N{MINUS SIGN}"


def table(points: Points) -> list[list[Any]]:
    """One row for each task on the path."""
    header = [
        say("Job"),
        say("Task"),
        say("Origin"),
        *(say("{what} (ratio)", what=say(title)) for title in BARS.values()),
    ]
    header += [say("Sources before (records/s)"), say("Sources after (records/s)"), say("Changed at (UTC, epoch ms)")]
    rows = []
    for job in points["jobs"]:
        change = job["change"] or {"before_per_s": None, "after_per_s": None, "at_ms": None}
        rates = [change["before_per_s"], change["after_per_s"], change["at_ms"]]
        for each in job["tasks"]:
            is_origin = say("yes") if _is_origin(each, job) else say("no")
            rows.append([job["name"] or job["job_id"], each["name"], is_origin, *(each[bar] for bar in BARS), *rates])
    return [header, *rows]


def _no_pressure(signals: StoredSignals) -> str | None:
    known = facts_of(signals, "back_pressure.job")
    ratios = [facts["worst_ratio"] for facts in known if "worst_ratio" in facts]
    if not ratios:
        return None
    if max(ratios) > OK_MOST:
        shares = [facts.get("high_share_ratio", 1.0) for facts in known]
        if max(shares) > OK_MOST:
            return None
        words = {"share": percent(max(shares)), "ratio": percent(max(ratios))}
        return say(
            "No task is back-pressured for long: HIGH at {share} of the moments, at most {ratio} in a sample.", **words
        )
    if not max(ratios):
        return say("No task is back-pressured.")
    return say("No task is back-pressured (at most {ratio} of the time).", ratio=percent(max(ratios)))


CHART = Chart(
    id="pressure-path",
    title=to_say("How back pressure travels"),
    order=22,
    axis="own",
    missing=to_say(
        "Back pressure of several tasks together with the job graph would fill this chart: "
        "`curl -s $REST/jobs/<job>` and `curl -s $REST/jobs/<job>/vertices/<vertex>/backpressure` for each "
        "vertex, or "
        "metrics with `backPressuredTimeMsPerSecond`, `inPoolUsage` and `outPoolUsage`. A job without back "
        "pressure "
        "has no path."
    ),
    panels=(),  # the panels of the subtasks' activity show it
    points=points,
    figure=figure,
    summary=summary,
    table=table,
    nothing=_no_pressure,
)
