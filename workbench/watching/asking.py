"""What a check asks a cluster for: the state, checkpoints, restarts and backlog of each job, with few requests.

Source: Flink documentation, "REST API" (https://nightlies.apache.org/flink/flink-docs-stable/docs/ops/rest_api/) and
"Metrics".
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from diagnostics.collect_flink import Cluster, Unanswered
from workbench.languages.sentences import say
from workbench.untrusted.storable import storable

MOST_SOURCES = 5
"""Of one job, whose backlog is asked for."""
ENDED = ("FINISHED", "CANCELED")
OVER = (*ENDED, "FAILED")
WITHOUT_SLOT = ("created", "scheduled")
"""States of a task before it is deployed. Source: Flink's ExecutionState."""
RESTARTS = ("numRestarts", "fullRestarts")
"""`fullRestarts` is the older name. Source: Flink documentation, "Metrics", availability."""
BACKLOG = "pendingRecords"
LONGEST_NAME = 480


@dataclass(slots=True)
class JobSeen:
    """What was answered about one job; None for what was not.

    known      as on the row of the job
    failures   what was asked and not answered
    deployed_ms, completed_ms  submission, and trigger of the last completed checkpoint, epoch ms by the cluster's clock
    running_ms  how long the job runs
    waiting     tasks that wait for a slot while none of the job runs; 0 where one does
    waiting_ms  since when that is so
    """

    name: str
    job_id: str
    state: str
    deployed_ms: int
    known: dict[str, Any] = field(default_factory=dict)
    checkpoint_ms: float | None = None
    checkpoint_bytes: float | None = None
    failed_in_a_row: int | None = None
    completed_ms: int | None = None
    running_ms: float | None = None
    waiting: int | None = None
    waiting_ms: float | None = None
    backlog: float | None = None
    restarts: int | None = None
    failures: list[str] = field(default_factory=list)


def ask_for_jobs(cluster: Cluster) -> list[JobSeen]:
    """The jobs of the cluster that matter, each name once, those that are not over first. Raises Unanswered.

    Of jobs that are over only the newest of a name counts, and none beside one that runs.
    """
    _, answer = cluster.json("/jobs/overview")
    listed = answer.get("jobs") if isinstance(answer, dict) else None
    if not isinstance(listed, list):
        raise Unanswered(say("what answers there is no Flink REST API"))
    seen = sorted((job for each in listed if (job := _job(each))), key=lambda job: -job.deployed_ms)
    kept: dict[str, JobSeen] = {}
    for job in [*(job for job in seen if job.state not in OVER), *(job for job in seen if job.state in OVER)]:
        if job.name not in kept:
            kept[job.name] = job
        elif job.state not in OVER:
            job.name = f"{job.name} ({job.job_id[:8]})"
            kept[job.name] = job
    return list(kept.values())


def _job(answer: Any) -> JobSeen | None:
    """A job of the overview; None for an object without id, name and state."""
    if not isinstance(answer, dict):
        return None
    job_id, name, state = (answer.get(key) for key in ("jid", "name", "state"))
    if not (isinstance(job_id, str) and len(job_id) == 32 and job_id.isalnum()):
        return None
    if not (isinstance(name, str) and name and isinstance(state, str)):
        return None
    name = " ".join(str(storable(name)).split())[:LONGEST_NAME]
    job = JobSeen(name, job_id, state[:20], _whole(answer.get("start-time")) or 0)
    job.running_ms = _number(answer.get("duration"))
    job.waiting = _waiting(answer.get("tasks"))
    changed_ms = _number(answer.get("last-modification"))
    if job.running_ms is not None and changed_ms:
        job.waiting_ms = max(job.deployed_ms + job.running_ms - changed_ms, 0.0)
    return job


def _waiting(tasks: Any) -> int | None:
    """The tasks without a slot where no task has one; None where that is not known. Flink calls such a job RUNNING."""
    if not isinstance(tasks, dict) or not {"running", *WITHOUT_SLOT} <= tasks.keys():
        return None
    counts = {state: _whole(count) or 0 for state, count in tasks.items()}
    placed = sum(count for state, count in counts.items() if state not in (*WITHOUT_SLOT, "total"))
    return 0 if placed else sum(counts[state] for state in WITHOUT_SLOT)


def ask_about(cluster: Cluster, job: JobSeen, known: Mapping[str, Any]) -> None:
    """Fills in the measurements. What is not answered is named in `failures`.

    known  of the same job id from an earlier check; empty for another one
    """
    root = f"/jobs/{job.job_id}"
    job.known = dict(known)
    for question in (_settings, _sources) if not known else ():
        _try(job, cluster, root, question)
    for question in (_checkpoints, _restarts, _backlog):
        _try(job, cluster, root, question)


def _try(job: JobSeen, cluster: Cluster, root: str, question: Any) -> None:
    try:
        question(cluster, root, job)
    except Unanswered as error:
        job.failures.append(f"{question.__name__.strip('_')}: {error}")


def _settings(cluster: Cluster, root: str, job: JobSeen) -> None:
    try:
        _, answer = cluster.json(f"{root}/checkpoints/config")
    except Unanswered as error:
        if error.status == 404:  # a job without checkpoints
            return
        raise
    if isinstance(answer, dict):
        job.known |= {"timeout_ms": _number(answer.get("timeout")), "interval_ms": _number(answer.get("interval"))}


def _sources(cluster: Cluster, root: str, job: JobSeen) -> None:
    """Finds the backlog metrics of the sources."""
    _, answer = cluster.json(root)
    paths = []
    for vertex in _sources_of(answer)[:MOST_SOURCES]:
        place = f"{root}/vertices/{quote(vertex, safe='')}/subtasks/metrics"
        _, listed = cluster.json(place)
        names = [each["id"] for each in _objects(listed) if isinstance(each.get("id"), str)]
        for name in sorted(name for name in names if name.rpartition(".")[2] == BACKLOG)[:1]:
            paths.append(f"{place}?get={quote(name, safe='')}&agg=sum")
    job.known["backlogs"] = paths


def _sources_of(answer: Any) -> list[str]:
    """Ids of the vertices without inputs."""
    plan = answer.get("plan") if isinstance(answer, dict) else None
    nodes = plan.get("nodes") if isinstance(plan, dict) else None
    return [node["id"] for node in _objects(nodes) if not node.get("inputs") and isinstance(node.get("id"), str)]


def _checkpoints(cluster: Cluster, root: str, job: JobSeen) -> None:
    try:
        _, answer = cluster.json(f"{root}/checkpoints")
    except Unanswered as error:
        if error.status == 404:
            return
        raise
    if not isinstance(answer, dict):
        return
    latest = answer.get("latest")
    completed = latest.get("completed") if isinstance(latest, dict) else None
    if isinstance(completed, dict):
        job.checkpoint_ms = _number(completed.get("end_to_end_duration"))
        job.checkpoint_bytes = _number(completed.get("state_size"))
        job.completed_ms = _whole(completed.get("trigger_timestamp"))
    job.failed_in_a_row = sum(1 for _ in _failed_in_a_row(_objects(answer.get("history"))))


def _failed_in_a_row(history: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """The newest checkpoints that ended, as long as they failed; savepoints and running ones do not count."""
    by_id = sorted(history, key=lambda each: -(_whole(each.get("id")) or 0))
    for each in by_id:
        if each.get("is_savepoint") or each.get("status") == "IN_PROGRESS":
            continue
        if each.get("status") != "FAILED":
            return
        yield each


def _restarts(cluster: Cluster, root: str, job: JobSeen) -> None:
    _, answer = cluster.json(f"{root}/metrics?get={','.join(RESTARTS)}")
    values = {each.get("id"): _number(each.get("value")) for each in _objects(answer)}
    count = next((value for name in RESTARTS if (value := values.get(name)) is not None), None)
    job.restarts = int(count) if count is not None and count < 2**31 else None


def _backlog(cluster: Cluster, root: str, job: JobSeen) -> None:
    sums = []
    for path in job.known.get("backlogs", ()):
        _, answer = cluster.json(path)
        sums += [value for each in _objects(answer) if (value := _number(each.get("sum"))) is not None]
    job.backlog = sum(sums) if sums else None


def _objects(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _number(value: Any) -> float | None:
    """A number, or a text of one, that is finite and not negative."""
    if isinstance(value, bool):
        return None
    try:
        read = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return read if 0 <= read < 1e18 else None


def _whole(value: Any) -> int | None:
    read = _number(value)
    return None if read is None else int(read)


def moment_of(epoch_ms: int | None) -> dt.datetime | None:
    """The time of epoch milliseconds; None for unknown, zero and times that no calendar has."""
    if not epoch_ms or epoch_ms > 32_000_000_000_000:
        return None
    return dt.datetime.fromtimestamp(epoch_ms / 1000, dt.UTC)
