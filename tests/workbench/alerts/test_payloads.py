"""Alerting systems are understood as their documentation writes their messages."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
from typing import Any

import pytest

from workbench.alerts.mapping import EXAMPLE, MappingRefused, mapping_read, mapping_written
from workbench.alerts.payload import (
    LONGEST_VALUE,
    MOST_ALERTS,
    MOST_LABELS,
    PayloadRefused,
    ReceivedAlert,
    alerts_in,
    payloads,
)

BEGUN = dt.datetime(2026, 5, 4, 2, 11, 42, tzinfo=dt.UTC)


def sample_of(kind: str) -> Any:
    return json.loads(payloads()[kind].sample)


def read(kind: str, document: Any, mapping: str = EXAMPLE) -> list[ReceivedAlert]:
    return alerts_in(kind, json.dumps(document).encode(), mapping_read(mapping) if kind == "generic" else {})


@pytest.mark.parametrize(
    ("kind", "name", "labels"),
    [
        ("alertmanager", "FlinkCheckpointsFail", {"cluster": "payments", "job_name": "Orders"}),
        ("grafana", "Consumer lag grows", {"cluster": "payments", "job_name": "Orders"}),
        ("pagerduty", "Checkpoints of Orders fail", {"service": "payments", "urgency": "high"}),
        ("opsgenie", "Checkpoints of Orders fail", {"cluster": "payments", "job_name": "Orders", "entity": "Orders"}),
        ("generic", "Checkpoints of Orders fail", {"cluster": "payments", "job_name": "Orders"}),
    ],
)
def test_the_documented_message_of_each_system_is_one_firing_alert(
    kind: str, name: str, labels: dict[str, str]
) -> None:
    [alert] = read(kind, sample_of(kind))
    assert (alert.name, alert.is_firing) == (name, True)
    assert labels.items() <= alert.labels.items()
    assert alert.starts_at is not None
    assert abs(alert.starts_at - BEGUN) < dt.timedelta(hours=1)
    assert alert.ends_at is None


def resolved(kind: str) -> Any:
    """The documented message as it is when the alert is over."""
    document = sample_of(kind)
    if kind in ("alertmanager", "grafana"):
        document["alerts"][0] |= {"status": "resolved", "endsAt": "2026-05-04T03:00:00Z"}
    elif kind == "pagerduty":
        document["event"] |= {"event_type": "incident.resolved", "occurred_at": "2026-05-04T03:00:00Z"}
    elif kind == "opsgenie":
        document["action"] = "Close"
    else:
        document["status"] = "OK"
    return document


@pytest.mark.parametrize("kind", payloads())
def test_the_end_of_an_alert_has_the_identity_of_its_beginning(kind: str) -> None:
    [begun], [ended] = read(kind, sample_of(kind)), read(kind, resolved(kind))
    assert (begun.identity, ended.is_firing) == (ended.identity, False)


@pytest.mark.parametrize(
    ("kind", "change"),
    [("pagerduty", {"event": {"event_type": "incident.acknowledged"}}), ("opsgenie", {"action": "Acknowledge"})],
)
def test_a_message_about_neither_begin_nor_end_holds_no_alert(kind: str, change: dict[str, Any]) -> None:
    assert read(kind, sample_of(kind) | change) == []


@pytest.mark.parametrize("kind", payloads())
@pytest.mark.parametrize("document", [[], {}, "x", 1, None, {"alerts": [1]}, {"alerts": {}}, {"event": 1}, [[[]]]])
def test_a_message_of_another_form_is_refused_or_holds_nothing(kind: str, document: Any) -> None:
    with contextlib.suppress(PayloadRefused):
        assert read(kind, document) == []


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 200_000])
def test_a_body_that_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(PayloadRefused, match="not JSON"):
        alerts_in("alertmanager", body, {})


@pytest.mark.parametrize("depth", [200, 500, 900, 5_000])
def test_a_body_that_is_nested_is_refused_with_a_reason(depth: int) -> None:
    with pytest.raises(PayloadRefused):
        alerts_in("alertmanager", b'{"alerts": ' + b"[" * depth + b"]" * depth + b"}", {})


def test_names_values_and_counts_are_bounded() -> None:
    document = sample_of("alertmanager")
    document["alerts"][0]["labels"] = {f"label{i}": "x" * 10_000 for i in range(1_000)}
    [alert] = read("alertmanager", document)
    assert len(alert.labels) == MOST_LABELS
    assert {len(value) for value in alert.labels.values()} == {LONGEST_VALUE}
    document["alerts"] = sample_of("alertmanager")["alerts"] * (MOST_ALERTS + 1)
    with pytest.raises(PayloadRefused, match="at most 500"):
        read("alertmanager", document)


def test_only_an_address_of_the_web_becomes_a_link() -> None:
    document = sample_of("alertmanager")
    document["alerts"][0]["generatorURL"] = "javascript:alert(1)"
    assert read("alertmanager", document)[0].url == ""


@pytest.mark.parametrize("written", [-1e30, 1e30, True, "yesterday", "0001-01-01T00:00:00Z", "2026-13-40T00:00:00Z"])
def test_an_invalid_time_is_left_out(written: Any) -> None:
    document = sample_of("alertmanager")
    document["alerts"][0]["startsAt"] = written
    assert read("alertmanager", document)[0].starts_at is None


def test_a_mapping_reaches_into_lists_and_names_with_slashes() -> None:
    document = {"data": {"items": [{"a/b": ["first", {"id": 7}], "state": "Closed"}]}}
    mapping = "alerts: /data/items\nidentity: /a~1b/1/id\nname: /a~1b/0\nstate: /state\nresolved: closed, done"
    [alert] = read("generic", document, mapping)
    assert (alert.identity, alert.name, alert.is_firing) == ("7", "first", False)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "identity and name"),
        ("name: /a", "identity must"),
        ("identity: id\nname: /a", "Line 1"),
        ("x: /y", "Line 1"),
    ],
)
def test_a_mapping_that_leads_nowhere_is_refused_with_the_line(written: str, reason: str) -> None:
    with pytest.raises(MappingRefused, match=reason):
        mapping_read(written)


def test_a_mapping_is_edited_as_it_was_written() -> None:
    assert mapping_written(mapping_read(EXAMPLE)) == EXAMPLE
