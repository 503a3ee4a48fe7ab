"""What exactly-once delivery to Kafka depends on, and whether settings and logs show each condition to be met."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from diagnostics.aggregators import code_calls, config_options
from diagnostics.arithmetic.named_rows import named_rows
from diagnostics.evidence import Evidence, read_once
from diagnostics.evidence.subject import FactValue
from diagnostics.reconstruction.checkpoints.delivery import OF_KAFKA, deliveries
from diagnostics.reconstruction.checkpoints.history import History
from diagnostics.vocabulary.connectors import Connector
from diagnostics.wording.phrase import duration

BROKER_DEFAULT_MS = 900_000
"""`transaction.max.timeout.ms` of a broker that does not set it. Source: Flink documentation, Configuration."""
SINK_DEFAULT_MS = 3_600_000
"""`transaction.timeout.ms` that Flink's sink sets when the job does not. Source: Flink documentation, Configuration."""

State = Literal["ok", "wrong", "wrong by default", "not visible"]
"""`wrong by default`: no file states a value, and the defaults of Flink and Kafka do not fit together."""

READER = "kafka reader"
"""Scope of the settings of a consumer that a file of properties states."""
READERS = "isolation.level of the readers of the topic"

SOCKET = "socket stream"
"""Flink's name of a source that reads a socket, in lower case. Source: StreamExecutionEnvironment.socketTextStream."""


@dataclass(frozen=True, slots=True)
class Item:
    """One condition of exactly-once delivery.

    says  the value or the reason behind the state
    """

    name: str
    state: State
    says: str

    @property
    def sentence(self) -> str:
        """The condition with its state as text."""
        return f"{self.name}: {self.state} ({self.says})" if self.says else f"{self.name}: {self.state}"


NAMES: Mapping[str, tuple[str, ...]] = {
    "delivery.guarantee": ("sink.delivery-guarantee", "sink.semantic"),
    "transactional.prefix": ("sink.transactional-id-prefix",),
    "transaction.timeout.ms": ("transaction.timeout.ms", "properties.transaction.timeout.ms"),
    "transaction.max.timeout.ms": ("transaction.max.timeout.ms",),
    "isolation.level": ("isolation.level", "properties.isolation.level"),
    "transactional.id": ("transactional.id",),
}
"""Name of a setting -> the option keys that state it. Source: Flink documentation, Configuration."""


NUMBERED = re.compile(r"(?:-\d{1,18}){1,4}$")
"""The suffix that Flink's sink appends to its prefix: subtask and number, or number alone."""


def client_options(evidence: Evidence, job: str | None, foreign: Collection[str] = ()) -> Mapping[str, list[str]]:
    """Setting of the sink or of the Kafka clients -> its distinct values; values that another job states are left out.

    Reads    config_option: tables, programs, and the settings that Kafka clients log at start, which name no job.
    foreign  transactional id prefixes of other jobs: a producer whose id has one of them belongs to another job
    """
    rows = [row for row in _options(evidence) if row.value and (job is None or row.job_id in (job, None))]
    not_ours = {_start(row) for row in rows if row.key == "transactional.id" and prefix_of(row.value) in foreign}
    found: dict[str, dict[str, None]] = {}
    for row in rows:
        if row.scope != READER and (row.job_id is not None or _start(row) not in not_ours):
            name = next((name for name, names in NAMES.items() if row.key in names), row.key)
            found.setdefault(name, {})[row.value] = None
    return {name: list(values) for name, values in found.items()}


def stated_prefixes(evidence: Evidence) -> Mapping[str, set[str]]:
    """Job -> the transactional id prefixes that its own tables and its program set."""
    found: dict[str, set[str]] = defaultdict(set)
    for row in _options(evidence):
        if row.job_id is not None and row.value and row.key in NAMES["transactional.prefix"]:
            found[row.job_id].add(row.value)
    return found


def prefix_of(transactional_id: str) -> str:
    """The sink's prefix of a transactional id."""
    return NUMBERED.sub("", transactional_id)


def _start(row: Any) -> tuple[Any, ...]:
    """A key that all settings share that one client logged at one start."""
    return row.scope, row.file_id, row.ts_ms


@read_once
def _options(evidence: Evidence) -> Sequence[Any]:
    named = {key for names in NAMES.values() for key in names}
    options = named_rows(evidence.answer(config_options.AGGREGATOR))
    rows = [row for row in options if row.key in named or (row.scope or "").startswith("kafka ")]
    others = _other_sinks(evidence)
    rows = [row for row in rows if not others(row)]
    return sorted(rows, key=lambda row: (row.ts_ms or 0, row.file_id, row.line or 0))


def _other_sinks(evidence: Evidence) -> Callable[[Any], bool]:
    """Whether an option is certainly not one of Kafka's sink: other connectors have options of these names.

    Reads  code_call: the connectors of the tables that a script declares. An option belongs to the table above it.
    """
    declared: dict[Any, list[tuple[int, str]]] = defaultdict(list)
    for call in named_rows(evidence.answer(code_calls.AGGREGATOR)):
        if call.kind == "table" and call.line is not None:
            declared[call.file_id].append((call.line, call.name.partition(" ")[2]))
    sinks = {sink.id for delivery in deliveries(evidence).values() for sink in delivery.sinks}
    writes_other = bool(sinks) and sinks.isdisjoint(OF_KAFKA)

    def is_other(row: Any) -> bool:
        if row.scope == "table" and row.line is not None:
            above = [each for each in declared[row.file_id] if each[0] <= row.line]
            return bool(above) and "kafka" not in max(above)[1]
        return row.scope == "program" and row.key in NAMES["delivery.guarantee"] and writes_other

    return is_other


def asks_for_it(client: Mapping[str, Sequence[str]]) -> bool:
    """Whether a sink is configured for exactly-once delivery."""
    return any(value.lower().replace("_", "-") == "exactly-once" for value in client.get("delivery.guarantee", ()))


def has_kafka_consumer(evidence: Evidence) -> bool:
    """Whether a Kafka consumer printed its settings, so that a source reads from Kafka."""
    return any((row.scope or "").startswith("kafka consumer") for row in _options(evidence))


def reader_levels(evidence: Evidence) -> Mapping[str, str | None]:
    """Consumer group -> its isolation.level, of the consumers whose properties were given; those of the job's own
    groups are left out.
    """
    own = {row.value for row in _options(evidence) if row.scope != READER and row.key == "group.id"}
    stated: dict[Any, dict[str, str]] = defaultdict(dict)
    for row in _options(evidence):
        if row.scope == READER and row.value:
            stated[row.file_id][row.key] = row.value
    levels = {each["group.id"]: each.get("isolation.level") for each in stated.values() if "group.id" in each}
    return {group: levels[group] for group in sorted(levels) if group not in own}


def readers_item(levels: Mapping[str, str | None]) -> Item:
    """Whether the consumers of the topic read committed records only. `levels` as `reader_levels` gives it."""
    for group, level in levels.items():
        if level == "read_uncommitted":
            return Item(READERS, "wrong", f"{group} reads with read_uncommitted")
    for group, level in levels.items():
        if level is None:
            return Item(READERS, "wrong by default", f"{group} states none; Kafka's default is read_uncommitted")
    return Item(READERS, "ok" if levels else "not visible", ", ".join(levels) or "they run elsewhere")


def audit(
    facts: Mapping[str, FactValue],
    client: Mapping[str, Sequence[str]],
    settings: Mapping[str, Any],
    history: History,
    prefixes: Sequence[str],
    sources: Item,
    readers: Item,
) -> Iterable[Item]:
    """The conditions of exactly-once delivery, from the sources to the consumers of the topic."""
    yield sources
    interval, mode = settings.get("interval_ms"), settings.get("mode")
    if facts["downgraded"]:
        yield Item("checkpointing", "wrong", "the sink says that it is off")
    elif interval or history.checkpoints:
        yield Item("checkpointing", "ok", f"every {duration(interval)}" if interval else "checkpoints are taken")
    else:
        yield Item("checkpointing", "not visible", "")
    if mode:
        yield Item("checkpointing mode", "ok" if mode == "EXACTLY_ONCE" else "wrong", str(mode))
    else:
        yield Item("checkpointing mode", "not visible", "")
    guarantee = client.get("delivery.guarantee")
    if client.get("transactional.id") or asks_for_it(client):
        yield Item("delivery guarantee of the sink", "ok", "it uses transactions")
    else:
        yield Item(
            "delivery guarantee of the sink", "wrong" if guarantee else "not visible", ", ".join(guarantee or ())
        )
    yield _prefix_item(facts, prefixes)
    yield _broker_item(facts)
    yield _length_item(facts)
    yield readers


def sources_item(names: Iterable[str], sources: Sequence[Connector], *, reads_kafka: bool) -> Item:
    """Whether the sources can be read again from the position that a checkpoint holds.

    names    of the job's tasks
    sources  the connectors that files name as its sources
    """
    name = "sources that can be read again"
    if any(SOCKET in each.lower() for each in names):
        return Item(name, "wrong", "what came through a socket cannot be read again after a failure")
    if lost := [each.title for each in sources if each.source == "forgets"]:
        return Item(name, "wrong", f"{', '.join(lost)}: what was read before a failure cannot be read again")
    if open_ones := [each.title for each in sources if each.source == "depends"]:
        return Item(name, "not visible", ", ".join(open_ones))
    known = dict.fromkeys([*(["Kafka"] if reads_kafka else []), *(each.title for each in sources)])
    return Item(name, "ok", ", ".join(known)) if known else Item(name, "not visible", "")


def _prefix_item(facts: Mapping[str, FactValue], prefixes: Sequence[str]) -> Item:
    name = "transactional id prefix, unique for each sink and stable"
    if facts["duplicate_prefix"] or facts["prefix_changed"]:
        return Item(name, "wrong", "two sinks share it" if facts["duplicate_prefix"] else "it changed")
    if facts["fenced"] and not facts["near_timeout"] and not facts["expired"] and not _is_too_short(facts):
        return Item(name, "wrong", "a newer producer took over")
    return Item(name, "ok", ", ".join(prefixes[:2])) if prefixes else Item(name, "not visible", "")


def _broker_item(facts: Mapping[str, FactValue]) -> Item:
    """The sink's transaction timeout against the broker's limit; what no file states is taken at its default."""
    name = "transaction.timeout.ms up to the broker's transaction.max.timeout.ms"
    asked, limit = facts.get("asked_timeout_ms"), facts.get("broker_limit_ms")
    if facts["too_large"]:
        return Item(name, "wrong", "the broker refuses it")
    if not isinstance(asked, (int, float)) or not isinstance(limit, (int, float)):
        return Item(name, "not visible", "")
    assumed = facts.get("timeout_assumed") or facts.get("broker_assumed")
    says = f"{duration(asked)}{' by default' if facts.get('timeout_assumed') else ''} of {duration(limit)}" + (
        " by default" if facts.get("broker_assumed") else ""
    )
    if facts.get("timeout_accepted"):
        return Item(name, "ok", "checkpoints complete, so that the broker accepts it")
    if asked <= limit:
        return Item(name, "ok", says)
    return Item(name, "wrong by default" if assumed else "wrong", says)


def _is_too_short(facts: Mapping[str, FactValue]) -> bool:
    ratio = facts.get("timeout_to_need_ratio")
    return isinstance(ratio, (int, float)) and ratio <= 1


def _length_item(facts: Mapping[str, FactValue]) -> Item:
    name = "transaction.timeout.ms above checkpoint interval, duration and outage"
    timeout, needed = facts.get("asked_timeout_ms"), facts.get("needed_ms")
    if facts["expired"] or facts["near_timeout"]:
        return Item(name, "wrong", "transactions were open for too long")
    if not isinstance(timeout, (int, float)) or not isinstance(needed, (int, float)):
        return Item(name, "not visible", "")
    by_default = " by default" if facts.get("timeout_assumed") else ""
    is_long = timeout > needed
    return Item(
        name,
        "ok" if is_long else "wrong by default" if by_default else "wrong",
        f"{duration(timeout)}{by_default} against {duration(needed)}",
    )
