"""Flame graph of the busiest profiled task as an icicle: the thread's root on top."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import escaped, shortened
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, to_say
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.stacks.pruned_calls import MERGED, tree_of
from diagnostics.reconstruction.stacks.sampled_stacks import sampled_stacks
from diagnostics.reconstruction.stacks.task_profiles import TIMED, TaskProfile, busiest_profiles, task_profiles
from diagnostics.vocabulary.known_frames import stack
from diagnostics.wording.phrase import FORMATS, number, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence

FEW_SAMPLES = 100
"""Of fewer samples a number is stated and no share. Our choice: one sample would be more than a percent."""
HARDLY_BUSY = 0.95
"""Part of the samples that wait from which the others say nothing about the load of a task. Our choice."""


def points(evidence: Evidence) -> Points | None:
    """The pruned call tree of the busiest task whose profile shows work, for each job.

    Reads   stack_sample, metric_sample (busyTimeMsPerSecond, to find the busiest task), vertex, job.
    Gives   {jobs: [{job_id, name, vertex, profile, mode, idle, is_idle, total, merged_share, frames: [[name, parent
            index or -1, weight, waiting weight, own weight]], times}]}, parents before children. Samples in which the
            thread waits for input or for room in its output are folded: `idle` is their weight, `total` that of the
            others; where there are no others, none is folded and it `is_idle`. `times` has how many profiles there are
            of the task, and the epoch ms of the first and the last one that is drawn.
    Empty   None without any stack.
    """
    stacks = sampled_stacks(evidence)
    if stacks is None:
        return None
    profiles = task_profiles(stacks)
    jobs = [
        _tree(evidence, job_id, profile, profiles[profile]) for job_id, profile in busiest_profiles(evidence, profiles)
    ]
    return {"jobs": jobs} if jobs else None


def _tree(
    evidence: Evidence, job_id: str | None, profile: TaskProfile, stacks: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    cluster = cluster_of(evidence)
    task = cluster.tasks.get((job_id, profile.vertex_id or ""))
    working = [each for each in stacks if not stack(each["frames"]).idle]
    idle = sum(each["weight"] for each in stacks) - sum(each["weight"] for each in working) if working else 0.0
    return {
        "job_id": job_id,
        "name": cluster.job_names.get(job_id) if job_id else None,
        "vertex": task.name if task else profile.vertex or profile.vertex_id,
        "profile": profile.profile,
        "mode": profile.mode,
        "times": profile.times,
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
    """The function with the most samples of its own, and the share of waiting, of each job."""
    return summary_by_job(points, _job_words)


def _job_words(job: Mapping[str, Any]) -> str:
    return joined_sentences(said for said in (_job_summary(job), _times_said(job)) if said)


def _times_said(job: Mapping[str, Any]) -> str:
    """Which of several profiles is drawn, or over what time the drawn ones were taken."""
    count, first_ms, last_ms = job.get("times") or (1, None, None)
    if count < 2 or first_ms is None or last_ms is None:
        return ""
    if job["profile"] == TIMED:
        return say(
            "Of its {count} profiles the one with the most work is drawn, that of {time}.",
            count=count,
            time=FORMATS["time"](first_ms),
        )
    if job["mode"] == "dump":
        return say(
            "The samples of {count} thread dumps are added, from {first} to {last}.",
            count=count,
            first=FORMATS["time"](first_ms),
            last=FORMATS["time"](last_ms),
        )
    return ""


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
