"""Prometheus Alertmanager, webhook version 4.

Source: Prometheus documentation, "Alerting configuration", `<webhook_config>`
(https://prometheus.io/docs/alerting/latest/configuration/#webhook_config).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.alerts.alert_group import alerts_of_group
from workbench.alerts.payload import Payload, ReceivedAlert
from workbench.languages.sentences import say_later


def _alerts(document: Any, mapping: Mapping[str, str]) -> list[ReceivedAlert]:
    return alerts_of_group(document)


PAYLOAD = Payload(
    title="Prometheus Alertmanager",
    read=_alerts,
    connect=say_later(
        "A receiver in alertmanager.yml: webhook_configs with url: {url} and http_config, authorization, "
        "credentials: the token. Set send_resolved: true, which is the default.",
    ),
    sample="""{
  "version": "4",
  "groupKey": "{}:{alertname=\\"FlinkCheckpointsFail\\"}",
  "truncatedAlerts": 0,
  "status": "firing",
  "receiver": "flink-workbench",
  "groupLabels": {"alertname": "FlinkCheckpointsFail"},
  "commonLabels": {"alertname": "FlinkCheckpointsFail", "cluster": "payments", "severity": "critical"},
  "commonAnnotations": {},
  "externalURL": "http://alertmanager:9093",
  "alerts": [
    {
      "status": "firing",
      "labels": {
        "alertname": "FlinkCheckpointsFail", "cluster": "payments", "job_name": "Orders", "severity": "critical"
      },
      "annotations": {"summary": "3 checkpoints failed within 10 minutes"},
      "startsAt": "2026-05-04T02:11:42.123Z",
      "endsAt": "0001-01-01T00:00:00Z",
      "generatorURL": "http://prometheus:9090/graph?g0.expr=x",
      "fingerprint": "b1d4f2c0a9e87d65"
    }
  ]
}""",
)
