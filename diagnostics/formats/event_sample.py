"""Samples of a job's input as JSON lines: a key, an event time, and if there is one the time of arrival."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample
from diagnostics.notation.event_field import EventFields, event_fields
from diagnostics.notation.event_lines import LINES_LOOKED_AT, MOST_LINE, read_event_lines

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
    return read_event_lines(part, _fields_of_file(part), _event)


def _fields_of_file(part: Range) -> EventFields | None:
    """Which field is what, by the first events of the whole file, so that all its ranges agree."""
    with open(part.path, "rb") as opened:
        for _, line in zip(range(LINES_LOOKED_AT), opened, strict=False):
            event = _event(line)
            fields = event_fields(event) if event is not None else None
            if fields:
                return fields
    return None


FORMAT = Format(
    id="event-sample",
    title="Event sample (JSON lines)",
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
