"""How the cluster of a job runs and how the job was started: what commands need to reach its processes and files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from diagnostics.citation import Citation
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import only_one
from diagnostics.reconstruction.configuration.stated_settings import Stated, stated_options
from diagnostics.reconstruction.failures.incident_log import incident_log

STANDALONE, YARN, KUBERNETES, OPERATOR = "standalone", "yarn", "kubernetes", "kubernetes operator"

RUNNERS = {"TaskManager": STANDALONE, "YARN TaskExecutor runner": YARN, "Kubernetes TaskExecutor runner": KUBERNETES}
"""Name of a TaskManager in its start-up banner -> kind of deployment. Source: Flink's own log statements."""

APPLICATION_ID = re.compile(r"\bapplication_\d{10,16}_\d{1,9}\b")
"""Id of an application of YARN. Source: Hadoop's ApplicationId."""

GENERATED_BY_OPERATOR = "flink_op_generated_"
"""Part of the names of pod templates that Flink's Kubernetes operator writes. Source: the operator's FlinkUtils."""

ENDPOINT = re.compile(
    r"^(?:Web frontend|Rest endpoint) listening at (?:https?://)?([\w.-]{1,250}|\[[\da-fA-F:.]+\]):(\d+)"
)
"""Where the REST API listens. Source: Flink's own log statements, RestServerEndpoint and WebMonitorEndpoint."""

SUBMITTED = re.compile(
    r"(?:submission|Submitting job) '(?P<name>[^']{1,200})' \((?P<id>[0-9a-f]{32})\)"
    r"|(?:submission|Submitting job) (?P<old_id>[0-9a-f]{32}) \((?!detached:)(?P<old_name>[^\n]{1,200})\)\.$"
)
"""Submissions of a job, by the client and the Dispatcher, since Flink 1.11 and before. Source: Flink's own log
statements, RestClusterClient and Dispatcher."""

JDBC = re.compile(
    r"\bjdbc:[a-z]{2,20}://(?P<host>[\w.-]{1,250})(?::(?P<port>\d{1,5}))?/(?P<name>[\w.-]{1,63})?"
    r"(?:\?(?:[^\s'\"?&]{0,200}&){0,20}user=(?P<user>[\w.-]{1,63})(?=[&'\"\s]|$))?"
)
"""Host, port, database and user of a JDBC address."""

ANY_ADDRESS = ("0.0.0.0", "[::]", "[0:0:0:0:0:0:0:0]")  # noqa: S104
"""An address to listen at that is no address to connect to."""

WITH_VALUE = re.compile(
    r"-[cpCtDz]|--(?:class|parallelism|classpath|target|python|py[A-Z]\w+)|-py(?:m|fs|arch|req|exec|clientexec)?"
    r"|-y(?:id|jm|tm|s|nm|qu|D|t|z)"
)
REPLACED_WITH_VALUE = frozenset(["-s", "--fromSavepoint", "-m", "--jobmanager", "-rm", "--restoreMode"])
REPLACED = frozenset(["-d", "--detached", "-n", "--allowNonRestoredState", "-sae", "--shutdownOnAttachedExit"])
"""Options of `flink run`: kept with their value, and those that a later start states anew. Source: Flink
documentation, Command-Line Interface."""

MOST_ARGUMENTS = 80
"""Words of a start that are kept. Our choice."""


@dataclass(frozen=True, slots=True)
class Start:
    """How the command line client started a job.

    program  options of `flink run` that a later start repeats, the JAR, and the arguments of the program
    """

    program: tuple[str, ...]
    jar: str | None
    entry_class: str | None
    citation: Citation


@dataclass(frozen=True, slots=True)
class Database:
    """A database as the JDBC addresses state it; `name` and `user` are None where they differ or are not stated."""

    host: str
    port: str | None = None
    name: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class ProcessStart:
    """How a process was started: its options (-D), `key=value`, and the JVM options that no configuration states."""

    arguments: str = ""
    jvm_options: str = ""


@dataclass(frozen=True, slots=True)
class Deployment:
    """How the cluster runs; what no file states is None.

    kind         standalone, yarn, kubernetes (native) or kubernetes operator
    mode         session, application or per-job
    config_file  the configuration file that the processes loaded
    rest         (address, port) of the REST API
    zookeeper    addresses of ZooKeeper's servers, `host:port`
    kafka        addresses of the Kafka brokers that the clients were given
    database     the only database in a JDBC address
    log_files    kind of process -> log file on its host
    processes    kind of process -> how its processes were started, each way once
    starts       job id -> its start; None for the start of the only job
    """

    kind: str | None = None
    mode: str | None = None
    config_file: str | None = None
    rest: tuple[str, int] | None = None
    home: str | None = None
    cluster_id: str | None = None
    namespace: str | None = None
    application_id: str | None = None
    zookeeper: Sequence[str] = ()
    kafka: str | None = None
    database: Database | None = None
    log_files: Mapping[str, str] = field(default_factory=dict)
    processes: Mapping[str, Sequence[ProcessStart]] = field(default_factory=dict)
    starts: Mapping[str | None, Start] = field(default_factory=dict)
    citations: Sequence[Citation] = ()


@read_once
def deployment_of(evidence: Evidence) -> Deployment:
    """How the cluster runs, computed once for each Evidence.

    Reads   config_option (start-up messages, configurations, REST answers), log_record (submissions, REST endpoint).
    """
    stated: dict[str, Stated] = {}
    for each in stated_options(evidence):
        if each.scope in ("cluster", "environment") and each.value:
            stated.setdefault(each.key, each)
    entry_points = [each for each in stated_options(evidence) if each.key == "process.entrypoint" and each.value]
    kind, mode = _kind(entry_points, stated)
    processes = [each for each in stated_options(evidence) if each.key == "log.file" and each.value]
    used = [
        stated[key] for key in ("config.file", "rest.port", "rest.address", "kubernetes.cluster-id") if key in stated
    ]
    return Deployment(
        kind=kind,
        mode=mode,
        config_file=_value(stated, "config.file"),
        rest=_rest(evidence, stated),
        home=_value(stated, "flink.directory"),
        cluster_id=_value(stated, "kubernetes.cluster-id"),
        namespace=_value(stated, "kubernetes.namespace"),
        application_id=_application_id(stated.values()) if kind == YARN else None,
        zookeeper=_zookeeper(_value(stated, "high-availability.zookeeper.quorum")),
        kafka=_kafka(stated_options(evidence)),
        database=_database(stated_options(evidence)),
        log_files={each.process or "": each.value or "" for each in reversed(processes)},
        processes=_processes(stated_options(evidence)),
        starts=_starts(evidence),
        citations=[each.citation for each in [*entry_points[:1], *used]],
    )


def _processes(options: Sequence[Stated]) -> dict[str, list[ProcessStart]]:
    """In a log the JVM options of a start stand before its arguments; a start without arguments states none."""
    configured = {word for each in options if each.key.startswith("env.java.") for word in (each.value or "").split()}
    starts_of: dict[str, set[ProcessStart]] = {}
    jvm: dict[tuple[str, int], str] = {}
    for option in sorted(options, key=lambda each: (each.citation.file_id, each.citation.line or 0)):
        if not option.process or option.value is None:
            continue
        process = (option.process, option.citation.file_id)
        if option.key == "process.jvm_options":
            if process in jvm:
                starts_of.setdefault(option.process, set()).add(ProcessStart("", jvm[process]))
            jvm[process] = shlex.join(word for word in shlex.split(option.value) if word not in configured)
        elif option.key == "process.arguments":
            starts_of.setdefault(option.process, set()).add(ProcessStart(option.value, jvm.pop(process, "")))
    for (kind, _), words in jvm.items():
        starts_of.setdefault(kind, set()).add(ProcessStart("", words))
    return {kind: sorted(ways) for kind, ways in starts_of.items()}


def _value(stated: Mapping[str, Stated], key: str) -> str | None:
    return stated[key].value if key in stated else None


def _kind(entry_points: Sequence[Stated], stated: Mapping[str, Stated]) -> tuple[str | None, str | None]:
    """Kind and mode, from the entry points that the processes name, else from options of one kind only."""
    kind = mode = None
    for name in (each.value or "" for each in entry_points):
        kind = kind or RUNNERS.get(name)
        if "Cluster" in name:
            kind = STANDALONE if name.startswith("Standalone") else YARN if name.startswith("Yarn") else KUBERNETES
            mode = "session" if "Session" in name else "application" if "Application" in name else "per-job"
            break
    if kind is None and "kubernetes.cluster-id" in stated:
        kind = KUBERNETES
    if kind == KUBERNETES and any(_is_operators(each) for each in stated.values()):
        kind = OPERATOR
    return kind, mode


def _is_operators(stated: Stated) -> bool:
    return stated.key.startswith("kubernetes.operator.") or GENERATED_BY_OPERATOR in (stated.value or "")


def _application_id(stated: Iterable[Stated]) -> str | None:
    found = {hit.group() for each in stated for hit in APPLICATION_ID.finditer(each.value or "")}
    return next(iter(found)) if len(found) == 1 else None


def _rest(evidence: Evidence, stated: Mapping[str, Stated]) -> tuple[str, int] | None:
    """Where the REST API listens: as configured, else as the JobManager logged it."""
    listening = [hit for each in incident_log(evidence).of("rest_endpoint") if (hit := ENDPOINT.match(each.message))]
    port = _value(stated, "rest.port") or (listening[-1].group(2) if listening else None)
    address = _value(stated, "rest.address") or (listening[-1].group(1) if listening else None)
    if address in ANY_ADDRESS or address is None:
        address = _value(stated, "jobmanager.rpc.address")
    if address is None or port is None or not port.isdecimal() or not 0 < int(port) < 65_536:
        return None
    return address, int(port)


def _zookeeper(quorum: str | None) -> list[str]:
    """The servers, each with its port; 2181 is ZooKeeper's default."""
    servers = [each.strip() for each in (quorum or "").partition("/")[0].split(",") if each.strip()]
    return [each if ":" in each else f"{each}:2181" for each in servers]


def _kafka(options: Iterable[Stated]) -> str | None:
    """`host:port,host:port` of the brokers, when all clients were given the same ones."""
    keys = ("bootstrap.servers", "properties.bootstrap.servers")
    given = {(each.value or "").strip(" []").replace(" ", "") for each in options if each.key in keys}
    return next(iter(given)) if len(given) == 1 else None


def _database(options: Iterable[Stated]) -> Database | None:
    addresses = [hit for each in options for hit in JDBC.finditer(each.value or "")]
    if len({(each["host"], each["port"]) for each in addresses}) != 1:
        return None
    names, users = {each["name"] for each in addresses}, {each["user"] for each in addresses}
    return Database(addresses[0]["host"], addresses[0]["port"], only_one(names), only_one(users))


def _starts(evidence: Evidence) -> Mapping[str | None, Start]:
    """The start of each job: the arguments of the client before its submission in the same log."""
    arguments = [each for each in stated_options(evidence) if each.key == "client.arguments" and each.value]
    arguments.sort(key=lambda each: (each.citation.file_id, each.citation.line or 0))
    submissions = [
        (each.file_id, each.line or 0, hit["id"] or hit["old_id"])
        for each in incident_log(evidence).of("submitted")
        if (hit := SUBMITTED.search(each.message))
    ]
    starts: dict[str | None, Start] = {}
    for number, each in enumerate(arguments):
        start = _start(each)
        place = (each.citation.file_id, each.citation.line or 0)
        following = arguments[number + 1].citation if number + 1 < len(arguments) else None
        end = following.line or 0 if following and following.file_id == place[0] else float("inf")
        jobs = [job for file_id, line, job in submissions if file_id == place[0] and place[1] <= line < end]
        if start and jobs:
            starts[jobs[0]] = start
        elif start and len(arguments) == 1:
            starts[None] = start
    return starts


def _start(stated: Stated) -> Start | None:
    try:
        words = shlex.split(stated.value or "")[1:]
    except ValueError:
        return None
    if not words or len(words) > MOST_ARGUMENTS:
        return None
    kept: list[str] = []
    entry_class = None
    place = 0
    while place < len(words) and words[place].startswith("-"):
        word, value = words[place], words[place + 1] if place + 1 < len(words) else None
        if WITH_VALUE.fullmatch(word) and value is not None:
            kept += [word, value]
            entry_class = value if word in ("-c", "--class") else entry_class
            place += 2
        elif word in REPLACED_WITH_VALUE:
            place += 2
        else:
            kept += [] if word in REPLACED else [word]
            place += 1
    jar = words[place] if place < len(words) else None
    return Start((*kept, *words[place:]), jar, entry_class, stated.citation)


@read_once
def submitted_ms(evidence: Evidence) -> Mapping[str, int]:
    """Job -> its first submission in a log, by the clock of the log; not the recovery of a job that ran before."""
    times: dict[str, int] = {}
    for event in incident_log(evidence).of("submitted"):
        found = SUBMITTED.search(event.message)
        if found and event.ts_ms is not None:
            job_id = found["id"] or found["old_id"]
            times[job_id] = min(event.ts_ms, times.get(job_id, event.ts_ms))
    return times
