"""The evidence in a stretch of log: rows of `log_record`, of enclosed evidence, and the coverage."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.language import to_say
from diagnostics.log_scan.enclosed import dumps, enclosed_rows
from diagnostics.log_scan.json_lines import LINE_BREAK
from diagnostics.log_scan.kafka_client import SCOPES, client_options
from diagnostics.log_scan.layout import LEVELS, Layout
from diagnostics.log_scan.matching import match_events
from diagnostics.log_scan.operator_resource import resources_of
from diagnostics.log_scan.process import LOGGED_PROCESSES, OPERATOR, options_of, version_at
from diagnostics.log_scan.selection import START_UP, VERSION_MARK
from diagnostics.log_scan.slices import Offsets, slices
from diagnostics.log_scan.stretch import CountedRecords, Stretch
from diagnostics.notation.printed_options import MARKS as LISTS_OF_OPTIONS
from diagnostics.notation.printed_options import MOST_CHARACTERS as MOST_COPIED
from diagnostics.notation.printed_options import options_of_text
from diagnostics.notation.stack_trace import StackTrace, bare_cause, stack_trace, thrown_at_end

MOST_CLIENT_OPTIONS = 1_000
"""Distinct settings of Kafka clients kept per range; every subtask has its own transactional.id."""

MOST_SAMPLES = 5
"""Lines not understood that are shown. Our choice."""

CONTINUATION_BYTES = 16_000
"""Bytes kept of a record after its head line. Our choice: a trace of ten exceptions with thirty frames each."""

REASON_CHARACTERS = 4_000
"""Characters kept of a reason that goes on below its record. Our choice: YARN's diagnostics before the process tree,
and forty frames of a stuck task.
"""

TRACE_COLUMNS = tuple(StackTrace.__slots__)

_AMBIGUOUS = to_say("the times are of a zone named {zone}, as several are: they are read as UTC, set the file's zone")

STEP_BACK_MS = 5_000
"""A record is out of order when its time is earlier than the previous one's by more than this. Threads and merged
streams disorder lines by less. Our choice.
"""

_TRACE_MARKS = (b"\tat ", b"    at ", b"Caused by: ", b"Exception", b"Error")

_OF_PYTHON = re.compile(rb"[A-Z]\w{0,100}(?:Exception|Error): \S")
"""An exception of Python as its interpreter prints it below the traceback: none of Java lacks its package."""

_FAILURE_CAUSE = "with failure cause: "
"""From 1.13 to 1.16 a TaskManager prints the exception of a failed task after this, on the same line."""

_FAILED = re.compile(r" switched from (?:state )?\w{1,20} to (?:FAILED|FAILING|RESTARTING)")
"""A task or job fails: what is below the record is the cause, also where it names no exception in full."""

TABLES = ("log_record", "config_option", "stack_sample", "metric_sample", "log_count")
"""The tables that a log can fill."""


def rows_of(stretch: Stretch, layout: Layout) -> Iterator[Rows | Coverage]:
    """The evidence of a stretch with one part."""
    return (found for _, found in rows_of_parts(stretch, layout))


def rows_of_parts(stretch: Stretch, layout: Layout) -> Iterator[tuple[int, Rows | Coverage]]:
    """The evidence of the records, with the index of their part; lines are counted within the part."""
    heads = stretch.heads
    events = match_events(stretch.hits, stretch.head_ends, heads.message, heads.logger, stretch.text)
    columns: dict[str, pa.Array] = {
        "ts_ms": heads.ts_ms,
        "level": heads.level,
        "logger": heads.logger,
        "thread": heads.thread,
        "message": pc.utf8_trim_whitespace(heads.message),
        **events,
        **(traces := _traces(stretch, layout.style is None, _failures(events))),
        **_reasons(stretch, events, traces),
        **({} if stretch.is_selection else _continuations(stretch)),
    }
    before = 0
    for number, part in enumerate(stretch.parts()):
        count = len(part.heads.line)
        own = {name: column.slice(before, count) for name, column in columns.items()}
        before += count
        for found in _rows_of_part(part, layout, own):
            yield number, found


def _rows_of_part(stretch: Stretch, layout: Layout, columns: Mapping[str, pa.Array]) -> Iterator[Rows | Coverage]:
    """The evidence of one part; some columns are already known."""
    heads = stretch.heads
    count = len(heads.line)
    if not count and not len(stretch.counted.lines):
        yield Coverage()
        return
    role = stretch.roles[0]
    process = role if role in LOGGED_PROCESSES else None
    where = {
        "process": pa.repeat(pa.scalar(process, pa.string()), count),
        "line": pa.array(heads.line + 1),
        "last_line": pa.array(stretch.last_lines + 1),
        **({"deployment": resources_of(stretch)} if role == OPERATOR else {}),
    }
    yield Rows("log_record", batch=pa.RecordBatch.from_pydict({**columns, **where}))
    if len(stretch.counted.lines):
        yield Rows("log_count", batch=_counts(stretch.counted, process))
    options = [*_options(stretch, role), *_client_options(stretch), *_printed_options(stretch, layout.style is None)]
    if options:
        yield Rows("config_option", options)
    yield from enclosed_rows(stretch)
    lost = np.flatnonzero(~heads.understood) if layout.style else np.empty(0, np.int64)
    lost = np.setdiff1d(lost, dumps(stretch)) if len(lost) else lost
    banner = stretch.hits.first_end(VERSION_MARK)
    times, lines = stretch.times()
    steps_back, places = _steps_back(times)
    yield Coverage(
        records=count + len(stretch.counted.lines),
        not_understood=len(lost),
        samples=tuple(
            (int(heads.line[each]) + 1, (heads.message[each].as_py() or "")[:200])
            for each in lost[:MOST_SAMPLES].tolist()
        ),
        role=role,
        warnings=(*stretch.warnings, *([_AMBIGUOUS.format(zone=heads.zone_name)] if heads.zone_name else ())),
        flink_version=None if banner is None else version_at(stretch.buffer, banner),
        first_ts_ms=int(times.min()) if len(times) else None,
        last_ts_ms=int(times.max()) if len(times) else None,
        utc_offset_min=heads.utc_offset_min,
        earlier=len(steps_back),
        earlier_ms=int(steps_back.max()) if len(steps_back) else 0,
        earlier_line=int(lines[places[0]]) + 1 if len(places) else None,
    )


def _counts(counted: CountedRecords, process: str | None) -> pa.RecordBatch:
    """Rows of `log_count` for records that are not rows themselves."""
    ts_ms, lines = pa.array(counted.ts_ms), pa.array(counted.lines + 1)
    levels = pa.DictionaryArray.from_arrays(pa.array(counted.levels), pa.array(LEVELS)).cast(pa.string())
    seconds = pa.array(counted.ts_ms // 1000)
    counts = (
        pa.table({"second": seconds, "level": levels, "ts_ms": ts_ms, "line": lines})
        .group_by(["second", "level"], use_threads=False)
        .aggregate([([], "count_all"), ("ts_ms", "min"), ("ts_ms", "max"), ("line", "min"), ("line", "max")])
        .rename_columns(["second", "level", "records", "first_ms", "last_ms", "line", "last_line"])
    )
    named = counts.append_column("process", pa.repeat(pa.scalar(process, pa.string()), counts.num_rows))
    return named.drop_columns("second").combine_chunks().to_batches()[0]


def _steps_back(times: Offsets) -> tuple[Offsets, Offsets]:
    """By how many ms times go back by more than STEP_BACK_MS, and their indexes."""
    steps = np.diff(times)
    back = np.flatnonzero(steps < -STEP_BACK_MS)
    return -steps[back], back + 1


def _failures(events: Mapping[str, pa.Array]) -> Offsets:
    """The records in which a task fails; their message may hold the exception, also one without frames."""
    states = events.get("state_to")
    if states is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(pc.fill_null(pc.equal(states, "FAILED"), False).to_numpy(zero_copy_only=False))


def _traces(stretch: Stretch, bare: bool, failures: Offsets) -> dict[str, pa.Array]:
    """Columns of the stack traces; in a file without layout the head line belongs to the trace."""
    has_more = np.union1d(np.flatnonzero(stretch.ends > stretch.head_ends), failures)
    if bare:
        has_more = np.arange(len(stretch.heads.line))
    failing = set(failures.tolist())
    traces: dict[int, StackTrace] = {}
    for record in has_more.tolist():
        behind = stretch.continuation(record)
        if bare or not stretch.heads.understood[record]:
            behind = stretch.text(record).encode()
        elif record in failing or behind.lstrip().startswith(b"at "):
            _, mark, head = (stretch.heads.message[record].as_py() or "").rpartition(_FAILURE_CAUSE)
            if mark or record not in failing:
                behind = thrown_at_end(head).encode() + b"\n" + behind
        trace = _trace(behind) if any(mark in behind for mark in _TRACE_MARKS) else None
        if trace is None and bare and _OF_PYTHON.match(behind):
            trace = bare_cause(behind.decode("utf-8", "replace"))
        if trace is None and _FAILED.search(stretch.heads.message[record].as_py() or ""):
            trace = bare_cause(stretch.continuation(record).decode("utf-8", "replace"))
        if trace:
            traces[record] = trace
    if not traces:
        return {}
    place = np.full(len(stretch.heads.line), -1, np.int64)
    place[np.fromiter(traces, np.int64, len(traces))] = np.arange(len(traces))
    at = pa.array(place, mask=place < 0)
    return {
        name: pa.array([getattr(trace, name) for trace in traces.values()], pa.string()).take(at)
        for name in TRACE_COLUMNS
    }


def _reasons(stretch: Stretch, events: Mapping[str, pa.Array], traces: Mapping[str, pa.Array]) -> dict[str, pa.Array]:
    """The reasons that events state, with the lines below the record: YARN's diagnostics of a container go on there."""
    if "reason" not in events:
        return {}
    goes_on = pc.and_(events["reason"].is_valid(), pa.array(stretch.ends > stretch.head_ends))
    if traces:
        goes_on = pc.and_(goes_on, pc.and_(traces["exception_class"].is_null(), traces["exception_message"].is_null()))
    records = np.flatnonzero(goes_on.to_numpy(zero_copy_only=False)).tolist()
    if not records:
        return {}
    reasons = events["reason"].to_pylist()
    for record in records:
        below = stretch.continuation(record).decode("utf-8", "replace").split()
        reasons[record] = " ".join([reasons[record], *below])[:REASON_CHARACTERS]
    return {"reason": pa.array(reasons, events["reason"].type)}


def _continuations(stretch: Stretch) -> dict[str, pa.Array]:
    """The lines after the head line, for records with several lines."""
    has_more = np.flatnonzero(stretch.ends > stretch.head_ends + 1)
    if not len(has_more):
        return {}
    starts, ends = stretch.head_ends[has_more] + 1, stretch.ends[has_more]
    texts = slices(stretch.buffer, starts, np.minimum(ends, starts + CONTINUATION_BYTES))
    texts = pc.replace_substring(texts, LINE_BREAK.decode(), "\n")
    place = np.full(len(stretch.heads.line), -1, np.int64)
    place[has_more] = np.arange(len(has_more))
    return {"continuation": texts.take(pa.array(place, mask=place < 0))}


@lru_cache(maxsize=4_096)
def _trace(lines: bytes) -> StackTrace | None:
    return stack_trace(lines.decode("utf-8", "replace").split("\n"))


def _options(stretch: Stretch, role: str | None) -> Iterator[dict[str, Any]]:
    """Settings and JVM options in the start-up messages."""
    heads = stretch.heads
    if not stretch.hits.have_any((*START_UP, VERSION_MARK)):
        return
    beginnings = "|".join((*START_UP, r"Starting [\w ]{1,80} \(Version: ", "    "))
    starting = pc.match_substring_regex(heads.message, rf"^(?:INFO  \[\] - )? *(?:{beginnings})")
    places = np.flatnonzero(starting.fill_null(False).to_numpy(zero_copy_only=False))
    messages = heads.message.take(pa.array(places)).to_pylist()
    numbers = stretch.numbers[places]
    for row in options_of(messages, numbers.tolist(), role):
        record = int(places[np.searchsorted(numbers, row.pop("record"))])
        line = int(heads.line[record]) + 1
        yield row | {"ts_ms": heads.ts_ms[record].as_py(), "line": line, "last_line": line}


def _printed_options(stretch: Stretch, bare: bool) -> Iterator[dict[str, Any]]:
    """Distinct settings that exceptions print: the options of a table, and others of the same record.

    A copied text without a layout is searched as a whole: each of its lines may be a record.
    """
    if bare:
        yield from _copied_options(stretch)
        return
    records = {each for mark in LISTS_OF_OPTIONS for each in stretch.hits.records_with(mark)}
    known: set[tuple[str, str, str]] = set()
    for record in sorted(records):
        message = stretch.heads.message[record].as_py() or ""
        place = {"ts_ms": stretch.heads.ts_ms[record].as_py(), "line": int(stretch.heads.line[record]) + 1}
        place["last_line"] = int(stretch.last_lines[record]) + 1
        text = f"{message}\n{stretch.continuation(record).decode('utf-8', 'replace')}"
        for option in options_of_text(text):
            told = (option["scope"], option["key"], option["value"] or "")
            if told not in known and len(known) < MOST_CLIENT_OPTIONS:
                known.add(told)
                yield option | place


def _copied_options(stretch: Stretch) -> Iterator[dict[str, Any]]:
    begin, before = int(stretch.heads.start[0]), int(stretch.heads.line[0])
    text = stretch.buffer[begin : min(int(stretch.ends[-1]), begin + MOST_COPIED)]
    for option in options_of_text(text.decode("utf-8", "replace")):
        yield option | {"line": option["line"] + before, "last_line": option["last_line"] + before}


def _client_options(stretch: Stretch) -> Iterator[dict[str, Any]]:
    """Distinct settings that Kafka clients log at their start."""
    heads = stretch.heads
    if not stretch.hits.have_any(SCOPES):
        return
    starting = pc.match_substring_regex(heads.message, rf"^(?:{'|'.join(SCOPES)})").fill_null(False)
    known: set[tuple[str, str, str]] = set()
    for record in np.flatnonzero(starting.to_numpy(zero_copy_only=False)).tolist():
        place = {"ts_ms": heads.ts_ms[record].as_py(), "line": int(heads.line[record]) + 1}
        place["last_line"] = int(stretch.last_lines[record]) + 1
        for row in client_options(heads.message[record].as_py(), stretch.continuation(record)):
            told = (row["scope"], row["key"], row["value"])
            if told not in known and len(known) < MOST_CLIENT_OPTIONS:
                known.add(told)
                yield row | place
