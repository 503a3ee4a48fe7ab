"""Samples of a job's input as JSON lines: a key, an event time, and if there is one the time of arrival."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from diagnostics.format import Coverage, Format, Head, Range, Rows, Sample, open_range

if TYPE_CHECKING:
    import pyarrow as pa

MOST_LINE = 1_048_576
BATCH_EVENTS = 50_000
LINES_LOOKED_AT = 20
MOST_KEY = 200

EVENT_TIMES = (
    "eventtime",
    "eventtimestamp",
    "eventts",
    "eventtimems",
    "rowtime",
    "occurredat",
    "happenedat",
    "devicetime",
    "sensortime",
    "measuredat",
    "createdat",
    "timestamp",
    "ts",
    "time",
    "datetime",
)
ARRIVAL_TIMES = (
    "ingesttime",
    "ingestiontime",
    "ingesttimestamp",
    "ingestts",
    "ingestedat",
    "arrivaltime",
    "arrivalts",
    "arrivedat",
    "receivedat",
    "receivetime",
    "processingtime",
    "proctime",
    "servertime",
    "appendtime",
    "logappendtime",
    "kafkatimestamp",
)
KEYS = (
    "key",
    "deviceid",
    "device",
    "sensorid",
    "sensor",
    "userid",
    "customerid",
    "accountid",
    "merchantid",
    "sessionid",
    "vehicleid",
    "productid",
    "itemid",
    "orderid",
    "id",
)
PARTITIONS = ("partition", "partitionid", "kafkapartition", "shard", "shardid", "split")
"""Names of fields, the most telling first, in lower case without `_`, `-` and `.`."""

LOG_FIELDS = (
    frozenset(("level", "message")),
    frozenset(("level", "msg")),
    frozenset(("loglevel", "message")),
    frozenset(("loggername",)),
    frozenset(("logger", "message")),
    frozenset(("severity", "message")),
    frozenset(("log.level", "message")),
    frozenset(("log", "stream")),
)
"""Fields by which a line is a log record in a JSON layout, not an event."""

_decode = json.JSONDecoder().decode

SECONDS_BELOW, MILLISECONDS_BELOW, MICROSECONDS_BELOW = 1e11, 1e14, 1e17
"""A number's size tells its unit: seconds reach 10^11 in the year 5138, milliseconds passed it in 1973."""


@dataclass(frozen=True, slots=True)
class _Fields:
    key: str
    event_time: str
    arrival: str | None
    partition: str | None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(".", "")


def _fields(event: dict[str, Any]) -> _Fields | None:
    """Which field of an event is what; None when it has no key or no time."""
    names = {_plain(name): name for name in reversed(event)}
    lowered = {name.lower() for name in event}
    if any(shape <= set(names) or shape <= lowered for shape in LOG_FIELDS):
        return None
    event_time = next((names[name] for name in EVENT_TIMES if name in names and _is_time(event[names[name]])), None)
    key = next((names[name] for name in KEYS if name in names and _is_key(event[names[name]])), None)
    arrival = next((names[name] for name in ARRIVAL_TIMES if name in names and _is_time(event[names[name]])), None)
    if event_time is None or key is None:
        return None
    return _Fields(key, event_time, arrival, next((names[name] for name in PARTITIONS if name in names), None))


def _is_time(value: Any) -> bool:
    known = _epoch_ms(value)
    return known is not None and abs(known) > SECONDS_BELOW / 1000


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def _epoch_ms(value: Any) -> int | None:
    if type(value) is int and SECONDS_BELOW <= value < MILLISECONDS_BELOW:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        size = abs(value)
        if size < SECONDS_BELOW:
            return round(value * 1000)
        if size < MILLISECONDS_BELOW:
            return round(value)
        return int(value // 1000) if size < MICROSECONDS_BELOW else _of_nanoseconds(value)
    if isinstance(value, str) and 10 <= len(value) <= 40:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    return None


def _of_nanoseconds(value: float) -> int | None:
    return int(value // 1_000_000) if abs(value) < 1e19 else None


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
    found = [_fields(event) for event in events]
    usable = [each for each in found if each is not None]
    if len(usable) < 0.9 * len(events):
        return 0.0
    return 0.9 if usable[0].arrival or usable[0].key == "key" else 0.7


@dataclass(slots=True)
class _Events:
    """Events on their way into a batch."""

    keys: list[str | None]
    event_ms: list[int | None]
    arrival_ms: list[int | None]
    partitions: list[str | None]
    lines: list[int]

    def batch(self) -> pa.RecordBatch:
        import pyarrow as pa

        lines = pa.array(self.lines, pa.int64())
        return pa.RecordBatch.from_pydict(
            {
                "key": pa.array(self.keys, pa.string()),
                "event_ms": pa.array(self.event_ms, pa.int64()),
                "arrival_ms": pa.array(self.arrival_ms, pa.int64()),
                "partition": pa.array(self.partitions, pa.string()),
                "line": lines,
                "last_line": lines,
            }
        )


def _read(part: Range) -> Iterator[Rows | Coverage]:
    fields = _fields_of_file(part)
    events = _Events([], [], [], [], [])
    records = odd = 0
    examples: list[tuple[int, str]] = []
    place = part.start
    with open_range(part) as opened:
        for number, line in enumerate(opened, 1):
            if place >= part.end:
                break
            place += len(line)
            event = _event(line)
            if event is None or fields is None:
                if line.strip():
                    odd += 1
                    if len(examples) < 3:
                        examples.append((number, line[:200].decode("utf-8", "replace").strip()))
                continue
            events.keys.append(_text(event.get(fields.key)))
            events.event_ms.append(_epoch_ms(event.get(fields.event_time)))
            events.arrival_ms.append(_epoch_ms(event.get(fields.arrival)) if fields.arrival else None)
            events.partitions.append(_text(event.get(fields.partition)) if fields.partition else None)
            events.lines.append(number)
            if len(events.lines) >= BATCH_EVENTS:
                records += len(events.lines)
                yield Rows("event", batch=events.batch())
                events = _Events([], [], [], [], [])
    if events.lines:
        records += len(events.lines)
        yield Rows("event", batch=events.batch())
    yield Coverage(records=records, not_understood=odd, samples=tuple(examples))


def _fields_of_file(part: Range) -> _Fields | None:
    """Which field is what, by the first events of the whole file, so that all its ranges agree."""
    with open(part.path, "rb") as opened:
        for _, line in zip(range(LINES_LOOKED_AT), opened, strict=False):
            event = _event(line)
            fields = _fields(event) if event is not None else None
            if fields:
                return fields
    return None


def _text(value: Any) -> str | None:
    if value is None or isinstance(value, dict | list):
        return None
    return str(value)[:MOST_KEY].encode("utf-8", "replace").decode("utf-8") or None


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
