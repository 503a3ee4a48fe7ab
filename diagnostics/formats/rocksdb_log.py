"""RocksDB's own log of one instance, `LOG` or `..._db_LOG`: stalls, errors, flushes, compactions and options.

Operator and subtask are in the path of the instance, in its first lines and in the name that Flink gives to a relocated
log. Times are local; the first event with epoch time gives the zone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.log_scan.known_messages import event_columns
from diagnostics.notation.file_range import Head, Range, open_file
from diagnostics.notation.rocksdb_lines import stamp_ms, stamped_lines
from diagnostics.notation.tally import ROWS_AT_ONCE, Tally
from diagnostics.notation.text_lines import MOST_CHARACTER_BYTES, line_arrays

if TYPE_CHECKING:
    import pyarrow as pa

MOST_LINE = 65_536
MOST_RECORDS = 20_000
"""Warnings kept of one file. Our choice: a writer that stalls all the time warns a few times per second."""
MOST_JOBS = 10_000
"""Flushes and compactions in progress at the same time; further ones are ignored. Our choice."""
SAMPLE_BYTES = 1_048_576
ZONE_STEP_MS = 15 * 60_000
"""Offsets of time zones are multiples of a quarter of an hour. Source: IANA time zone database."""

OPTIONS = frozenset(
    (
        "write_buffer_size",
        "max_write_buffer_number",
        "level0_file_num_compaction_trigger",
        "level0_slowdown_writes_trigger",
        "level0_stop_writes_trigger",
        "soft_pending_compaction_bytes_limit",
        "hard_pending_compaction_bytes_limit",
        "max_background_jobs",
        "max_background_compactions",
        "max_background_flushes",
        "delayed_write_rate",
        "max_bytes_for_level_base",
        "target_file_size_base",
        "compaction_style",
        "max_open_files",
        "use_direct_reads",
        "use_fsync",
        "stats_dump_period_sec",
    )
)
"""Options that determine stalls and file sizes. Source: RocksDB wiki, Write-Stalls and Tuning-Guide."""

_LINE = re.compile(
    r"(\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d\.\d{6}) ([0-9a-f]{1,16}) (?:\(Original Log Time [\d/:.-]{1,30}\) )?"
    r"(?:\[(WARN|ERROR|FATAL|DEBUG)\] )?(?:\[([^\]\s]{1,200}?)([\w.-]{1,80}\.(?:cc|h)):\d{1,6}\] ?)?(.*)"
)
_LAYOUT = re.compile(r"(?m)^\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d\.\d{6} [0-9a-f]{1,16} ")
_MARKS = ("RocksDB version: ", "EVENT_LOG_v1 {", ".cc:", "Options.")
_PATH = re.compile(r"job_([0-9a-f]{32})_op_(.{1,200}?)_([0-9a-f]{32})__(\d{1,7})_(\d{1,7})__uuid_")
_TASK_MANAGER = re.compile(r"/tm_([^/\s]{1,200})/")
_OPTION = re.compile(r"\s*Options\.(\w{1,80}) ?: (.{1,200})")
_JOB = re.compile(r"\[([^\]]{1,500})\] \[JOB (\d{1,12})\] ")
_EVENT = "EVENT_LOG_v1 "
_EVENT_TIME = re.compile(
    r"(?m)^(\d{4}/\d\d/\d\d-\d\d:\d\d:\d\d\.\d{6}) [^\n]{0,120}EVENT_LOG_v1 \{\"time_micros\": (\d{16})"
)
_STALL = re.compile(
    r"(Cumulative|Interval) stall: (\d{1,6}):(\d\d):(\d\d\.\d{1,3}) H:M:S, (\d{1,4}(?:\.\d{1,3})?) percent"
)
_BUFFER = re.compile(r"Write buffer is using (\d{1,18}) bytes out of a total of (\d{1,18})")
_TOLD = ("Flushing triggered to alleviate", "stall conditions to clear", "Increasing compaction threads")
"""Texts of messages below WARN that are kept as records."""
_TELLING = (
    rf"{_EVENT}|\[(?:WARN|ERROR|FATAL)\] |\] \[JOB |^(?:Cumulative|Interval) stall: |{'|'.join(_TOLD)}"
    rf"|Options\.(?:{'|'.join(sorted(OPTIONS))}) ?:"
)
"""Lines that may give a row or name the column family of a job: a quarter of all. Only their times matter of others."""


@dataclass(slots=True)
class _Job:
    """A flush or compaction in progress: its column family and start."""

    column_family: str | None = None
    began_micros: int | None = None


@dataclass(slots=True)
class _Reading:
    """State of reading the file."""

    subject: dict[str, Any]
    shift_ms: int
    jobs: dict[int, _Job] = field(default_factory=dict)
    metrics: list[dict[str, Any]] = field(default_factory=list)
    records: list[dict[str, Any]] = field(default_factory=list)
    options: dict[tuple[str, str], dict[str, Any]] = field(default_factory=dict)
    dropped: int = 0
    ts_ms: int | None = None


def _recognise(head: Head) -> float:
    lines = head.text.count("\n") + 1
    if not any(mark in head.text for mark in _MARKS):
        return 0.0
    stamped = len(_LAYOUT.findall(head.text))
    # Options of a column family are on many lines without a time.
    return 0.95 if stamped and stamped >= min(lines, 3) else 0.0


def _read(part: Range) -> Iterator[Rows | Coverage]:
    reading, tally = _begun(part), Tally()
    for first, lines in line_arrays(part, MOST_LINE * MOST_CHARACTER_BYTES):
        yield from _read_lines(reading, tally, lines, first)
    yield Rows("metric_sample", reading.metrics)
    yield Rows("config_option", list(reading.options.values()))
    yield Rows("log_record", list(_records(reading)))
    if reading.dropped:
        more = say(
            "{count:,} more warnings than the {bound:,} that are kept", count=reading.dropped, bound=MOST_RECORDS
        )
        tally.warn(more)
    yield tally.coverage()


def _read_lines(reading: _Reading, tally: Tally, lines: pa.LargeBinaryArray, first: int) -> Iterator[Rows]:
    """Read the lines from number `first` on; gives full batches of metrics."""
    import numpy as np
    import pyarrow.compute as pc

    stamped, dated, times = stamped_lines(lines)
    times -= reading.shift_ms
    tally.records += int(stamped.sum())
    holding = np.maximum.accumulate(np.where(dated, np.arange(len(lines)), -1))
    not_understood = stamped & ~dated
    if reading.ts_ms is None:
        not_understood |= holding < 0
    telling = pc.match_substring_regex(lines, _TELLING).to_numpy(zero_copy_only=False)
    for place in np.flatnonzero(telling | not_understood).tolist():
        if holding[place] >= 0:
            reading.ts_ms = int(times[holding[place]])
        line = lines[place].as_py().decode("utf-8", "replace")[:MOST_LINE].rstrip()
        if not stamped[place]:
            understood = _take_more(reading, line, first + place)
        else:
            found = _LINE.match(line) if dated[place] else None
            understood = found is not None and _take(reading, found, first + place)
        if dated[place] and reading.ts_ms is not None:
            times[place] = reading.ts_ms
        if not understood and line:
            tally.odd(first + place, line)
        if len(reading.metrics) >= ROWS_AT_ONCE:
            yield Rows("metric_sample", reading.metrics)
            reading.metrics = []
    if dated.any():
        reading.ts_ms = int(times[holding[-1]])
        tally.take_time(int(times[dated].min()))
        tally.take_time(int(times[dated].max()))


def _begun(part: Range) -> _Reading:
    with open_file(part) as opened:
        sample = opened.read(SAMPLE_BYTES).decode("utf-8", "replace")
    told = _EVENT_TIME.search(sample)
    shift = (stamp_ms(told.group(1)) or 0) - int(told.group(2)) // 1000 if told else 0
    path = _PATH.search(sample) or _PATH.search(part.name)
    task_manager = _TASK_MANAGER.search(sample)
    subject: dict[str, Any] = {"task_manager": task_manager.group(1)} if task_manager else {}
    if path:
        subject |= {
            "job_id": path.group(1),
            "operator": path.group(2),
            "vertex_id": path.group(3),
            "subtask": int(path.group(4)) - 1,
        }
    return _Reading(subject, round(shift / ZONE_STEP_MS) * ZONE_STEP_MS)


def _take(reading: _Reading, found: re.Match[str], number: int) -> bool:
    """Read a line with a time; whether it was understood, which includes lines that are ignored."""
    _, thread, level, _, source, message = found.groups()
    job = _JOB.match(message)
    if job and len(reading.jobs) < MOST_JOBS:
        reading.jobs.setdefault(int(job.group(2)), _Job()).column_family = job.group(1)
    if _EVENT in message:
        return _take_event(reading, message, number)
    option = _OPTION.match(message)
    if option:
        _take_option(reading, option, number)
    elif level in ("WARN", "ERROR", "FATAL") or any(told in message for told in _TOLD):
        row = {"ts_ms": reading.ts_ms, "level": level or "INFO", "logger": source, "thread": thread}
        if len(reading.records) < MOST_RECORDS:
            reading.records.append({**row, "message": message[:2_000], "line": number, "last_line": number})
        else:
            reading.dropped += 1
        buffer = _BUFFER.search(message)
        if buffer:
            _add(reading, number, None, {"rocksdb.log.write_buffer_bytes": float(buffer.group(1))})
    return True


def _take_more(reading: _Reading, line: str, number: int) -> bool:
    """Read a line without a time: a continuation, an option or a dump of statistics."""
    if reading.ts_ms is None:
        return False
    stall = _STALL.match(line)
    if stall:
        hours, minutes, seconds = int(stall.group(2)), int(stall.group(3)), float(stall.group(4))
        if stall.group(1) == "Interval":
            _add(reading, number, None, {"rocksdb.log.stall_percent": float(stall.group(5))})
        else:
            _add(reading, number, None, {"rocksdb.stall_micros": ((hours * 60 + minutes) * 60 + seconds) * 1e6})
    return True


def _take_option(reading: _Reading, option: re.Match[str], number: int) -> None:
    key, value = option.group(1), option.group(2).strip()
    if key in OPTIONS:
        place = {"line": number, "last_line": number}
        job = {"job_id": reading.subject.get("job_id")}
        row = {"ts_ms": reading.ts_ms, "scope": "rocksdb", **job, "process": "taskmanager", "key": key, "value": value}
        reading.options.setdefault((key, value), row | place)


def _take_event(reading: _Reading, message: str, number: int) -> bool:
    try:
        event = json.loads(message.partition(_EVENT)[2])
    except (ValueError, RecursionError):
        return False
    if not isinstance(event, dict) or not isinstance(event.get("event"), str):
        return False
    kind, micros = event["event"], event.get("time_micros")
    if not isinstance(micros, int) or abs(micros) >= 2**63 or not isinstance(event.get("job", 0), int):
        return False
    reading.ts_ms = micros // 1000
    job = reading.jobs.get(event.get("job", 0), _Job())
    if kind in ("flush_started", "compaction_started"):
        job.began_micros = micros
        if len(reading.jobs) < MOST_JOBS:
            reading.jobs[event.get("job", 0)] = job
        _add(reading, number, job, _numbers(event, _STARTED[kind]))
    elif kind in ("flush_finished", "compaction_finished"):
        reading.jobs.pop(event.get("job", 0), None)
        values = _numbers(event, _FINISHED[kind])
        if kind == "flush_finished" and job.began_micros is not None:
            values["rocksdb.log.flush_ms"] = (micros - job.began_micros) / 1000
        if "rocksdb.log.compaction_ms" in values:
            values["rocksdb.log.compaction_ms"] /= 1000
        levels = event.get("lsm_state")
        for level, files in enumerate(levels[:20] if isinstance(levels, list) else ()):
            if isinstance(files, int):
                values[f"rocksdb.num-files-at-level{level}"] = float(files)
        _add(reading, number, job, values)
    return True


_STARTED: Mapping[str, Mapping[str, str]] = {
    "flush_started": {"memory_usage": "rocksdb.log.flush_bytes", "num_memtables": "rocksdb.log.flush_memtables"},
    "compaction_started": {
        "input_data_size": "rocksdb.log.compaction_read_bytes",
        "score": "rocksdb.log.compaction_score",
    },
}
_FINISHED: Mapping[str, Mapping[str, str]] = {
    "flush_finished": {"immutable_memtables": "rocksdb.num-immutable-mem-table"},
    "compaction_finished": {
        "compaction_time_micros": "rocksdb.log.compaction_ms",
        "total_output_size": "rocksdb.log.compaction_written_bytes",
    },
}
"""Field of an event -> metric. Metrics with `log.` are ours: one value per flush or compaction."""


def _numbers(event: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, float]:
    told = {metric: event.get(name) for name, metric in names.items()}
    return {
        metric: float(value)
        for metric, value in told.items()
        if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e18
    }


def _add(reading: _Reading, number: int, job: _Job | None, values: Mapping[str, float]) -> None:
    family = job.column_family if job else None
    labels = f"column_family={family}" if family else None
    place = {"ts_ms": reading.ts_ms, "scope": "operator", **reading.subject, "line": number, "last_line": number}
    reading.metrics.extend(
        {**place, "metric": name, "labels": labels, "value": value} for name, value in values.items()
    )


def _records(reading: _Reading) -> Iterator[dict[str, Any]]:
    """The records with their events; the subtask comes from the path."""
    known = event_columns([row["message"] for row in reading.records])
    about: dict[str, Any] = {
        name: reading.subject[name] for name in ("job_id", "subtask", "task_manager") if name in reading.subject
    }
    for row, columns in zip(reading.records, known, strict=True):
        yield {**row, "process": "taskmanager", **columns, **about}


_PATH_OF_INSTANCE = "/data/tm_10.0.0.7:6122-a94cd1/tmp/job_599a4911b0c6d2c498d33152061977fb_op_KeyedProcessOperator_"
_PATH_OF_INSTANCE += "f0aff0a0033f84109a1cdc34aeecb33e__1_4__uuid_028b9b5c-d7f6-45a0-94bc-2d2f5bc3d9a1/db"

_SUBJECT = {
    "job_id": "599a4911b0c6d2c498d33152061977fb",
    "subtask": 0,
    "task_manager": "10.0.0.7:6122-a94cd1",
}

FORMAT = Format(
    id="rocksdb-log",
    title=to_say("RocksDB log of a state backend"),
    documentation="https://github.com/facebook/rocksdb/wiki/Logging",
    tables=("log_record", "metric_sample", "config_option"),
    recognise=_recognise,
    read=_read,
    samples=(
        Sample(
            name="job_599a_op_KeyedProcessOperator_db_LOG",
            text=f"""\
2026/11/21-01:53:41.042445 7f8e139ff6c0 RocksDB version: 6.20.3
2026/11/21-01:53:41.042520 7f8e139ff6c0 SST files in {_PATH_OF_INSTANCE} dir, Total Num: 0, files:
2026/11/21-01:53:41.049000 7f8e139ff6c0               Options.write_buffer_size: 67108864
2026/11/21-01:57:45.090866 7f8e10dfe6c0 [/flush_job.cc:342] [last] [JOB 42] Flushing memtable with next log file: 5
2026/11/21-01:57:45.090872 7f8e10dfe6c0 EVENT_LOG_v1 {{"time_micros": 1795222665090868, "job": 42, "event": \
"flush_started", "num_memtables": 1, "memory_usage": 741576, "flush_reason": "Get Live Files"}}
2026/11/21-01:57:45.105587 7f8e10dfe6c0 (Original Log Time 2026/11/21-01:57:45.105562) EVENT_LOG_v1 {{"time_micros": \
1795222665105568, "job": 42, "event": "flush_finished", "lsm_state": [2, 1], "immutable_memtables": 0}}
2026/11/21-01:57:46.000000 7f8e10dfe6c0 [WARN] [/column_family.cc:871] [last] Stopping writes because we have 36 \
level-0 files
""",
            rows={
                "log_record": [
                    {
                        "event": "rocks.stall.stop.l0",
                        "ts_ms": 1_795_222_666_000,
                        "level": "WARN",
                        "logger": "column_family.cc",
                        "count": 36.0,
                        **_SUBJECT,
                        "line": 7,
                    }
                ],
                "metric_sample": [
                    {"metric": "rocksdb.log.flush_bytes", "value": 741576.0, "operator": "KeyedProcessOperator"},
                    {"metric": "rocksdb.log.flush_memtables", "value": 1.0, "labels": "column_family=last"},
                    {"metric": "rocksdb.num-immutable-mem-table", "value": 0.0, **_SUBJECT},
                    {"metric": "rocksdb.log.flush_ms", "value": 14.7, "ts_ms": 1_795_222_665_105},
                    {"metric": "rocksdb.num-files-at-level0", "value": 2.0},
                    {"metric": "rocksdb.num-files-at-level1", "value": 1.0, "line": 6},
                ],
                "config_option": [{"scope": "rocksdb", "key": "write_buffer_size", "value": "67108864", "line": 3}],
            },
        ),
    ),
)
