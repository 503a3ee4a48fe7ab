"""The files and rows of each cluster, where the files of a case are those of several clusters.

A heap that is full, a ZooKeeper that is away or a host without processor time concerns every job of its cluster, and no
job of another one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass

from diagnostics.aggregators import jobs, jobs_by_log, metric_points, subtask_counters, task_managers
from diagnostics.evidence import Evidence
from diagnostics.notation.printed_name import normalised
from diagnostics.reconstruction.job.cluster import cluster_of
from diagnostics.reconstruction.job.clusters import Sign, number_signs, signs_beside

SAME_TIME_MS = 60_000
"""Jobs of one name that ran at the same time for longer than this are two deployments, as those of a test and of a
production environment. Our choice: clocks differ by seconds, and a job is started again after its savepoint.
"""

MOST_CLUSTERS = 8
"""Clusters of a case that are judged apart. Our choice: each reads its files once more."""


OF_A_PROCESS = ("task_manager", "host")
OF_A_ROW = ("job", *OF_A_PROCESS)
"""Signs that rows have, and those of them whose trouble concerns every job of a cluster."""


@dataclass(frozen=True, slots=True)
class ClusterFiles:
    """A cluster by its jobs.

    files   ids of its files, and of those that nothing assigns to a cluster
    others  what shows that a row of a file is of another cluster
    """

    jobs: frozenset[str]
    files: frozenset[int]
    others: frozenset[Sign]


def files_of_clusters(evidence: Evidence) -> Sequence[ClusterFiles]:
    """The clusters of a case with their files; empty where there is one, or where the files do not show which is which.

    Jobs of one name stay together, unless they ran at the same time: the later one may be the earlier one, deployed
    again. A file that names no cluster
    is of the one that the other files of its folder are of, or of the nearest folder around it with such files.

    Reads   job, subtask, task_manager, the jobs in log_record and metric_sample.
    """
    number_of = number_signs([*signs_beside(evidence), *_successors(evidence)])
    jobs_of: dict[int, set[str]] = defaultdict(set)
    for (kind, sign), number in number_of.items():
        if kind == "job":
            jobs_of[number].add(str(sign))
    if not 1 < len(jobs_of) <= MOST_CLUSTERS:
        return ()
    shown_by = {sign: number for sign, number in number_of.items() if number in jobs_of}
    clusters = _clusters_of_files(evidence, shown_by)
    apart = [
        ClusterFiles(
            frozenset(named),
            frozenset(file for file, its in clusters.items() if number in its or not its),
            frozenset(sign for sign, other in shown_by.items() if other != number and sign[0] in OF_A_ROW),
        )
        for number, named in sorted(jobs_of.items())
    ]
    processes = {number for (kind, _), number in shown_by.items() if kind in OF_A_PROCESS}
    return apart if len({each.files for each in apart}) > 1 or len(processes) > 1 else ()


def _successors(evidence: Evidence) -> Iterator[tuple[Sign, Sign]]:
    """Pairs of jobs of one name, one of them after the other; all pairs where it is not known when each job ran."""
    ran = _running_times(evidence)
    jobs_of: dict[str, list[str]] = defaultdict(list)
    for job, name in cluster_of(evidence).job_names.items():
        if name:
            jobs_of[name].append(job)
    for named in jobs_of.values():
        if not all(job in ran for job in named):
            yield from ((("job", named[0]), ("job", job)) for job in named[1:])
            continue
        newest: list[str] = []
        for job in sorted(named, key=lambda each: (ran[each], each)):
            former = next((each for each in newest if ran[each][1] <= ran[job][0] + SAME_TIME_MS), None)
            if former is not None:
                yield ("job", former), ("job", job)
                newest.remove(former)
            newest.append(job)


def _running_times(evidence: Evidence) -> Mapping[str, tuple[int, int]]:
    """Job -> when it is known to have run, first and last, by answers of REST and the times of its metrics."""
    rows = evidence.answer(jobs.AGGREGATOR).select(["job_id", "start_ms", "end_ms", "ts_ms"]).to_pylist()
    points = (
        evidence.answer(metric_points.AGGREGATOR).group_by("job_id").aggregate([("ts_ms", "min"), ("ts_ms", "max")])
    )
    known = [(row["job_id"], row["start_ms"], row["end_ms"] or row["ts_ms"]) for row in rows]
    known += [(row["job_id"], row["ts_ms_min"], row["ts_ms_max"]) for row in points.to_pylist()]
    ran: dict[str, tuple[int, int]] = {}
    for job, first, last in known:
        if job is not None and first is not None and last is not None:
            before = ran.get(job, (first, last))
            ran[job] = min(before[0], first), max(before[1], last)
    return ran


def _clusters_of_files(evidence: Evidence, number_of: Mapping[Sign, int]) -> Mapping[int, Set[int]]:
    """File -> the clusters that it is about; none where nothing shows it."""
    clusters: dict[int, set[int]] = {file_id: set() for file_id in range(len(evidence.files))}
    for file_id, sign in _signs_of_files(evidence):
        if sign in number_of and file_id in clusters:
            clusters[file_id].add(number_of[sign])
    below: dict[str, set[int]] = defaultdict(set)
    for file_id, numbers in clusters.items():
        for folder in _around(evidence.files[file_id]):
            below[folder] |= numbers
    return {file_id: numbers or _nearest(evidence.files[file_id], below) for file_id, numbers in clusters.items()}


def _signs_of_files(evidence: Evidence) -> Iterator[tuple[int, Sign]]:
    """File and a sign of a cluster that it names."""
    for file_id, named in evidence.answer(jobs_by_log.AGGREGATOR).items():
        yield from ((file_id, ("job", each)) for each in named)
    for aggregator in (
        jobs.AGGREGATOR,
        subtask_counters.AGGREGATOR,
        task_managers.AGGREGATOR,
        metric_points.AGGREGATOR,
    ):
        rows = evidence.answer(aggregator)
        kinds = [kind for kind in ("job_id", "task_manager", "host") if kind in rows.column_names]
        for row in rows.group_by(["file_id", *kinds], use_threads=False).aggregate([]).to_pylist():
            yield from ((row["file_id"], sign) for sign in _signs(row))


def _signs(row: Mapping[str, str | int | None]) -> Iterator[Sign]:
    if job := row.get("job_id"):
        yield "job", job
    if place := row.get("task_manager"):
        yield "task_manager", normalised(str(place))
    elif host := row.get("host"):
        yield "host", host


def _nearest(name: str, below: Mapping[str, Set[int]]) -> Set[int]:
    """The only cluster of the nearest folder around a file that has any; nothing where it has several."""
    numbers = next((below[each] for each in _around(name) if below[each]), set[int]())
    return numbers if len(numbers) == 1 else set()


def _around(name: str) -> Iterator[str]:
    """The folders around a file, the innermost first."""
    folders = name.split("/")[:-1]
    return ("/".join(folders[:depth]) for depth in range(len(folders), 0, -1))
