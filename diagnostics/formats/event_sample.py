"""Samples of a job's input as JSON lines: a key, an event time and, optionally, an arrival time."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from diagnostics.evidence.rows import Coverage, Rows
from diagnostics.formats.format import Format, Sample
from diagnostics.language import to_say
from diagnostics.notation.event_field import EventFields, event_fields
from diagnostics.notation.event_lines import LINES_LOOKED_AT, MOST_LINE, read_event_lines
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.text_lines import raw_lines

if TYPE_CHECKING:
    import pyarrow as pa

_decode = json.JSONDecoder().decode


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = _decode(line.decode("utf-8", "replace")) if len(line) <= MOST_LINE else None
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) else None


def _recognise(head: Head) -> float:
    if head.text.lstrip("\ufeff \t\r\n")[:1] != "{":
        return 0.0
    lines = head.content.split(b"\n", LINES_LOOKED_AT + 1)
    told = [line for line in (lines if head.complete else lines[:-1]) if line.strip()][:LINES_LOOKED_AT]
    events = [event for event in map(_event, told) if event is not None]
    if not events or len(events) < 0.9 * len(told) or (len(told) == 1 and b"\n" not in head.content.strip(b"\n")):
        return 0.0
    found = [event_fields(event) for event in events]
    usable = [each for each in found if each is not None]
    if len(usable) < 0.9 * len(events):
        return 0.0
    return 0.9 if usable[0].arrival or usable[0].key == "key" else 0.7


def _read(part: Range) -> Iterator[Rows | Coverage]:
    first, fields = _first_event(part)
    schema = _schema(first, fields) if fields is not None else None

    def columns(block: bytes) -> pa.Table | None:
        return _columns(block, schema) if schema is not None else None

    return read_event_lines(part, fields, _event, columns)


def _first_event(part: Range) -> tuple[dict[str, Any], EventFields | None]:
    """The first event of the whole file and its event fields, so that all its ranges agree."""
    for line in islice(raw_lines(replace(part, start=0), MOST_LINE + 1), LINES_LOOKED_AT):
        event = _event(line)
        fields = event_fields(event, part.context.get("event_fields")) if event is not None else None
        if event is not None and fields:
            return event, fields
    return {}, None


def _schema(first: Mapping[str, Any], fields: EventFields) -> pa.Schema | None:
    """The types of the event fields; None when one is neither text nor number."""
    import pyarrow as pa

    wanted = [name for name in (fields.key, fields.event_time, fields.arrival, fields.partition) if name]
    kinds = {str: pa.string(), int: pa.int64(), float: pa.float64()}
    types = {name: kinds.get(type(first.get(name))) for name in wanted}
    return pa.schema(types) if all(types.values()) else None


def _columns(block: bytes, schema: pa.Schema) -> pa.Table | None:
    """The event fields of a block of lines; None when a line is no event or has another type."""
    import pyarrow as pa
    from pyarrow import json as arrow_json

    parse = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    whole = arrow_json.ReadOptions(use_threads=False, block_size=len(block) + 1)
    try:
        return arrow_json.read_json(pa.BufferReader(block), whole, parse)
    except pa.ArrowException:
        return None


FORMAT = Format(
    id="event-sample",
    title=to_say("Event sample (JSON lines)"),
    documentation="https://jsonlines.org/",
    tables=("event",),
    recognise=_recognise,
    read=_read,
    splittable=True,
    samples=(
        Sample(
            name="events/readings-0.jsonl",
            text='{"key":"sensor-0068","device_id":"sensor-0068","event_time":1795224420970,'
            '"ingest_time":1795224422471,"partition":0,"celsius":29.03}\n'
            '{"key":"sensor-0162","device_id":"sensor-0162","event_time":1795224422098,'
            '"ingest_time":1795224422512,"partition":0,"celsius":23.56}\n',
            rows={
                "event": [
                    {
                        "key": "sensor-0068",
                        "event_ms": 1795224420970,
                        "arrival_ms": 1795224422471,
                        "partition": "0",
                        "line": 1,
                        "last_line": 1,
                    },
                    {"key": "sensor-0162", "event_ms": 1795224422098, "arrival_ms": 1795224422512, "line": 2},
                ]
            },
        ),
        Sample(
            name="events.json",
            text='{"userId": 17, "timestamp": "2026-11-21T01:26:59.250Z", "amount": 4}\n'
            '{"userId": 18, "timestamp": "2026-11-21T01:27:00Z", "amount": 5}\n',
            rows={
                "event": [
                    {"key": "17", "event_ms": 1795224419250, "arrival_ms": None, "partition": None},
                    {"key": "18", "event_ms": 1795224420000},
                ]
            },
        ),
    ),
)
