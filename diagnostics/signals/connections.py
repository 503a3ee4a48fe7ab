"""Broken connections between Flink's own processes, and whether a process had ended before."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.failures.fault import Fault, faults_in
from diagnostics.reconstruction.failures.incident_log import Failure, IncidentLog, LogEvent, incident_log
from diagnostics.reconstruction.failures.process_end import process_ends
from diagnostics.reconstruction.failures.sought_jobmanager import sought_jobmanager
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.message_remedies import remedy_of

SHOWN = 8
TOGETHER_MS = 10_000
"""Processes that lose the same peer within this time have the same cause. Source: vocabulary/sources/bounds.yaml
net.reset.
"""
OWN = (
    "TransportException",
    "PartitionConnectionException",
    "PartitionNotFoundException",
    "remote task manager",
    "to task manager '",
)
"""Texts of failures of connections between Flink's processes, not to outside systems."""
KINDS: Mapping[str, tuple[str, ...]] = {
    "quarantined": ("has quarantined this system",),
    "wrong_address": ("non-local recipient",),
    "unknown_host": ("UnknownHostException", "Name or service not known", "Temporary failure in name resolution"),
    "no_route": ("No route to host", "Network is unreachable", "Host is unreachable"),
    "timed_out": (
        "onnection timed out",
        "connect timed out",
        "Connection timeout",
        "Operation timed out",
        "Detected unreachable",
        "not responding after a rpcTimeout",
    ),
    "refused": ("onnection refused",),
    "reset": ("Connection reset", "Broken pipe"),
    "not_found": ("PartitionNotFoundException",),
    "closed": ("unexpectedly closed",),
}
"""Reason -> texts of a broken connection, the most specific first. Source: log-signals.csv net.*, rpc.*."""
CALLS = ("not responding after a rpcTimeout", "Invocation of [RemoteRpcInvocation(", "Invocation of public ")
"""Texts of calls between Flink's processes that nobody answered within pekko.ask.timeout. Source: Execution.deploy and
PekkoInvocationHandler of Flink.
"""
PEER = re.compile(
    r"task manager (?:\+ )?'([^'\s\[]{1,200})"
    r"|(?:system|address|connection to|unreachable:|Association to) \[([^\]]{1,200})\]"
)
HOST = re.compile(r"(?:^|[@/])([A-Za-z0-9_.-]{1,200}):\d{1,5}|^([A-Za-z0-9_.-]{1,200})/")
"""Host in an error of the network stack, Akka or Pekko; matched in texts of at most 2,000 characters."""


def measure(evidence: Evidence) -> Measured:
    """Broken connections between processes, by reason and by peer.

    Reads   log_record, failure.
    Gives   one signal of the case, also when none broke.
    Empty   NotMeasured without logs and exceptions; additionally NotMeasured beside the signal when connections broke
            and no TaskManager's log is there.
    """
    if not (evidence.has_logs() or evidence.has("failure")):
        yield NotMeasured("connections", "taskmanager-log", "no log and no exceptions were given")
        return
    log = incident_log(evidence)
    faults: list[LogEvent | Failure] = [*log.of("connection"), *(each for each in log.failures if _is_own(_all(each)))]
    faults = [each for each in faults if not isinstance(each, LogEvent) or each.process != "client"]
    faults.sort(key=lambda each: (each.ts_ms is None, each.ts_ms or 0, each.file_id, each.line or 0))
    unregistered, faults = _since(log, ("registered",), faults), _since(log, ("registered", "job_state"), faults)
    by_kind = Counter(_kind(_all(each)) for each in faults)
    first_ms = next((each.ts_ms for each in faults if each.ts_ms is not None), None)
    facts: dict[str, FactValue] = {
        "broken": len(faults),
        **{kind: by_kind[kind] for kind in KINDS},
        "unanswered_calls": sum(any(text in _all(each) for text in CALLS) for each in faults),
        "processes": len({each.file_id for each in faults}),
        "first_ms": first_ms,
        "first_text": _said(faults[0]) if faults else None,
        "first_remedy": remedy_of(_all(faults[0])) if faults else None,
        **_peer(faults),
        **_sought_jobmanager(log, unregistered),
        **_ends(log, first_ms),
        **_first_fault(faults_in(evidence), faults),
    }
    stamps = [each.ts_ms for each in faults if each.ts_ms is not None]
    yield Signal(
        key="connections",
        subject=Subject(),
        facts=known_facts(facts),
        citations=tuple(each.cite() for each in faults[:SHOWN]),
        citation_count=log.count("connection"),
        window=(min(stamps), max(stamps)) if stamps else None,
    )
    if faults and "taskmanager" not in log.processes:
        yield NotMeasured("connections", "taskmanager-log", "no TaskManager's log shows what became of the other side")


def _since(log: IncidentLog, began: Sequence[str], faults: Sequence[LogEvent | Failure]) -> list[LogEvent | Failure]:
    """The broken connections since the first event of some kinds, all without one: what is refused before is normal.

    began  `registered`, and `job_state` but for a TaskManager that looks for the JobManager: a job that fails for want
           of slots shows no connection
    """
    stamps = [each.ts_ms for kind in began for each in log.of(kind) if each.ts_ms is not None]
    began_ms = min(stamps, default=None)
    return [each for each in faults if began_ms is None or each.ts_ms is None or each.ts_ms >= began_ms]


def _all(each: LogEvent | Failure) -> str:
    return f"{each.exception_class} {each.root_cause_class} {each.texts}"


def _is_own(text: str) -> bool:
    return any(word in text for word in OWN)


def _kind(text: str) -> str | None:
    return next((kind for kind, words in KINDS.items() if any(word in text for word in words)), None)


def _said(fault: LogEvent | Failure) -> str:
    """The exception of the broken connection, else the message; at most 200 characters."""
    if fault.root_cause_class and (fault.root_cause_message or not fault.exception_message):
        return f"{fault.root_cause_class.rpartition('.')[2]}: {fault.root_cause_message}"[:200]
    if fault.exception_class:
        return f"{fault.exception_class.rpartition('.')[2]}: {fault.exception_message}"[:200]
    return fault.texts[:200]


def _peer(told: Sequence[LogEvent | Failure]) -> dict[str, FactValue]:
    """The host that most processes lost at the same time."""
    by_host: dict[str, list[LogEvent | Failure]] = defaultdict(list)
    for each in told:
        found = PEER.search(_all(each))
        host = HOST.search(found[1] or found[2]) if found else None
        if host:
            by_host[host[1] or host[2]].append(each)
    if not by_host:
        return {}
    together = {host: _simultaneous_processes(events) for host, events in by_host.items()}
    name = max(sorted(by_host), key=lambda host: (together[host], len(by_host[host])))
    return {"peers": len(by_host), "peer": name, "peer_victims": together[name]}


def _sought_jobmanager(log: IncidentLog, told: Sequence[LogEvent | Failure]) -> dict[str, FactValue]:
    """How often a TaskManager did not reach the JobManager, where it looked for it, and whether it ever reached it."""
    sought = sought_jobmanager(log, told)
    return {
        "to_jobmanager": sought.failed,
        "jobmanager": sought.address,
        "search": sought.lasting,
        "search_refused": sought.refused,
        "search_local": sought.is_local,
        "search_id": sought.is_id,
        "jobmanager_port": sought.port,
    }


def _simultaneous_processes(events: Sequence[LogEvent | Failure]) -> int:
    """Highest number of processes that reported the loss within TOGETHER_MS."""
    timed = [(each.ts_ms, each.file_id) for each in events if each.ts_ms is not None]
    return max(
        (len({file for ts, file in timed if 0 <= ts - start <= TOGETHER_MS}) for start, _ in timed),
        default=len({each.file_id for each in events}),
    )


def _ends(log: IncidentLog, first_ms: int | None) -> dict[str, FactValue]:
    """Process ends around the first broken connection: an ended process closes its connections."""
    near = [each for each in process_ends(log) if each.explains(first_ms)] if first_ms is not None else []
    return {"ends": len(near), "ends_how": list(dict.fromkeys(each.how for each in near)) or None}


def _first_fault(found: Sequence[Fault], connection_faults: Sequence[LogEvent | Failure]) -> dict[str, FactValue]:
    """Whether the job's first failure was a broken connection, and its reason."""
    if not found:
        return {}
    first = found[0]
    text = f"{first.exception} {first.message}"
    same = [each for each in connection_faults if each.ts_ms is not None and each.ts_ms == first.ts_ms]
    texts = " ".join([text, *(_all(each) for each in same[:SHOWN])])
    is_own = _is_own(text) or bool(same)
    return {"is_first_fault": is_own, "first_fault_kind": (_kind(texts) or "closed") if is_own else None}


SIGNALS = (
    SignalDefinition(
        key="connections",
        level="case",
        facts={
            "broken": "broken connections between processes, or processes that could not be reached",
            "quarantined": "broken connections because the other process refuses this one until it starts anew",
            "wrong_address": "broken connections because messages came for another address than the process has",
            "unknown_host": "broken connections because a name could not be resolved",
            "no_route": "broken connections because there is no way to the host",
            "timed_out": "broken connections because nothing answered in time",
            "unanswered_calls": "calls between Flink's processes that were not answered in time",
            "refused": "broken connections because nothing listens at the address; the host answers, the process is "
            "gone",
            "reset": "because the other side, or something between, cut it",
            "not_found": "because the other process does not have the result partition",
            "closed": "because the other side closed it without a reason given",
            "processes": "processes or answers that tell of it",
            "first_ms": "the first, epoch ms",
            "first_text": "message of the first broken connection",
            "first_remedy": "repair of a connection that broke with this message",
            "peers": "hosts to which connections broke",
            "peer": "the host that most processes lost together",
            "to_jobmanager": "times that a TaskManager did not reach the JobManager",
            "jobmanager": "address at which the TaskManagers looked for the JobManager",
            "search": "failed attempts of a TaskManager that had not found the JobManager when its log ended",
            "search_refused": "whether nothing listened for it at that address",
            "search_local": "whether that address is the TaskManager's own host",
            "search_id": "whether the host in that address is the id of a container",
            "jobmanager_port": "port at which the JobManager listens, where the TaskManagers try another one",
            "peer_victims": "processes that lost this host within 10 s",
            "ends": "processes that ended around the first broken connection, those with an OutOfMemoryError included",
            "ends_how": "how they ended",
            "is_first_fault": "whether the first failure of a job is a broken connection",
            "first_fault_kind": "kind of the broken connection that is the first failure; one of the reasons above",
        },
        measure=measure,
    ),
)
