"""Which kinds of events a log record reports: a failure, a lost TaskManager, a new leader.

Decided while a file is read, for all records at once: one scan finds every text that a kind asks for, and a kind is
a combination of masks over the records. Record by record this took a third of the processor time of reading a log.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, reduce
from typing import TYPE_CHECKING

from diagnostics.notation.constant_text import ConstantTexts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Mask = npt.NDArray[np.bool_]

TEXTS = ("message", "reason", "exception_class", "exception_message", "root_cause_class", "root_cause_message")
READ = (*TEXTS, "level", "logger", "process", "event", "state_to")


class Records:
    """Rows of `log_record`, of the columns in READ, and which of them hold what a kind asks for."""

    def __init__(self, rows: pa.RecordBatch | pa.Table) -> None:
        import pyarrow as pa

        self.count = rows.num_rows
        table = pa.table(rows) if isinstance(rows, pa.RecordBatch) else rows
        self._columns = {name: table.column(name).combine_chunks() for name in READ}
        self._holds: dict[str, dict[str, Mask]] = {}
        self._starts: dict[str, Mask] = {}
        self._encoded: dict[str, tuple[list[str], npt.NDArray[np.int32]]] = {}
        for name in TEXTS:
            self._find(name)

    def nothing(self) -> Mask:
        """The mask of no record."""
        import numpy as np

        return np.zeros(self.count, bool)

    def hold(self, column: str, text: str) -> Mask:
        """Those whose column holds the text."""
        found = self._holds[column].get(text)
        return self.nothing() if found is None else found

    def start_with(self, text: str) -> Mask:
        """Those whose message starts with the text."""
        found = self._starts.get(text)
        return self.nothing() if found is None else found

    def are(self, column: str, fits: Callable[[str], bool]) -> Mask:
        """Those whose column is known and fits; asked once for each different value."""
        import numpy as np

        if column not in self._encoded:
            encoded = self._columns[column].dictionary_encode()
            known = encoded.dictionary.to_pylist()
            places = encoded.indices.fill_null(len(known)).to_numpy(zero_copy_only=False)
            self._encoded[column] = known, places
        known, places = self._encoded[column]
        mask: Mask = np.array([*map(fits, known), False])[places]
        return mask

    def know(self, column: str) -> Mask:
        """Those whose column is known."""
        mask: Mask = self._columns[column].is_valid().to_numpy(zero_copy_only=False)
        return mask

    def _find(self, column: str) -> None:
        """Note where each of the SEARCHED_TEXTS stands in a column: its values lie one behind the other in memory."""
        import numpy as np

        values = self._columns[column]
        self._holds[column] = {}
        _, ends, octets = values.buffers()
        if octets is None:
            return
        bounds = np.frombuffer(ends, np.int32)[values.offset : values.offset + self.count + 1]
        numbers, lasts = _searched_texts().find(octets.slice(bounds[0], bounds[-1] - bounds[0]).to_pybytes())
        lasts += bounds[0]
        firsts = lasts - _lengths()[numbers] + 1
        rows = np.searchsorted(bounds, lasts, side="right") - 1
        # What stands across two values stands in none.
        whole = firsts >= bounds[rows]
        numbers, firsts, rows = numbers[whole], firsts[whole], rows[whole]
        for number in np.unique(numbers).tolist():
            chosen = numbers == number
            self._holds[column][SEARCHED_TEXTS[number]] = self._mask(rows[chosen])
            if column == "message":
                leading = chosen & (firsts == bounds[rows])
                self._starts[SEARCHED_TEXTS[number]] = self._mask(rows[leading])

    def _mask(self, rows: npt.NDArray[np.int64]) -> Mask:
        mask = self.nothing()
        mask[rows] = True
        return mask


@dataclass(frozen=True, slots=True)
class Marks:
    """What a record has to have for a condition to hold: one of the texts in its head line, or one of the events.

    Neither of them when only records with an exception can fulfil it.
    events  patterns of ids of the catalogue; `*` stands for anything
    """

    texts: frozenset[str] = frozenset()
    events: frozenset[str] = frozenset()

    def __or__(self, other: Marks) -> Marks:
        return Marks(self.texts | other.texts, self.events | other.events)

    @property
    def rarity(self) -> float:
        """The shortest text is the one that most records have."""
        return min(map(len, self.texts), default=float("inf"))


@dataclass(frozen=True, slots=True)
class RecordCondition:
    """A condition on records. Combined by `&`, `|` and `~`.

    holds  which of the records fulfil it
    texts  those that it looks for
    marks  what each record that fulfils it has, None where that may be any record
    """

    holds: Callable[[Records], Mask]
    texts: frozenset[str] = frozenset()
    marks: Marks | None = None

    def __and__(self, other: RecordCondition) -> RecordCondition:
        known = [each for each in (self.marks, other.marks) if each is not None]
        rarest = max(known, key=lambda each: each.rarity, default=None)
        return RecordCondition(lambda them: self.holds(them) & other.holds(them), self.texts | other.texts, rarest)

    def __or__(self, other: RecordCondition) -> RecordCondition:
        marks = None if self.marks is None or other.marks is None else self.marks | other.marks
        return RecordCondition(lambda them: self.holds(them) | other.holds(them), self.texts | other.texts, marks)

    def __invert__(self) -> RecordCondition:
        return RecordCondition(lambda them: ~self.holds(them), self.texts)


def _message(text: str) -> RecordCondition:
    return _of_texts(lambda them: them.hold("message", text), text)


def _starts(*texts: str) -> RecordCondition:
    return _of_texts(lambda them: _any(them, (them.start_with(text) for text in texts)), *texts)


def _anywhere(*texts: str) -> RecordCondition:
    return _of_texts(lambda them: _any(them, (them.hold(name, text) for name in TEXTS for text in texts)), *texts)


def _of_texts(holds: Callable[[Records], Mask], *texts: str) -> RecordCondition:
    return RecordCondition(holds, frozenset(texts), Marks(texts=frozenset(texts)))


def _any(them: Records, masks: Iterable[Mask]) -> Mask:
    found = them.nothing()
    for mask in masks:
        found |= mask
    return found


def _event(*patterns: str) -> RecordCondition:
    expressions = [re.escape(pattern).replace(r"\*", ".*") for pattern in patterns]
    fits = re.compile("|".join(expressions)).fullmatch
    return RecordCondition(
        lambda them: them.are("event", lambda event: fits(event) is not None), marks=Marks(events=frozenset(patterns))
    )


def _known(column: str) -> RecordCondition:
    return RecordCondition(lambda them: them.know(column))


def _is(column: str, *values: str) -> RecordCondition:
    return RecordCondition(lambda them: them.are(column, values.__contains__))


_EXCEPTION = RecordCondition(lambda them: them.know("exception_class"), marks=Marks())


KINDS: Mapping[str, RecordCondition] = {
    "job_state": _message("switched from state ") & _starts("Job "),
    "task_failed": _message(" to FAILED") & _message(" switched from ") & ~_starts("Job "),
    "lost": (
        _message("of TaskManager with id ") & _message(" timed out")
        | _message("TaskManager with id ") & _message(" is no longer reachable")
        | _event("res.tm.terminated.v17")
    )
    & ~_starts("Closing ", "Disconnect "),
    "closed": _starts("Closing TaskExecutor connection "),
    "registered": _starts("Registering TaskManager with ResourceID ")
    | _event("res.tm.register.v15", "res.tm.registered.v18"),
    "started": _starts("Starting TaskManager with ResourceID"),
    "no_resource": _anywhere(
        "NoResourceAvailableException",
        "Could not acquire the minimum required resources",
        "Slot request bulk is not fulfillable",
        "Could not allocate the required slot within slot request timeout",
        "Could not allocate enough slots to run the job",
        "Not enough resources available for scheduling",
        "Could not allocate all requires slots within timeout of",
        "Could not allocate enough slots within timeout of",
        "Pending slot request timed out in SlotPool",
        "request to ResourceManager for new slot failed",
        ") is unfulfillable",
    ),
    "buffers": _anywhere("Insufficient number of network buffers"),
    "unschedulable": _event("k8s.event.unschedulable"),
    "kubernetes": _event("k8s.event.*", "op.restore", "op.savepoint.timeout", "op.unsupported", "op.missing")
    | _event("op.*.error", "op.*.warning", "op.resource.event", "op.failed"),
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
        "itStatus=-104",
        "it status: -104",
        "itStatus=-103",
        "it status: -103",
    ),
    "stuck": _event("task.cancel.stuck*", "task.cancel.timeout"),
    "managed_refused": _anywhere("MemoryReservationException", "MemoryAllocationException"),
    "small_arena": _event("rocks.arena.warn"),
    "strategy": _starts("Using restart back off time strategy ", "Using restart strategy "),
    "state_limit": _anywhere("larger than the maximum permitted memory-backed state"),
    "frame_size": _anywhere(
        "exceeds the maximum akka framesize",
        "exceeds the maximum pekko framesize",
        "Discarding oversized payload sent to ",
    ),
    "tolerance_exceeded": _anywhere("Exceeded checkpoint tolerable failure threshold"),
    "refused_setting": _anywhere("IllegalConfigurationException", "Could not parse value "),
    "version": _message("(Version: "),
    "submitted": _message(" submission ") | _starts("Submitting job "),
    "failure": (
        _message(" to FAILED")
        | _starts(
            "Job ",
            "Trying to recover from a global failure",
            "Failed to submit job ",
            "Application failed unexpectedly",
        )
    )
    & _EXCEPTION,
    "pasted": _EXCEPTION & ~_known("level") & ~_known("logger"),
    "coordination_lost": _event("zk.leader.*") & ~_event("zk.leader.reconnected")
    | _event("zk.retrieval.*", "zk.jobgraph.*", "k8sha.lock.*", "k8sha.cm.*", "k8s.leader.renew")
    | _event("zk.client.*") & ~_event("zk.client.established")
    | _event("zk.curator.*") & (~_event("zk.curator.state") | _is("state_to", "SUSPENDED", "LOST"))
    | _anywhere("KeeperErrorCode = ConnectionLoss", "KeeperErrorCode = SessionExpired", "KeeperErrorCode = Operation"),
    "coordination_back": _event("zk.client.established", "k8sha.leader.elected")
    | _event("zk.curator.state") & _is("state_to", "CONNECTED", "RECONNECTED"),
    "coordination_server": _event("zk.server.*") & ~_event("zk.server.closed"),
    "leadership": _event("ha.*.revoked*", "ha.*.granted*")
    | (_message("lost leadership") | _anywhere("is no longer the leader")) & _is("process", "jobmanager"),
    "process_end": _event(
        "res.jm.entry.fatal",
        "res.tm.runner.fatal",
        "res.tm.fatal",
        "res.tm.fatal.v18",
        "res.tm.start_failed",
        "res.tm.exit",
        "res.jm.start_failed",
        "res.registration.timeout*",
        "rpc.quarantined*.v18",
        "task.fatal",
        "process.signal",
        "res.worker.terminated",
        "k8s.pod.terminated",
        "k8s.event.evicted",
        "k8s.event.preempted",
        "k8s.event.node_lost",
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
        "Detected unreachable: [",
        "has been quarantined by ",
        "has quarantined the remote actor system ",
        "irrecoverably failed",
        "not responding after a rpcTimeout of ",
    ),
    "restored": _event("jm.ckpt.restore_from*"),
}
"""Kind of event -> what tells it in a log record.
Source: reference/log-signals.csv (job.state, task.failed.*, hb.*, res.*, net.*, mem.*, zk.*, ha.*, k8s.*)."""


def kinds_of(records: pa.RecordBatch | pa.Table) -> pa.Array:
    """The kinds of each record, separated by blanks; null for the many that tell none.

    records  rows of `log_record`, at least the columns in READ
    """
    import numpy as np
    import pyarrow as pa

    them = Records(records)
    told = np.zeros(them.count, np.int64)
    for place, kind in enumerate(KINDS.values()):
        told |= kind.holds(them).astype(np.int64) << place
    different, places = np.unique(told, return_inverse=True)
    return pa.array([_named(each) for each in different.tolist()], pa.string()).take(pa.array(places))


def _named(told: int) -> str | None:
    """The kinds whose bits are set."""
    return " ".join(kind for place, kind in enumerate(KINDS) if told >> place & 1) or None


SEARCHED_TEXTS = sorted({text for told in KINDS.values() for text in told.texts})
"""What all kinds together look for."""

MARKS = reduce(Marks.__or__, (told.marks for told in KINDS.values() if told.marks is not None))
TEXTS_MARKED, EVENTS_MARKED = (tuple(sorted(marks)) for marks in (MARKS.texts, MARKS.events))
"""One of these texts or events has each record that tells a kind, but for those with an exception."""


@cache
def _searched_texts() -> ConstantTexts:
    return ConstantTexts([text.encode() for text in SEARCHED_TEXTS])


@cache
def _lengths() -> npt.NDArray[np.int64]:
    import numpy as np

    return np.array([len(text.encode()) for text in SEARCHED_TEXTS], np.int64)
