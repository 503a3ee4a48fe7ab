"""Failures because an outside system is unreachable or refuses the job: system, host and connector."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from diagnostics.evidence import Evidence
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.reconstruction.bugs.bug_appearances import repair_of
from diagnostics.reconstruction.bugs.connector_release import release_shown
from diagnostics.reconstruction.errors.blamed_fault import blamed_faults, came_before, shows_faults
from diagnostics.reconstruction.failures.fault import Fault, by_job, rounds_of
from diagnostics.signals.signal import Measured, NotMeasured, Signal, SignalDefinition, known_facts
from diagnostics.vocabulary.known_frames import OUTSIDE, known_frames
from diagnostics.vocabulary.message_remedies import known_message
from diagnostics.vocabulary.outside_addresses import system_at
from diagnostics.vocabulary.outside_refusals import (
    Refusal,
    client_error,
    clients_named_in,
    likely_refusal,
    refusal_of,
)
from diagnostics.vocabulary.outside_systems import outside_systems
from diagnostics.vocabulary.refusal_advice import refusal_advice

MOST_LISTED = 12
CONNECTOR = re.compile(
    r"(?:org\.apache\.flink\.(?:streaming\.|cdc\.)?connectors?|com\.ververica\.cdc\.connectors)\.([a-z0-9]{2,20})"
    r"|org\.apache\.flink\.streaming\.api\.functions\.(?:source|sink)\.(?:legacy\.)?(Socket)"
)
ORIGINS = ("network", "outside_system", "kafka_transactions", "storage")
"""Origins of such failures; a transaction that cannot begin indicates a broker that does not answer. Storage failures
during a snapshot are left to signals/checkpoint_declines.py.
"""
SERVICE = re.compile(
    r"\(Service: ([A-Za-z0-9]{2,40})[;,]|(?:com\.amazonaws|software\.amazon\.awssdk)\.services\.([a-z0-9]{2,40})\."
)
"""The service of AWS whose client reports: `(Service: Kinesis, Status Code: 400`, or its package."""
BETWEEN_PROCESSES = (
    "remote task manager",
    "to task manager '",
    "LocalTransportException",
    "RemoteTransportException",
    "PartitionConnectionException",
)
"""Texts of failures of a connection between Flink's own processes."""
OF_BLOBS = ("Failed to fetch BLOB", "Could not connect to BlobServer", "runtime.blob.BlobClient")
"""Texts of a connection to the JobManager's BLOB server. Source: Flink's BlobClient."""
OPENING = ("open", "initializeState", "createWriter", "createReader", "start", "establishConnectionAndExecute")
ENDED_CHECKPOINT = "hdfs-lease-of-checkpoint"
"""The entry of message_remedies/ for a file of a checkpoint that was given up."""
HOST = re.compile(
    r"UnknownHostException: ([A-Za-z0-9_.-]{1,200})"
    r"|(?<![A-Za-z0-9_.-])([A-Za-z0-9_.-]{1,200})/[\d.:\[\]a-f]{3,45}:\d{1,5}"
    r"|(?:Connection to|Connect to|DNS name|onnection refused:?|connect timed out:?) \(?([A-Za-z0-9_.-]{1,200}):\d{1,5}"
)
"""The host in the exception chain; texts have at most a few thousand characters."""


def measure(evidence: Evidence) -> Measured:
    """Failures of each job because an outside system is unreachable or refuses it.

    Reads   log_record, failure.
    Gives   one signal per job that failed, also when no failure is of that kind.
    Empty   NotMeasured without logs and exceptions.
    """
    if not shows_faults(evidence):
        yield NotMeasured("outside_faults", "jobmanager-log", "no log and no exceptions were given")
        return
    found = by_job(blamed_faults(evidence))
    for job in sorted(found, key=repr):
        yield _signal(job, found[job], evidence)


def refusal_in(fault: Fault) -> Refusal | None:
    """How an outside system failed (unreachable, refusing); None for other failures and for Flink's own processes.

    Where only the class of a client is known, the words of its message show how the system failed.
    """
    text = fault.chain
    if fault.origin.id not in ORIGINS or any(each in text for each in BETWEEN_PROCESSES):
        return None
    if fault.origin.id == "storage" and (fault.in_snapshot or _is_of_ended_checkpoint(text)):
        return None
    refusal = refusal_of(text)
    if refusal is None and not (fault.origin.id == "outside_system" and (_connectors(fault) or _named_with(text))):
        return None
    if refusal and fault.origin.id == "kafka_transactions" and (refusal.by_class or not refusal.says(text)):
        return None
    if refusal is None or refusal.by_class:
        return likely_refusal(fault.message, text) or client_error()
    return refusal


def _is_of_ended_checkpoint(text: str) -> bool:
    """Whether HDFS no longer has the file of a checkpoint that a task still writes: HDFS is right to refuse it."""
    known = known_message(text)
    return known is not None and known.id == ENDED_CHECKPOINT


def system_of(fault: Fault) -> str | None:
    """The outside system, from the text, a frame, a class, the connector's package, or the address."""
    known = outside_systems()
    systems = [known.protocols.get(each, each) for each in _systems_of(fault)]
    return next((each for each in systems if each not in known.families), systems[0] if systems else None)


def _systems_of(fault: Fault) -> Iterator[str]:
    """What names the system of a failure, the surest first."""
    yield from (system for text, system in outside_systems().marks.items() if text in fault.chain)
    frames, refusal = _frames(fault), refusal_of(fault.chain)
    if refusal and (named := refusal.system_in(fault.chain)):
        yield named
    if named := _named_with(fault.chain, fault.passed):
        yield named
    for each in (*frames, *fault.chain.split("\n")):
        meaning = known_frames().systems.meaning(each)
        if meaning is not None and meaning[1] in OUTSIDE:
            yield str(meaning[0])
    yield from _connectors(fault)
    yield from clients_named_in("\n".join((fault.chain, *frames)))
    if service := SERVICE.search(fault.chain):
        yield outside_systems().services.get(service[1] or service[2], "AWS")
    if fault.origin.id in ("network", "outside_system") and (at := system_at(fault.chain)):
        yield at


def _named_with(text: str, frames: Sequence[str] = ()) -> str | None:
    """The outside system that the entry of a known message names."""
    known = known_message(text, tuple(frames))
    return known.system if known else None


def _connectors(fault: Fault) -> list[str]:
    """The outside systems of the connectors among its frames."""
    packages = [hit[1] or hit[2] for frame in _frames(fault) if (hit := CONNECTOR.match(frame))]
    known = outside_systems().connectors
    return [known[each] for each in packages if each in known]


def host_of(fault: Fault) -> str | None:
    """The host that the exception chain names."""
    found = HOST.search(fault.chain)
    return next(filter(None, found.groups()), None) if found else None


def _answers(refusal: Refusal | None, system: str | None, host: str | None) -> bool | None:
    """Whether the system is reached; so is the code of a table format where no host is named."""
    if refusal is not None and system in outside_systems().table_formats and host is None:
        return True
    return refusal.answers if refusal else None


def advice_for(refusal: Refusal | None, remedy: str | None, system: str | None) -> str | None:
    """What to do about a refusal of this kind by this system; none beside the remedy of the message itself, which is
    narrower and may say the opposite, and none about tables for a system that has none.
    """
    if refusal is None or remedy:
        return None
    general = refusal.advice if refusal.how != CONFLICT or system in (None, *outside_systems().table_formats) else None
    return refusal_advice().get((refusal.how, system or ""), general)


CONFLICT = "another writer changed the same table at the same time"
"""How a system refuses two commits of one table; one of `outside_refusals.yaml`."""


def _own_writers(conflicts: Sequence[Fault], first: Fault, system: str | None) -> int | None:
    """How many subtasks of the task that conflicts were refused; None for one alone, and where they cannot conflict."""
    own = {each.subtask for each in conflicts if each.vertex == first.vertex and each.subtask is not None}
    return len(own) if len(own) > 1 and system in outside_systems().shared_on_commit else None


def _frames(fault: Fault) -> list[str]:
    return [each for each in (fault.frame, fault.thrown_in, fault.user_frame, *fault.own_frames) if each]


def _signal(job: str | None, faults: Sequence[Fault], evidence: Evidence) -> Signal:
    outside = [fault for fault in faults if refusal_in(fault)]
    facts: dict[str, FactValue] = {"failures": len(faults), "unreachable": len(outside)}
    stamps = [fault.ts_ms for fault in outside if fault.ts_ms is not None]
    if outside:
        first, rounds = outside[0], rounds_of(outside)
        refusal, system, host = refusal_in(first), system_of(first), host_of(first)
        answers, text = _answers(refusal, system, host), "\n".join((first.chain, *_frames(first)))
        remedy = repair_of(first, evidence)
        before = came_before(faults, first)
        is_vague = refusal is not None and refusal.by_class and not remedy
        newest = release_shown(first, evidence) if is_vague else None
        gaps = [later - earlier for earlier, later in pairwise(rounds)]
        facts |= {
            "kind": refusal.how if refusal else None,
            "lasting": refusal is not None and refusal.lasting,
            "answers": answers,
            "said": first.said,
            "remedy": remedy,
            "advice": advice_for(refusal, remedy, system),
            "connector_release": newest.release if newest else None,
            "connector_flink": newest.flink if newest else None,
            "own_writers": _own_writers(outside, first, system) if refusal and refusal.how == CONFLICT else None,
            "reported_by": first.reported_by,
            "system": system,
            "of_blobs": any(each in text for each in OF_BLOBS),
            "host": host,
            "opening": any(frame.rpartition(".")[2] in OPENING for frame in _frames(first)),
            "is_first": before is None,
            "before": before.said if before else None,
            "rounds": max(len(rounds), 1),
            "interval_ms": median(gaps) if gaps else None,
            "first_ms": min(stamps, default=None),
            "vertices": list(dict.fromkeys(each.vertex for each in outside if each.vertex))[:MOST_LISTED] or None,
        }
    return Signal(
        "outside_faults",
        Subject(job=job),
        known_facts(facts),
        tuple(fault.citation for fault in outside[:8]),
        citation_count=len(outside),
        window=(min(stamps), max(stamps)) if stamps else None,
    )


FACTS = {
    "failures": "failures of tasks or of the job, without those that only report another",
    "unreachable": "failures because an outside system could not be reached or refused the job",
    "own_writers": "subtasks of this job whose commits were refused",
    "kind": "kind of the refusal or of the missing connection",
    "lasting": "whether trying again does not help: it is so until somebody changes it",
    "answers": "whether the system is reached, and the failure is its answer",
    "said": "class and message of the innermost exception",
    "remedy": "repair of a failure with this message",
    "advice": "repair of a refusal of this kind",
    "connector_release": "newest known release of the connector at which it failed, for the Flink that runs",
    "connector_flink": "the version of Flink that runs, for which the connector's release is chosen",
    "reported_by": "who reports the failure; failure (of a task or job), process, client, error, warning, passed",
    "system": "outside system that the exception names",
    "of_blobs": "whether it is no outside system, but the JobManager's BLOB server",
    "host": "host that the exception names",
    "opening": "whether a function was being opened at the failure",
    "is_first": "whether it is the first failure of the job",
    "before": "another failure that came before it",
    "rounds": "attempts that failed with it; subtasks that fail together are one",
    "interval_ms": "median time from one to the next, ms",
    "first_ms": "first failure because of the outside system, epoch ms",
    "vertices": "tasks in which the failure happened",
}

SIGNALS = (SignalDefinition("outside_faults", "job", FACTS, measure),)
