"""Flame graph of the busiest profiled task as an icicle: the thread's root on top."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import escaped, shortened
from diagnostics.charting.theme import Palette, palette
from diagnostics.evidence.subject import only_one
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.stacks.pruned_calls import MERGED, tree_of
from diagnostics.reconstruction.stacks.sampled_stacks import sampled_stacks
from diagnostics.vocabulary.known_frames import stack
from diagnostics.wording.phrase import number, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

FEW_SAMPLES = 100
"""Of fewer samples a number is stated and no share. Our choice: one sample would be more than a percent."""
MOST_STACKS = 20_000
"""Stacks drawn: the heaviest hold nearly all samples."""

GROUP = ("job_id", "vertex_id", "vertex", "profile", "mode")
JOB, VERTEX_ID, VERTEX, PROFILE, MODE = range(5)
Group = tuple[str | None, ...]
"""Origin of the stacks and their profile, in the order of GROUP."""

HARDLY_BUSY = 0.95
"""Part of the samples that wait from which the others say nothing about the load of a task. Our choice."""
PREFERRED = ("full", "wall", "on-cpu", "cpu", "dump", "unknown", "off-cpu")
"""Profiles in order of preference: those that show running and waiting time together first."""


def points(evidence: Evidence) -> Points | None:
    """The pruned call tree of the busiest task whose profile shows work, for each job.

    Reads   stack_sample, metric_sample (busyTimeMsPerSecond, to find the busiest task), vertex, job.
    Gives   {jobs: [{job_id, name, vertex, profile, mode, idle, is_idle, total, merged_share, frames: [[name, parent
            index or -1, weight, waiting weight, own weight]]}]}, parents before children. Samples in which the thread
            waits for input or for room in its output are folded: `idle` is their weight, `total` that of the others;
            where there are no others, none is folded and it `is_idle`.
    Empty   None without any stack.
    """
    stacks = sampled_stacks(evidence)
    if stacks is None:
        return None
    groups: dict[Group, list[Mapping[str, Any]]] = {}
    for row in stacks.rows(stacks.heaviest((*GROUP, "state"))[:MOST_STACKS]):
        groups.setdefault(tuple(row[column] for column in GROUP), []).append(row)
    jobs = [_tree(evidence, job_id, group, groups[group]) for job_id, group in _chosen(evidence, groups)]
    return {"jobs": jobs} if jobs else None


def _chosen(
    evidence: Evidence, groups: Mapping[Group, Sequence[Mapping[str, Any]]]
) -> Iterator[tuple[str | None, Group]]:
    """The profile of each job's busiest task; a profile without a job only when no job has one."""
    busy = _busy_ratios(evidence)
    by_job: dict[str | None, list[Group]] = {}
    for group in groups:
        by_job.setdefault(_job_of(evidence, group), []).append(group)
    if len(by_job) > 1:
        by_job.pop(None, None)
    for job_id, found in sorted(by_job.items(), key=lambda item: str(item[0])):
        named = [group for group in found if group[VERTEX_ID] or group[VERTEX]] or found
        yield (
            job_id,
            max(
                named,
                key=lambda group: (
                    any(not stack(row["frames"]).idle for row in groups[group]),
                    _busy_of(group, busy),
                    -PREFERRED.index(group[MODE]) if group[MODE] in PREFERRED else -len(PREFERRED),
                    sum(row["weight"] for row in groups[group]),
                    repr(group),
                ),
            ),
        )


def _job_of(evidence: Evidence, group: Group) -> str | None:
    """The job of a profile; thread names contain only the task, which may identify it."""
    if group[JOB]:
        return group[JOB]
    cluster = cluster_of(evidence)
    owners = {
        job_id
        for (job_id, vertex_id), task in cluster.tasks.items()
        if group[VERTEX] and normalised(task.name) == normalised(group[VERTEX])
    }
    if len(owners) == 1:
        return next(iter(owners))
    return only_one(cluster.job_names)


def _busy_ratios(evidence: Evidence) -> dict[str, float]:
    """Vertex id and normalised task name -> highest mean busy ratio of its subtasks."""
    tasks = cluster_of(evidence).tasks
    ratios: dict[str, float] = {}
    for (job_id, vertex), series in metric_series(evidence).by_vertex("busyTimeMsPerSecond", operators=False).items():
        means = [
            sum(values) / len(values) / 1000
            for each in series
            if (values := [point.value for point in each.known if point.value is not None])
        ]
        if means:
            task = tasks.get((job_id, vertex))
            for name in {vertex, normalised(task.name if task else vertex)}:
                ratios[name] = max(ratios.get(name, 0.0), *means)
    return ratios


def _busy_of(group: Group, busy: Mapping[str, float]) -> float:
    return round(busy.get(group[VERTEX_ID] or "", busy.get(normalised(group[VERTEX]), 0.0)), 2)


def _tree(evidence: Evidence, job_id: str | None, group: Group, stacks: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    cluster = cluster_of(evidence)
    task = cluster.tasks.get((job_id, group[VERTEX_ID] or ""))
    working = [each for each in stacks if not stack(each["frames"]).idle]
    idle = sum(each["weight"] for each in stacks) - sum(each["weight"] for each in working) if working else 0.0
    return {
        "job_id": job_id,
        "name": cluster.job_names.get(job_id) if job_id else None,
        "vertex": task.name if task else group[VERTEX] or group[VERTEX_ID],
        "profile": group[PROFILE],
        "mode": group[MODE],
        "idle": idle,
        "is_idle": not working,
        **tree_of(working or stacks),
    }


ROW, MOST_HEIGHT, TEXT_ROWS, EDGE = 20, 900, 44, 8
"""Pixels: a frame's row, the maximum per task, its title and key, and the margin around."""


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """One icicle per job; running frames and waiting frames differ in colour."""
    colours = palette(theme)
    jobs = points["jobs"]
    depth = max(_depth(job["frames"]) for job in jobs)
    height = min(ROW * (depth + 2), MOST_HEIGHT) + TEXT_ROWS
    key = (
        f"<span style='color:{colours.bands['LOW']}'>■</span> {say('mostly running')}   "
        f"<span style='color:{colours.load['working']}'>■</span> {say('mostly waiting')}"
    )
    data, annotations = [], []
    for index, job in enumerate(jobs):
        top = 1 - index / len(jobs)
        text_share = TEXT_ROWS / (height * len(jobs))
        data.append(_icicle(job, colours, [top - 1 / len(jobs), top - text_share]))
        title = escaped(shortened(_title(job, several=len(jobs) > 1), 100))
        annotations += [_line(title, top, 0), _line(key, top, -ROW)]
    return {
        "data": data,
        "layout": {
            "height": height * len(jobs) + 2 * EDGE,
            "margin": dict.fromkeys(("l", "r", "t", "b"), EDGE),
            "paper_bgcolor": "rgba(0,0,0,0)",
            "font": {"family": "system-ui, sans-serif", "size": 12, "color": colours.text},
            "annotations": annotations,
            "hoverlabel": {"align": "left", "namelength": -1},
        },
    }


def _line(text: str, top: float, shift: int) -> dict[str, Any]:
    return {
        "text": text,
        "xref": "paper",
        "yref": "paper",
        "x": 0,
        "y": top,
        "yshift": shift,
        "xanchor": "left",
        "yanchor": "top",
        "showarrow": False,
        "font": {"size": 12},
    }


def _title(job: Mapping[str, Any], *, several: bool) -> str:
    prefix = f"{job['name'] or job['job_id']} · " if several else ""
    mode = {"full": say("mixed"), "wall": say("wall clock"), "dump": say("thread dumps")}.get(
        job["mode"] or "", job["mode"] or ""
    )
    sentence = (
        to_say("{task} ({mode}, {total} samples, {idle} idle ones folded)")
        if job.get("idle")
        else to_say("{task} ({mode}, {total} samples)")
    )
    task = job["vertex"] or say("All threads")
    return prefix + say(sentence, task=task, mode=mode, total=number(job["total"]), idle=number(job.get("idle") or 0))


def _depth(frames: Sequence[Sequence[Any]]) -> int:
    depths: list[int] = []
    for _, parent, *_ in frames:
        depths.append(1 if parent < 0 else depths[parent] + 1)
    return max(depths)


def _icicle(job: Mapping[str, Any], colours: Palette, domain: list[float]) -> dict[str, Any]:
    frames = job["frames"]
    total = job["total"] or 1
    return {
        "type": "icicle",
        "ids": [str(index) for index in range(len(frames))],
        "labels": [escaped(_short(name)) for name, *_ in frames],
        "parents": ["" if parent < 0 else str(parent) for _, parent, *_ in frames],
        "values": [weight for _, _, weight, *_ in frames],
        "branchvalues": "total",
        "sort": False,
        "tiling": {"orientation": "v"},
        "marker": {
            "colors": [_colour(name, weight, waiting, colours) for name, _, weight, waiting, _ in frames],
            "line": {"width": 0.5, "color": colours.surface},
        },
        "text": [
            say(
                "{name}<br>{weight} of all samples, on itself {own}<br>{waiting} of them waiting",
                name=escaped(name),
                weight=percent(weight / total),
                own=percent(own / total),
                waiting=percent(waiting / weight if weight else 0),
            )
            for name, _, weight, waiting, own in frames
        ],
        "textinfo": "label",
        "insidetextfont": {"size": 11, "color": colours.text},
        "hovertemplate": "%{text}<extra></extra>",
        "domain": {"x": [0, 1], "y": domain},
        "pathbar": {"visible": True, "thickness": 20},
    }


def _short(name: str) -> str:
    """`Class.method` of a frame; the package is in the tooltip."""
    return ".".join(name.rsplit(".", 2)[-2:]) if "." in name else name


def _colour(name: str, weight: float, waiting: float, colours: Palette) -> str:
    if name in (MERGED, "all"):
        return colours.grid
    return colours.load["working"] if weight and waiting >= weight / 2 else colours.bands["LOW"]


def summary(points: Points) -> str:
    """The function with the most samples of its own, and the share of waiting."""
    return joined_sentences(_job_summary(job) for job in points["jobs"])


def _waiting_words(waiting: float) -> str:
    """How many of the samples wait and how many run."""
    if waiting in (0.0, 1.0):
        return say("all of the samples wait") if waiting else say("all of the samples run")
    if percent(waiting) == "100 %":
        return say("nearly all of the samples wait")
    return say("{waiting} of the samples wait, the rest run", waiting=percent(waiting))


def _others_waiting(waiting: float) -> str:
    """The same of the samples that are not folded."""
    if waiting in (0.0, 1.0):
        return say("all of the others wait") if waiting else say("all of the others run")
    if percent(waiting) == "100 %":
        return say("nearly all of the others wait")
    return say("{waiting} of the others wait, the rest run", waiting=percent(waiting))


def _job_summary(job: Mapping[str, Any]) -> str:
    frames = job["frames"]
    own: dict[str, float] = {}
    for name, _, _, _, weight in frames:
        if name not in (MERGED, "all"):
            own[name] = own.get(name, 0.0) + weight
    root = frames[0]
    waiting = root[3] / root[2] if root[2] else 0.0
    task = job["vertex"] or say("All threads")
    if job.get("is_idle"):
        return say("{task} is idle in all samples: its threads wait for input or for room in the output.", task=task)
    idle = job.get("idle")
    if idle and idle >= HARDLY_BUSY * (idle + job["total"]):
        return say(
            "{task} hardly works: {idle} of the samples wait for input or for room in the output and are folded. What "
            "is left of them shows nothing that would be worth a change.",
            task=task,
            idle=percent(idle / (idle + job["total"])),
        )
    if idle:
        text = say(
            "{task}: {idle} of the samples wait for input or for room in the output and are folded; {others}.",
            task=task,
            idle=percent(idle / (idle + job["total"])),
            others=_others_waiting(waiting),
        )
    else:
        text = say("{task}: {samples}.", task=task, samples=_waiting_words(waiting))
    if own:
        top, total = max(own, key=lambda name: (own[name], name)), job["total"] or 1
        part = (
            say("{own} of {total}", own=number(own[top]), total=number(total))
            if total < FEW_SAMPLES
            else percent(own[top] / total)
        )
        if own[top] == total:
            said = say("All are in {top}.", top=top)
        elif part == "100 %":
            said = say("Nearly all are in {top}.", top=top)
        else:
            said = say("Most are in {top} ({own}).", top=top, own=part)
        text = joined_sentences((text, said))
    return text


def table(points: Points) -> list[list[Any]]:
    """Frames by samples of their own."""
    header = [
        say("Job"),
        say("Task"),
        say("Frame"),
        say("Samples on itself"),
        say("Samples in total"),
        say("Share on itself"),
        say("Waiting share"),
    ]
    rows: list[list[Any]] = []
    for job in points["jobs"]:
        sums: dict[str, list[float]] = {}
        for name, _, weight, waiting, own in job["frames"]:
            both = sums.setdefault(name, [0.0, 0.0, 0.0])
            both[0] += own
            both[1] = max(both[1], weight)
            both[2] = max(both[2], waiting / weight if weight else 0.0)
        total = job["total"] or 1
        ranked = sorted(sums.items(), key=lambda item: (-item[1][0], -item[1][1], item[0]))
        rows += [
            [job["name"] or job["job_id"], job["vertex"], name, own, weight, round(own / total, 4), round(waiting, 3)]
            for name, (own, weight, waiting) in ranked
            if name != "all"
        ]
    return [header, *rows]


CHART = Chart(
    id="flame-graph",
    title=to_say("Flame graph of the busiest profiled task"),
    order=60,
    axis="own",
    missing=to_say(
        "A flame graph of the busy vertex (`curl -s '$REST/jobs/<job>/vertices/<vertex>/flamegraph?type=full'`, "
        "needs "
        "`rest.flamegraph.enabled: true`), collapsed stacks of a profiler, or a few `jstack -l <pid>` dumps would "
        "fill "
        "this chart."
    ),
    panels=(),  # sampled stacks are no metric
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
