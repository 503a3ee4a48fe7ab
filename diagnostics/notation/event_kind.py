"""Which kinds of single events a log record tells: a failure, a lost TaskManager, a leader that changed.

Told once while a file is read: one regular expression over all texts finds the few records that may tell something, and
only these are looked at one by one. In Spark the same questions to every record took a third of the processor time of
an analysis of 50 MB of logs.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any

import re2

if TYPE_CHECKING:
    import pyarrow as pa

Record = Mapping[str, Any]
"""A row of `log_record`, of the columns in READ."""

TEXTS = ("message", "reason", "exception_class", "exception_message", "root_cause_class", "root_cause_message")
READ = (*TEXTS, "level", "logger", "process", "event", "state_to")


@dataclass(frozen=True, slots=True)
class Told:
    """A condition on a record. Combined by `&`, `|` and `~`.

    holds    whether a record fulfils it
    texts    a record that fulfils it holds one of these in one of its TEXTS,
    events   or its event fits one of these regular expressions,
    columns  or one of these columns is known. All three empty: it says nothing about where to look
    """

    holds: Callable[[Record], bool]
    texts: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()
    columns: frozenset[str] = frozenset()

    @property
    def can_be_found(self) -> bool:
        """Whether it says where to look."""
        return bool(self.texts or self.events or self.columns)

    def __and__(self, other: Told) -> Told:
        where = self if self.can_be_found else other
        return Told(lambda it: self.holds(it) and other.holds(it), where.texts, where.events, where.columns)

    def __or__(self, other: Told) -> Told:
        either = Told(lambda it: self.holds(it) or other.holds(it))
        if not (self.can_be_found and other.can_be_found):
            return either
        texts, events = self.texts | other.texts, self.events | other.events
        return replace(either, texts=texts, events=events, columns=self.columns | other.columns)

    def __invert__(self) -> Told:
        return Told(lambda it: not self.holds(it))


def _message(text: str) -> Told:
    return Told(lambda it: text in (it["message"] or ""), frozenset((text,)))


def _starts(*texts: str) -> Told:
    return Told(lambda it: (it["message"] or "").startswith(texts), frozenset(texts))


def _anywhere(*texts: str) -> Told:
    return Told(lambda it: any(text in it[name] for name in TEXTS if it[name] for text in texts), frozenset(texts))


def _event(*patterns: str) -> Told:
    expressions = [re.escape(pattern).replace(r"\*", ".*") for pattern in patterns]
    fits = re.compile("|".join(expressions)).fullmatch
    return Told(lambda it: it["event"] is not None and fits(it["event"]) is not None, events=frozenset(expressions))


def _known(column: str) -> Told:
    return Told(lambda it: it[column] is not None, columns=frozenset((column,)))


def _is(column: str, *values: str) -> Told:
    return Told(lambda it: it[column] in values)


KINDS: Mapping[str, Told] = {
    "job_state": _message("switched from state ") & _starts("Job "),
    "task_failed": _message(" to FAILED") & _message(" switched from ") & ~_starts("Job "),
    "lost": (
        _message("of TaskManager with id ") & _message(" timed out")
        | _message("TaskManager with id ") & _message(" is no longer reachable")
    )
    & ~_starts("Closing ", "Disconnect "),
    "closed": _starts("Closing TaskExecutor connection "),
    "registered": _starts("Registering TaskManager with ResourceID "),
    "started": _starts("Starting TaskManager with ResourceID"),
    "no_resource": _anywhere(
        "NoResourceAvailableException",
        "Could not acquire the minimum required resources",
        "Slot request bulk is not fulfillable",
        "Could not allocate the required slot within slot request timeout",
        "Could not allocate enough slots to run the job",
        "Not enough resources available for scheduling",
    ),
    "buffers": _anywhere("Insufficient number of network buffers"),
    "unschedulable": _event("k8s.event.unschedulable"),
    "exclusive_buffers": _anywhere("Timeout triggered when requesting exclusive buffers"),
    "oom": _anywhere("OutOfMemoryError"),
    "killed": _anywhere(
        "OOMKilled",
        "exitCode=137",
        "Exit code is 137",
        "PHYSICAL' memory limit",
        "beyond physical memory limits",
        "beyond virtual memory limits",
        "Memory cgroup out of memory",
    ),
    "stuck": _event("task.cancel.stuck*", "task.cancel.timeout"),
    "managed_refused": _anywhere("MemoryReservationException", "MemoryAllocationException"),
    "small_arena": _event("rocks.arena.warn"),
    "strategy": _starts("Using restart back off time strategy ", "Using restart strategy "),
    "state_limit": _anywhere("larger than the maximum permitted memory-backed state"),
    "frame_size": _anywhere("exceeds the maximum akka framesize", "exceeds the maximum pekko framesize"),
    "tolerance_exceeded": _anywhere("Exceeded checkpoint tolerable failure threshold"),
    "refused_setting": _anywhere("IllegalConfigurationException", "Could not parse value "),
    "version": _message("(Version: "),
    "failure": (
        _message(" to FAILED")
        | _starts(
            "Job ",
            "Trying to recover from a global failure",
            "Failed to submit job ",
            "Application failed unexpectedly",
        )
    )
    & _known("exception_class"),
    "pasted": _known("exception_class") & ~_known("level") & ~_known("logger"),
    "coordination_lost": _event("zk.leader.*") & ~_event("zk.leader.reconnected")
    | _event("zk.retrieval.*", "zk.jobgraph.*", "k8sha.lock.*", "k8sha.cm.*", "k8s.leader.renew")
    | _event("zk.client.*") & ~_event("zk.client.established")
    | _event("zk.curator.*") & (~_event("zk.curator.state") | _is("state_to", "SUSPENDED", "LOST"))
    | _anywhere("KeeperErrorCode = ConnectionLoss", "KeeperErrorCode = SessionExpired", "KeeperErrorCode = Operation"),
    "coordination_back": _event("zk.client.established", "k8sha.leader.elected")
    | _event("zk.curator.state") & _is("state_to", "CONNECTED", "RECONNECTED"),
    "coordination_server": _event("zk.server.*") & ~_event("zk.server.closed"),
    "leadership": _event("ha.*.revoked*", "ha.*.granted")
    | (_message("lost leadership") | _anywhere("is no longer the leader")) & _is("process", "jobmanager"),
    "process_end": _event(
        "res.jm.entry.fatal",
        "res.tm.runner.fatal",
        "res.tm.fatal",
        "res.tm.exit",
        "task.fatal",
        "process.signal",
        "res.worker.terminated",
        "k8s.pod.terminated",
    ),
    "process_start": _event("layout.banner"),
    "peer_lost": _event("hb.jm", "hb.jm.unreachable", "hb.rm", "hb.rm.unreachable") & _is("process", "taskmanager"),
    "connection": _anywhere(
        "remote task manager '",
        "onnection to task manager '",
        "TransportException",
        "PartitionConnectionException",
        "PartitionNotFoundException",
        "Association with remote system",
        "unreachable remote address",
        "Remote connection to [",
        "Could not connect to rpc endpoint",
        "non-local recipient",
        "Could not resolve ResourceManager address",
        "Could not resolve JobManager address",
    ),
    "restored": _event("jm.ckpt.restore_from*"),
}
"""Kind of event -> what tells it in a log record.
Source: reference/log-signals.csv (job.state, task.failed.*, hb.*, res.*, net.*, mem.*, zk.*, ha.*, k8s.*)."""


def kinds_of(records: pa.RecordBatch | pa.Table) -> pa.Array:
    """The kinds of each record, separated by blanks; null for the many that tell none.

    records  rows of `log_record`, at least the columns in READ
    """
    import pyarrow as pa

    found: list[str | None] = [None] * records.num_rows
    places = _worth_a_look(records)
    looked_at = records.select(READ).take(pa.array(places)).to_pylist() if places else ()
    for place, record in zip(places, looked_at, strict=True):
        found[place] = " ".join(kind for kind in _possible(record) if KINDS[kind].holds(record)) or None
    return pa.array(found, pa.string())


TEXTS_TOLD = sorted({text for told in KINDS.values() for text in told.texts})
EVENTS_TOLD = sorted({event for told in KINDS.values() for event in told.events})
COLUMNS_TOLD = sorted({column for told in KINDS.values() for column in told.columns})
"""Where to look for all kinds together."""


def _worth_a_look(records: pa.RecordBatch | pa.Table) -> list[int]:
    """Where a record may fulfil any of the conditions. The expressions are linear: Arrow has RE2."""
    import numpy as np
    import pyarrow.compute as pc

    texts, events = "|".join(map(re.escape, TEXTS_TOLD)), f"^(?:{'|'.join(EVENTS_TOLD)})$"
    looks = [pc.match_substring_regex(records.column(name), texts) for name in TEXTS]
    looks += [pc.match_substring_regex(records.column("event"), events)]
    looks += [pc.is_valid(records.column(name)) for name in COLUMNS_TOLD]
    worth = np.zeros(records.num_rows, bool)
    for look in looks:
        worth |= np.asarray(pc.fill_null(look, False))
    return [int(place) for place in np.flatnonzero(worth)]


def _possible(record: Record) -> list[str]:
    """The kinds that say to look at such a record, in their order: two or three, and not all thirty are asked."""
    kinds = set(_of_event(record["event"])) if record["event"] is not None else set()
    for column in COLUMNS_TOLD:
        if record[column] is not None:
            kinds.update(_of_column(column))
    for place in _needles().Match("\n".join(record[name] for name in TEXTS if record[name])) or ():
        kinds.update(_of_text(TEXTS_TOLD[place]))
    return [kind for kind in KINDS if kind in kinds]


@cache
def _needles() -> Any:
    """Tells which of TEXTS_TOLD a string holds, in one pass."""
    needles = re2.Set.SearchSet()
    for text in TEXTS_TOLD:
        needles.Add(re2.escape(text))
    needles.Compile()
    return needles


@cache
def _of_text(text: str) -> tuple[str, ...]:
    return tuple(kind for kind, told in KINDS.items() if text in told.texts)


@cache
def _of_column(column: str) -> tuple[str, ...]:
    return tuple(kind for kind, told in KINDS.items() if column in told.columns)


@lru_cache(maxsize=4_096)
def _of_event(event: str) -> tuple[str, ...]:
    return tuple(kind for kind, told in KINDS.items() if any(re.fullmatch(each, event) for each in told.events))
