"""Metrics of Flink's StatsD reporter, one per line as sent over the wire, recorded by a listener on its port.

The protocol has no time; a time on a line of its own, or before each line, counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.header_time import header_time
from diagnostics.notation.prometheus_series import SeriesNumbers, SeriesSamples, reported_key
from diagnostics.notation.reporter_name import from_statsd
from diagnostics.notation.statsd_columns import ValueColumns
from diagnostics.notation.tally import Tally
from diagnostics.notation.text_cuts import TextCuts, text_cuts
from diagnostics.notation.text_lines import MOST_CHARACTER_BYTES, numbered_lines

if TYPE_CHECKING:
    import numpy.typing as npt

MOST_LINE = 4_000
MOST_PATH = 2_000
BATCH_SAMPLES = 50_000
LINES_LOOKED_AT = 200
FIRST_LINES = 20_000
"""Lines in which the names of tasks are looked for before all are read. Our choice: the first reports of a cluster."""

_LINE = re.compile(r"(?:(\d\S{9,40}) )?([^:|]{1,2000}):(-?\d[\d.eE+-]{0,40})\|(?:g|c|ms|h)(?:\|@[\d.]{1,10})?$")
_FLINKS = re.compile(r"\.(?:jobmanager|taskmanager)\.")


def _recognise(head: Head) -> float:
    if "|g" not in head.text:
        return 0.0
    lines = [line.rstrip()[:MOST_LINE] for line in head.text.splitlines()[:LINES_LOOKED_AT] if line.strip()]
    fitting = [found for line in lines if (found := _LINE.match(line))]
    flinks = sum(1 for found in fitting if _FLINKS.search(found[2]))
    return 0.9 if flinks and len(fitting) >= 0.5 * len(lines) else 0.0


class _Recording:
    """What a listener recorded, and the last time that it stated on a line of its own."""

    def __init__(self, tasks: set[str]) -> None:
        self.samples, self.tally = SeriesSamples(), Tally()
        self._tasks = tasks
        self._numbers = SeriesNumbers(self.samples, lambda path: reported_key(from_statsd(path, self._tasks)))
        self._stated_ms = 0
        self.foreign = 0

    def take(self, text: TextCuts, first: int) -> None:
        """Add the values of some lines; `first` is the number of the first one."""
        columns = ValueColumns.of(text, MOST_PATH)
        numbers = self._numbers.number_column(columns.paths)
        ours = numbers >= 0
        places, moments, single = [-1], [self._stated_ms], list[tuple[int, int, float, int]]()
        for place in columns.others.tolist():
            line = text.line(place).decode("utf-8", "replace")[:MOST_LINE].strip()
            if (moment := header_time(line)) is not None:
                places.append(place)
                moments.append(moment)
            elif match := _LINE.match(line):
                single += self._value(match, moments[-1], first + place)
            elif line:
                self.tally.odd(first + place, line)
        self._stated_ms = moments[-1]

        stated = np.array(moments)[np.searchsorted(places, columns.places[ours]) - 1]
        own = _own_times(columns.moments.filter(pa.array(ours)))
        times = np.where(own == 0, stated, own)
        self.samples.extend(numbers[ours], times, columns.values[ours], columns.places[ours] + first, single)
        self.foreign += int((~ours).sum())
        self.tally.records += len(times) + len(single)
        for time in (*pc.min_max(pa.array(times, mask=times == 0)).as_py().values(), *(each[1] for each in single)):
            self.tally.take_time(time or None)

    def _value(self, match: re.Match[str], stated_ms: int, at: int) -> Iterator[tuple[int, int, float, int]]:
        number = self._numbers.of(match[2].encode())
        self.foreign += number < 0
        try:
            if number >= 0:
                yield number, (header_time(match[1]) if match[1] else None) or stated_ms, float(match[3]), at
        except ValueError:
            return


def _own_times(texts: pa.Array) -> npt.NDArray[np.int64]:
    """Epoch ms of the times before values, 0 for none; each distinct text is parsed once."""
    coded = texts.dictionary_encode()
    moments = [header_time(text.decode("utf-8", "replace")) or 0 for text in coded.dictionary.to_pylist()]
    times: npt.NDArray[np.int64] = np.array(moments, np.int64)[coded.indices.to_numpy()]
    return times


def _tasks(part: Range) -> set[str]:
    """The names of tasks by the first lines: a path of a task may come before the one that shows that it is a task."""
    tasks = set[str]()
    for _, line in islice(numbered_lines(part, MOST_LINE), FIRST_LINES):
        if match := _LINE.match(line):
            from_statsd(match[2], tasks)
    return tasks


def _read(part: Range) -> Iterator[Rows | Coverage]:
    recording = _Recording(_tasks(part))
    samples, tally = recording.samples, recording.tally
    for first, text in text_cuts(part, MOST_LINE * MOST_CHARACTER_BYTES):
        recording.take(text, first)
        if len(samples.times) >= BATCH_SAMPLES:
            yield Rows("metric_sample", batch=samples.batch())
            samples.clear()
    if samples.times:
        yield Rows("metric_sample", batch=samples.batch())
    if recording.foreign:
        tally.warn(say("{foreign:,} values that have no identifier of Flink's are left out", foreign=recording.foreign))
    yield tally.coverage()


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
