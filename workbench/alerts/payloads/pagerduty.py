"""PagerDuty, webhook version 3.

Source: PagerDuty developer documentation, "Webhooks Overview" and "Webhook payload"
(https://developer.pagerduty.com/docs/webhooks-overview).
"""

from __future__ import annotations

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
    web_address,
)
from workbench.languages.sentences import say, say_later, to_say

STATES = {
    "incident.triggered": True,
    "incident.reopened": True,
    "incident.unacknowledged": True,
    "incident.resolved": False,
}
"""Events that say whether an incident is open; the others (acknowledged, annotated, ping) change nothing here."""


def _alerts(document: Any, mapping: Mapping[str, str]) -> list[ReceivedAlert]:
    event = object_at(object_at(document, to_say("The body")).get("event"), "`event`")
    is_firing = STATES.get(text(event.get("event_type")))
    if is_firing is None:
        return []
    incident = object_at(event.get("data"), "`event.data`")
    identity = text(incident.get("id") or incident.get("incident_key"), LONGEST_IDENTITY)
    if not identity:
        raise PayloadRefused(say("`event.data` has neither `id` nor `incident_key`."))
    service, priority = incident.get("service"), incident.get("priority")
    labels = {
        "service": service.get("summary") if isinstance(service, dict) else None,
        "priority": priority.get("summary") if isinstance(priority, dict) else None,
        "urgency": incident.get("urgency"),
        "incident_key": incident.get("incident_key"),
    }
    occurred_at = moment(event.get("occurred_at"))
    alert = ReceivedAlert(
        identity=identity,
        name=text(incident.get("title")) or "Incident",
        is_firing=is_firing,
        labels=labels_of(labels),
        summary=text(incident.get("title"), LONGEST_SUMMARY),
        url=web_address(incident.get("html_url")),
        starts_at=moment(incident.get("created_at")) or occurred_at,
        ends_at=None if is_firing else occurred_at,
    )
    return [alert]


PAYLOAD = Payload(
    title="PagerDuty",
    read=_alerts,
    connect=say_later(
        "Integrations, Generic Webhooks (v3): the URL {url}, the events incident.triggered, "
        "incident.reopened and incident.resolved, and a custom header Authorization with the value "
        "Bearer and the token.",
    ),
    sample="""{
  "event": {
    "id": "01DVUHO6P4XQDFYVXX",
    "event_type": "incident.triggered",
    "resource_type": "incident",
    "occurred_at": "2026-05-04T02:11:42Z",
    "agent": {"id": "PLH1HKV", "type": "user_reference"},
    "client": null,
    "data": {
      "id": "PGR0VU2",
      "type": "incident",
      "self": "https://api.pagerduty.com/incidents/PGR0VU2",
      "html_url": "https://acme.pagerduty.com/incidents/PGR0VU2",
      "number": 2126,
      "status": "triggered",
      "incident_key": "d3640fbd41094207a1c11e58e46b1662",
      "created_at": "2026-05-04T02:11:40Z",
      "title": "Checkpoints of Orders fail",
      "service": {"id": "PF9KMXH", "summary": "payments", "type": "service_reference"},
      "priority": {"id": "PSO75BM", "summary": "P1", "type": "priority_reference"},
      "urgency": "high"
    }
  }
}""",
)
