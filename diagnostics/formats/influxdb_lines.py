"""Metrics of Flink's InfluxDB reporter in InfluxDB's line protocol, as an export or a proxy writes them.

A measurement is named like a Prometheus series without `flink_`; its tags are the variables of the scope.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.prometheus_series import SeriesKey, SeriesSamples, series_key
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 65_536
MOST_PART = 20_000
"""Characters of a series, and of the fields. Our choice."""
MOST_SERIES = 200_000
MOST_PRINTED = 32_000_000
"""Characters of printed series whose numbers are remembered. Our choice: 100,000 usual ones."""
FOREIGN = -1
BATCH_SAMPLES = 50_000
LINES_LOOKED_AT = 50

VALUES = ("value", "rate", "count")
"""Value fields of a gauge, a meter and a counter; the first one present counts. Source: Flink's `MetricMapper`."""
QUANTILES = {"p50": "0.5", "p75": "0.75", "p95": "0.95", "p98": "0.98", "p99": "0.99", "p999": "0.999"}
"""Quantile fields of a histogram."""

_SCOPES = ("jobmanager_", "taskmanager_")
_LINE = re.compile(r"((?:[^\\ ]++|\\.)++) ((?:[^\\ \"]++|\"(?:[^\"\\]++|\\.)*+\"|\\.)++)(?: (-?\d{1,19}))?\s*$")
"""Series, fields and time. Nothing is tried twice: each character can belong to one alternative only."""
_COMMA = re.compile(r"(?<!\\),")
_NUMBER = re.compile(r"(-?[0-9][0-9.eE+-]{0,40})[iu]?$")
SECONDS_BELOW, MILLISECONDS_BELOW, MICROSECONDS_BELOW = 10**11, 10**14, 10**17


def _recognise(head: Head) -> float:
    lines = head.text.split("\n", LINES_LOOKED_AT)
    told = [line for line in (lines if head.complete else lines[:-1]) if line.strip() and not line.startswith("#")]
    flinks = sum(line.startswith(_SCOPES) and _parts(line[:MOST_LINE]) is not None for line in told)
    return 0.9 if flinks and flinks >= 0.5 * len(told) else 0.0


class _SeriesNumbers:
    """Numbers of the series of Flink by what a line prints before its fields, which most lines of an export repeat."""

    def __init__(self, samples: SeriesSamples) -> None:
        self._samples = samples
        self._numbers: dict[SeriesKey, int] = {}
        self._printed: dict[tuple[str, str], int] = {}
        self._characters = 0

    @property
    def are_all(self) -> bool:
        """Whether no further series has a number."""
        return len(self._numbers) >= MOST_SERIES

    def number(self, printed: str, quantile: str) -> int:
        """The number of a series; FOREIGN for none of Flink and for one too many."""
        number = self._printed.get((printed, quantile))
        if number is None:
            number = self._number_of(_series_of(printed, quantile))
            self._characters += len(printed)
            if self._characters > MOST_PRINTED:
                self._printed, self._characters = {}, len(printed)
            self._printed[printed, quantile] = number
        return number

    def _number_of(self, key: SeriesKey | None) -> int:
        if key is not None and key not in self._numbers and not self.are_all:
            self._numbers[key] = self._samples.add_series(key)
        return FOREIGN if key is None else self._numbers.get(key, FOREIGN)


def _series_of(printed: str, quantile: str) -> SeriesKey | None:
    """The series of a measurement with its tags; None where it is not one of Flink."""
    measurement, *pairs = _COMMA.split(printed)
    if not measurement.startswith(_SCOPES):
        return None
    labels = dict(map(_pair, pairs)) | ({"quantile": quantile} if quantile else {})
    return series_key(f"flink_{_plain(measurement)}", labels)


def _read(part: Range) -> Iterator[Rows | Coverage]:
    samples, tally = SeriesSamples(), Tally()
    numbers = _SeriesNumbers(samples)
    for at, line in numbered_lines(part, MOST_LINE):
        match = _parts(line)
        for quantile, ts_ms, value in _measured(match) if match else ():
            number = numbers.number(line[: match.end(1)] if match else "", quantile)
            if number != FOREIGN:
                samples.series.append(number)
                samples.times.append(ts_ms)
                samples.values.append(value)
                samples.lines.append(at)
                tally.records += 1
        if not match and line and not line.startswith("#"):
            tally.odd(at, line)
        if len(samples.times) >= BATCH_SAMPLES:
            yield Rows("metric_sample", batch=samples.batch())
            samples.clear()
    if samples.times:
        yield Rows("metric_sample", batch=samples.batch())
    if numbers.are_all:
        tally.warn(say("more than {bound:,} series: those beyond them are not read", bound=MOST_SERIES))
    yield tally.coverage()


def _parts(line: str) -> re.Match[str] | None:
    match = _LINE.match(line)
    return match if match and max(map(len, match.group(1, 2))) <= MOST_PART else None


def _measured(match: re.Match[str]) -> Iterator[tuple[str, int, float]]:
    """(quantile or nothing, epoch ms or 0 when unknown, value) of each number of a line of Flink."""
    if not match[1].startswith(_SCOPES):
        return
    fields = {name: value for name, text in map(_pair, _COMMA.split(match[2])) if (value := _number(text)) is not None}
    ts_ms = _milliseconds(int(match[3])) if match[3] else 0
    names = [name for name in QUANTILES if name in fields] or [name for name in VALUES if name in fields][:1]
    for name in names:
        yield QUANTILES.get(name, ""), ts_ms, fields[name]


def _pair(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return _plain(name), _plain(value)


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text) if "\\" in text else text


def _number(text: str) -> float | None:
    if text in ("true", "false", "t", "f", "T", "F"):
        return float(text[0] in "tT")
    found = _NUMBER.match(text)
    try:
        return float(found[1]) if found else None
    except ValueError:
        return None


def _milliseconds(time: int) -> int:
    """Epoch ms; exports are in nanoseconds unless another precision was requested, which the magnitude shows."""
    size = abs(time)
    if size < SECONDS_BELOW:
        return time * 1000
    if size < MILLISECONDS_BELOW:
        return time
    return time // 1000 if size < MICROSECONDS_BELOW else time // 1_000_000


FORMAT = Format(
    id="influxdb-lines",
    title=to_say("Metrics in InfluxDB's line protocol"),
    documentation="https://docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol/",
    tables=("metric_sample",),
    recognise=_recognise,
    read=_read,
    splittable=True,
    samples=(
        Sample(
            name="metrics.lp",
            text="# DML\n"
            "taskmanager_job_task_busyTimeMsPerSecond,host=tm-1,job_id=62c0ae9f2958cc5d669a5f9058cc4097,"
            r"job_name=orders,subtask_index=2,task_id=0fcda262ddc259703435ec6b5d9af99f,task_name=Window(5\ s)\,\ Sink,"
            "tm_id=127.0.0.1:19030-3a4b9e value=998.5 1795222136000000000\n"
            "taskmanager_job_task_numRecordsInPerSecond,host=tm-1 count=120i,rate=4.5 1795222136000000000\n"
            "jobmanager_job_numRestarts,job_name=orders value=3i\n"
            "taskmanager_job_task_mailboxLatencyMs,subtask_index=0 count=9i,max=7,p50=2,p99=6.5 1795222136\n",
            rows={
                "metric_sample": [
                    {
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "vertex": "Window(5 s), Sink",
                        "subtask": 2,
                        "task_manager": "127.0.0.1:19030-3a4b9e",
                        "ts_ms": 1795222136000,
                        "value": 998.5,
                        "line": 2,
                    },
                    {"metric": "numRecordsInPerSecond", "value": 4.5, "host": "tm-1"},
                    {"metric": "numRestarts", "scope": "job", "value": 3.0, "ts_ms": None},
                    {"metric": "mailboxLatencyMs", "quantile": 0.5, "value": 2.0, "ts_ms": 1795222136000},
                    {"metric": "mailboxLatencyMs", "quantile": 0.99, "value": 6.5, "line": 5},
                ]
            },
        ),
    ),
)
