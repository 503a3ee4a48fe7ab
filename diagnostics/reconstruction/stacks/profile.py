"""The profile of each task: its sampled stacks from the most informative kind of profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import TYPE_CHECKING, Any

from diagnostics.citation import CITATION_COLUMNS, Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.notation.printed_name import normalised
from diagnostics.notation.task_name import LEGACY_SOURCE
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of
from diagnostics.reconstruction.stacks.sampled_stacks import MOMENT, SampledStacks, sampled_stacks
from diagnostics.vocabulary.known_frames import Stack, known_frames, stack, upload_of
from diagnostics.wording.cited_text import SAMPLES, cited_text

if TYPE_CHECKING:
    import pyarrow as pa

WAITING = ("BLOCKED", "WAITING", "TIMED_WAITING")
"""States of a thread that waits for a monitor which another thread holds, for a notification or for a time.

Source: java.lang.Thread.State.
"""
MOST_STACKS = 20_000
"""Distinct stacks that are read, the heaviest ones. Our choice: they contain nearly all samples."""
FLAME_GRAPH = "flame-graph"
PREFERRED = (
    (FLAME_GRAPH, "full"),
    ("collapsed", "wall"),
    ("thread-dump", "dump"),
    ("collapsed", "unknown"),
    (FLAME_GRAPH, "on-cpu"),
    (FLAME_GRAPH, "off-cpu"),
    ("collapsed", "cpu"),
)
"""(profile, mode) in order of preference; kinds that show both running and waiting threads without bias come first."""
SEES_ALL = frozenset(PREFERRED[:4])
"""Kinds that sample threads whether they run or wait."""
FEWEST_SAMPLES = 20
"""Samples that a profile of a task needs to be preferred over a kind with more samples. Our choice."""

TaskKey = tuple[str | None, str]


@dataclass(frozen=True, slots=True)
class Sampled:
    """One distinct stack with its weight and citation."""

    stack: Stack
    weight: float
    citation: Citation


@dataclass(frozen=True, slots=True)
class Profile:
    """The stacks of one task in its most informative profile.

    kind      profile and mode, e.g. ("flame-graph", "full")
    samples   number of samples of the task in that profile
    """

    kind: tuple[str, str]
    samples: float
    stacks: tuple[Sampled, ...]

    @property
    def sees_all(self) -> bool:
        """Whether waiting threads are sampled as well as running ones."""
        return self.kind in SEES_ALL


@dataclass(frozen=True, slots=True)
class Uploads:
    """The samples of the threads that upload checkpoints.

    samples         weight of all samples
    uploading       kind of upload -> weight of its samples
    heaviest        citation of the heaviest stack that uploads
    heaviest_frame  its top frame
    """

    samples: float
    uploading: Mapping[str, float]
    heaviest: Citation | None
    heaviest_frame: str | None


@dataclass(frozen=True, slots=True)
class Profiles:
    """All profiles of an analysis."""

    tasks: Mapping[TaskKey, Profile]
    uploads: Uploads | None


@read_once
def stack_profiles(evidence: Evidence) -> Profiles:
    """The profile of each task, computed once for each Evidence.

    Reads   stack_sample: threads of tasks and of the asynchronous part of checkpoints.
    """
    stacks = sampled_stacks(evidence)
    if not stacks:
        return profiles_from_rows((), cluster_of(evidence))
    return profiles_from_rows(_rows(stacks), cluster_of(evidence), _with_source_thread(stacks.samples))


KEYS = ("job_id", "vertex_id", "vertex", "uploads", "profile", "mode", "state")


def _rows(stacks: SampledStacks) -> Iterator[Mapping[str, Any]]:
    """The heaviest stacks of tasks and of uploading threads, each with the place of its heaviest sample."""
    samples = _samples_of_tasks(stacks.samples)
    heaviest = stacks.heaviest(KEYS, samples)[:MOST_STACKS]
    places = samples.select([MOMENT, *CITATION_COLUMNS]).take(heaviest["place"]).to_pylist()
    for row, place in zip(stacks.rows(heaviest), places, strict=True):
        yield row | place


def _samples_of_tasks(samples: pa.Table) -> pa.Table:
    """The samples of tasks and of uploading threads, with the column `uploads`."""
    import pyarrow.compute as pc

    threads = samples["thread"]
    uploads = reduce(pc.or_, (pc.starts_with(threads, prefix) for prefix in known_frames().upload_threads))
    uploads = pc.fill_null(uploads, False)
    named = pc.or_(pc.is_valid(samples["vertex_id"]), pc.is_valid(samples["vertex"]))
    return samples.append_column("uploads", uploads).filter(pc.and_(pc.or_(named, uploads), _carries_records(samples)))


def _carries_records(samples: pa.Table) -> pa.Array:
    """Whether the thread of each sample passes records on. The source function of the old interface has a thread of its
    own, which runs the whole chain; the task's thread beside it only waits for mails, and for the lock to run them.
    """
    import pyarrow.compute as pc

    of_source = pc.fill_null(pc.starts_with(samples["thread"], LEGACY_SOURCE), False)
    return pc.or_(of_source, pc.invert(pc.is_in(samples["vertex"], value_set=_with_source_thread(samples))))


def _with_source_thread(samples: pa.Table) -> pa.Array:
    """The names of tasks whose source has a thread of its own."""
    import pyarrow.compute as pc

    return pc.unique(samples["vertex"].filter(pc.starts_with(samples["thread"], LEGACY_SOURCE)).drop_null())


def profiles_from_rows(
    rows: Iterable[Mapping[str, Any]], cluster: Cluster, with_source_thread: pa.Array | None = None
) -> Profiles:
    """The profiles from rows of stacks; tasks without an id are looked up in the cluster by name.

    with_source_thread  names of tasks whose source has a thread of its own. Flink's flame graph shows the other thread
                        of such a task, which waits for mails, and is left aside. Source: JobVertexThreadInfoTracker
                        samples the executing thread of each task
    """
    by_name, only_job = tasks_by_name(cluster), only_one(cluster.job_names)
    names = with_source_thread.to_pylist() if with_source_thread is not None else []
    unseen = {task_key({"vertex_id": None, "job_id": None, "vertex": name}, by_name, only_job) for name in names}
    grouped: dict[TaskKey, dict[tuple[str, str], list[Sampled]]] = defaultdict(lambda: defaultdict(list))
    uploads: list[Mapping[str, Any]] = []
    for row in rows:
        if row["uploads"] and not row["vertex_id"] and not row["vertex"]:
            uploads.append(row)
            continue
        key = task_key(row, by_name, only_job)
        kind = (row["profile"] or "", row["mode"] or "")
        if kind[0] == FLAME_GRAPH and key in unseen:
            continue
        sampled_stack = _stack(row)
        grouped[key][kind].append(Sampled(sampled_stack, row["weight"], _cite(row, sampled_stack)))
    tasks = {}
    for key in sorted(grouped, key=repr):
        samples = {kind: sum(each.weight for each in stacks) for kind, stacks in grouped[key].items()}
        kind = min(samples, key=lambda each: (samples[each] < FEWEST_SAMPLES, _preference(each), -samples[each]))
        tasks[key] = Profile(kind, samples[kind], tuple(grouped[key][kind]))
    return Profiles(tasks, _uploads(uploads) if uploads else None)


def _stack(row: Mapping[str, Any]) -> Stack:
    """What a sampled thread does; one whose state is a wait waits, whatever method it is about to enter."""
    sampled = stack(row["frames"])
    return replace(sampled, waiting=True) if row.get("state") in WAITING and not sampled.idle else sampled


def tasks_by_name(cluster: Cluster) -> Mapping[str, set[TaskKey]]:
    """The tasks of a cluster by their name in the form that all kinds of evidence share."""
    by_name: dict[str, set[TaskKey]] = defaultdict(set)
    for task in cluster.tasks.values():
        by_name[normalised(task.name)].add((task.job_id, task.vertex_id))
    return by_name


def task_key(row: Mapping[str, Any], by_name: Mapping[str, set[TaskKey]], only_job: str | None) -> TaskKey:
    """The task of a row; one without an id is looked up by its name."""
    if row["vertex_id"]:
        return row["job_id"] or only_job, row["vertex_id"]
    found = by_name.get(normalised(row["vertex"]), set())
    if len(found) == 1:
        return next(iter(found))
    return row["job_id"] or only_job, row["vertex"]


def _preference(kind: tuple[str, str]) -> int:
    return PREFERRED.index(kind) if kind in PREFERRED else len(PREFERRED)


def _cite(row: Mapping[str, Any], sampled_stack: Stack) -> Citation:
    shown = [frame for frame in (sampled_stack.user, sampled_stack.system_frame, sampled_stack.top) if frame]
    return Citation(
        **{name: row[name] for name in (MOMENT, *CITATION_COLUMNS)},
        kind="thread" if row["profile"] == "thread-dump" else "frame",
        text=cited_text(SAMPLES, count=f"{row['weight']:.0f}", frames=" > ".join(dict.fromkeys(shown)))[:400],
        name=sampled_stack.top,
        value=row["weight"],
    )


def _uploads(rows: Sequence[Mapping[str, Any]]) -> Uploads:
    """The uploads in profiles that show waiting threads, else in all profiles; idle pool threads do not count."""
    seeing = [row for row in rows if (row["profile"], row["mode"]) in SEES_ALL] or list(rows)
    uploading: dict[str, float] = defaultdict(float)
    samples, heaviest, frame = 0.0, None, None
    for row in seeing:
        what = upload_of(row["frames"])
        if what is None:
            continue
        samples += row["weight"]
        sampled_stack = stack(row["frames"])
        uploading[what] += row["weight"]
        if heaviest is None or row["weight"] > (heaviest.value or 0):
            heaviest, frame = _cite(row, sampled_stack), sampled_stack.top
    whole = sum(row["weight"] for row in seeing)
    return Uploads(whole, dict(sorted(uploading.items())), heaviest, frame)
