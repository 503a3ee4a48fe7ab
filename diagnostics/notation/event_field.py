"""The fields of an input event that are its key, event time and arrival time, for every file type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from diagnostics.errors import UnreadableInput
from diagnostics.language import say

if TYPE_CHECKING:
    import pyarrow as pa

MOST_KEY = 200
MOST_FIELD_NAME = 300

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
"""Names of fields in lower case without `_`, `-` and `.`, the most specific first."""

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
"""Fields that mark a JSON line as a log record, not an event."""

SECONDS_BELOW, MILLISECONDS_BELOW, MICROSECONDS_BELOW = 1e11, 1e14, 1e17
"""A number's magnitude shows its unit: seconds reach 10^11 in the year 5138, milliseconds passed it in 1973."""


@dataclass(frozen=True, slots=True)
class EventFields:
    """The names of the fields; None for a missing one."""

    key: str
    event_time: str
    arrival: str | None
    partition: str | None


def _plain(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "").replace(".", "")


@dataclass(frozen=True, slots=True)
class NamedFields:
    """The fields that a user names, for events with unknown field names; `arrival` is empty for none."""

    key: str
    event_time: str
    arrival: str = ""

    @classmethod
    def checked(cls, key: str, event_time: str, arrival: str) -> NamedFields | None:
        """The fields as typed; None when all are empty. Raises UnreadableInput when incomplete or too long."""
        names = [each.strip() for each in (key, event_time, arrival)]
        if not any(names):
            return None
        if not names[0] or not names[1] or max(map(len, names)) > MOST_FIELD_NAME:
            raise UnreadableInput(
                say("the key and the event time are needed, each of at most {bound} characters", bound=MOST_FIELD_NAME)
            )
        return cls(*names)

    def of(self, event: Mapping[str, Any]) -> EventFields | None:
        """The fields, when the event has that key and that event time."""
        if not _is_key(event.get(self.key)) or epoch_ms(event.get(self.event_time)) is None:
            return None
        partition = next((name for name in event if _plain(name) in PARTITIONS), None)
        return EventFields(self.key, self.event_time, self.arrival or None, partition)


def event_fields(event: Mapping[str, Any], named: NamedFields | None = None) -> EventFields | None:
    """The fields of an event; None when it has no key or no time.

    named  fields that a user names; they replace the known names
    """
    if named is not None:
        return named.of(event)
    names = {_plain(name): name for name in reversed(list(event))}
    lowered = {name.lower() for name in event}
    if any(shape <= set(names) or shape <= lowered for shape in LOG_FIELDS):
        return None
    event_time = next((names[name] for name in EVENT_TIMES if name in names and _is_time(event[names[name]])), None)
    key = next((names[name] for name in KEYS if name in names and _is_key(event[names[name]])), None)
    arrival = next((names[name] for name in ARRIVAL_TIMES if name in names and _is_time(event[names[name]])), None)
    if event_time is None or key is None:
        return None
    return EventFields(key, event_time, arrival, next((names[name] for name in PARTITIONS if name in names), None))


def fields_looked_at(names: Iterable[str], named: NamedFields | None = None) -> list[str]:
    """The names whose values `event_fields` reads, so that a columnar file can skip the others."""
    if named is not None:
        return [name for name in names if name in (named.key, named.event_time)]
    plain = {_plain(name): name for name in reversed(list(names))}
    return [plain[name] for name in (*EVENT_TIMES, *ARRIVAL_TIMES, *KEYS) if name in plain]


def _is_time(value: Any) -> bool:
    known = epoch_ms(value)
    return known is not None and abs(known) > SECONDS_BELOW / 1000


def _is_key(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool) and value != ""


def epoch_ms(value: Any) -> int | None:
    """Epoch milliseconds of a number in any usual unit, an ISO 8601 text or a date; else None."""
    if isinstance(value, datetime):
        return round((value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp() * 1000)
    if type(value) is int and SECONDS_BELOW <= value < MILLISECONDS_BELOW:
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        size = abs(value)
        if size < SECONDS_BELOW:
            return round(value * 1000)
        if size < MILLISECONDS_BELOW:
            return round(value)
        return int(value // 1000) if size < MICROSECONDS_BELOW else _milliseconds_from_nanoseconds(value)
    if isinstance(value, str) and 10 <= len(value) <= 40:
        try:
            moment = datetime.fromisoformat(value)
        except ValueError:
            return None
        return round((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp() * 1000)
    return None


def _milliseconds_from_nanoseconds(value: float) -> int | None:
    return int(value // 1_000_000) if abs(value) < 1e19 else None


BATCH_EVENTS = 50_000
"""Events that a reader collects per batch, a few megabytes. Our choice."""


@dataclass(slots=True)
class Events:
    """Events collected for a batch; `line` is None in a file without lines."""

    keys: list[str | None] = field(default_factory=list)
    event_ms: list[int | None] = field(default_factory=list)
    arrival_ms: list[int | None] = field(default_factory=list)
    partitions: list[str | None] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)

    def add(self, event: Mapping[str, Any], fields: EventFields, line: int | None) -> None:
        """Add the fields of one event."""
        self.keys.append(key_text(event.get(fields.key)))
        self.event_ms.append(epoch_ms(event.get(fields.event_time)))
        self.arrival_ms.append(epoch_ms(event.get(fields.arrival)) if fields.arrival else None)
        self.partitions.append(key_text(event.get(fields.partition)) if fields.partition else None)
        self.lines.append(line)

    def batch(self) -> pa.RecordBatch:
        """Rows of the table `event`."""
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


def key_text(value: Any) -> str | None:
    """A key or partition as text, shortened; None when empty or not a scalar."""
    if value is None or isinstance(value, dict | list):
        return None
    return str(value)[:MOST_KEY].encode("utf-8", "replace").decode("utf-8") or None
