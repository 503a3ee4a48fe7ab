"""The settings that a Kafka client logs when it starts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

SCOPES = {"ProducerConfig values:": "kafka producer", "ConsumerConfig values:": "kafka consumer"}
"""Beginning of the message -> scope of the settings below it. Source: kafka-clients, AbstractConfig."""
KEYS = frozenset(
    (
        "acks",
        "auto.offset.reset",
        "delivery.timeout.ms",
        "enable.auto.commit",
        "enable.idempotence",
        "group.id",
        "isolation.level",
        "max.block.ms",
        "max.in.flight.requests.per.connection",
        "request.timeout.ms",
        "transaction.timeout.ms",
        "transactional.id",
    )
)
"""Settings that are read: those relevant to delivery guarantees, and no secrets."""
_LINE = re.compile(rb"^\t([a-z.]{1,60}) = ([^\r\n]{0,300})", re.MULTILINE)
UNSET = "null"


def client_options(message: str, behind: bytes) -> Iterator[dict[str, Any]]:
    """Rows of `config_option` (key and value) from a client's start message; none for other messages.

    behind  the lines of the record after its head line
    """
    scope = next((scope for head, scope in SCOPES.items() if message.startswith(head)), None)
    if scope is None:
        return
    for found in _LINE.finditer(behind):
        key, value = found.group(1).decode(), found.group(2).decode("utf-8", "replace").strip()
        if key in KEYS and value != UNSET:
            yield {"scope": scope, "key": key, "value": value}
