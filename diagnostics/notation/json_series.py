"""Series of metrics in a JSON document, collected as rows of `metric_sample`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.language import say
from diagnostics.notation.prometheus_series import MOST_SERIES, SeriesKey, SeriesSamples
from diagnostics.notation.tally import Tally

LATEST_MS = 1e15
"""Larger numbers are no times in milliseconds. Our choice: the year 33658."""

DatedValue = tuple[Any, Any, str]
"""Epoch ms, value, and the JSON pointer of the value, all as the document has them."""


class JsonSeries:
    """The series of a document that are Flink's, with a count of the others."""

    def __init__(self) -> None:
        self.tally = Tally()
        self._samples, self._pointers = SeriesSamples(), list[str]()
        self._numbers: dict[SeriesKey, int] = {}
        self._listed = self._foreign = 0

    def add(self, key: SeriesKey | None, values: Iterable[DatedValue]) -> None:
        """Add the samples of a series; `key` None for one that is not Flink's."""
        self._listed += 1
        if key is None or (key not in self._numbers and len(self._numbers) >= MOST_SERIES):
            self._foreign += 1
            return
        if key not in self._numbers:
            self._numbers[key] = self._samples.add_series(key)
        number = self._numbers[key]
        for moment, value, pointer in values:
            if _is_number(value):
                ts_ms = round(moment) if _is_number(moment) and 0 < moment < LATEST_MS else 0
                self._samples.add(number, ts_ms, float(value))
                self._pointers.append(pointer)
                self.tally.take_time(ts_ms or None)

    def read(self, line: int | None) -> Iterator[Rows | Coverage]:
        """The rows and the coverage; `line` is that of the series in the file."""
        if self._pointers:
            yield Rows("metric_sample", batch=self._samples.batch(pa.array(self._pointers), line))
        if self._foreign:
            self.tally.warn(
                say(
                    "{foreign} of {listed} series have no name of a Flink metric and were left out",
                    foreign=self._foreign,
                    listed=self._listed,
                )
            )
        self.tally.records = len(self._pointers)
        yield self.tally.coverage()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= sys.float_info.max
