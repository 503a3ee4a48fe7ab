"""How a job's cluster runs and how the job was started: what the commands of a runbook need."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.configuration.deployment import Deployment, ProcessStart, deployment_of
from diagnostics.reconstruction.configuration.stated_settings import jobs_of
from diagnostics.reconstruction.job.cluster import Cluster, cluster_of, host_of, without_port
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts


def measure(evidence: Evidence) -> Measured:
    """Kind of the cluster, its files and addresses, and the start of each job.

    Reads   config_option (start-up messages, configurations, REST), log_record (submissions), REST of TaskManagers.
    Gives   one signal for each job; one without subject when no job is known.
    Empty   NotMeasured when no file states any of it.
    """
    deployment, cluster = deployment_of(evidence), cluster_of(evidence)
    jobs = jobs_of(evidence)
    measured = {job: known_facts(_facts(deployment, cluster, job, only=len(jobs) == 1)) for job in jobs}
    if not any(measured.values()):
        yield NotMeasured("deployment", "jobmanager-log", "no file states how the cluster runs")
        return
    for job, facts in measured.items():
        start = deployment.starts.get(job)
        cited = [*([start.citation] if start else []), *deployment.citations]
        yield Signal("deployment", Subject(job=job), facts, tuple(cited))


SERVICE = re.compile(r"\bhttps?://(?:[\w.-]{1,250}|\[[\da-fA-F:.]{2,45}\])(?::\d{1,5})?(?=[/?,;]|$)")
"""Scheme, host and port of an address, without the path and without a user's name."""


def _service(program: Sequence[str]) -> str | None:
    """The service that the program's arguments name; None for none or several."""
    services = {hit[0] for argument in program for hit in SERVICE.finditer(argument)}
    return services.pop() if len(services) == 1 else None


def _starts_of(process: str, starts: Sequence[ProcessStart]) -> dict[str, FactValue]:
    """Two lists of the same length and order; None instead of one that holds nothing."""
    arguments, jvm_options = [each.arguments for each in starts], [each.jvm_options for each in starts]
    return {
        f"{process}_arguments": arguments if any(arguments) else None,
        f"{process}_jvm_options": jvm_options if any(jvm_options) else None,
    }


def _facts(deployment: Deployment, cluster: Cluster, job: str | None, *, only: bool) -> dict[str, FactValue]:
    start = deployment.starts.get(job) or (deployment.starts.get(None) if only else None)
    on_it = [name for key, name in cluster.task_managers.items() if job in cluster.jobs_on.get(key, {job})]
    address, port = deployment.rest or (None, None)
    hosts = {without_port(each) for each in cluster.hosts.values()} | ({address} if address else set())
    return {
        "kind": deployment.kind,
        "mode": deployment.mode,
        "config_file": deployment.config_file,
        "home": deployment.home,
        "cluster_id": deployment.cluster_id,
        "namespace": deployment.namespace,
        "application_id": deployment.application_id,
        "rest_address": address,
        "rest_port": port,
        "hosts": sorted(hosts) or None,
        "zookeeper": list(deployment.zookeeper) or None,
        "kafka": deployment.kafka,
        "database_host": deployment.database.host if deployment.database else None,
        "database_port": deployment.database.port if deployment.database else None,
        "database_name": deployment.database.name if deployment.database else None,
        "database_user": deployment.database.user if deployment.database else None,
        "service": _service(start.program) if start else None,
        "jobmanager_log": deployment.log_files.get("jobmanager"),
        "task_manager_log": deployment.log_files.get("taskmanager"),
        **_starts_of("jobmanager", deployment.processes.get("jobmanager", ())),
        **_starts_of("task_manager", deployment.processes.get("taskmanager", ())),
        "task_managers": sorted(on_it) or None,
        "task_managers_by_host": sorted(Counter(map(host_of, cluster.hosts.values())).values()) or None,
        "task_manager": min(on_it, default=None),
        "program": list(start.program) if start else None,
        "jar": start.jar if start else None,
        "entry_class": start.entry_class if start else None,
    }


FACTS = {
    "kind": "kind of the cluster: standalone, yarn, kubernetes (native) or kubernetes operator",
    "mode": "mode of the cluster: session, application or per-job",
    "config_file": "configuration file that the processes loaded",
    "home": "folder of Flink",
    "cluster_id": "cluster id on Kubernetes",
    "namespace": "namespace on Kubernetes",
    "application_id": "application id on YARN",
    "rest_address": "host of the REST API",
    "rest_port": "port of the REST API",
    "hosts": "hosts of the JobManager and the TaskManagers",
    "zookeeper": "addresses of the ZooKeeper servers",
    "kafka": "addresses of the Kafka brokers",
    "database_host": "host of the database in a JDBC address",
    "database_port": "port of the database in a JDBC address",
    "database_name": "database in a JDBC address",
    "database_user": "user of the database in a JDBC address",
    "service": "address of the only service that the program was given by an http address",
    "jobmanager_log": "log file of the JobManager on its host",
    "task_manager_log": "log file of a TaskManager on its host",
    "jobmanager_arguments": "options (-D) with which JobManagers were started, each way of a start once",
    "jobmanager_jvm_options": "JVM options of JobManagers that no configuration states, in the order of the starts",
    "task_manager_arguments": "options (-D) with which TaskManagers were started, each way of a start once",
    "task_manager_jvm_options": "JVM options of TaskManagers that no configuration states, in the order of the starts",
    "task_managers": "ids of the TaskManagers that the job ran on",
    "task_managers_by_host": "number of TaskManagers that were seen on each host",
    "task_manager": "id of one TaskManager that the job ran on",
    "program": "options, JAR and arguments that the job was started with",
    "jar": "JAR of the job",
    "entry_class": "entry class of the job",
}

SIGNALS = (SignalDefinition("deployment", "job", FACTS, measure),)
