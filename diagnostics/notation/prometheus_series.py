"""Series of Flink's Prometheus reporter as columns of `metric_sample`, and samples of them as Arrow batches."""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from diagnostics.evidence.tables.metric_sample import TABLE
from diagnostics.notation.metric_name import (
    CONTAINERS,
    OTHER_EXPORTERS,
    REASON,
    from_prometheus,
    host_of_label,
    is_of_flink,
    resource_id_of_label,
)
from diagnostics.notation.reporter_name import ReportedSeries
from diagnostics.notation.rest_document import LONG_MIN, number, small, text

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Numbers = npt.NDArray[np.int64]

COLUMN_LABELS = frozenset(
    (
        "job_id",
        "job_name",
        "task_id",
        "task_name",
        "operator_name",
        "subtask_index",
        "tm_id",
        "host",
        "quantile",
    )
)
"""Labels that have a column of their own."""

LEFT_OUT_LABELS = frozenset(("__name__", "instance", "job", "task_attempt_id", "task_attempt_num", "operator_id"))
"""Labels that add nothing to the columns, or change at every restart."""

NAMESPACE_LABELS = ("namespace", "kubernetes_namespace")
"""Labels of the namespace of a scraped pod. Source: Prometheus Operator, "API reference" (PodMonitor), and Prometheus'
example configuration for Kubernetes.
"""

OF_A_HOST = frozenset(("instance",))
"""Labels that are kept where they name the host: another exporter has no label of its own for it."""

MOST_LABELS = 300

_SERIES_COLUMNS = (
    "metric",
    "scope",
    "job_id",
    "job_name",
    "vertex_id",
    "vertex",
    "operator",
    "subtask",
    "task_manager",
    "host",
    "quantile",
    "labels",
)

_NAME = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*$")
_LABEL = re.compile(r'(?<![a-zA-Z0-9_])([a-zA-Z_][a-zA-Z0-9_]*)\s*=\s*"((?:[^"\\]++|\\.)*+)"')
_ESCAPED = re.compile(r'\\([\\"n])')

UNKNOWN = -1

FOREIGN, BEYOND = -1, -2
"""Numbers of series that are left out: not one of Flink, and one of too many."""

MOST_SERIES = 200_000
"""Distinct series kept of a range, about 200 MB. Our choice: a large cluster has some ten thousand."""

MOST_PRINTED = 32_000_000
"""Bytes of printed series whose numbers are remembered, each with ENTRY_BYTES. Our choice: 100,000 usual ones."""

ENTRY_BYTES = 100
"""What Python takes besides the text of an entry, rounded."""

SeriesKey = tuple[str | int | float | None, ...]


def series_of(printed: str) -> tuple[str, dict[str, str]]:
    """Name and labels of a series as Prometheus prints it; the name is empty when the text is no series, or the name is
    a label.
    """
    name, _, told = printed.strip().partition("{")
    labels = {label: _unescaped(value) for label, value in _LABEL.findall(told)}
    return (name if _NAME.match(name) else ""), labels


def _unescaped(value: str) -> str:
    return _ESCAPED.sub(lambda found: "\n" if found.group(1) == "n" else found.group(1), value)


def series_key(name: str, labels: Mapping[str, str]) -> SeriesKey | None:
    """The column values that all samples of a series share; None for a series that is not Flink's."""
    named = from_prometheus(name)
    if named is None or (name in CONTAINERS and not is_of_flink(labels)):
        return None
    reason = labels.get(REASON) if name in CONTAINERS else None
    kept = OF_A_HOST if name in OTHER_EXPORTERS else frozenset()
    left_out = (COLUMN_LABELS | LEFT_OUT_LABELS) - kept | ({REASON} if reason else set())
    further = {label: value for label, value in labels.items() if label not in left_out}
    printed = ",".join(f"{label}={value}" for label, value in sorted((further | dict(named.labels)).items()))
    host, resource_id = labels.get("host"), labels.get("tm_id")
    return (
        f"{named.metric}.{text(reason)}" if reason else named.metric,
        named.scope,
        text(labels.get("job_id")),
        text(labels.get("job_name")),
        text(labels.get("task_id")),
        text(labels.get("task_name")),
        text(labels.get("operator_name")),
        small(labels.get("subtask_index")),
        text(resource_id_of_label(resource_id)) if resource_id else None,
        text(_host(host, labels)) if host else None,
        number(labels.get("quantile")),
        text(printed, MOST_LABELS),
    )


def _host(label: str, labels: Mapping[str, str]) -> str:
    """The host; that of a JobManager with its namespace, since the same service exists in many: its DNS name there."""
    host = host_of_label(label)
    namespace = next((labels[each] for each in NAMESPACE_LABELS if labels.get(each)), None)
    return host if namespace is None or "tm_id" in labels or "." in host else f"{host}.{namespace}"


def reported_key(series: ReportedSeries | None) -> SeriesKey | None:
    """`series_key` of a series of another reporter."""
    return None if series is None else series_key(series.name, series.labels)


class SeriesSamples:
    """Samples collected for a batch: numbers of series, times, values and lines, in compact arrays."""

    def __init__(self) -> None:
        self._different: dict[str, dict[str | int | float, int]] = {name: {} for name in _SERIES_COLUMNS}
        self._codes = {name: array("i") for name in _SERIES_COLUMNS}
        self.clear()

    def clear(self) -> None:
        """Forget the samples, keep the series."""
        self.series = array("q")
        self.times = array("q")
        self.values = array("d")
        self.lines = array("q")

    def add_series(self, key: SeriesKey) -> int:
        """The number under which samples of this series are added."""
        for name, value in zip(_SERIES_COLUMNS, key, strict=True):
            different = self._different[name]
            self._codes[name].append(UNKNOWN if value is None else different.setdefault(value, len(different)))
        return len(self._codes["metric"]) - 1

    def add(self, series: int, ts_ms: int, value: float, line: int = 0) -> None:
        """Add a sample."""
        self.series.append(series)
        self.times.append(ts_ms)
        self.values.append(value)
        self.lines.append(line)

    def extend(
        self,
        series: Numbers,
        times: Numbers,
        values: npt.NDArray[np.float64],
        lines: Numbers,
        single: Sequence[tuple[int, int, float, int]] = (),
    ) -> None:
        """Add samples as parallel columns, and single ones between them, in the order of their lines."""
        import numpy as np

        columns = [series, times, values, lines]
        if single:
            columns = [np.append(many, few) for many, few in zip(columns, zip(*single, strict=True), strict=True)]
            order = np.argsort(columns[3], kind="stable")
            columns = [column[order] for column in columns]
        kept: tuple[array[Any], ...] = (self.series, self.times, self.values, self.lines)
        for one, column in zip(kept, columns, strict=True):
            one.frombytes(column.astype(np.dtype(one.typecode), copy=False).tobytes())

    def different(self, column: str) -> Collection[str | int | float]:
        """The distinct values that the series have in a column."""
        return self._different[column]

    def all_have(self, column: str) -> bool:
        """Whether all series have a value in a column."""
        return UNKNOWN not in self._codes[column]

    def batch(self, pointers: pa.Array | None = None, line: int | None = None) -> pa.RecordBatch:
        """The samples as columns of `metric_sample`; time or line 0 is unknown, `line` applies to all samples."""
        import numpy as np
        import pyarrow as pa

        schema = TABLE.arrow_schema()
        series = np.frombuffer(self.series, dtype=np.int64)
        columns: dict[str, pa.Array] = {}
        for name in _SERIES_COLUMNS:
            kind = schema.field(name).type
            codes = np.frombuffer(self._codes[name], dtype=np.int32)[series]
            indices = pa.array(codes, mask=codes == UNKNOWN)
            is_word = pa.types.is_dictionary(kind)
            different = pa.array(list(self._different[name]), kind.value_type if is_word else kind)
            columns[name] = pa.DictionaryArray.from_arrays(indices, different) if is_word else different.take(indices)
        times = np.frombuffer(self.times, dtype=np.int64)
        values = np.frombuffer(self.values, dtype=np.float64)
        unknown = ~np.isfinite(values) | (values == -1) | (values <= LONG_MIN)
        columns["ts_ms"] = pa.array(times, mask=times == 0)
        columns["value"] = pa.array(values, mask=unknown)
        if pointers is None:
            lines = np.frombuffer(self.lines, dtype=np.int64)
            columns["line"] = pa.array(lines, mask=lines == 0)
        else:
            columns["line"] = pa.repeat(pa.scalar(line, pa.int64()), len(times))
            columns["pointer"] = pointers
        columns["last_line"] = columns["line"]
        return pa.RecordBatch.from_pydict(columns)


class SeriesNumbers:
    """The numbers of series in their samples, by the text that a file prints for a series; each text is parsed once.

    key_of  printed text -> the column values of the series, None for a series that is not Flink's, or another
            negative number with which its samples are left out
    """

    def __init__(self, samples: SeriesSamples, key_of: Callable[[str], SeriesKey | int | None]) -> None:
        self._samples, self._key_of = samples, key_of
        self._numbers: dict[SeriesKey, int] = {}
        self._printed: dict[bytes, int] = {}
        self._bytes = 0

    @property
    def are_all(self) -> bool:
        """Whether no further series has a number."""
        return len(self._numbers) >= MOST_SERIES

    def number_column(self, printed: pa.Array) -> Numbers:
        """`of` for a column of texts as bytes."""
        import numpy as np
        import pyarrow as pa

        coded = printed if pa.types.is_dictionary(printed.type) else printed.dictionary_encode()
        numbers = np.array([self.of(each) for each in coded.dictionary.to_pylist()], np.int64)
        found: Numbers = numbers[coded.indices.to_numpy()]
        return found

    def of(self, printed: bytes) -> int:
        """The number of a series; FOREIGN, BEYOND or another negative one when it is left out."""
        number = self._printed.get(printed)
        if number is None:
            number = self._number(self._key_of(printed.decode("utf-8", "replace")))
            self._bytes += len(printed) + ENTRY_BYTES
            if self._bytes > MOST_PRINTED:
                self._printed, self._bytes = {}, len(printed) + ENTRY_BYTES
            self._printed[printed] = number
        return number

    def _number(self, key: SeriesKey | int | None) -> int:
        if key is None or isinstance(key, int):
            return FOREIGN if key is None else key
        if key not in self._numbers:
            if self.are_all:
                return BEYOND
            self._numbers[key] = self._samples.add_series(key)
        return self._numbers[key]
