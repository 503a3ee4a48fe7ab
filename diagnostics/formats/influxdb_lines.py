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
from diagnostics.notation.influx_columns import MICROSECONDS_BELOW, MILLISECONDS_BELOW, SECONDS_BELOW, FieldColumns
from diagnostics.notation.prometheus_series import (
    MOST_SERIES,
    SeriesKey,
    SeriesNumbers,
    SeriesSamples,
    series_key,
)
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_cuts import text_cuts
from diagnostics.notation.text_lines import MOST_CHARACTER_BYTES

MOST_LINE = 65_536
MOST_PART = 20_000
"""Characters of a series, and of the fields. Our choice."""
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


def _recognise(head: Head) -> float:
    lines = head.text.split("\n", LINES_LOOKED_AT)
    told = [line for line in (lines if head.complete else lines[:-1]) if line.strip() and not line.startswith("#")]
    flinks = sum(line.startswith(_SCOPES) and _parts(line[:MOST_LINE]) is not None for line in told)
    return 0.9 if flinks and flinks >= 0.5 * len(told) else 0.0


def _series_of(printed: str) -> SeriesKey | None:
    """The series of a measurement with its tags, a line end and its field; None where it is not one of Flink."""
    series, _, field = printed.rpartition("\n")
    measurement, *pairs = _COMMA.split(series)
    if not measurement.startswith(_SCOPES):
        return None
    labels = dict(map(_pair, pairs)) | ({"quantile": QUANTILES[field]} if field in QUANTILES else {})
    return series_key(f"flink_{_plain(measurement)}", labels)


def _read(part: Range) -> Iterator[Rows | Coverage]:
    samples, tally = SeriesSamples(), Tally()
    numbers = SeriesNumbers(samples, _series_of)
    for first, text in text_cuts(part, MOST_LINE * MOST_CHARACTER_BYTES):
        columns = FieldColumns.of(text, MOST_PART, tuple(QUANTILES), VALUES)
        series = numbers.number_column(columns.series)
        ours = series >= 0
        single: list[tuple[int, int, float, int]] = []
        for place in columns.others.tolist():
            at, line = first + place, text.line(place).decode("utf-8", "replace")[:MOST_LINE].rstrip()
            match = _parts(line)
            single += _measured(match, numbers, at) if match else ()
            if not match and line and not line.startswith("#"):
                tally.odd(at, line)
        samples.extend(series[ours], columns.times[ours], columns.values[ours], columns.places[ours] + first, single)
        tally.records += int(ours.sum()) + len(single)
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


def _measured(match: re.Match[str], numbers: SeriesNumbers, at: int) -> Iterator[tuple[int, int, float, int]]:
    """Series, epoch ms or 0 when unknown, value and line of each number of a line of Flink."""
    fields = {name: value for name, text in map(_pair, _COMMA.split(match[2])) if (value := _number(text)) is not None}
    ts_ms = _milliseconds(int(match[3])) if match[3] else 0
    for name in [name for name in QUANTILES if name in fields] or [name for name in VALUES if name in fields][:1]:
        number = numbers.of(f"{match[1]}\n{name}".encode())
        if number >= 0:
            yield number, ts_ms, fields[name], at


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
