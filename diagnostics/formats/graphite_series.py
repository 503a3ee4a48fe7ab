"""Flink's metrics from Graphite: lines of its plaintext protocol, `path value time`, and answers of its render API."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.json_document import Outline, outline
from diagnostics.notation.json_series import DatedValue, JsonSeries
from diagnostics.notation.prometheus_series import MOST_SERIES, SeriesKey, SeriesNumbers, SeriesSamples, reported_key
from diagnostics.notation.reporter_name import from_statsd
from diagnostics.notation.rest_document import CERTAIN, RestDocument, fields, items, rest_reader
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000
BATCH_SAMPLES = 50_000
LINES_LOOKED_AT = 200
SECONDS_BELOW = 1e11
"""Smaller times are seconds, as Graphite has them."""

_LINE = re.compile(r"([^\s;]{3,2000}) (-?\d[\d.eE+-]{0,40}) (\d{9,13})$")
_FLINKS = re.compile(r"\.(?:jobmanager|taskmanager)\.")
_METER = re.compile(r"(?:PerSecond|Rate)$")
_RATES = (".m1_rate", ".count", ".value")
_OTHERS = re.compile(r"\.(?:m5_rate|m15_rate|mean_rate|min|max|mean|stddev)$")
"""Further numbers of a meter or histogram. Source: Dropwizard's GraphiteReporter, which Flink's reporter wraps."""


def _series_of(path: str, tasks: set[str]) -> SeriesKey | None:
    """The series of a path; None for what is no identifier of Flink's, or one of several numbers of a metric."""
    plain, number = path, ""
    for each in _RATES:
        if path.endswith(each):
            plain, number = path.removesuffix(each), each
    if _OTHERS.search(path) or (number == ".count" and _METER.search(plain)):
        return None
    return reported_key(from_statsd(plain, tasks))


def _fits(seen: Outline) -> bool:
    return seen.is_array and seen.has("*", "target", "datapoints")


def _recognise(head: Head) -> float:
    seen = outline(head)
    if seen is not None:
        return CERTAIN if not seen.several and _fits(seen) and _FLINKS.search(head.text) else 0.0
    lines = [line.rstrip()[:MOST_LINE] for line in head.text.splitlines()[:LINES_LOOKED_AT] if line.strip()]
    fitting = [found for line in lines if (found := _LINE.match(line))]
    flinks = sum(1 for found in fitting if _FLINKS.search(found[1]))
    return 0.9 if flinks and len(fitting) >= 0.5 * len(lines) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    first = next((line for _, line in numbered_lines(part, MOST_LINE) if line.strip()), "")
    yield from (rest_reader(_answer) if first.lstrip("\ufeff ").startswith("[") else _lines)(part)


def _answer(document: RestDocument) -> Iterator[Rows | Coverage]:
    series, tasks = JsonSeries(), set[str]()
    for place, entry in enumerate(items(document.value)):
        told = fields(entry)
        series.add(_series_of(str(told.get("target")), tasks), _points(told, f"/{place}/datapoints"))
    yield from series.read(document.at()["line"])


def _points(entry: Any, pointer: str) -> Iterator[DatedValue]:
    for number, pair in enumerate(items(entry.get("datapoints"))):
        if isinstance(pair, list) and len(pair) == 2:
            seconds = pair[1] if isinstance(pair[1], int | float) and abs(pair[1]) < SECONDS_BELOW else None
            yield seconds * 1000 if seconds is not None else None, pair[0], f"{pointer}/{number}"


def _tasks(part: Range) -> set[str]:
    """The names of tasks in a file: a path of a task may come before the one that shows that it is a task."""
    tasks, seen = set[str](), set[str]()
    for _, line in numbered_lines(part, MOST_LINE):
        path = line.partition(" ")[0]
        if path not in seen and len(seen) < MOST_SERIES:
            seen.add(path)
            from_statsd(path, tasks)
    return tasks


def _lines(part: Range) -> Iterator[Rows | Coverage]:
    samples, tally, foreign, tasks = SeriesSamples(), Tally(), 0, _tasks(part)
    numbers = SeriesNumbers(samples, lambda path: _series_of(path, tasks))
    for at, line in numbered_lines(part, MOST_LINE):
        match = _LINE.match(line)
        if match is None:
            if line:
                tally.odd(at, line)
            continue
        number, moment = numbers.of(match[1].encode()), int(match[3])
        foreign += number < 0
        try:
            value = float(match[2])
        except ValueError:
            tally.odd(at, line)
            continue
        if number >= 0:
            ts_ms = moment * 1000 if moment < SECONDS_BELOW else moment
            samples.add(number, ts_ms, value, at)
            tally.records += 1
            tally.take_time(ts_ms)
        if len(samples.times) >= BATCH_SAMPLES:
            yield Rows("metric_sample", batch=samples.batch())
            samples.clear()
    if samples.times:
        yield Rows("metric_sample", batch=samples.batch())
    if foreign:
        tally.warn(say("{foreign:,} values that have no identifier of Flink's are left out", foreign=foreign))
    if numbers.are_all:
        tally.warn(say("more than {bound:,} series: those beyond them are not read", bound=MOST_SERIES))
    yield tally.coverage()


FORMAT = Format(
    id="graphite-series",
    title=to_say("Metrics of Flink's Graphite reporter"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#graphite",
    tables=("metric_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="graphite.txt",
            text="vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window.2.buffers.inPoolUsage 0.5 1795222800\n"
            "vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window.2.numRecordsIn.count 900 1795222800\n"
            "vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window.2.numRecordsInPerSecond.m1_rate 4.5 1795222800\n"
            "vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window.2.numRecordsInPerSecond.count 900 1795222800\n"
            "vm.jobmanager.orders.fullRestarts 3 1795222800\n",
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222800000,
                        "metric": "buffers.inPoolUsage",
                        "scope": "task",
                        "job_name": "orders",
                        "vertex": "Window",
                        "subtask": 2,
                        "task_manager": "127.0.0.1:19030-3a4b9e",
                        "value": 0.5,
                        "line": 1,
                    },
                    {"metric": "numRecordsIn", "value": 900.0},
                    {"metric": "numRecordsInPerSecond", "value": 4.5},
                    {"metric": "fullRestarts", "scope": "job", "job_name": "orders", "value": 3.0},
                ]
            },
        ),
        Sample(
            name="render.json",
            text='[{"target":"vm.taskmanager.tm-1.orders.Window.2.busyTimeMsPerSecond","datapoints":'
            "[[998.0,1795222800],[null,1795222860]]}]",
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222800000,
                        "metric": "busyTimeMsPerSecond",
                        "vertex": "Window",
                        "subtask": 2,
                        "value": 998.0,
                        "pointer": "/0/datapoints/0",
                    }
                ]
            },
        ),
    ),
)
