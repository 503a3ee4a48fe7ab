"""Metrics of Flink's StatsD reporter, one per line as sent over the wire, recorded by a listener on its port.

The protocol has no time; a time on a line of its own, or before each line, counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.prometheus_series import SeriesSamples, series_key
from diagnostics.notation.reporter_name import from_statsd
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_lines import numbered_lines

MOST_LINE = 4_000
MOST_SERIES = 200_000
BATCH_SAMPLES = 50_000
LINES_LOOKED_AT = 200
FOREIGN = -1

_LINE = re.compile(r"(?:(\d\S{9,40}) )?([^:|]{1,2000}):(-?\d[\d.eE+-]{0,40})\|(?:g|c|ms|h)(?:\|@[\d.]{1,10})?$")
_FLINKS = re.compile(r"\.(?:jobmanager|taskmanager)\.")


def _recognise(head: Head) -> float:
    if "|g" not in head.text:
        return 0.0
    lines = [line.rstrip()[:MOST_LINE] for line in head.text.splitlines()[:LINES_LOOKED_AT] if line.strip()]
    fitting = [found for line in lines if (found := _LINE.match(line))]
    flinks = sum(1 for found in fitting if _FLINKS.search(found[2]))
    return 0.9 if flinks and len(fitting) >= 0.5 * len(lines) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    samples, tally = SeriesSamples(), Tally()
    known: dict[str, int] = {}
    tasks: set[str] = set()
    foreign = stated_ms = 0
    for at, whole_line in numbered_lines(part, MOST_LINE):
        line = whole_line.lstrip()
        match, moment = _LINE.match(line), header_time(line)
        if moment is not None:
            stated_ms = moment
        elif match:
            path = match[2]
            if path not in known and len(known) < MOST_SERIES:
                series = from_statsd(path, tasks)
                key = series_key(series.name, series.labels) if series else None
                known[path] = FOREIGN if key is None else samples.add_series(key)
            number, value = known.get(path, FOREIGN), _value(match[3])
            foreign += number == FOREIGN
            if number != FOREIGN and value is not None:
                ts_ms = (header_time(match[1]) if match[1] else None) or stated_ms
                samples.series.append(number)
                samples.times.append(ts_ms)
                samples.values.append(value)
                samples.lines.append(at)
                tally.records += 1
                tally.take_time(ts_ms or None)
        elif line:
            tally.odd(at, line)
        if len(samples.times) >= BATCH_SAMPLES:
            yield Rows("metric_sample", batch=samples.batch())
            samples.clear()
    if samples.times:
        yield Rows("metric_sample", batch=samples.batch())
    if foreign:
        tally.warn(say("{foreign:,} values that have no identifier of Flink's are left out", foreign=foreign))
    yield tally.coverage()


def _value(printed: str) -> float | None:
    try:
        return float(printed)
    except ValueError:
        return None


FORMAT = Format(
    id="statsd-lines",
    title=to_say("Metrics of Flink's StatsD reporter"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#statsd",
    tables=("metric_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="metrics/statsd.txt",
            text="2026-11-21T01:00:00Z\n"
            "vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window -> Sink_ out.2.busyTimeMsPerSecond:998|g\n"
            "vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window -> Sink_ out.2.buffers.inPoolUsage:0.5|g\n"
            "vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window.2.numRecordsInPerSecond.rate:4.5|g\n"
            "vm.taskmanager.127.0.0.1-19030-3a4b9e.orders.Window.2.numRecordsInPerSecond.count:9|g\n"
            "vm.taskmanager.tm-1.Status.JVM.Memory.Heap.Used:1024|g\n"
            "vm.jobmanager.orders.numRestarts:3|g\n",
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222800000,
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_name": "orders",
                        "vertex": "Window -> Sink_ out",
                        "subtask": 2,
                        "task_manager": "127.0.0.1:19030-3a4b9e",
                        "host": "vm",
                        "value": 998.0,
                        "line": 2,
                    },
                    {"metric": "buffers.inPoolUsage", "scope": "task", "value": 0.5},
                    {"metric": "numRecordsInPerSecond", "scope": "operator", "operator": "Window", "value": 4.5},
                    {"metric": "Status.JVM.Memory.Heap.Used", "scope": "taskmanager", "task_manager": "tm-1"},
                    {"metric": "numRestarts", "scope": "job", "job_name": "orders", "value": 3.0},
                ]
            },
        ),
    ),
)
