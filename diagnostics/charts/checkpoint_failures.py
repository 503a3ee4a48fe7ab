"""Failed checkpoints and refused triggers by class over time, beside the load of the job."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING, Any

from diagnostics.arithmetic.time_slot import slot_ms
from diagnostics.charting.chart import Chart, Points, Theme
from diagnostics.charting.panel import Panel, Threshold, count_axis, job_title, single_line, stacked, with_gaps
from diagnostics.charting.summary import summary_by_job
from diagnostics.charting.theme import Palette, palette
from diagnostics.language import joined_sentences, say, say_stored, to_say
from diagnostics.reconstruction.checkpoints.failure import failures_by_job
from diagnostics.reconstruction.checkpoints.history import History, checkpoint_histories
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.load.timeline import MOMENT_MS, load_timelines
from diagnostics.vocabulary.decline_reasons import WAITING
from diagnostics.vocabulary.load_levels import LOW_MOST
from diagnostics.wording.phrase import enumeration, in_brackets, percent

if TYPE_CHECKING:
    from diagnostics.evidence import Evidence
    from diagnostics.reconstruction.load.timeline import Timeline

MOST_SLOTS, LEAST_SLOT_MS = 60, 10_000
"""Time slots of the histogram, and their minimum length. Our choice: the moments of the load are as long."""
MOST_ENTRIES = 2_000
"""Failures of a job that are kept, the latest. Our choice."""
MOST_CLASSES = 6
"""Classes with a colour of their own; rarer ones are drawn together. Our choice: as many as are easy to distinguish."""
LONGEST_STEPS = 3
"""Usual distances between two readings of the load beyond which no line joins them. Our choice: one or two readings
may be lost; while a job restarts nothing is measured.
"""
FEWEST_JUDGED = 3
"""With fewer failures at whose time the back pressure is known, no share of them is stated. Our choice."""
OTHERS = to_say("other classes")
EXPIRED = to_say("expired")
NOT_READY, TOO_EARLY, REFUSED = (
    to_say("trigger: tasks not ready"),
    to_say("trigger: came too early"),
    to_say("trigger refused"),
)
AT_A_START = 2
"""Refused triggers that come with every start: a job with no other failure is not drawn for them. Our choice."""


def points(evidence: Evidence) -> Points | None:
    """Time and class of each failed checkpoint and of each refused trigger, and the back pressure of the job.

    Reads   log_record, failure, checkpoint (failures and histories), metric_sample and back_pressure (the load).
    Gives   {from_ms, to_ms, slot_ms, jobs: [{job_id, name, counts: {class: count}, completed, failures: [[ts_ms,
            class]], load: [[moment, ratio]]}]}; `counts` has those without a time and those before MOST_ENTRIES too.
            The load is the most back-pressured subtask's.
    Empty   None without a failure that has a time.
    """
    failures, histories, loads = failures_by_job(evidence), checkpoint_histories(evidence), load_timelines(evidence)
    names = cluster_of(evidence).job_names
    jobs: list[dict[str, Any]] = []
    for job_id in sorted({*failures, *histories}, key=str):
        entries: list[tuple[int | None, str, int]] = list(_expired_and_refused(histories.get(job_id, History(job_id))))
        if job_id in failures:
            entries += [(each.ts_ms, each.lead.reason, 1) for each in failures[job_id].failures]
        dated = sorted((ts_ms, what) for ts_ms, what, _ in entries if ts_ms is not None)[-MOST_ENTRIES:]
        counts: Counter[str] = Counter()
        for _, what, count in entries:
            counts[what] += count
        if dated and (set(counts) - {NOT_READY, TOO_EARLY} or counts.total() > AT_A_START):
            jobs.append(
                {
                    "job_id": job_id,
                    "name": names.get(job_id) if job_id else None,
                    "counts": dict(counts.most_common()),
                    "completed": len(histories.get(job_id, History(job_id)).select_statuses("completed")),
                    "failures": [list(each) for each in dated],
                    "load": _load(loads.get(job_id, {})),
                }
            )
    if not jobs:
        return None
    stamps = [ts_ms for job in jobs for ts_ms, _ in [*job["failures"], *job["load"]]]
    return {
        "from_ms": min(stamps),
        "to_ms": max(stamps),
        "slot_ms": slot_ms(min(stamps), max(stamps), MOST_SLOTS, LEAST_SLOT_MS),
        "jobs": jobs,
    }


def _expired_and_refused(history: History) -> Iterator[tuple[int | None, str, int]]:
    """Expired checkpoints, and refused triggers: each with its time, and how many have none."""
    for each in history.select_statuses("expired"):
        yield each.ended_ms, EXPIRED, 1
    for refused in history.not_started:
        waits = any(text in refused.reason for text in WAITING)
        what = NOT_READY if refused.not_ready else TOO_EARLY if waits else REFUSED
        yield from ((ts_ms, what, 1) for ts_ms in refused.times_ms)
        if undated := refused.count - len(refused.times_ms):
            yield None, what, undated


def _load(timeline: Timeline) -> list[list[float]]:
    highest: dict[int, float] = {}
    for moments in timeline.values():
        for moment in moments:
            if moment.held_max is not None and moment.ts_ms >= 0:
                highest[moment.ts_ms] = max(highest.get(moment.ts_ms, 0.0), round(moment.held_max, 3))
    return [list(each) for each in sorted(highest.items())]


def figure(points: Points, theme: Theme) -> Mapping[str, Any]:
    """A bar for each slot, stacked by class; below, the back pressure of the same time."""
    colours = palette(theme)
    panels = []
    for index, job in enumerate(points["jobs"]):
        panels.append(_histogram(job, points, colours, first=index == 0))
        if job["load"]:
            panels.append(_load_panel(job, points, colours))
    return stacked(panels, theme, axis="time")


def _shown_classes(job: Mapping[str, Any]) -> list[str]:
    """The most frequent classes of a job."""
    names = list(job["counts"])
    return names if len(names) <= MOST_CLASSES else [*names[: MOST_CLASSES - 1], OTHERS]


def _histogram(job: Mapping[str, Any], points: Points, colours: Palette, *, first: bool) -> Panel:
    width, begin = points["slot_ms"], points["from_ms"]
    classes = _shown_classes(job)
    counted: dict[str, Counter[int]] = {name: Counter() for name in classes}
    for ts_ms, what in job["failures"]:
        counted[what if what in counted else OTHERS][(ts_ms - begin) // width] += 1
    return Panel(
        title=say("Failed checkpoints and refused triggers{job}", job=job_title(job, points)),
        unit=say("Count"),
        height=150,
        traces=[
            {
                "type": "bar",
                "name": say_stored(name),
                "legendgroup": name,
                "showlegend": first,
                "x": [begin + slot * width + width / 2 for slot in sorted(slots)],
                "y": [slots[slot] for slot in sorted(slots)],
                "width": width * 0.9,
                "marker": {"color": colours.series[place % len(colours.series)]},
                "hovertemplate": f"{say_stored(name)}: %{{y}}<br>%{{x}}<extra></extra>",
            }
            for place, (name, slots) in enumerate(counted.items())
            if slots
        ],
        y=count_axis(max(sum(counted.values(), Counter()).values())),
    )


def _load_panel(job: Mapping[str, Any], points: Points, colours: Palette) -> Panel:
    return Panel(
        title=say("Back pressure of the most back-pressured subtask{job}", job=job_title(job, points)),
        unit=say("Share (%)"),
        height=100,
        traces=[
            {
                **single_line(
                    with_gaps([(ts_ms, ratio * 100) for ts_ms, ratio in job["load"]], LONGEST_STEPS * _usual_step(job)),
                    say("Back pressure"),
                    colours.text,
                    "%{y:.0f} %",
                ),
                "mode": "lines+markers",  # a reading between two gaps has no line
                "marker": {"size": 3, "color": colours.text},
            }
        ],
        thresholds=[Threshold(LOW_MOST * 100, "HIGH")],
        y={"range": [0, 105]},
    )


def _usual_step(job: Mapping[str, Any]) -> int:
    """The median time between two readings of the load, ms."""
    steps = [float(later - earlier) for (earlier, _), (later, _) in pairwise(job["load"])]
    return round(median(steps or [MOMENT_MS]))


def summary(points: Points) -> str:
    """How many failed of each class, and how many of them under high back pressure."""
    return summary_by_job(points, _job_summary)


def _job_summary(job: Mapping[str, Any]) -> str:
    parts = [in_brackets(say_stored(name), f"{count:,}") for name, count in job["counts"].items()][: MOST_CLASSES + 2]
    failed, completed = sum(job["counts"].values()), job.get("completed")
    text = (
        say("By class: {parts}.", parts=enumeration(parts))
        if not completed  # None in points of former releases
        else say(
            "Of {all} triggers that ended, {completed} completed a checkpoint; the other {failed} by class: {parts}.",
            all=completed + failed,
            completed=completed,
            failed=failed,
            parts=enumeration(parts),
        )
    )
    judged = [ratio for ts_ms, _ in job["failures"] if (ratio := _load_at(job["load"], ts_ms)) is not None]
    if len(judged) < FEWEST_JUDGED:
        return text
    high = sum(ratio > LOW_MOST for ratio in judged)
    counted = sum(job["counts"].values())
    usual = sum(ratio > LOW_MOST for _, ratio in job["load"]) / len(job["load"])
    if not high:
        none = (
            to_say("None of them came while a subtask was back-pressured more than half of the time.")
            if len(judged) == counted
            else to_say(
                "The back pressure is known at the time of {judged} of these {all}: none of the {judged} came while a "
                "subtask was back-pressured more than half of the time."
            )
        )
        return joined_sentences((text, say(none, judged=len(judged), all=counted)))
    words = {"high": high, "judged": len(judged), "usual": percent(usual)}
    share = (
        say(
            "{high} of these {judged} came while a subtask was back-pressured more than half of the time, which was so "
            "in {usual} of all intervals of 10 s.",
            **words,
        )
        if len(judged) == counted
        else say(
            "The back pressure is known at the time of {judged} of these {all}: {high} of the {judged} came while a "
            "subtask was back-pressured more than half of the time, which was so in {usual} of all intervals of 10 s.",
            all=counted,
            **words,
        )
    )
    return joined_sentences((text, share))


def _load_at(load: Sequence[Sequence[float]], ts_ms: int) -> float | None:
    """The back pressure in the moment of a time; None outside of the readings."""
    return next((ratio for moment, ratio in load if moment <= ts_ms < moment + LEAST_SLOT_MS), None)


def table(points: Points) -> list[list[Any]]:
    """One row for each failure."""
    header = [say("Job"), say("Time (UTC, epoch ms)"), say("Class"), say("Back pressure (ratio)")]
    rows = [
        [job["name"] or job["job_id"], ts_ms, say_stored(what), _load_at(job["load"], ts_ms)]
        for job in points["jobs"]
        for ts_ms, what in job["failures"]
    ]
    return [header, *rows]


CHART = Chart(
    id="checkpoint-failures",
    title=to_say("Failed checkpoints by class"),
    order=11,
    axis="time",
    missing=to_say(
        "Checkpoints that expired, were declined or could not be triggered would fill this chart: the JobManager's "
        "log, and metrics with `backPressuredTimeMsPerSecond` for the load."
    ),
    panels=(),  # metrics count failed checkpoints without their class; the history's panels show them
    points=points,
    figure=figure,
    summary=summary,
    table=table,
)
