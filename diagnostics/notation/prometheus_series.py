"""Series of Flink's Prometheus reporter as columns of `metric_sample`, and samples of them as Arrow batches."""

from __future__ import annotations

import re
from array import array
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING

from diagnostics.evidence.tables.metric_sample import TABLE
from diagnostics.notation.metric_name import FREE_SPACE, from_prometheus, host_of_label, resource_id_of_label
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
    if named is None:
        return None
    kept = OF_A_HOST if name in FREE_SPACE else frozenset()
    further = {label: value for label, value in labels.items() if label not in (COLUMN_LABELS | LEFT_OUT_LABELS) - kept}
    printed = ",".join(f"{label}={value}" for label, value in sorted((further | dict(named.labels)).items()))
    host, resource_id = labels.get("host"), labels.get("tm_id")
    return (
        named.metric,
        named.scope,
        text(labels.get("job_id")),
        text(labels.get("job_name")),
        text(labels.get("task_id")),
        text(labels.get("task_name")),
        text(labels.get("operator_name")),
        small(labels.get("subtask_index")),
        text(resource_id_of_label(resource_id)) if resource_id else None,
        text(host_of_label(host)) if host else None,
        number(labels.get("quantile")),
        text(printed, MOST_LABELS),
    )


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

    def extend(self, series: Numbers, times: Numbers, values: npt.NDArray[np.float64], lines: Numbers) -> None:
        """Add samples as parallel sequences."""
        for kept, added in ((self.series, series), (self.times, times), (self.values, values), (self.lines, lines)):
            kept.frombytes(added.tobytes())

    def different(self, column: str) -> Collection[str | int | float]:
        """The distinct values that the series have in a column."""
        return self._different[column]

    def all_have(self, column: str) -> bool:
        """Whether all series have a value in a column."""
        return UNKNOWN not in self._codes[column]

    def batch(self, pointers: list[str] | None = None, line: int | None = None) -> pa.RecordBatch:
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
            columns["line"] = pa.array([line] * len(times), pa.int64())
            columns["pointer"] = pa.array(pointers, pa.string())
        columns["last_line"] = columns["line"]
        return pa.RecordBatch.from_pydict(columns)
