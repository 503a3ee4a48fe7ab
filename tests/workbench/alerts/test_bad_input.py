"""Alerts that are too many, too old or of another time: a clear answer, nothing lost, and bounded rows."""

from __future__ import annotations

import datetime as dt
import json
import time

import pytest
from django.utils import timezone

from tests.workbench.alerts.test_alerts import cluster, connected, message, post, receive, source  # noqa: F401
from tests.workbench.people import People
from workbench.alerts import services
from workbench.alerts.models import Alert, AlertSource
from workbench.cases.holds import hold_place
from workbench.cases.models import Case
from workbench.clusters.models import Cluster, Collection

pytestmark = pytest.mark.usefixtures("queue")


@pytest.mark.usefixtures("cluster")
def test_a_thousand_alerts_a_minute_are_all_kept_and_open_a_bounded_number_of_cases(people: People) -> None:
    _, secret = connected(people)
    begun = time.process_time()
    for group in range(20):
        alerts = [
            {
                "status": "firing",
                "fingerprint": f"{group}-{key}",
                "labels": {"alertname": "Lag", "cluster": "payments", "job_name": f"job-{group}-{key}"},
            }
            for key in range(50)
        ]
        assert post(secret, json.dumps({"alerts": alerts}).encode()).status_code == 202
    assert time.process_time() - begun < 60
    assert Alert.objects.count() == 1_000
    assert Case.objects.count() == Collection.objects.count() == services.MOST_CASES_AN_HOUR
    assert Alert.objects.filter(case=None).exclude(reason="").count() == 1_000 - services.MOST_CASES_AN_HOUR


@pytest.mark.parametrize("began", ["2031-01-01T00:00:00Z", "1971-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "noon"])
def test_the_sender_s_clock_decides_neither_the_case_nor_what_is_collected(
    source: AlertSource,  # noqa: F811
    began: str,
) -> None:
    body = message("firing").replace(b"2026-05-04T02:11:42Z", began.encode())
    [outcome] = receive(source, body)
    assert outcome.case is not None
    collection = outcome.case.collections.get()
    assert (collection.begins_at, collection.ends_at) == (None, None), "until the time of the collecting"
    assert abs(outcome.alert.received_at - timezone.now()) < dt.timedelta(minutes=1)
    assert "2031" not in outcome.case.notes.get().text
    [resolved] = receive(source, message("resolved"))
    assert (resolved.case, resolved.alert.is_firing) == (outcome.case, False)


def test_old_alerts_are_deleted_and_those_of_a_team_under_legal_hold_are_not(
    source: AlertSource,  # noqa: F811
    people: People,
) -> None:
    receive(source, message("firing", "resolved"))
    receive(source, message("firing", "resolved", name="Unmapped", cluster="unheard-of"))
    receive(source, message("firing", name="Fires"))
    now = timezone.now()
    Alert.objects.update(heard_at=now - services.KEPT - dt.timedelta(days=1))
    Alert.objects.filter(name="Fires").update(heard_at=now)
    hold = hold_place(team=people.team, user=people.ada, reason="audit")
    assert services.alerts_expire() == 0
    hold.lifted_at = now
    hold.save()
    assert services.alerts_expire() == 1
    assert sorted(Alert.objects.values_list("name", flat=True)) == ["CheckpointsFail", "Fires"]
    Alert.objects.update(heard_at=now - services.KEPT_WITH_CASE - dt.timedelta(days=1))
    services.alerts_expire()
    assert not Alert.objects.exists()
    assert Case.objects.exists()


def test_an_alert_whose_sender_is_silent_for_a_month_does_not_fire_any_more(
    source: AlertSource,  # noqa: F811
    cluster: Cluster,  # noqa: F811
) -> None:
    [outcome] = receive(source, message("firing"))
    Alert.objects.update(heard_at=timezone.now() - services.UNHEARD - dt.timedelta(hours=1))
    services.alerts_expire()
    outcome.alert.refresh_from_db()
    assert (outcome.alert.is_firing, outcome.alert.reason) == (False, "No message came for 30 days.")
