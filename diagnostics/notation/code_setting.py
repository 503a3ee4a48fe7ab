"""Options that calls of Flink's API set, such as `enableCheckpointing(5000)`.

Old and new names of the API are known; Python's names are Java's in lower case with underscores.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from diagnostics.notation.source_text import Call

CHECKPOINTING = "execution.checkpointing."
MINUTE_MS, HOUR_MS = 60_000, 3_600_000
UNITS_MS: Mapping[str, int] = {
    "millis": 1,
    "milliseconds": 1,
    "seconds": 1000,
    "minutes": MINUTE_MS,
    "hours": HOUR_MS,
    "days": 24 * HOUR_MS,
}
UNENDING = 2_147_483_647
"""Tolerable failed checkpoints under `setFailOnCheckpointingErrors(false)` in old code."""

_INTEGER = re.compile(r"(\d[\d_]{0,18})[lL]?")
_OF_UNIT = re.compile(
    r"(?:Duration\.of|Time\.|TimeUnit\.)?([A-Za-z]{4,12})(?:\.toMillis)?\(\s{0,4}(\d[\d_]{0,12})[lL]?\s{0,4}\)"
    r"(?:\.toMillis\(\)|\.toMilliseconds\(\))?"
)
_TIME_OF = re.compile(r"Time\.of\(\s{0,4}(\d[\d_]{0,12})[lL]?\s{0,4},\s{0,4}(?:TimeUnit\.)?([A-Z]{5,12})\s{0,4}\)")
_QUOTED = re.compile(r"\"([^\"\n]{0,500})\"|'([^'\n]{0,500})'")
_CONSTANT = re.compile(r"(?:[A-Za-z_]\w{0,60}\.){0,6}([A-Z][A-Z_]{2,60})")
_SEMANTIC = re.compile(r"(?:[A-Za-z_]\w{0,60}\.){0,6}Semantic\.([A-Z][A-Z_]{2,60})")
_AS_TEXT = re.compile(r"(?:String\.valueOf|(?:Integer|Long)\.toString|str)\(([^()]{1,80})\)")
_NEW = re.compile(r"(?:new\s{1,4})?([A-Z]\w{3,60})\s?\(([^()]{0,300})\)")


def whole_number(text: str) -> int | None:
    """`5000`, `5_000L` or `60 * 1000`; None for anything but literals."""
    product = 1
    for factor in text.split("*"):
        found = _INTEGER.fullmatch(factor.strip())
        if found is None:
            return None
        product *= int(found.group(1).replace("_", ""))
    return product


def milliseconds(text: str) -> str | None:
    """A literal duration in milliseconds: a number, `Duration.ofMinutes(10)`, `Time.of(10, SECONDS)`; else None."""
    plain = whole_number(text)
    if plain is not None:
        return f"{plain} ms"
    found = _TIME_OF.fullmatch(text.strip())
    amount, unit = (found.group(1), found.group(2)) if found else ("", "")
    if not found and (named := _OF_UNIT.fullmatch(text.strip())):
        unit, amount = named.group(1), named.group(2)
    factor = UNITS_MS.get(unit.lower())
    return f"{int(amount.replace('_', '')) * factor} ms" if factor else None


def quoted(text: str) -> str | None:
    """The text of a quoted literal."""
    found = _QUOTED.fullmatch(text.strip())
    return None if found is None else found.group(1) if found.group(1) is not None else found.group(2)


def _count(text: str) -> str | None:
    number = whole_number(text)
    return None if number is None else str(number)


def _truth(text: str) -> str | None:
    return text.strip().lower() if text.strip().lower() in ("true", "false") else None


def _constant(text: str) -> str | None:
    found = _CONSTANT.fullmatch(text.strip())
    return found.group(1) if found else None


def _tolerated(text: str) -> str | None:
    return {"true": "0", "false": str(UNENDING)}.get(text.strip().lower())


def _storage(text: str) -> str | None:
    return "jobmanager" if "JobManagerCheckpointStorage" in text else "filesystem" if "FileSystem" in text else None


Reading = Callable[[str], str | None]

ONE_ARGUMENT: Mapping[str, tuple[str, Reading]] = {
    "setcheckpointinterval": (CHECKPOINTING + "interval", milliseconds),
    "setcheckpointtimeout": (CHECKPOINTING + "timeout", milliseconds),
    "setminpausebetweencheckpoints": (CHECKPOINTING + "min-pause", milliseconds),
    "setmaxconcurrentcheckpoints": (CHECKPOINTING + "max-concurrent-checkpoints", _count),
    "setcheckpointingmode": (CHECKPOINTING + "mode", _constant),
    "setcheckpointingconsistencymode": (CHECKPOINTING + "mode", _constant),
    "settolerablecheckpointfailurenumber": (CHECKPOINTING + "tolerable-failed-checkpoints", _count),
    "setfailoncheckpointingerrors": (CHECKPOINTING + "tolerable-failed-checkpoints", _tolerated),
    "enableexternalizedcheckpoints": (CHECKPOINTING + "externalized-checkpoint-retention", _constant),
    "setexternalizedcheckpointcleanup": (CHECKPOINTING + "externalized-checkpoint-retention", _constant),
    "setexternalizedcheckpointretention": (CHECKPOINTING + "externalized-checkpoint-retention", _constant),
    "setalignmenttimeout": (CHECKPOINTING + "aligned-checkpoint-timeout", milliseconds),
    "setalignedcheckpointtimeout": (CHECKPOINTING + "aligned-checkpoint-timeout", milliseconds),
    "setforceunalignedcheckpoints": (CHECKPOINTING + "unaligned.forced", _truth),
    "enablechangelogstatebackend": ("state.changelog.enabled", _truth),
    "setbuffertimeout": ("execution.buffer-timeout.interval", milliseconds),
    "setautowatermarkinterval": ("pipeline.auto-watermark-interval", milliseconds),
    "setdeliveryguarantee": ("sink.delivery-guarantee", _constant),
    "settransactionalidprefix": ("sink.transactional-id-prefix", quoted),
}
"""Method name in lower case without underscores -> option and parser of its argument. Source: Flink documentation,
Configuration, column datastream_api.
"""

WITHOUT_ARGUMENT: Mapping[str, tuple[str, str]] = {
    "enableobjectreuse": ("pipeline.object-reuse", "true"),
    "disableobjectreuse": ("pipeline.object-reuse", "false"),
    "disablegenerictypes": ("pipeline.generic-types", "false"),
    "disableoperatorchaining": ("pipeline.operator-chaining.enabled", "false"),
}
OF_ENVIRONMENT: Mapping[str, str] = {
    "setparallelism": "parallelism.default",
    "setmaxparallelism": "pipeline.max-parallelism",
}
"""Methods that operators have too; only calls on the environment set an option."""
ENVIRONMENTS = ("env", "environment", "senv", "see", "executionenvironment", "streamexecutionenvironment")
PAIRS = frozenset(("set", "setstring", "setinteger", "setlong", "setboolean", "setdouble", "setfloat", "setproperty"))
"""Methods that take a key and a value."""
PLAIN_PAIR = re.compile(r"[a-z][\w-]{0,60}(?:\.[\w-]{1,80}){1,9}")
CLIENT_OPTION = re.compile(r"transaction\.timeout\.ms|isolation\.level|enable\.idempotence|acks")
"""Kafka client options relevant to exactly-once; in a table they follow `properties.`."""
PUT = "put"
"""Method of java.util.Properties and of maps; of what it stores only Kafka's client options are settings."""
CLIENT_CONSTANTS: Mapping[str, str] = {
    "TRANSACTION_TIMEOUT_CONFIG": "transaction.timeout.ms",
    "ISOLATION_LEVEL_CONFIG": "isolation.level",
    "ENABLE_IDEMPOTENCE_CONFIG": "enable.idempotence",
    "ACKS_CONFIG": "acks",
}
"""Constants of Kafka's ProducerConfig and ConsumerConfig for these options. Source: Kafka's documentation."""
PRODUCERS = frozenset(("flinkkafkaproducer", "flinkkafkaproducer011"))
"""Sinks before KafkaSink, whose constructor takes the delivery semantic. Source: Flink documentation, Kafka."""
RESTARTS: Mapping[str, str] = {
    "norestart": "none",
    "fixeddelayrestart": "fixed-delay",
    "failureraterestart": "failure-rate",
    "exponentialdelayrestart": "exponential-delay",
}
NAMES = frozenset(
    (
        *ONE_ARGUMENT,
        *WITHOUT_ARGUMENT,
        *OF_ENVIRONMENT,
        *PAIRS,
        PUT,
        *PRODUCERS,
        *RESTARTS,
        "enablecheckpointing",
        "enableunalignedcheckpoints",
        "setstatebackend",
        "setcheckpointstorage",
    )
)


def states_setting(name: str) -> bool:
    """Whether a method of that name may set an option."""
    return _plain(name) in NAMES


def _plain(name: str) -> str:
    return name.replace("_", "").lower()


def settings_of(call: Call) -> Iterator[tuple[str, str]]:
    """The options that a call sets, as (key, value); values that are not literals are ignored."""
    name, arguments = _plain(call.name), call.arguments
    if name in WITHOUT_ARGUMENT and not arguments:
        yield WITHOUT_ARGUMENT[name]
    elif name in ONE_ARGUMENT and arguments:
        key, read = ONE_ARGUMENT[name]
        value = read(arguments[0])
        if value is not None:
            yield key, value
    elif name == "enablecheckpointing":
        yield from _enabled(arguments)
    elif name == "enableunalignedcheckpoints":
        yield CHECKPOINTING + "unaligned.enabled", (_truth(arguments[0]) if arguments else None) or "true"
    elif name in OF_ENVIRONMENT and arguments and _plain(call.receiver or "") in ENVIRONMENTS:
        number = _count(arguments[0])
        if number is not None:
            yield OF_ENVIRONMENT[name], number
    elif name in ("setstatebackend", "setcheckpointstorage") and arguments:
        yield from _backend(arguments[0]) if name == "setstatebackend" else _directory(arguments[0])
    elif name in RESTARTS:
        yield from _restarts(name, arguments)
    elif name in PRODUCERS:
        yield from _semantic(arguments)
    elif name in (*PAIRS, PUT) and len(arguments) == 2:
        yield from _client_option(arguments) or (_pair(arguments) if name in PAIRS else ())


def _enabled(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    interval = milliseconds(arguments[0]) if arguments else None
    if interval is not None:
        yield CHECKPOINTING + "interval", interval
    mode = _constant(arguments[1]) if len(arguments) > 1 else None
    if mode is not None:
        yield CHECKPOINTING + "mode", mode


def _backend(argument: str) -> Iterator[tuple[str, str]]:
    made = _NEW.search(argument)
    if made is None:
        return
    yield "state.backend.type", made.group(1)
    parts = [part.strip() for part in made.group(2).split(",")]
    if "RocksDB" in made.group(1) and parts[-1] in ("true", "false", "True", "False"):
        yield CHECKPOINTING + "incremental", parts[-1].lower()
    directory = quoted(parts[0]) if parts else None
    if directory:
        yield CHECKPOINTING + "dir", directory


def _directory(argument: str) -> Iterator[tuple[str, str]]:
    plain = quoted(argument)
    made = None if plain else _NEW.search(argument)
    storage = _storage(made.group(1)) if made else "filesystem" if plain else None
    directory = plain or (quoted(made.group(2)) if made else None)
    if storage:
        yield CHECKPOINTING + "storage", storage
    if directory:
        yield CHECKPOINTING + "dir", directory


def _restarts(name: str, arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    yield "restart-strategy.type", RESTARTS[name]
    if name == "fixeddelayrestart" and arguments and (attempts := _count(arguments[0])) is not None:
        yield "restart-strategy.fixed-delay.attempts", attempts


def _semantic(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The delivery semantic of a FlinkKafkaProducer, whose enumeration was the name of DeliveryGuarantee's values."""
    for argument in arguments:
        if found := _SEMANTIC.fullmatch(argument):
            yield "sink.delivery-guarantee", found.group(1)


def _client_option(arguments: tuple[str, ...]) -> list[tuple[str, str]]:
    """The option of a Kafka client that a property sets, by its name or by Kafka's constant for it."""
    key = quoted(arguments[0]) or CLIENT_CONSTANTS.get(_constant(arguments[0]) or "")
    if key is None or not CLIENT_OPTION.fullmatch(key):
        return []
    given = arguments[1].removesuffix('+ ""').strip()
    converted = _AS_TEXT.fullmatch(given)
    given = converted.group(1) if converted else given
    value = quoted(given) if quoted(given) is not None else _truth(given) or _count(given)
    return [] if value is None else [(f"properties.{key}", value)]


def _pair(arguments: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    key = quoted(arguments[0])
    value = quoted(arguments[1]) if quoted(arguments[1]) is not None else _truth(arguments[1]) or _count(arguments[1])
    if key and value is not None and PLAIN_PAIR.fullmatch(key):
        yield key, value
