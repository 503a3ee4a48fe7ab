"""Facts about a log's process: its kind, its Flink version, its JVM's options and its configuration."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.notation.jvm_flag import flag_facts
from diagnostics.notation.secret_option import MASK, is_secret, masked

OPERATOR = "operator"
"""The Kubernetes operator."""

CLASSES = {
    "jobmanager": (
        "ClusterEntrypoint",
        "StandaloneSessionClusterEntrypoint",
        "StandaloneApplicationClusterEntryPoint",
        "KubernetesApplicationClusterEntrypoint",
        "KubernetesSessionClusterEntrypoint",
        "YarnJobClusterEntrypoint",
        "YarnSessionClusterEntrypoint",
        "YarnApplicationClusterEntryPoint",
        "JobMaster",
        "StandaloneDispatcher",
        "MiniDispatcher",
        "Dispatcher",
        "StandaloneResourceManager",
        "ActiveResourceManager",
        "CheckpointCoordinator",
        "CheckpointFailureManager",
        "ExecutionGraph",
        "DefaultExecutionGraph",
        "DefaultScheduler",
        "AdaptiveScheduler",
        "SourceCoordinator",
        "DispatcherRestEndpoint",
        "DeclarativeSlotPool",
    ),
    "taskmanager": (
        "TaskManagerRunner",
        "YarnTaskExecutorRunner",
        "KubernetesTaskExecutorRunner",
        "TaskExecutor",
        "Task",
        "StreamTask",
        "TaskSlotTableImpl",
        "NetworkBufferPool",
        "DefaultJobLeaderService",
        "TaskManagerServices",
        "AsyncCheckpointRunnable",
        "SubtaskCheckpointCoordinatorImpl",
        "SourceReaderBase",
    ),
    "client": ("CliFrontend", "RestClusterClient", "ClientUtils", "SqlClient", "DefaultCLI", "GenericCLI"),
    "zookeeper": ("QuorumPeerMain", "QuorumPeer", "ZooKeeperServer", "ZooKeeperServerMain", "NIOServerCnxnFactory"),
    OPERATOR: (
        "FlinkOperator",
        "FlinkDeploymentController",
        "FlinkSessionJobController",
        "FlinkResourceContextFactory",
        "FlinkConfigManager",
        "ScalingExecutor",
        "AuditUtils",
        "JobStatusObserver",
        "AbstractFlinkDeploymentObserver",
        "ApplicationReconciler",
        "AbstractFlinkResourceReconciler",
        "AbstractFlinkService",
        "NativeFlinkService",
        "ReconciliationUtils",
    ),
}
"""Loggers that occur in one kind of process only. In application mode a JobManager's log also has the client's
classes.
"""

LOGGED_PROCESSES = ("jobmanager", "taskmanager", "client")
"""The kinds in the column `log_record.process`."""

CLEAR_MAJORITY = 5
"""Ratio of records of one kind to the other from which a file belongs to that kind; below, to a MiniCluster. Our
choice.
"""

VERSION = re.compile(rb"([0-9][\w.+-]{0,40}), ")

SCRIPT_PREFIX = "INFO  [] - "
"""Prefix of the lines that Flink's start script prints without a time."""

_HEAP = re.compile(r"^Maximum heap size: (\d{1,12}) MiBytes")
_LOADED = re.compile(r"^Loading configuration property: ([^,]{1,300}), ?(.*)$", re.DOTALL)
_DYNAMIC = re.compile(r"^([A-Za-z][\w.-]{1,300})=(.*)$", re.DOTALL)
_STARTING = re.compile(r"^Starting ([A-Za-z][\w ]{1,80}) \(Version: ")
_FILE = re.compile(r"^Using (?:standard|legacy) YAML parser to load flink configuration file from (\S.{0,500})\.$")
_LOG_FILE = re.compile(r"^-Dlog\.file=(\S.{0,500})$")
_GC_LOG = re.compile(r'^-Xlog(?:gc|:[^:]{0,200}\bgc\b[^:]{0,200}):(?:file=)?"?(/[^:"%]{1,500})"?(?::|$)')
"""Where a JVM writes its GC log: `-Xlog:gc*:file=...`, before JDK 9 `-Xloggc:...`; not a name that the JVM completes.
Source: JDK's java command, -Xlog."""
_HOME = re.compile(r"^Classpath: (?:[^:]{0,500}:)*?(/[^:]{1,400})/lib/flink-[^:/]{1,200}\.jar(?::|$)")
_OF_SCRIPT = re.compile(
    r"taskmanager\.(?:memory\.|cpu\.cores$|numberOfTaskSlots$)|jobmanager\.memory\.|external-resources$"
)
"""Arguments that Flink's start scripts add by themselves. Source: Flink's TaskExecutorProcessUtils and
JobManagerProcessUtils, generateDynamicConfigsStr."""
_OF_JVM_SCRIPT = re.compile(
    r"-X(?:mx|ms)\d|-XX:(?:MaxDirectMemorySize|MaxMetaspaceSize|MaxPermSize)=|-XX:\+(?:UseG1GC|IgnoreUnrecognizedVMOptions)$"
    r"|-Dlog(?:\.file|4j\.configuration(?:File)?|back\.configurationFile)=|--add-(?:exports|opens)="
)
"""JVM options that Flink's start scripts add by themselves. Source: Flink's config.sh, taskmanager.sh, flink-daemon.sh,
and ProcessMemoryUtils.generateJvmParametersStr."""
SUBMITTING = ("run", "run-application")
"""Actions of the command line client that start a job. Source: Flink's CliFrontend."""
MOST_OPTIONS = 500
"""Lines of a start-up banner that are read."""


def role_of(loggers: pa.Array) -> str | None:
    """The kind of process, from its loggers: jobmanager, taskmanager, client, zookeeper, operator, minicluster."""
    counts: dict[str, int] = dict.fromkeys(CLASSES, 0)
    for each in pc.value_counts(loggers).to_pylist():
        simple = (each["values"] or "").rpartition(".")[2].partition("$")[0]
        for kind, classes in CLASSES.items():
            counts[kind] += each["counts"] if simple in classes else 0
    if counts["jobmanager"] and counts["taskmanager"]:
        larger, smaller = sorted((counts["jobmanager"], counts["taskmanager"]), reverse=True)
        if larger < smaller * CLEAR_MAJORITY:
            return "minicluster"
    if counts["jobmanager"] or counts["taskmanager"]:
        counts["client"] = 0
    kind = max(counts, key=lambda each: counts[each])
    return kind if counts[kind] else None


def version_at(buffer: bytes, end: int) -> str | None:
    """Flink's version after VERSION_MARK in a start-up banner: `Starting ... (Version: 1.20.5, Scala: ...`."""
    found = VERSION.match(buffer, end)
    return found.group(1).decode() if found else None


def options_of(messages: Sequence[str | None], place: Sequence[int], role: str | None) -> Iterator[dict[str, Any]]:
    """Rows of `config_option` from start-up messages, with `record`, the number of the record.

    messages  of some records in file order, with leading spaces
    place     the record numbers
    """
    process = role if role in LOGGED_PROCESSES else None
    section: str | None = None
    awaited = False
    since = 0
    client: list[str] = []
    started: list[str] = []
    jvm: list[str] = []
    for record, message in zip(place, messages, strict=True):
        said = (message or "").strip().removeprefix(SCRIPT_PREFIX)
        if client and not (section == "Program Arguments:" and (message or "").startswith("    ")):
            yield _option(record, "environment", process, "client.arguments", shlex.join(_without_secrets(client)))
            client = []
        for key, value in _process_facts(said):
            yield _option(record, "environment", process, key, value)
        heap, loaded = _HEAP.match(said), _LOADED.match(said)
        if loaded:
            key, value = loaded.group(1).strip(), loaded.group(2)
            yield _option(record, "cluster", process, key, masked(key, value))
        elif heap:
            yield _option(record, "jvm", process, "heap.max", str(int(heap.group(1)) * 1024 * 1024))
        elif said in ("JVM Options:", "Program Arguments:"):
            yield from _jvm_options(record, process, jvm)
            jvm = []
            section, awaited, since = said, False, record
        elif section and ((message or "").startswith("    ") and record - since <= MOST_OPTIONS):
            if section == "JVM Options:":
                jvm.append(said)
                for key, value in flag_facts(said):
                    yield _option(record, "jvm", process, key, value)
            elif client or said in SUBMITTING:
                client.append(said)
            else:
                dynamic = list(_dynamic(record, process, said, awaited=awaited))
                yield from dynamic
                started += [f"{each['key']}={each['value']}" for each in dynamic if not _OF_SCRIPT.match(each["key"])]
                awaited = said == "-D"
        else:
            yield from _arguments(record, process, started)
            section, started = None, []
    yield from _arguments(place[-1] if place else 0, process, started)
    if client:
        yield _option(place[-1], "environment", process, "client.arguments", shlex.join(_without_secrets(client)))


def _dynamic(record: int, process: str | None, said: str, *, awaited: bool) -> Iterator[dict[str, Any]]:
    """The option of a program argument `-Dkey=value`, or of one after `-D`."""
    dynamic = _DYNAMIC.match(said.removeprefix("-D")) if awaited or said.startswith("-D") else None
    if dynamic:
        key = dynamic.group(1)
        yield _option(record, "cluster", process, key, masked(key, dynamic.group(2)))


def _arguments(record: int, process: str | None, started: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The options with which somebody started a JobManager or TaskManager, `key=value`; not those of the script."""
    if started and process in ("jobmanager", "taskmanager"):
        yield _option(record, "environment", process, "process.arguments", shlex.join(started))


def _jvm_options(record: int, process: str | None, jvm: Sequence[str]) -> Iterator[dict[str, Any]]:
    """The JVM options of a JobManager or TaskManager that Flink's scripts did not compute; empty without one."""
    if jvm and process in ("jobmanager", "taskmanager"):
        words = shlex.join(masked("", each) or "" for each in jvm if not _OF_JVM_SCRIPT.match(each))
        yield _option(record, "environment", process, "process.jvm_options", words)


def _process_facts(said: str) -> Iterator[tuple[str, str]]:
    """What a start-up message states about its process: entry point, configuration file, log file, Flink's folder.

    No key may end like a host name, as `flink.home` does: redaction would replace it.
    """
    matches = {
        "process.entrypoint": _STARTING.match(said),
        "config.file": _FILE.match(said),
        "log.file": _LOG_FILE.match(said),
        "gc.log.file": _GC_LOG.match(said),
        "flink.directory": _HOME.match(said),
    }
    yield from ((key, match.group(1)) for key, match in matches.items() if match)


def _without_secrets(arguments: Sequence[str]) -> Iterator[str]:
    """The arguments of a program; the value after or in one whose name is that of a secret is masked."""
    hidden = False
    for each in arguments:
        name, equals, _ = each.partition("=")
        yield MASK if hidden else f"{name}={MASK}" if equals and is_secret(name) else each
        hidden = not equals and each.startswith("-") and is_secret(each)


def _option(record: int, scope: str, process: str | None, key: str, value: str | None) -> dict[str, Any]:
    return {"record": record, "scope": scope, "process": process, "key": key, "value": value}
