"""Opsgenie, outgoing webhook.

Source: Atlassian documentation of Opsgenie, "Integrate Opsgenie with Webhook", "Alert action notifications"
(https://support.atlassian.com/opsgenie/docs/integrate-opsgenie-with-webhook/).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from workbench.alerts.payload import (
    LONGEST_IDENTITY,
    LONGEST_SUMMARY,
    Payload,
    PayloadRefused,
    ReceivedAlert,
    labels_of,
    moment,
    object_at,
    text,
)
from workbench.languages.sentences import say, say_later, to_say

STATES = {"Create": True, "Close": False, "Delete": False}
"""Actions that say whether an alert is open; the others (Acknowledge, AddNote, ...) change nothing here."""
TAG = re.compile(r"([\w.-]+)[:=](.+)")


def _alerts(document: Any, mapping: Mapping[str, str]) -> list[ReceivedAlert]:
    body = object_at(document, to_say("The body"))
    is_firing = STATES.get(text(body.get("action")))
    if is_firing is None:
        return []
    alert = object_at(body.get("alert"), "`alert`")
    identity = text(alert.get("alertId") or alert.get("alias"), LONGEST_IDENTITY)
    if not identity:
        raise PayloadRefused(say("`alert` has neither `alertId` nor `alias`."))
    tags = alert.get("tags")
    named_tags = (TAG.fullmatch(text(tag)) for tag in tags) if isinstance(tags, list) else ()
    labels = {name: alert.get(name) for name in ("entity", "priority", "source", "alias")}
    labels |= {tag[1]: tag[2] for tag in named_tags if tag}
    updated_at = moment(alert.get("updatedAt"))
    received = ReceivedAlert(
        identity=identity,
        name=text(alert.get("message")) or "Alert",
        is_firing=is_firing,
        labels=labels_of(labels) | labels_of(alert.get("details")),
        summary=text(alert.get("description") or alert.get("message"), LONGEST_SUMMARY),
        starts_at=moment(alert.get("createdAt")),
        ends_at=None if is_firing else updated_at,
    )
    return [received]


PAYLOAD = Payload(
    title="Opsgenie",
    read=_alerts,
    connect=say_later(
        "An outgoing integration of the kind Webhook with the URL {url}, the actions Create and Close "
        "with alert description and details, and a custom header Authorization with the value Bearer and "
        "the token.",
    ),
    sample="""{
  "action": "Create",
  "alert": {
    "alertId": "052652ac-5d1c-464a-812a-7dd18bbfba8c-1777860700000",
    "message": "Checkpoints of Orders fail",
    "tags": ["cluster:payments", "critical"],
    "tinyId": "23",
    "entity": "Orders",
    "alias": "flink-orders-checkpoints",
    "createdAt": 1777860700000,
    "updatedAt": 1777860700000000,
    "username": "Alertmanager",
    "description": "3 checkpoints failed within 10 minutes",
    "details": {"job_name": "Orders"},
    "priority": "P1",
    "source": "prometheus"
  },
  "source": {"name": "prometheus", "type": "API"},
  "integrationName": "flink-workbench",
  "integrationType": "Webhook"
}""",
)
