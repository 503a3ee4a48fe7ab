"""Prometheus text exposition of Flink's metrics: one scrape, or many joined with `# scrape_time` or sample times.

Output of `promtool tsdb dump`, with the name among the labels, is read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.evidence.subject import only_one
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.metric_name import CONTAINERS
from diagnostics.notation.prometheus_series import (
    BEYOND,
    FOREIGN,
    SeriesKey,
    SeriesNumbers,
    SeriesSamples,
    series_key,
    series_of,
)
from diagnostics.notation.rest_document import text, whole
from diagnostics.notation.sample_lines import EXEMPLAR, SampleLines
from diagnostics.notation.tally import MOST_SHOWN, Tally
from diagnostics.notation.text_cuts import TextCuts, text_cuts

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

BATCH_SAMPLES = 100_000
MOST_LINE = 1_048_576
"""No longer line comes from an upload: the intake shortens them."""
MOST_HEAD = 16_384
LINES_LOOKED_AT = 200
EPOCH_MS_FROM = 1e11
"""Smaller numbers are epoch seconds, larger ones milliseconds: seconds reach it in the year 5138, milliseconds did in
1973.
"""
LATEST_MS = 1e15
"""Larger numbers are not times. Our choice: the year 33658."""

NOT_A_SERIES = -3
OURS = ("flink_", '{__name__="flink_', *sorted(CONTAINERS))
"""How samples begin that are read."""

LEFT_OUT = {
    FOREIGN: to_say("{count} samples are not Flink's and were left out"),
    BEYOND: to_say("{count} samples were left out: of too many series, or of too long a name"),
}
FAILED = to_say("{count} scrapes failed: the process did not answer")

_VALUE = re.compile(rb"[-+]?(?:\d|NaN|Inf)")
_SAMPLE = re.compile(
    r"(?:[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{[^\n]*\})?|\{__name__=[^\n]*\}) +"
    r"(?:[-+]?[\d.]+(?:[eE][-+]?\d+)?|NaN|[-+]?Inf)(?: +[\d.]+)?$"
)
_DECLARED = re.compile(r"# (?:TYPE|HELP) [a-zA-Z_:]")


def _recognise(head: Head) -> float:
    lines = [line.rstrip("\r") for line in head.text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]]
    short_lines = [line for line in lines if line and len(line) <= MOST_HEAD]
    declared = sum(_DECLARED.match(line) is not None for line in short_lines)
    samples = [line for line in short_lines if line[0] != "#" and _SAMPLE.match(line)]
    others = len([line for line in short_lines if line[0] != "#"]) - len(samples)
    if others > 1 + len(samples) // 10 or not (samples or declared):
        return 0.0
    if any(line.startswith(OURS) for line in samples) or "# TYPE flink_" in head.text:
        return 0.95
    if all(line.startswith("# scrape_") for line in short_lines):
        return 0.6
    return 0.4 if declared else 0.0


@dataclass(slots=True)
class _Scrapes:
    """State that is kept from block to block."""

    samples: SeriesSamples
    numbers: SeriesNumbers
    tally: Tally = field(default_factory=Tally)
    time_ms: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)


def _read(part: Range) -> Iterator[Rows | Coverage]:
    samples = SeriesSamples()
    taken_ms = whole(part.context.get("snapshot_ms")) or 0
    scrapes = _Scrapes(samples, SeriesNumbers(samples, _series_of), time_ms=taken_ms)
    for first, lines in text_cuts(part, MOST_LINE):
        _take(scrapes, lines, first)
        if len(scrapes.samples.series) >= BATCH_SAMPLES:
            yield _rows(scrapes)
    if scrapes.samples.series:
        yield _rows(scrapes)
    yield from _after(scrapes)


def _take(scrapes: _Scrapes, lines: TextCuts, first: int) -> None:
    """Add the samples of some lines: those in the usual layout in bulk, the others line by line.

    first  the number of the first line
    """
    import numpy as np

    printed = SampleLines.of(lines)
    places, moments = [-1], [scrapes.time_ms]
    for place in printed.scrapes.tolist():
        _scrape(scrapes, lines.line(place), first + place)
        places.append(place)
        moments.append(scrapes.time_ms)
    time_of = np.array(moments)[np.searchsorted(places, np.arange(len(lines.ends))) - 1]

    numbers = scrapes.numbers.number_column(printed.heads)
    for number in LEFT_OUT:
        scrapes.tally.counted[LEFT_OUT[number]] += int((numbers == number).sum())
    ours = numbers >= 0
    unusual = np.sort(np.append(printed.others, printed.places[numbers == NOT_A_SERIES])).tolist()
    single = (_sample(scrapes, lines.line(each), first + each, int(time_of[each])) for each in unusual)
    scrapes.samples.extend(
        numbers[ours],
        np.where(np.isnan(printed.times), time_of[printed.places], _epoch_times(printed.times))[ours],
        printed.values[ours],
        printed.places[ours] + first,
        [each for each in single if each is not None],
    )


def _sample(scrapes: _Scrapes, line: bytes, line_number: int, time_ms: int) -> tuple[int, int, float, int] | None:
    """Series, time, value and line of a sample in another layout; None for samples that are not Flink's."""
    sample = line.partition(EXEMPLAR)[0]
    head, closing, tail = sample.rpartition(b"} ")
    if not closing:
        head, _, tail = sample.partition(b" ")
    number = scrapes.numbers.of(head)
    if number < 0:
        _left_out(scrapes, number, line, line_number, tail)
        return None
    value, _, time = tail.partition(b" ")
    try:
        return number, _epoch_ms(time) if time else time_ms, float(value), line_number
    except ValueError:
        _odd(scrapes, line, line_number)
        return None


def _epoch_times(times: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """`_epoch_ms` for many values."""
    import numpy as np

    possible = np.where((times > 0) & (times < LATEST_MS), times, 0.0)
    moments: npt.NDArray[np.float64] = np.rint(np.where(possible >= EPOCH_MS_FROM, possible, possible * 1000))
    return moments.astype(np.int64)


def _series_of(head: str) -> SeriesKey | int | None:
    """The series of a head, or the reason to leave its samples out."""
    if len(head) > MOST_HEAD:
        return BEYOND
    name, labels = series_of(head)
    name = name or labels.get("__name__", "")
    return series_key(name, labels) if name else NOT_A_SERIES


def _left_out(scrapes: _Scrapes, number: int, line: bytes, line_number: int, tail: bytes) -> None:
    if number == BEYOND or (number == FOREIGN and _VALUE.match(tail)):
        scrapes.tally.counted[LEFT_OUT[number]] += 1
    else:
        _odd(scrapes, line, line_number)


def _epoch_ms(time: bytes) -> int:
    try:
        moment = float(time)
    except ValueError:
        return 0
    if not 0 < moment < LATEST_MS:
        return 0
    return round(moment if moment >= EPOCH_MS_FROM else moment * 1000)


def _scrape(scrapes: _Scrapes, line: bytes, line_number: int) -> None:
    words = line.decode("utf-8", "replace").split(None, 3)
    time_ms = _epoch_ms(words[2].encode()) if len(words) > 2 else 0
    if words[1] == "scrape_time":
        scrapes.time_ms = time_ms
    elif words[1] == "scrape_failed":
        reason = text(words[3].strip()) if len(words) > 3 else None
        failure = {"ts_ms": time_ms or None, "metric": "scrape_failed", "value": 1.0}
        where = {"line": line_number, "last_line": line_number}
        scrapes.failed.append({**failure, "labels": f"reason={reason}" if reason else None, **where})


def _odd(scrapes: _Scrapes, line: bytes, line_number: int) -> None:
    if line.strip():
        scrapes.tally.odd(line_number, line[:MOST_SHOWN].decode("utf-8", "replace").strip())


def _rows(scrapes: _Scrapes) -> Rows:
    samples = scrapes.samples
    scrapes.tally.records += len(samples.series)
    for time in (min(samples.times), max(samples.times)):
        scrapes.tally.take_time(time or None)
    batch = samples.batch()
    samples.clear()
    return Rows("metric_sample", batch=batch)


def _after(scrapes: _Scrapes) -> Iterator[Rows | Coverage]:
    """Failed scrapes, once their process is known, and the coverage with warnings."""
    tally = scrapes.tally
    task_managers = scrapes.samples.different("task_manager")
    if not task_managers or scrapes.samples.all_have("task_manager"):
        tally.role = "taskmanager" if task_managers else "jobmanager" if scrapes.samples.different("metric") else None
    task_manager = only_one(task_managers)
    failed = [{**row, "scope": tally.role, "task_manager": task_manager} for row in scrapes.failed]
    yield Rows("metric_sample", failed)
    tally.records += len(failed)
    tally.counted[FAILED] += len(failed)
    tally.counted = +tally.counted
    yield tally.coverage()


FORMAT = Format(
    id="prometheus-text",
    title=to_say("Prometheus scrapes of Flink metrics"),
    documentation="https://nightlies.apache.org/flink/flink-docs-stable/docs/deployment/metric_reporters/#prometheus",
    tables=("metric_sample",),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="metrics/taskmanager-0.prom",
            text="# scrape_time 1795222029.117\n"
            "# HELP flink_taskmanager_Status_JVM_Memory_Heap_Max Max (scope: taskmanager_Status_JVM_Memory_Heap)\n"
            "# TYPE flink_taskmanager_Status_JVM_Memory_Heap_Max gauge\n"
            'flink_taskmanager_Status_JVM_Memory_Heap_Max{host="localhost",tm_id="localhost:18040_ef0dc3",} '
            "5.36870912E8\n"
            "# TYPE flink_taskmanager_job_task_busyTimeMsPerSecond gauge\n"
            'flink_taskmanager_job_task_busyTimeMsPerSecond{job_id="62c0ae9f2958cc5d669a5f9058cc4097",'
            'task_id="401ce4df3bc435e1a06b783bc1174815",task_attempt_id="0d98",host="localhost",task_name="Source:_clicks",'
            'task_attempt_num="0",job_name="clickstream",tm_id="localhost:18040_ef0dc3",subtask_index="1",} NaN\n'
            "jvm_threads_current 41.0\n",
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222029117,
                        "metric": "Status.JVM.Memory.Heap.Max",
                        "scope": "taskmanager",
                        "job_id": None,
                        "subtask": None,
                        "task_manager": "localhost:18040-ef0dc3",
                        "host": "localhost",
                        "quantile": None,
                        "labels": None,
                        "value": 536870912.0,
                        "line": 4,
                        "last_line": 4,
                    },
                    {
                        "ts_ms": 1795222029117,
                        "metric": "busyTimeMsPerSecond",
                        "scope": "task",
                        "job_id": "62c0ae9f2958cc5d669a5f9058cc4097",
                        "job_name": "clickstream",
                        "vertex_id": "401ce4df3bc435e1a06b783bc1174815",
                        "vertex": "Source:_clicks",
                        "subtask": 1,
                        "value": None,
                        "line": 6,
                    },
                ]
            },
        ),
        Sample(
            name="metrics/taskmanager-1.prom",
            text="# TYPE flink_taskmanager_job_task_mailboxLatencyMs summary\n"
            'flink_taskmanager_job_task_mailboxLatencyMs{tm_id="127_0_0_1:19030_3a4b9e",host="127_0_0_1",'
            'subtask_index="0",quantile="0.99",} 7.5 1795222401063\n'
            "# scrape_failed 1795222773919 TimeoutError: timed out\n",
            rows={
                "metric_sample": [
                    {
                        "ts_ms": 1795222401063,
                        "metric": "mailboxLatencyMs",
                        "quantile": 0.99,
                        "task_manager": "127.0.0.1:19030-3a4b9e",
                        "host": "127.0.0.1",
                        "value": 7.5,
                    },
                    {
                        "ts_ms": 1795222773919,
                        "metric": "scrape_failed",
                        "scope": "taskmanager",
                        "task_manager": "127.0.0.1:19030-3a4b9e",
                        "labels": "reason=TimeoutError: timed out",
                        "value": 1.0,
                        "line": 3,
                    },
                ]
            },
        ),
    ),
)
