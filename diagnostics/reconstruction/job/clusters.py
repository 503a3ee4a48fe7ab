"""The clusters that the files come from: what shares no job, TaskManager or folder may be of another cluster."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diagnostics.aggregators import jobs, jobs_by_log, metered_tasks, subtask_counters, task_managers
from diagnostics.evidence import Evidence, read_once
from diagnostics.notation.printed_name import normalised
from diagnostics.notation.snapshot_folder import snapshot_folder
from diagnostics.reconstruction.job.cluster import LOOPBACK

if TYPE_CHECKING:
    import pyarrow as pa

Sign = tuple[str, str | int]
"""What shows a cluster: a `job`, a `task_manager`, the `host` of a JobManager, the `folder` of answers, or a `log`."""


@dataclass(frozen=True, slots=True)
class Clusters:
    """The clusters by what shows them. Signs without a job and without a TaskManager could be of any cluster.

    number_of  sign -> number of its cluster
    folders    file id -> its folder
    """

    number_of: Mapping[Sign, int] = field(default_factory=dict)
    folders: Mapping[int, str] = field(default_factory=dict)

    @property
    def are_several(self) -> bool:
        """Whether jobs of more than one cluster are there."""
        return len({number for (kind, _), number in self.number_of.items() if kind == "job"}) > 1

    def are_apart(self, job: str | None, file_id: int, host: str | None = None) -> bool:
        """Whether a file, or a JobManager's host in it, is of another cluster than a job."""
        signs: list[Sign] = [("host", host)] if host else [("log", file_id), ("folder", self.folders.get(file_id, ""))]
        return self._differ(job, signs)

    def is_of_another(self, job: str | None, task_manager: str) -> bool:
        """Whether a TaskManager is of another cluster than a job."""
        return self._differ(job, [("task_manager", normalised(task_manager))])

    def logs_are_apart(self, one: int, other: int) -> bool:
        """Whether two logs name jobs of different clusters."""
        numbers = [self.number_of.get(("log", file_id)) for file_id in (one, other)]
        return None not in numbers and numbers[0] != numbers[1]

    def _differ(self, job: str | None, signs: Sequence[Sign]) -> bool:
        mine = self.number_of.get(("job", job)) if job else None
        theirs = next((self.number_of[each] for each in signs if each in self.number_of), None)
        return mine is not None and theirs is not None and mine != theirs


@read_once
def clusters_of(evidence: Evidence) -> Clusters:
    """The clusters of an analysis, computed once for each Evidence.

    Reads   job, subtask, task_manager, the jobs in log_record and metric_sample.

    Answers of REST in one folder are of one cluster, and so is what names the same job or TaskManager.
    """
    return Clusters(number_signs(signs_beside(evidence)), _folders(evidence))


def _folders(evidence: Evidence) -> Mapping[int, str]:
    return {file_id: snapshot_folder(name) for file_id, name in enumerate(evidence.files)}


def signs_beside(evidence: Evidence) -> Iterator[tuple[Sign, Sign]]:
    """Pairs of signs that are of one cluster."""
    folders = _folders(evidence)
    for file_id, job_id in _distinct(evidence.answer(jobs.AGGREGATOR), "file_id", "job_id"):
        yield ("folder", folders.get(file_id, "")), ("job", job_id)
    for file_id, place in _distinct(evidence.answer(task_managers.AGGREGATOR), "file_id", "task_manager"):
        yield ("folder", folders.get(file_id, "")), ("task_manager", normalised(place))
    for file_id, named in evidence.answer(jobs_by_log.AGGREGATOR).items():
        yield from ((("log", file_id), ("job", each)) for each in named)
    metered = evidence.answer(metered_tasks.AGGREGATOR)
    for rows in (evidence.answer(subtask_counters.AGGREGATOR), metered):
        for job_id, place in _distinct(rows, "job_id", "task_manager"):
            yield ("job", job_id), ("task_manager", normalised(place))
    for job_id, host in _distinct(metered.filter(metered["task_manager"].is_null()), "job_id", "host"):
        if not host.startswith(LOOPBACK):
            yield ("job", job_id), ("host", host)


def _distinct(rows: pa.Table, first: str, second: str) -> Iterator[tuple[Any, Any]]:
    pairs = rows.group_by([first, second], use_threads=False).aggregate([])
    columns = (pairs[name].to_pylist() for name in (first, second))
    yield from (pair for pair in zip(*columns, strict=True) if None not in pair)


def number_signs(pairs: Iterable[tuple[Sign, Sign]]) -> Mapping[Sign, int]:
    """The number of each sign's cluster; signs that pairs connect have the same one."""
    beside: dict[Sign, list[Sign]] = defaultdict(list)
    for one, other in pairs:
        beside[one].append(other)
        beside[other].append(one)
    number_of: dict[Sign, int] = {}
    for number, start in enumerate(beside):
        front = [] if start in number_of else [start]
        while front:
            sign = front.pop()
            number_of[sign] = number
            front += [each for each in beside[sign] if each not in number_of]
    return number_of
