"""The contract of the files in `payloads`: how one alerting system writes its alerts."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.utils.dateparse import parse_datetime

from diagnostics.registry import registered
from workbench.languages.sentences import say
from workbench.untrusted.storable import storable

MOST_ALERTS = 500
"""Of one body. Our choice: Alertmanager sends a group at a time, and nobody reads a page of more."""
MOST_LABELS = 64
"""Of one alert. Source: Grafana Loki's and Mimir's default of 15 to 30 labels for a series, with head room."""
LONGEST_NAME = 200
LONGEST_VALUE = 500
LONGEST_SUMMARY = 2_000
LONGEST_URL = 2_000
LONGEST_IDENTITY = 300


class PayloadRefused(Exception):
    """The body is not one of this system; the text says what is missing, for the administrator of the source."""


@dataclass(frozen=True, slots=True)
class ReceivedAlert:
    """One alert as its sender describes it.

    identity   by what the sender names the alert, the same while it fires and when it is resolved
    summary    the sender's text; may be empty
    url        the sender's page of the alert, `http` or `https`; may be empty
    starts_at  by the sender's clock; None where it says nothing that can be read
    """

    identity: str
    name: str
    is_firing: bool
    labels: Mapping[str, str] = field(default_factory=dict)
    summary: str = ""
    url: str = ""
    starts_at: dt.datetime | None = None
    ends_at: dt.datetime | None = None


@dataclass(frozen=True, slots=True)
class Payload:
    """How one system writes alerts.

    title         the system's name
    read          (body as JSON, the source's mapping) -> its alerts; empty for a message that is about none.
                  Raises PayloadRefused.
    sample        a body as in the system's documentation, for administrators who try the source
    needs_mapping whether an administrator says where name, state and labels are
    connect       how to make the system send, in a sentence or two; `{url}` and `{token}` are filled
    """

    title: str
    read: Callable[[Any, Mapping[str, str]], list[ReceivedAlert]]
    sample: str
    connect: str
    needs_mapping: bool = False


@cache
def payloads() -> dict[str, Payload]:
    """Every payload by the name of its file."""
    from workbench.alerts import payloads as package

    return dict(registered(package, "PAYLOAD"))


def alerts_in(kind: str, body: bytes, mapping: Mapping[str, str]) -> list[ReceivedAlert]:
    """The alerts of a body, made storable and bounded. Raises PayloadRefused."""
    try:
        document = storable(json.loads(body))
    except (ValueError, RecursionError):
        raise PayloadRefused(say("The body is not JSON.")) from None
    alerts = payloads()[kind].read(document, mapping)
    if len(alerts) > MOST_ALERTS:
        raise PayloadRefused(
            say(
                "The body holds {count:,} alerts; at most {most} are taken at once.",
                count=len(alerts),
                most=MOST_ALERTS,
            )
        )
    return alerts


def object_at(value: Any, what: str) -> dict[str, Any]:
    """The value, which has to be an object. Raises PayloadRefused naming it."""
    if not isinstance(value, dict):
        raise PayloadRefused(say("{what} is not an object.", what=say(what)))
    return value


def text(value: Any, most: int = LONGEST_VALUE) -> str:
    """A text or number on one line; empty for anything else."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return ""
    return " ".join(str(value).split())[:most]


def labels_of(value: Any) -> dict[str, str]:
    """Names and values of an object of labels; what is neither text nor number is left out."""
    if not isinstance(value, dict):
        return {}
    named = ((text(name, LONGEST_NAME), text(each)) for name, each in list(value.items())[:MOST_LABELS])
    return {name: each for name, each in named if name and each}


def web_address(value: Any) -> str:
    """The value when it is an address of the web; empty for anything else."""
    address = text(value, LONGEST_URL)
    return address if address.startswith(("https://", "http://")) else ""


def moment(value: Any) -> dt.datetime | None:
    """An ISO 8601 time or milliseconds since 1970; None for what is neither, and for Go's zero time.

    Alertmanager writes the year 1 for an alert that has not ended.
    """
    try:
        if isinstance(value, (int, float)) and not isinstance(value, bool):
            return dt.datetime.fromtimestamp(value / 1000, dt.UTC)
        read = parse_datetime(value) if isinstance(value, str) else None
    except (ValueError, OverflowError, OSError):
        return None
    if read is None or not 1970 <= read.year < 9999:
        return None
    return read.replace(tzinfo=dt.UTC) if read.tzinfo is None else read.astimezone(dt.UTC)
