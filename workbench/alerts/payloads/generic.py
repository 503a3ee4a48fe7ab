"""JSON of any other system; an administrator says where name, state and labels are, as JSON pointers (RFC 6901)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.alerts.mapping import NEEDED, at
from workbench.alerts.payload import (
    LONGEST_IDENTITY,
    LONGEST_SUMMARY,
    Payload,
    PayloadRefused,
    ReceivedAlert,
    labels_of,
    moment,
    text,
    web_address,
)
from workbench.languages.sentences import say, say_later

RESOLVED = "resolved, ok, closed, normal"
"""Words of a state that mean resolved where the mapping names none: those of Grafana, Zabbix and Datadog."""


def _alerts(document: Any, mapping: Mapping[str, str]) -> list[ReceivedAlert]:
    alerts = at(document, mapping["alerts"]) if mapping.get("alerts") else [document]
    if not isinstance(alerts, list):
        raise PayloadRefused(say("There is no list at {pointer}.", pointer=mapping["alerts"]))
    return [_alert(each, mapping) for each in alerts]


def _alert(alert: Any, mapping: Mapping[str, str]) -> ReceivedAlert:
    def value(field: str) -> Any:
        return at(alert, mapping[field]) if mapping.get(field) else None

    for field in NEEDED:
        if not text(value(field)):
            raise PayloadRefused(
                say("There is no {field} at `{pointer}`.", field=field, pointer=mapping.get(field) or "")
            )
    ended = {word.strip().casefold() for word in (mapping.get("resolved") or RESOLVED).split(",")}
    is_firing = text(value("state")).casefold() not in ended
    return ReceivedAlert(
        identity=text(value("identity"), LONGEST_IDENTITY),
        name=text(value("name")),
        is_firing=is_firing,
        labels=labels_of(value("labels")),
        summary=text(value("summary"), LONGEST_SUMMARY),
        url=web_address(value("url")),
        starts_at=moment(value("starts_at")),
        ends_at=None if is_firing else moment(value("ends_at")),
    )


PAYLOAD = Payload(
    title=say_later("Another system (JSON)"),
    read=_alerts,
    connect=say_later(
        "POST the JSON of one alert or of a list to {url}, with the header Authorization: Bearer and the token.",
    ),
    needs_mapping=True,
    sample="""{
  "id": "orders-checkpoints",
  "title": "Checkpoints of Orders fail",
  "status": "firing",
  "since": "2026-05-04T02:11:42Z",
  "tags": {"cluster": "payments", "job_name": "Orders"}
}""",
)
