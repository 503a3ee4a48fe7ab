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
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.prometheus_series import SeriesSamples, series_key, series_of
from diagnostics.notation.rest_document import text, whole
from diagnostics.notation.sample_lines import SampleLines
from diagnostics.notation.tally import MOST_SHOWN, Tally
from diagnostics.notation.text_lines import line_blocks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

BATCH_SAMPLES = 100_000
MOST_SERIES = 200_000
"""Distinct series kept of one file, about 200 MB. Our choice: a large cluster has some ten thousand."""

MOST_LINE = 1_048_576
"""No longer line comes from an upload: the intake shortens them."""
BLOCK_BYTES = 4_194_304
"""Bytes of text parsed at once; the positions of its parts take some ten times as much. Our choice."""
MOST_HEAD = 16_384
LINES_LOOKED_AT = 200
EPOCH_MS_FROM = 1e11
"""Smaller numbers are epoch seconds, larger ones milliseconds: seconds reach it in the year 5138, milliseconds did in
1973.
"""
LATEST_MS = 1e15
"""Larger numbers are not times. Our choice: the year 33658."""

NOT_FLINK, NOT_A_SERIES, BEYOND = -1, -2, -3

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
    if any(line.startswith(("flink_", '{__name__="flink_')) for line in samples) or "# TYPE flink_" in head.text:
        return 0.95
    if all(line.startswith("# scrape_") for line in short_lines):
        return 0.6
    return 0.4 if declared else 0.0


@dataclass(slots=True)
class _Scrapes:
    """State that is kept from block to block.

    numbers              series as printed, without the closing brace -> its number, or the reason to leave it out
    heads, head_numbers  the same as columns, for series in the usual layout
    """

    heads: pa.Array
    head_numbers: npt.NDArray[np.int64]
    samples: SeriesSamples = field(default_factory=SeriesSamples)
    numbers: dict[bytes, int] = field(default_factory=dict)
    tally: Tally = field(default_factory=Tally)
    time_ms: int = 0
    foreign: int = 0
    beyond: int = 0
    failed: list[dict[str, Any]] = field(default_factory=list)


def _read(part: Range) -> Iterator[Rows | Coverage]:
    import numpy as np
    import pyarrow as pa

    taken_ms = whole(part.context.get("snapshot_ms")) or 0
    scrapes = _Scrapes(pa.array([], pa.binary()), np.empty(0, np.int64), time_ms=taken_ms)
    lines_before = 0
    for block in line_blocks(part, MOST_LINE, BLOCK_BYTES):
        lines = SampleLines.of(block)
        _take(scrapes, lines, lines_before)
        lines_before += len(lines.ends)
        if len(scrapes.samples.series) >= BATCH_SAMPLES:
            yield _rows(scrapes)
    if scrapes.samples.series:
        yield _rows(scrapes)
    yield from _after(scrapes)


def _take(scrapes: _Scrapes, lines: SampleLines, lines_before: int) -> None:
    """Add the samples of some lines: those in the usual layout in bulk, the others line by line."""
    import numpy as np

    places, moments = [-1], [scrapes.time_ms]
    for place in lines.scrapes.tolist():
        _scrape(scrapes, lines.line(place), lines_before + place + 1)
        places.append(place)
        moments.append(scrapes.time_ms)
    time_of = np.array(moments)[np.searchsorted(places, np.arange(len(lines.ends))) - 1]

    numbers = _numbers(scrapes, lines.heads)
    scrapes.foreign += int((numbers == NOT_FLINK).sum())
    scrapes.beyond += int((numbers == BEYOND).sum())
    ours = numbers >= 0
    samples = [
        numbers[ours],
        np.where(np.isnan(lines.times), time_of[lines.places], _epoch_times(lines.times))[ours],
        lines.values[ours],
        lines.places[ours] + lines_before + 1,
    ]
    unusual = np.sort(np.append(lines.others, lines.places[numbers == NOT_A_SERIES])).tolist()
    single = [_sample(scrapes, lines.line(each), lines_before + each + 1, int(time_of[each])) for each in unusual]
    if known := [each for each in single if each is not None]:
        samples = [np.append(many, few) for many, few in zip(samples, zip(*known, strict=True), strict=True)]
        order = np.argsort(samples[3], kind="stable")
        samples = [column[order] for column in samples]
    scrapes.samples.extend(*samples)


def _sample(scrapes: _Scrapes, line: bytes, line_number: int, time_ms: int) -> tuple[int, int, float, int] | None:
    """Series, time, value and line of a sample in another layout; None for samples that are not Flink's."""
    head, closing, tail = line.rpartition(b"} ")
    if not closing:
        head, _, tail = line.partition(b" ")
    number = scrapes.numbers.get(head)
    if number is None:
        if b" # " in line:
            head, tail = _without_exemplar(line)
        number = _number(scrapes, head)
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


def _numbers(scrapes: _Scrapes, heads: pa.Array) -> npt.NDArray[np.int64]:
    """`_number` for many heads, mostly known ones."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    places = pc.index_in(heads, scrapes.heads)
    if places.null_count:
        new = heads.filter(places.is_null()).unique()
        numbers = np.array([_number(scrapes, head) for head in new.to_pylist()], np.int64)
        kept = numbers != BEYOND
        scrapes.heads = pa.concat_arrays([scrapes.heads, new.filter(pa.array(kept))])
        scrapes.head_numbers = np.append(scrapes.head_numbers, numbers[kept])
        places = pc.index_in(heads, scrapes.heads)
    found: npt.NDArray[np.int64] = np.append(scrapes.head_numbers, BEYOND)[places.fill_null(len(scrapes.heads))]
    return found


def _number(scrapes: _Scrapes, head: bytes) -> int:
    """The number of a new series, or the reason to leave its samples out."""
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
    """Head and tail of an OpenMetrics sample, without its exemplar."""
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
    if failed:
        tally.warn(say("{failed} scrapes failed: the process did not answer", failed=len(failed)))
    if scrapes.foreign:
        tally.warn(say("{foreign} samples are not Flink's and were left out", foreign=scrapes.foreign))
    if scrapes.beyond:
        tally.warn(
            say(
                "{beyond} samples were left out: more than {most_series:,} series, or too long a name",
                beyond=scrapes.beyond,
                most_series=MOST_SERIES,
            )
        )
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
