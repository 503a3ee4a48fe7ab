"""Samples of metrics in a table: one sample per row with its series in columns, or one column per series.

Exports of a Prometheus store have these layouts: remote-read exporters and VictoriaMetrics write the first, Grafana's
"Download CSV" of a panel the second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.evidence.rows import Rows
from diagnostics.language import say, to_say
from diagnostics.notation.event_columns import epochs_ms
from diagnostics.notation.event_field import epoch_ms
from diagnostics.notation.number_columns import floats
from diagnostics.notation.prometheus_series import SeriesKey, SeriesSamples, series_key, series_of
from diagnostics.notation.tally import Tally

if TYPE_CHECKING:
    from diagnostics.notation.text_cuts import Flags, Floats, Numbers

TIMES = ("time", "timestamp", "ts", "datetime", "date", "__timestamp__", "_time", "timestamp_ms")
VALUES = ("value", "__value__", "_value", "val")
NAMES = ("__name__", "metric", "metric_name", "name", "series")
LABELS = ("labels", "tags")
"""Column names of exporters, in lower case. Our choice, from the tools named above."""

MOST_SERIES = 200_000
BATCH_SAMPLES = 50_000
FOREIGN = -1

NO_ZONE = to_say("the times have no zone and are read as UTC: where they are local, set the file's zone")
_TIMES = (
    (r"^\d{1,18}$", pa.int64(), True),
    (r"^\d{1,18}\.\d{1,9}$", pa.float64(), True),
    (r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3})?Z$", pa.string(), True),
    (r"^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3})?$", pa.string(), False),
)
"""Notations of times that a column is read in, the type of each, and whether it has a zone or needs none."""

BETWEEN = "\0"
"""Separator of the texts that identify the series of a row; no text that is read by column has it."""

_ZONE = re.compile(r"(?:Z|[+-]\d\d:?\d\d)$")


@dataclass(frozen=True, slots=True)
class MetricColumns:
    """Meaning of the columns.

    time    time of the sample
    value   value of the sample; None where every other column is a series of its own
    name    the metric, or its whole series as Prometheus prints it
    labels  all labels as one map or text
    others  the other columns: each a label, or each a series
    """

    time: str
    value: str | None
    name: str | None
    labels: str | None
    others: tuple[str, ...]

    @classmethod
    def of(cls, columns: Sequence[str]) -> MetricColumns | None:
        """The meaning of the columns from their names; None for another kind of table."""
        time, value, name, labels = (_first(columns, known) for known in (TIMES, VALUES, NAMES, LABELS))
        if time is None:
            return None
        if value is not None and name is not None:
            others = tuple(each for each in columns if each not in (time, value, name, labels))
            return cls(time, value, name, labels, others)
        series = tuple(each for each in columns if each != time and _key_of(each) is not None)
        return cls(time, None, None, None, series) if series else None

    def samples(self, row: Mapping[str, Any]) -> list[tuple[SeriesKey | None, Any]]:
        """(series, value) of a row; the series is None when it is not Flink's."""
        if self.value is None:
            return [(_key_of(each), row.get(each)) for each in self.others]
        name, labels = series_of(str(row.get(self.name or "") or ""))
        labels |= {each: str(told) for each in self.others if (told := row.get(each)) not in (None, "")}
        labels |= _labels(row.get(self.labels)) if self.labels else {}
        return [(series_key(name or labels.get("__name__", ""), labels), row.get(self.value))]


class MetricTable:
    """Reads the rows of a table into samples."""

    def __init__(self, columns: MetricColumns, tally: Tally) -> None:
        self._columns, self._tally = columns, tally
        self._numbers: dict[SeriesKey, int] = {}
        self._samples = SeriesSamples()
        self._foreign = 0

    def take(self, row: Mapping[str, Any], line: int) -> bool:
        """Add the samples of a row, `line` 0 for none; whether it has a time and a number."""
        moment = plain(row.get(self._columns.time))
        at_ms = epoch_ms(moment)
        if at_ms is None:
            return False
        if isinstance(moment, str) and not _ZONE.search(moment):
            self._tally.warn(NO_ZONE)
        any_number = False
        for key, told in self._columns.samples(row):
            value = plain(told)
            if isinstance(value, bool) or not isinstance(value, int | float):
                continue
            any_number = True
            number = self._number(key)
            if number == FOREIGN:
                self._foreign += 1
                continue
            self._samples.series.append(number)
            self._samples.times.append(at_ms)
            self._samples.values.append(value)
            self._samples.lines.append(line)
            self._tally.records += 1
            self._tally.take_time(at_ms)
        return any_number

    def take_columns(self, columns: Mapping[str, pa.Array], lines: Numbers) -> bool:
        """Add the samples of rows, of columns of texts; false, adding nothing, when a row must be taken by itself."""
        found = _moments(columns[self._columns.time])
        if found is None:
            return False
        at_ms, has_zone = found
        every: list[tuple[Numbers, Flags, Floats]] = [
            (series, *floats(columns[name])) for name, series in self._series(columns, len(lines))
        ]
        if not np.logical_or.reduce([known for _, known, _ in every]).all():
            return False
        if not has_zone:
            self._tally.warn(NO_ZONE)
        kept = [known & (series != FOREIGN) for series, known, _ in every]
        self._foreign += sum(int((known & (series == FOREIGN)).sum()) for series, known, _ in every)
        at = np.concatenate([np.flatnonzero(each) for each in kept])
        order = np.argsort(at, kind="stable")
        series, values = (
            np.concatenate([one[place][each] for one, each in zip(every, kept, strict=True)]) for place in (0, 2)
        )
        at = at[order]
        self._samples.extend(series[order], at_ms[at], values[order], lines[at])
        self._tally.records += len(at)
        for end in pc.min_max(pa.array(at_ms[at])).as_py().values():
            self._tally.take_time(end)
        return True

    def _series(self, columns: Mapping[str, pa.Array], count: int) -> Iterator[tuple[str, Numbers]]:
        """The column of values, and the number of the series of each row; several where each column is a series."""
        if self._columns.value is None:
            for name in self._columns.others:
                yield name, np.full(count, self._number(_key_of(name)))
            return
        named = [each for each in (self._columns.name, self._columns.labels, *self._columns.others) if each]
        coded = pc.binary_join_element_wise(*(columns[name] for name in named), BETWEEN).dictionary_encode()
        rows = (dict(zip(named, each.split(BETWEEN), strict=True)) for each in coded.dictionary.to_pylist())
        numbers = np.array([self._number(self._columns.samples(row)[0][0]) for row in rows], np.int64)
        yield self._columns.value, numbers[coded.indices.to_numpy()]

    @property
    def is_full(self) -> bool:
        """Whether there are enough samples for a batch."""
        return len(self._samples.times) >= BATCH_SAMPLES

    def rows(self) -> Rows:
        """The samples since the last call."""
        batch = self._samples.batch()
        self._samples.clear()
        return Rows("metric_sample", batch=batch)

    def say(self) -> None:
        """Add warnings about left out samples to the tally."""
        if self._foreign:
            self._tally.warn(
                say(
                    "{foreign:,} samples are not Flink's, or of too many series, and were left out",
                    foreign=self._foreign,
                )
            )

    def _number(self, key: SeriesKey | None) -> int:
        if key is None or (key not in self._numbers and len(self._numbers) >= MOST_SERIES):
            return FOREIGN
        if key not in self._numbers:
            self._numbers[key] = self._samples.add_series(key)
        return self._numbers[key]


def _moments(texts: pa.Array) -> tuple[Numbers, bool] | None:
    """Epoch ms of times in one notation, and whether they have a zone or need none; None for other times."""
    for pattern, kind, has_zone in _TIMES:
        if pc.all(pc.match_substring_regex(texts, pattern)).as_py():
            times = epochs_ms(pc.cast(texts, kind))
            return None if times.null_count else (times.to_numpy(), has_zone)
    return None


def plain(value: Any) -> Any:
    """A printed number as a number; other values unchanged."""
    if not isinstance(value, str):
        return value
    try:
        return int(value) if value.isascii() and value.isdigit() and len(value) <= 18 else float(value)
    except ValueError:
        return value


def _key_of(series: str) -> SeriesKey | None:
    name, labels = series_of(series)
    return series_key(name or labels.get("__name__", ""), labels)


def _labels(labels: Any) -> dict[str, str]:
    """Labels from a map, pairs, JSON or Prometheus' notation."""
    if isinstance(labels, str) and labels.startswith("{"):
        try:
            labels = json.loads(labels)
        except (ValueError, RecursionError):
            return series_of(labels)[1]
    if isinstance(labels, list):
        labels = {each[0]: each[1] for each in labels if isinstance(each, tuple) and len(each) == 2}
    return {str(name): str(value) for name, value in labels.items()} if isinstance(labels, dict) else {}


def _first(columns: Sequence[str], known: Sequence[str]) -> str | None:
    return next((each for name in known for each in columns if each.lower() == name), None)
