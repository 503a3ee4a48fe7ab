"""The group of alerts that Alertmanager sends, which Grafana writes in the same form."""

from __future__ import annotations

from typing import Any

from workbench.alerts.payload import (
    LONGEST_IDENTITY,
    LONGEST_SUMMARY,
    PayloadRefused,
    ReceivedAlert,
    labels_of,
    moment,
    object_at,
    text,
    web_address,
)
from workbench.languages.sentences import say, to_say


def alerts_of_group(document: Any) -> list[ReceivedAlert]:
    """The alerts of a group. Raises PayloadRefused."""
    alerts = object_at(document, to_say("The body")).get("alerts")
    if not isinstance(alerts, list):
        raise PayloadRefused(say("There is no list `alerts`."))
    return [_alert(object_at(each, to_say("An alert"))) for each in alerts]


def _alert(alert: dict[str, Any]) -> ReceivedAlert:
    labels, annotations = labels_of(alert.get("labels")), alert.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    written = sorted(f"{name}={value}" for name, value in labels.items())
    is_firing = text(alert.get("status")) != "resolved"
    return ReceivedAlert(
        identity=text(alert.get("fingerprint"), LONGEST_IDENTITY) or ",".join(written),
        name=labels.get("alertname", "Alert"),
        is_firing=is_firing,
        labels=labels,
        summary=text(annotations.get("summary") or annotations.get("description"), LONGEST_SUMMARY),
        url=web_address(alert.get("generatorURL")),
        starts_at=moment(alert.get("startsAt")),
        ends_at=None if is_firing else moment(alert.get("endsAt")),
    )
