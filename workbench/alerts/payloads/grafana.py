"""Grafana Alerting, contact point "Webhook".

Source: Grafana documentation, "Configure the webhook notifier for Alerting"
(https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.alerts.alert_group import alerts_of_group
from workbench.alerts.payload import Payload, ReceivedAlert, web_address
from workbench.languages.sentences import say_later


def _alerts(document: Any, mapping: Mapping[str, str]) -> list[ReceivedAlert]:
    """As of Alertmanager; the panel is the better page where there is one."""
    alerts = alerts_of_group(document)
    pages = (web_address(each.get("panelURL") or each.get("dashboardURL")) for each in document["alerts"])
    return [replace(alert, url=page or alert.url) for alert, page in zip(alerts, pages, strict=True)]


PAYLOAD = Payload(
    title="Grafana Alerting",
    read=_alerts,
    connect=say_later(
        "A contact point of the kind Webhook with the URL {url}; under its optional settings the "
        "authorization header with the scheme Bearer and the token as credentials.",
    ),
    sample="""{
  "receiver": "flink-workbench",
  "status": "firing",
  "orgId": 1,
  "alerts": [
    {
      "status": "firing",
      "labels": {"alertname": "Consumer lag grows", "cluster": "payments", "job_name": "Orders"},
      "annotations": {"summary": "records-lag-max above 1 million"},
      "startsAt": "2026-05-04T04:11:42.123+02:00",
      "endsAt": "0001-01-01T00:00:00Z",
      "values": {"A": 1200345},
      "generatorURL": "https://grafana.example.com/alerting/grafana/1afz29v7z/view",
      "fingerprint": "c6eadffa33fcdf37",
      "silenceURL": "https://grafana.example.com/alerting/silence/new",
      "dashboardURL": "https://grafana.example.com/d/flink",
      "panelURL": "https://grafana.example.com/d/flink?viewPanel=4"
    }
  ],
  "groupLabels": {"alertname": "Consumer lag grows"},
  "commonLabels": {"cluster": "payments"},
  "commonAnnotations": {},
  "externalURL": "https://grafana.example.com/",
  "version": "1",
  "groupKey": "{}:{alertname=\\"Consumer lag grows\\"}",
  "truncatedAlerts": 0,
  "title": "[FIRING:1] Consumer lag grows",
  "state": "alerting",
  "message": "**Firing**"
}""",
)
