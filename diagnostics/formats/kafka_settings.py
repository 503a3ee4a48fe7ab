"""Settings of Kafka: `server.properties`, output of `kafka-configs --describe`, and the properties of a consumer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from diagnostics.errors import LimitExceeded
from diagnostics.formats.format import Format, Sample
from diagnostics.language import say, to_say
from diagnostics.notation.file_range import Head, Range
from diagnostics.notation.rest_document import text
from diagnostics.notation.secret_option import MASK, masked
from diagnostics.notation.tally import Tally, row_reader
from diagnostics.notation.text_lines import numbered_lines

MOST_BYTES = 4_194_304
"""Our choice: a broker has some 250 settings; with all their synonyms they take 60 KB."""
MOST_LINE = 16_384
MOST_OPTIONS = 20_000
MOST_VALUE = 2_000

CERTAIN = frozenset(
    (
        "broker.id",
        "node.id",
        "process.roles",
        "controller.quorum.voters",
        "log.dirs",
        "log.retention.hours",
        "num.network.threads",
        "num.io.threads",
        "offsets.topic.replication.factor",
        "transaction.state.log.replication.factor",
        "transaction.state.log.min.isr",
        "transaction.max.timeout.ms",
        "advertised.listeners",
        "zookeeper.connect",
        "inter.broker.listener.name",
    )
)
"""Settings that only brokers have, not clients. Source: Kafka documentation, Broker Configs."""
LEAST_CERTAIN = 3
OF_A_CONSUMER = frozenset(
    (
        "auto.offset.reset",
        "bootstrap.servers",
        "enable.auto.commit",
        "fetch.min.bytes",
        "isolation.level",
        "key.deserializer",
        "max.poll.records",
        "partition.assignment.strategy",
        "value.deserializer",
    )
)
"""Settings of a consumer beside its `group.id`. Source: Kafka documentation, Consumer Configs."""
LEAST_OF_A_CONSUMER = 2
READER = "reader"
"""Kind of a consumer whose settings a file of properties states."""

_TITLE = re.compile(
    r"(?m)^(?:Dynamic|All|Default)? ?configs for (?:the default )?(broker|topic)s?(?: (\S{1,255}))?"
    r"(?: in the entire cluster)? are:",
    re.IGNORECASE,
)
_DESCRIBED = re.compile(r"\s{1,8}([A-Za-z][\w.-]{1,199})=(.{0,4000}?) sensitive=(true|false)(?: synonyms=\{.*)?$")
_PROPERTY = re.compile(r"\s{0,8}([A-Za-z][\w.-]{1,199})\s{0,4}[=:]\s{0,4}(.{0,4000})$")


def _recognise(head: Head) -> float:
    if " configs for " in head.text and _TITLE.search(head.text):
        return 0.95
    if "group.id" not in head.text and sum(key in head.text for key in CERTAIN) < LEAST_CERTAIN:
        return 0.0
    named = _named(head.text)
    return 0.9 if len(named & CERTAIN) >= LEAST_CERTAIN or _is_consumer(named) else 0.0


def _named(content: str) -> set[str]:
    return {found[1] for line in content.splitlines()[:2_000] if (found := _PROPERTY.match(line[:4_400]))}


def _is_consumer(named: set[str]) -> bool:
    """Whether properties are those of one consumer and of nothing else, such as a cluster or a producer."""
    others = named & CERTAIN or any(each.startswith(("jobmanager.", "taskmanager.", "spring.")) for each in named)
    return "group.id" in named and len(named & OF_A_CONSUMER) >= LEAST_OF_A_CONSUMER and not others


def _rows(part: Range, tally: Tally) -> Iterator[dict[str, Any]]:
    if part.size > MOST_BYTES:
        raise LimitExceeded(
            say("settings of {size:,} bytes; at most {bound:,} are read", size=part.size, bound=MOST_BYTES)
        )
    lines = list(numbered_lines(part, MOST_LINE))
    kind = READER if _is_consumer(_named("\n".join(line for _, line in lines))) else "broker"
    is_described = False
    for at, line in lines:
        title, described = _TITLE.match(line), _DESCRIBED.match(line)
        option = described or (None if is_described else _PROPERTY.match(line))
        if title:
            kind, is_described = title[1].lower(), True
        elif not line or line.lstrip().startswith(("#", "!")):
            continue
        elif option and tally.records < MOST_OPTIONS:
            tally.records += 1
            secret = described is not None and described[3] == "true"
            value = MASK if secret else masked(option[1], text(option[2].strip(), MOST_VALUE))
            yield {"scope": f"kafka {kind}", "key": option[1], "value": value, "line": at, "last_line": at}
        else:
            tally.odd(at, line)


FORMAT = Format(
    id="kafka-settings",
    title=to_say("Settings of Kafka (server.properties, kafka-configs --describe, properties of a consumer)"),
    documentation="https://kafka.apache.org/documentation/#brokerconfigs",
    tables=("config_option",),
    recognise=_recognise,
    read=row_reader("config_option", _rows),
    samples=(
        Sample(
            name="kafka/server.properties",
            text="# The id of the broker\n"
            "broker.id=1\n"
            "log.dirs=/var/lib/kafka\n"
            "num.network.threads = 8\n"
            "transaction.max.timeout.ms=900000\n"
            "ssl.keystore.password=hunter2\n",
            rows={
                "config_option": [
                    {"scope": "kafka broker", "key": "broker.id", "value": "1", "line": 2},
                    {"key": "log.dirs", "value": "/var/lib/kafka"},
                    {"key": "num.network.threads", "value": "8"},
                    {"key": "transaction.max.timeout.ms", "value": "900000", "line": 5},
                    {"key": "ssl.keystore.password", "value": "******"},
                ]
            },
        ),
        Sample(
            name="kafka/configs.txt",
            text="All configs for broker 1 are:\n"
            "  transaction.max.timeout.ms=600000 sensitive=false synonyms={STATIC_BROKER_CONFIG:transaction.max.timeout"
            ".ms=600000, DEFAULT_CONFIG:transaction.max.timeout.ms=900000}\n"
            "  ssl.key.password=null sensitive=true synonyms={}\n"
            "Dynamic configs for topic orders are:\n"
            "  retention.ms=3600000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=3600000}\n",
            rows={
                "config_option": [
                    {"scope": "kafka broker", "key": "transaction.max.timeout.ms", "value": "600000", "line": 2},
                    {"key": "ssl.key.password", "value": "******"},
                    {"scope": "kafka topic", "key": "retention.ms", "value": "3600000", "line": 5},
                ]
            },
        ),
        Sample(
            name="report/consumer.properties",
            text="bootstrap.servers=kafka:9092\ngroup.id=invoice-report\nisolation.level=read_uncommitted\n"
            "auto.offset.reset=earliest\n",
            rows={
                "config_option": [
                    {"scope": "kafka reader", "key": "bootstrap.servers", "value": "kafka:9092", "line": 1},
                    {"key": "group.id", "value": "invoice-report"},
                    {"key": "isolation.level", "value": "read_uncommitted", "line": 3},
                    {"key": "auto.offset.reset", "value": "earliest"},
                ]
            },
        ),
    ),
)
