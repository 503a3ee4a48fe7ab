"""The stacks of a task's working threads, what is heaviest in them, and the task as a subject."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable

from diagnostics.evidence.subject import Subject
from diagnostics.reconstruction.job.cluster import Cluster
from diagnostics.reconstruction.stacks.profile import Profile, Sampled

FEWEST_WORKING = 3.0
"""Samples of a working thread that are needed for a statement about its task. Our choice: three thread dumps."""
MOST_CITED = 6


def subject_of(task: tuple[str | None, str], cluster: Cluster) -> Subject:
    """The task as a subject; a task that is known only from the name of its thread has no id."""
    job_id, vertex = task
    if task in cluster.tasks:
        return cluster.vertex_subject(job_id, vertex)
    is_id = len(vertex) == 32 and all(letter in "0123456789abcdef" for letter in vertex)
    return Subject(job=job_id, vertex=None if is_id else vertex, vertex_id=vertex if is_id else None)


def working(profile: Profile) -> list[Sampled]:
    """The stacks of working threads."""
    return [each for each in profile.stacks if not each.stack.idle]


def heaviest(stacks: Iterable[Sampled], name: Callable[[Sampled], str | None]) -> tuple[str, float] | None:
    """The name with the largest weight, and that weight; stacks without a name are left out."""
    weights: dict[str, float] = defaultdict(float)
    for each in stacks:
        found = name(each)
        if found is not None:
            weights[found] += each.weight
    return max(weights.items(), key=lambda item: (item[1], item[0])) if weights else None
