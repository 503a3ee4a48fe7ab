"""Finds the same job, task or TaskManager in another snapshot of a case: a restart changes ids but not names."""

from __future__ import annotations

from dataclasses import dataclass

from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.evidence.subject import Level, Subject, only_one
from diagnostics.language import say


@dataclass(frozen=True, slots=True)
class SameJob:
    """A job in two snapshots.

    before, after  its ids; None where a snapshot names no job
    because        the reason for the match, in words
    """

    before: str | None
    after: str | None
    because: str


def same_job(job: str | None, before: SignalIndex, after: SignalIndex) -> SameJob | None:
    """The job of the later snapshot that equals the earlier one's `job`: by id, by name, or as the only job.

    None when the later snapshot has only jobs of other names, or several candidates.
    """
    if job in after.jobs:
        return SameJob(job, job, say("the job id is the same"))
    if not after.jobs or job is None:
        only = only_one(after.jobs)
        return SameJob(job, only, say("no job is named in one of them")) if len(after.jobs) < 2 else None
    name = before.jobs.get(job)
    named = [each for each, other in after.jobs.items() if name is not None and other == name]
    if len(named) == 1:
        return SameJob(job, named[0], say("both are named {name}", name=name))
    nameless = [each for each, other in after.jobs.items() if other is None or name is None]
    if not named and len(after.jobs) == 1 and nameless:
        return SameJob(job, nameless[0], say("each snapshot holds one job, and one of them has no name"))
    return None


def counterpart(subject: Subject, before: SignalIndex, after: SignalIndex) -> Subject | None:
    """The subject in the later snapshot; None when its job is not there.

    A task keeps its name and, while the job graph is unchanged, its id. TaskManagers and hosts change: the counterpart
    of a finding about one of them is its task or its job.
    """
    job = same_job(subject.job or before.job_of(subject), before, after)
    if job is None:
        return None
    vertex_id = _vertex_id(subject, job.after, after)
    if subject.vertex and vertex_id is None:
        return Subject(job=job.after)
    return Subject(job=job.after, vertex=subject.vertex, vertex_id=vertex_id, subtask=subject.subtask)


def level_of(subject: Subject) -> Level:
    """The finest level that the subject names."""
    if subject.task_manager or subject.host:
        return "task_manager"
    if subject.subtask is not None:
        return "subtask"
    if subject.vertex or subject.vertex_id:
        return "vertex"
    return "job" if subject.job else "case"


def _vertex_id(subject: Subject, job: str | None, after: SignalIndex) -> str | None:
    found = [each for each in after.all_subjects() if each.job in (job, None) and each.vertex_id]
    by_name = next((each.vertex_id for each in found if subject.vertex and each.vertex == subject.vertex), None)
    return by_name or next((each.vertex_id for each in found if each.vertex_id == subject.vertex_id), None)
