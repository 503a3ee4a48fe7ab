"""Samples of metrics in a table: one sample per row with its series in columns, or one column per series.

Exports of a Prometheus store have these layouts: remote-read exporters and VictoriaMetrics write the first, Grafana's
"Download CSV" of a panel the second.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.evidence.rows import Rows
from diagnostics.language import say, to_say
from diagnostics.notation.event_field import epoch_ms
from diagnostics.notation.prometheus_series import SeriesKey, SeriesSamples, series_key, series_of
from diagnostics.notation.tally import Tally

TIMES = ("time", "timestamp", "ts", "datetime", "date", "__timestamp__", "_time", "timestamp_ms")
VALUES = ("value", "__value__", "_value", "val")
NAMES = ("__name__", "metric", "metric_name", "name", "series")
LABELS = ("labels", "tags")
"""Column names of exporters, in lower case. Our choice, from the tools named above."""

MOST_SERIES = 200_000
BATCH_SAMPLES = 50_000
FOREIGN = -1

NO_ZONE = to_say("the times have no zone and are read as UTC: where they are local, set the file's zone")
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
