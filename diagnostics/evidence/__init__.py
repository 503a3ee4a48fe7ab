"""Typed evidence tables between files and measurements, and the evidence of one analysis."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import wraps
from threading import Lock, RLock
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar
from weakref import WeakKeyDictionary

from diagnostics.evidence.tables import TABLES

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")
Answer = TypeVar("Answer", covariant=True)


class Question(Protocol[Answer]):
    """The part of an aggregator used here: its name, table, and the step from merged states to the answer."""

    @property
    def name(self) -> str: ...

    def merge_states(self, states: Iterable[pa.Table]) -> Any: ...

    @property
    def finish(self) -> Callable[[Any], Answer]: ...


class Evidence:
    """The evidence of one analysis: the aggregators' states, and the number of rows of each table.

    rows    table name -> how many rows were read
    logs    how many rows of log_record Flink's own processes wrote; all of them when nobody says
    states  aggregator's name -> the merged state of all rows, for those whose table has any
    files   names of the inputs in file id order, with their folders
    formats ids of the formats that files were read as, also of those without a row
    begins_ms  moment before which nothing counts, epoch ms: counters of jobs have counted before; None for all evidence
    """

    def __init__(
        self,
        rows: Mapping[str, int],
        logs: int | None = None,
        states: Mapping[str, pa.Table] = MappingProxyType({}),
        files: Sequence[str] = (),
        begins_ms: int | None = None,
        formats: Collection[str] = (),
    ) -> None:
        self.rows: Mapping[str, int] = {name: rows.get(name, 0) for name in TABLES}
        self._logs = self.rows["log_record"] if logs is None else logs
        self._states = states
        self.files = files
        self.begins_ms = begins_ms
        self.formats = frozenset(formats)
        self._answers: dict[str, Any] = {}
        self._answering = RLock()

    def answer(self, aggregator: Question[T]) -> T:
        """The aggregator's answer; without rows the answer of its empty state."""
        with self._answering:
            if aggregator.name not in self._answers:
                state = self._states.get(aggregator.name)
                whole = aggregator.merge_states([] if state is None else [state])
                self._answers[aggregator.name] = aggregator.finish(whole)
            answer: T = self._answers[aggregator.name]
            return answer

    def file_name(self, file_id: int) -> str:
        """The name of an input, with its folders where another one has the same name; its number where it has none."""
        if not 0 <= file_id < len(self.files):
            return f"file {file_id + 1}"
        whole = self.files[file_id]
        short = _last_part(whole)
        return short if sum(_last_part(each) == short for each in self.files) == 1 else whole

    def has(self, name: str) -> bool:
        """Whether the table has any row."""
        return self.rows[TABLES[name].name] > 0

    def has_logs(self) -> bool:
        """Whether a log of Flink's own processes is there: only then does the absence of a record mean anything.

        Kubernetes events, crash reports of a JVM and RocksDB's log fill log_record too, but do not cover other records.
        """
        return self._logs > 0


def _last_part(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def read_once(read: Callable[[Evidence], T]) -> Callable[[Evidence], T]:
    """Cache the result of `read` per Evidence while that lives; concurrent callers wait for it."""
    known: WeakKeyDictionary[Evidence, T] = WeakKeyDictionary()
    reading = Lock()

    @wraps(read)
    def remembered(evidence: Evidence) -> T:
        with reading:
            if evidence not in known:
                known[evidence] = read(evidence)
            return known[evidence]

    return remembered
