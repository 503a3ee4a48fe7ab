"""The deployments that the evidence names: the jobs' own, and others whose records are in the same files."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

from diagnostics.aggregators import config_options, incident_records, jobs, jobs_by_log, log_ends, task_managers
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one

CLUSTER, NAMESPACE, ENTRY_POINT, TARGET = (
    *("kubernetes.cluster-id", "kubernetes.namespace"),
    *("process.entrypoint", "execution.target"),
)
NATIVE_TASK_MANAGER = re.compile(r"(.{1,63})-taskmanager-\d{1,6}-\d{1,6}")
"""Resource id of a native TaskManager: the cluster's id, the attempt, a number. Source: Flink,
KubernetesResourceManagerDriver."""
CONTAINER = re.compile(r"container_(?:e\d{1,6}_)?(\d{1,20}_\d{1,10})_\d{1,6}_\d{1,10}")
"""A container of YARN, with the number of its application. Source: Hadoop, ContainerId."""
FEWEST_LOADED = 5
"""Options that a JobManager lists at its start, from which their list is taken as whole. Our choice."""


@dataclass(frozen=True, slots=True)
class Deployments:
    """Which deployments are the jobs' own.

    own             name of a cluster -> the only job that its logs name; None where that is not known
    namespaces      of these
    is_native       Flink asks Kubernetes for its pods: they are called as the cluster
    is_application  each job has a cluster of its own, so that the operator has no jobs of other names in it
    has_jobs        Flink's own files name a job
    is_elsewhere    their JobManagers list their options, and none is of Kubernetes: the operator, which gives each
                    cluster its name and namespace, has not made them; pods of a Deployment may still be theirs
    ended           logs of the operator that end before any job began
    files           file -> the application of YARN whose container wrote it
    applications    application -> the jobs that its logs name; empty where the case has jobs of no other cluster
    """

    own: Mapping[str, str | None] = field(default_factory=dict)
    namespaces: frozenset[str] = frozenset()
    is_native: bool = False
    is_application: bool = False
    has_jobs: bool = False
    is_elsewhere: bool = False
    ended: frozenset[int] = frozenset()
    files: Mapping[int, str] = field(default_factory=dict)
    applications: Mapping[str, Set[str]] = field(default_factory=dict)

    def named(self, deployment: str | None, file_id: int) -> str | None:
        """The deployment or application of a record; None where nothing names one."""
        return deployment or self.files.get(file_id)

    def is_apart(self, deployment: str | None, file_id: int) -> bool:
        """Whether trouble of a deployment is known to be none of the jobs': of another one, or over before a job.

        deployment  namespace/name where the operator names it, the name where a pod does
        """
        if deployment is None:
            known = self.applications.get(self.files.get(file_id, ""))
            return known is not None and not known and any(self.applications.values())
        namespace, _, name = deployment.rpartition("/")
        if file_id in self.ended or (self.is_elsewhere and namespace):
            return True
        if not self.own:
            return False
        is_of_others = bool(namespace and self.namespaces) and namespace not in self.namespaces
        return is_of_others or (name not in self.own and (self.is_application if namespace else self.is_native))

    def is_unclear(self, deployment: str | None) -> bool:
        """Whether no file shows if a deployment is that of the jobs in Flink's own files."""
        return deployment is not None and self.has_jobs and deployment.rpartition("/")[2] not in self.own

    def job_of(self, deployment: str | None, file_id: int) -> str | None:
        """The only job of the cluster that a record is of, where the case has several."""
        if deployment is None:
            return only_one(self.applications.get(self.files.get(file_id, ""), ()))
        return self.own.get(deployment.rpartition("/")[2]) if len(self.own) > 1 else None


@read_once
def deployments_of(evidence: Evidence) -> Deployments:
    """The deployments of an analysis, computed once for each Evidence.

    Reads   config_option (start-up messages, configurations), task_manager, job, log_record (registrations, jobs).
    """
    options = evidence.answer(config_options.AGGREGATOR).to_pylist()
    events = evidence.answer(incident_records.AGGREGATOR).to_pylist()
    stated = {key: {each["value"] for each in options if each["key"] == key} for key in (ENTRY_POINT, TARGET)}
    modes = {each or "" for each in (*stated[ENTRY_POINT], *stated[TARGET])}
    native = set(_native_clusters(evidence, events))
    names = {(each["value"], each["file_id"]) for each in options if each["key"] == CLUSTER and each["value"]}
    named = evidence.answer(jobs_by_log.AGGREGATOR)
    own: dict[str, set[str]] = {name: set() for name in native}
    for name, file_id in names:
        own.setdefault(name, set()).update(named.get(file_id, ()))
    containers = {file_id: CONTAINER.search(name) for file_id, name in enumerate(evidence.files)}
    files = {file_id: f"application_{found[1]}" for file_id, found in containers.items() if found}
    applications = {each: set[str]() for each in files.values()}
    for file_id, application in files.items():
        applications[application] |= named.get(file_id, frozenset())
    listed = {each["job_id"] for each in evidence.answer(jobs.AGGREGATOR).to_pylist()}
    every = listed.union(*named.values())
    is_native = any(each.startswith(("Kubernetes", "kubernetes-")) for each in modes)
    return Deployments(
        own={name: only_one(found) for name, found in own.items()},
        namespaces=frozenset(each["value"] for each in options if each["key"] == NAMESPACE and each["value"]),
        is_native=bool(native) or is_native,
        is_application=any("Application" in each or each.endswith("-application") for each in modes)
        and not any("session" in each.lower() for each in modes),
        has_jobs=bool(named) or evidence.has("job"),
        is_elsewhere=not own and _is_elsewhere(options),
        ended=frozenset(_ended(evidence, events)),
        files=files,
        applications=applications if any(every - each for each in applications.values()) else {},
    )


def _is_elsewhere(options: list[dict[str, Any]]) -> bool:
    """Whether JobManagers list the options that they loaded, and none names a cluster of Kubernetes."""
    started = {each["file_id"] for each in options if each["key"] == ENTRY_POINT and each["process"] == "jobmanager"}
    loaded = Counter(each["file_id"] for each in options if each["scope"] == "cluster")
    about = any((each["key"] or "").startswith("kubernetes.") for each in options)
    return bool(started) and not about and all(loaded[each] >= FEWEST_LOADED for each in started)


def _native_clusters(evidence: Evidence, events: list[dict[str, Any]]) -> Iterator[str]:
    """Names of clusters by their TaskManagers, in answers of REST and in Flink's own logs."""
    rows = evidence.answer(task_managers.AGGREGATOR).to_pylist()
    rows += [each for each in events if each["deployment"] is None]
    for row in rows:
        if found := NATIVE_TASK_MANAGER.fullmatch(row["task_manager"] or ""):
            yield found[1]


def _ended(evidence: Evidence, events: list[dict[str, Any]]) -> Iterator[int]:
    """Files with records about deployments that end before the first job was submitted, or started by REST."""
    begins = [each["start_ms"] for each in evidence.answer(jobs.AGGREGATOR).to_pylist() if each["start_ms"]]
    begins += [each["ts_ms"] for each in events if each["kind"] == "submitted" and each["ts_ms"] is not None]
    about = {each["file_id"] for each in events if "/" in (each["deployment"] or "")}
    for each in evidence.answer(log_ends.AGGREGATOR).to_pylist():
        if begins and each["file_id"] in about and each["last_ms"] is not None and each["last_ms"] < min(begins):
            yield each["file_id"]
