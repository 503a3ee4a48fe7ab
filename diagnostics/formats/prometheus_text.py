"""Prometheus text exposition of Flink's metrics: one scrape, or many joined with `# scrape_time` or sample times.

What `promtool tsdb dump` prints has the name among the labels and is read too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample
from diagnostics.notation.prometheus_series import SeriesSamples, series_key, series_of
from diagnostics.notation.rest_document import text, whole
from diagnostics.notation.tally import MOST_SHOWN, Tally
from diagnostics.notation.text_lines import raw_lines

BATCH_SAMPLES = 100_000
MOST_SERIES = 200_000
"""Distinct series kept of one file, about 200 MB; a large cluster has some ten thousand. Our choice."""

MOST_LINE = 1_048_576
"""Longer lines come from no upload: the intake shortens them."""
MOST_HEAD = 16_384
LINES_LOOKED_AT = 200
EPOCH_MS_FROM = 1e11
"""Numbers below are epoch seconds, above milliseconds: seconds reach it in the year 5138, milliseconds did in 1973."""

NOT_FLINK, NOT_A_SERIES, BEYOND = -1, -2, -3

_VALUE = re.compile(rb"[-+]?(?:\d|NaN|Inf)")
_SAMPLE = re.compile(
    r"(?:[a-zA-Z_:][a-zA-Z0-9_:]*(?:\{[^\n]*\})?|\{__name__=[^\n]*\}) +"
    r"(?:[-+]?[\d.]+(?:[eE][-+]?\d+)?|NaN|[-+]?Inf)(?: +[\d.]+)?$"
)
_DECLARED = re.compile(r"# (?:TYPE|HELP) [a-zA-Z_:]")


def _recognise(head: Head) -> float:
    lines = [line.rstrip("\r") for line in head.text.split("\n", LINES_LOOKED_AT)[:LINES_LOOKED_AT]]
    told = [line for line in lines if line and len(line) <= MOST_HEAD]
    declared = sum(_DECLARED.match(line) is not None for line in told)
    samples = [line for line in told if line[0] != "#" and _SAMPLE.match(line)]
    others = len([line for line in told if line[0] != "#"]) - len(samples)
    if others > 1 + len(samples) // 10 or not (samples or declared):
        return 0.0
    if any(line.startswith(("flink_", '{__name__="flink_')) for line in samples) or "# TYPE flink_" in head.text:
        return 0.95
    if all(line.startswith("# scrape_") for line in told):
        return 0.6
    return 0.4 if declared else 0.0


@dataclass(slots=True)
class _Scrapes:
    """What is carried from line to line."""

    samples: SeriesSamples = field(default_factory=SeriesSamples)
    numbers: dict[bytes, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    time_ms: int = 0
    foreign: int = 0
    beyond: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)


def _read(part: Range) -> Iterator[Rows | Coverage]:
    scrapes = _Scrapes(time_ms=whole(part.context.get("snapshot_ms")) or 0)
    samples, numbers = scrapes.samples, scrapes.numbers
    for line_number, line in enumerate(raw_lines(part, MOST_LINE), 1):
        if line[:1] == b"#":
            if line[:9] == b"# scrape_":
                _scrape(scrapes, line, line_number)
            continue
        head, closing, tail = line.rpartition(b"} ")
        if not closing:
            head, _, tail = line.partition(b" ")
        number = numbers.get(head)
        if number is None:
            if b" # " in line:
                head, tail = _without_exemplar(line)
            number = _number(scrapes, head)
        if number < 0:
            _left_out(scrapes, number, line, line_number, tail)
            continue
        value, _, time = tail.partition(b" ")
        try:
            samples.values.append(float(value))
        except ValueError:
            _odd(scrapes, line, line_number)
            continue
        samples.series.append(number)
        samples.times.append(_epoch_ms(time) if time else scrapes.time_ms)
        samples.lines.append(line_number)
        if len(samples.series) >= BATCH_SAMPLES:
            yield _rows(scrapes)
    if samples.series:
        yield _rows(scrapes)
    yield from _after(scrapes)


def _number(scrapes: _Scrapes, head: bytes) -> int:
    """The number of a series seen for the first time, or why its samples are left out."""
    if head in scrapes.numbers:
        return scrapes.numbers[head]
    if len(scrapes.numbers) >= MOST_SERIES or len(head) > MOST_HEAD:
        return BEYOND
    name, labels = series_of(head.decode("utf-8", "replace"))
    name = name or labels.get("__name__", "")
    number = NOT_A_SERIES
    if name:
        key = series_key(name, labels)
        number = NOT_FLINK if key is None else scrapes.samples.add_series(key)
    scrapes.numbers[head] = number
    return number


def _left_out(scrapes: _Scrapes, number: int, line: bytes, line_number: int, tail: bytes) -> None:
    if number == NOT_FLINK and _VALUE.match(tail):
        scrapes.foreign += 1
    elif number == BEYOND:
        scrapes.beyond += 1
    else:
        _odd(scrapes, line, line_number)


def _without_exemplar(line: bytes) -> tuple[bytes, bytes]:
    """Head and tail of an OpenMetrics sample that has an exemplar behind it."""
    sample = line.partition(b" # ")[0]
    head, closing, tail = sample.rpartition(b"} ")
    if not closing:
        head, _, tail = sample.partition(b" ")
    return head, tail


def _epoch_ms(time: bytes) -> int:
    try:
        moment = float(time)
    except ValueError:
        return 0
    if not 0 < moment < 1e15:
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
    """The scrapes that failed, once the process they were for is known, and what is to be said about the file."""
    tally = scrapes.tally
    keys = scrapes.samples.keys
    task_managers = {key[8] for key in keys if key[8] is not None}
    roles = {"taskmanager" if key[8] is not None else "jobmanager" for key in keys}
    tally.role = roles.pop() if len(roles) == 1 else None
    task_manager = task_managers.pop() if len(task_managers) == 1 else None
    failed = [{**row, "scope": tally.role, "task_manager": task_manager} for row in scrapes.failed]
    yield Rows("metric_sample", failed)
    tally.records += len(failed)
    if failed:
        tally.warn(f"{len(failed)} scrapes failed: the process did not answer")
    if scrapes.foreign:
        tally.warn(f"{scrapes.foreign} samples are not Flink's and were left out")
    if scrapes.beyond:
        tally.warn(f"{scrapes.beyond} samples were left out: more than {MOST_SERIES:,} series, or too long a name")
    yield tally.coverage()


FORMAT = Format(
    id="prometheus-text",
    title="Prometheus scrapes of Flink metrics",
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
