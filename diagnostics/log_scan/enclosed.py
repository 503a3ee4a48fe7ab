"""Evidence of another kind within a log: thread dumps of `kill -3`, reports of metrics.

A JVM prints a dump to the output of its process, where a container's log has it between the records. Flink's
Slf4jReporter writes all metrics as one record of many lines.

Source: Flink, `flink-metrics-slf4j`, Slf4jReporter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from diagnostics.evidence.rows import Rows
from diagnostics.log_scan.json_lines import LINE_BREAK
from diagnostics.log_scan.selection import METRICS_REPORT
from diagnostics.log_scan.stretch import Stretch
from diagnostics.notation.prometheus_series import SeriesNumbers, SeriesSamples, reported_key
from diagnostics.notation.reporter_name import QUANTILES, from_statsd
from diagnostics.notation.thread_stack import TITLE, dumped_threads

MOST_LINE = 4_000


def enclosed_rows(stretch: Stretch) -> Iterator[Rows]:
    """Rows of `stack_sample` and `metric_sample` within the records of a stretch."""
    threads = [row for record in dumps(stretch) for row in _threads(stretch, record)]
    if threads:
        yield Rows("stack_sample", threads)
    samples, tasks = SeriesSamples(), set[str]()
    numbers = SeriesNumbers(samples, lambda name: reported_key(from_statsd(name, tasks)))
    for record in stretch.hits.records_with(METRICS_REPORT):
        ts_ms = stretch.heads.ts_ms[record].as_py()
        for line, name, value in _reported(stretch, record):
            number = numbers.of(name.encode())
            if number >= 0:
                samples.add(number, ts_ms or 0, value, line)
    if samples.times:
        yield Rows("metric_sample", batch=samples.batch())


def dumps(stretch: Stretch) -> list[int]:
    """Indexes of the records with a thread dump. One of them may hold only the time above it."""
    return stretch.hits.records_with(TITLE)


def _lines(stretch: Stretch, record: int) -> Iterator[tuple[int, str]]:
    """The lines of a record with their numbers; the numbers repeat when the record is on one line of the file."""
    for line in range(int(stretch.heads.line[record]), int(stretch.last_lines[record]) + 1):
        start = int(stretch.starts[line])
        end = int(stretch.starts[line + 1]) - 1 if line + 1 < len(stretch.starts) else int(stretch.ends[record])
        for part in stretch.buffer[start:end].split(LINE_BREAK):
            yield line + 1, part[:MOST_LINE].decode("utf-8", "replace")


def _threads(stretch: Stretch, record: int) -> Iterator[dict[str, Any]]:
    """The threads of the dumps in a record; without a time above it, a dump has the record's time."""
    moment = stretch.heads.ts_ms[record].as_py()
    is_dump = False
    lines = []
    for line, text in _lines(stretch, record):
        is_dump = is_dump or text.startswith(TITLE)
        # Text before the dump is the log's: a message may begin with a quoted word.
        lines.append((line, text if is_dump or text[:2].isdigit() else ""))
    for ts_ms, thread in dumped_threads(lines):
        if thread.frames:
            place = {"line": thread.first_line, "last_line": thread.last_line}
            yield {"ts_ms": moment if ts_ms is None else ts_ms, **thread.as_row(), **place}


def _reported(stretch: Stretch, record: int) -> Iterator[tuple[int, str, float]]:
    """(line, name, value) of every number in a report; the quantiles of a histogram."""
    for line, text in _lines(stretch, record):
        name, is_histogram, statistics = text.partition(": count=")
        if is_histogram:
            for each in statistics.split(", "):
                statistic, _, printed = each.partition("=")
                if statistic in QUANTILES and (value := _number(printed)) is not None:
                    yield line, f"{name}.{statistic}", value
            continue
        name, _, printed = text.rpartition(": ")
        if name and (value := _number(printed)) is not None:
            yield line, name, value


def _number(printed: str) -> float | None:
    try:
        return float(printed)
    except ValueError:
        return None
