"""The profiles of tasks, and the one that shows the busiest task of a job."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from diagnostics.evidence.subject import only_one
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.metrics.metric_series import metric_series
from diagnostics.reconstruction.stacks.sampled_stacks import MOMENT, SampledStacks
from diagnostics.vocabulary.known_frames import stack

if TYPE_CHECKING:
    import pyarrow as pa

    from diagnostics.evidence import Evidence

MOST_STACKS = 20_000
"""Stacks read: the heaviest hold nearly all samples."""
OF_TASK = ("job_id", "vertex_id", "vertex", "profile", "mode")
TIMED = "flame-graph"
"""The profile whose files have one time each."""
PREFERRED = ("full", "wall", "on-cpu", "cpu", "dump", "unknown", "off-cpu")
"""Modes in order of preference: those that show running and waiting time together first."""

Times = tuple[int, int | None, int | None]
"""How many times there are, the first and the last one in epoch ms."""


class TaskProfile(NamedTuple):
    """Origin of stacks, and their profile.

    at_ms  time of a flame graph: one that was taken before the trouble and one of it show different things; None for
           other profiles, whose samples are added
    times  how many times the samples of this task and profile have, and the first and the last one of these samples
    """

    job_id: str | None
    vertex_id: str | None
    vertex: str | None
    profile: str | None
    mode: str | None
    at_ms: int | None
    times: Times


def task_profiles(stacks: SampledStacks) -> Mapping[TaskProfile, Sequence[Mapping[str, Any]]]:
    """The heaviest stacks of each profile, with their weights."""
    profiles: dict[TaskProfile, list[Mapping[str, Any]]] = {}
    times = _times(stacks.samples)
    samples = _with_times_of_flame_graphs(stacks.samples)
    for row in stacks.rows(stacks.heaviest((*OF_TASK, MOMENT, "state"), samples)[:MOST_STACKS]):
        origin = {column: row[column] for column in OF_TASK}
        all_times, at_ms = times[tuple(origin.values())], row[MOMENT]
        drawn = all_times if at_ms is None else (all_times[0], at_ms, at_ms)
        profiles.setdefault(TaskProfile(**origin, at_ms=at_ms, times=drawn), []).append(row)
    return profiles


def _with_times_of_flame_graphs(samples: pa.Table) -> pa.Table:
    """The samples, those of other profiles without their time."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_timed = pc.fill_null(pc.equal(samples["profile"], TIMED), False)
    moment = pc.if_else(is_timed, samples[MOMENT], pa.scalar(None, pa.int64()))
    return samples.set_column(samples.column_names.index(MOMENT), MOMENT, moment)


def _times(samples: pa.Table) -> Mapping[tuple[str | None, ...], Times]:
    """Origin of samples -> their times."""
    grouped = samples.group_by(list(OF_TASK), use_threads=False).aggregate(
        [(MOMENT, "count_distinct"), (MOMENT, "min"), (MOMENT, "max")]
    )
    counted = (f"{MOMENT}_{name}" for name in ("count_distinct", "min", "max"))
    columns = [grouped[name].to_pylist() for name in (*OF_TASK, *counted)]
    return {row[: len(OF_TASK)]: row[len(OF_TASK) :] for row in zip(*columns, strict=True)}


def busiest_profiles(
    evidence: Evidence, profiles: Mapping[TaskProfile, Sequence[Mapping[str, Any]]]
) -> Iterator[tuple[str | None, TaskProfile]]:
    """The profile of each job's busiest task with the most work in it; one without a job only when no job has one."""
    busy = _busy_ratios(evidence)
    by_job: dict[str | None, list[TaskProfile]] = {}
    for profile in profiles:
        by_job.setdefault(_job_of(evidence, profile), []).append(profile)
    if len(by_job) > 1:
        by_job.pop(None, None)
    for job_id, found in sorted(by_job.items(), key=lambda item: str(item[0])):
        named = [profile for profile in found if profile.vertex_id or profile.vertex] or found
        yield (
            job_id,
            max(
                named,
                key=lambda profile: (
                    any(not stack(row["frames"]).idle for row in profiles[profile]),
                    _busy_of(profile, busy),
                    -PREFERRED.index(profile.mode) if profile.mode in PREFERRED else -len(PREFERRED),
                    sum(row["weight"] for row in profiles[profile] if not stack(row["frames"]).idle),
                    sum(row["weight"] for row in profiles[profile]),
                    profile.at_ms or 0,
                    repr(profile),
                ),
            ),
        )


def _job_of(evidence: Evidence, profile: TaskProfile) -> str | None:
    """The job of a profile; thread names contain only the task, which may identify it."""
    if profile.job_id:
        return profile.job_id
    cluster = cluster_of(evidence)
    owners = {
        job_id
        for (job_id, _), task in cluster.tasks.items()
        if profile.vertex and normalised(task.name) == normalised(profile.vertex)
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


def _busy_of(profile: TaskProfile, busy: Mapping[str, float]) -> float:
    return round(busy.get(profile.vertex_id or "", busy.get(normalised(profile.vertex), 0.0)), 2)
