"""An alert opens one case and collects evidence; repeats, further alerts and the end continue it."""

from __future__ import annotations

import base64
import io
import json
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.workbench.diagnosed import SKEW_RULE, finish, published, stored_file
from tests.workbench.people import People, signed_in
from workbench.alerts import services
from workbench.alerts.models import Alert, AlertSource
from workbench.alerts.sources import SourceForm, source_add, source_remove, source_token_renew
from workbench.analyses.services import analysis_request
from workbench.cases.models import Case, CaseStatus
from workbench.cases.services import case_close, note_add
from workbench.clusters.models import Cluster, Collection, CollectionStatus
from workbench.clusters.services import cluster_add, collection_request
from workbench.runbooks.models import Verification
from workbench.uploads.services import upload_add

pytestmark = pytest.mark.usefixtures("queue")


@pytest.fixture
def cluster(people: People) -> Cluster:
    return cluster_add(
        user=people.ada, name="Payments", url="http://flink.example:8081", lookup=lambda _host, _port: ["10.1.2.3"]
    )


@pytest.fixture
def source(people: People, cluster: Cluster) -> AlertSource:
    return connected(people)[0]


def connected(people: People, name: str = "prod", **more: Any) -> tuple[AlertSource, str]:
    form = SourceForm(name=name, kind="alertmanager", team=people.team, owner=people.alice, **more)
    return source_add(user=people.ada, form=form)


def message(*states: str, name: str = "CheckpointsFail", **labels: str) -> bytes:
    """A message of one alert for each state."""
    labels = {"cluster": "payments", "job_name": "Orders"} | labels
    alerts = [
        {
            "status": state,
            "labels": {"alertname": name, **labels},
            "annotations": {"summary": "3 checkpoints failed, says @bob"},
            "startsAt": "2026-05-04T02:11:42Z",
            "fingerprint": f"{name}{labels}",
        }
        for state in states
    ]
    return json.dumps({"version": "4", "alerts": alerts}).encode()


def receive(source: AlertSource, body: bytes) -> list[services.Outcome]:
    return services.alerts_receive(source=source, body=body)


def finish_collections(minutes: int = 10) -> None:
    """The collections are over, and some time passed."""
    Collection.objects.update(status=CollectionStatus.DONE, requested_at=timezone.now() - timedelta(minutes=minutes))


def test_an_alert_about_a_listed_cluster_opens_a_case_of_the_team_and_collects(
    source: AlertSource, cluster: Cluster, people: People
) -> None:
    [outcome] = receive(source, message("firing"))
    assert outcome.case is not None
    assert (outcome.case.title, outcome.case.team, outcome.case.owner) == (
        "CheckpointsFail: Orders",
        people.team,
        people.alice,
    )
    collection = outcome.case.collections.get()
    assert (collection.cluster, collection.seconds) == (cluster, services.COLLECTED_SECONDS)
    note = outcome.case.notes.get()
    assert "CheckpointsFail fires since 2026-05-04 02:11:42 UTC, says prod: 3 checkpoints failed" in note.text
    assert not note.mentions.exists(), "a text from outside calls nobody"


def test_repeats_and_further_alerts_about_the_job_stay_in_one_case(source: AlertSource) -> None:
    for body in (message("firing"), message("firing"), message("firing", name="LagGrows")):
        receive(source, body)
    assert Case.objects.count() == Collection.objects.count() == 1
    assert sorted(Alert.objects.values_list("name", "times")) == [("CheckpointsFail", 2), ("LagGrows", 1)]


def test_an_alert_continues_the_case_that_a_check_opened_about_the_job(
    source: AlertSource, cluster: Cluster, people: People
) -> None:
    opened = collection_request(
        user=people.alice, cluster=cluster, title="Early warning", team=people.team, job="Orders"
    )
    note_add(case=opened.case, user=people.alice, text="A check of Payments found: x", unattended=True)
    finish_collections()
    own = collection_request(user=people.alice, cluster=cluster, title="Mine", team=people.team, job="Orders").case

    [outcome] = receive(source, message("firing"))
    assert outcome.case == opened.case != own, "what a person collects stays that person's"
    assert opened.case.collections.count() == 2
    assert not opened.case.snapshots.exists(), "nothing was changed"


def test_another_job_has_a_case_of_its_own(source: AlertSource) -> None:
    receive(source, message("firing"))
    receive(source, message("firing", job_name="Refunds"))
    assert sorted(Case.objects.values_list("title", flat=True)) == [
        "CheckpointsFail: Orders",
        "CheckpointsFail: Refunds",
    ]


def test_the_end_of_the_last_alert_collects_again_as_a_new_snapshot(source: AlertSource) -> None:
    receive(source, message("firing"))
    receive(source, message("firing", name="LagGrows"))
    case = Case.objects.get()
    upload_add(case=case, user=case.owner, content=io.BytesIO(b"evidence"), name="a.log")
    finish_collections()
    receive(source, message("resolved", name="LagGrows"))
    assert Collection.objects.count() == 1, "another alert still fires"
    [outcome] = receive(source, message("resolved"))
    assert (outcome.reason, Collection.objects.count()) == ("", 2)
    snapshot = case.snapshots.get()
    assert snapshot.change == "After the alert CheckpointsFail"
    assert snapshot.begins_at == Alert.objects.get(name="CheckpointsFail").resolved_at, "what led to the alert is over"


def test_an_alert_that_comes_and_goes_is_one_case_with_a_bounded_number_of_collections(source: AlertSource) -> None:
    for _ in range(20):
        receive(source, message("firing"))
        finish_collections(minutes=3)
        receive(source, message("resolved"))
        finish_collections(minutes=3)
    assert Case.objects.count() == 1
    assert Collection.objects.count() == services.MOST_COLLECTIONS_AN_HOUR


def test_evidence_that_cannot_be_collected_now_is_collected_after_a_pause(source: AlertSource) -> None:
    receive(source, message("firing"))
    [outcome] = receive(source, message("resolved"))
    assert outcome.alert.again_at is not None, "the first collection is still under way"
    finish_collections()
    services.due_collections_request()
    assert Collection.objects.count() == 1, "the pause is not over"
    Alert.objects.update(again_at=timezone.now())
    assert services.due_collections_request() == 1
    assert Collection.objects.count() == 2
    assert services.due_collections_request() == 0


def test_an_alert_that_fires_again_takes_the_place_of_a_collection_that_waits(source: AlertSource) -> None:
    for state in ("firing", "resolved", "firing"):
        receive(source, message(state))
    finish_collections()
    Alert.objects.exclude(again_at=None).update(again_at=timezone.now())
    services.due_collections_request()
    assert Collection.objects.count() == 2
    snapshot = Case.objects.get().snapshots.get()
    assert (snapshot.change, snapshot.begins_at) == ("The alert CheckpointsFail fires again", None)


def test_an_alert_long_after_the_last_one_or_after_the_case_was_closed_opens_another_case(
    source: AlertSource, people: People
) -> None:
    receive(source, message("firing", "resolved"))
    Alert.objects.update(heard_at=timezone.now() - services.SAME_INCIDENT - timedelta(seconds=1))
    receive(source, message("firing", "resolved"))
    assert Case.objects.count() == 2
    case_close(case=Case.objects.latest("pk"), user=people.alice, confirmed_class="data_skew", what_fixed_it="")
    receive(source, message("firing"))
    assert Case.objects.exclude(status=CaseStatus.CLOSED).count() == 2


def test_the_end_of_an_unknown_alert_is_left_out(source: AlertSource) -> None:
    assert receive(source, message("resolved")) == []
    assert not Alert.objects.exists()


def test_what_cannot_be_mapped_is_listed_with_the_reason(source: AlertSource, people: People) -> None:
    receive(source, message("firing", cluster="unheard-of"))
    assert not Case.objects.exists()
    page = signed_in(people.bob).get(reverse("alerts:list")).content.decode()
    assert "The label cluster is unheard-of, which names no listed cluster." in page


def test_routes_are_tried_in_order_before_the_label_and_the_cluster_of_the_source(
    people: People, cluster: Cluster
) -> None:
    other = cluster_add(user=people.ada, name="Other", url="http://o.example", lookup=lambda _host, _port: ["10.1.2.4"])
    source, _ = connected(
        people, cluster=cluster.pk, routes="namespace = pay-1 : payments\nnamespace = pay-* : other\n\n"
    )
    receive(source, message("firing", namespace="pay-1", job_name="a"))
    receive(source, message("firing", namespace="pay-2", job_name="b"))
    receive(source, message("firing", cluster="", job_name="c"))
    mapped = dict(Alert.objects.values_list("job_name", "cluster__name"))
    assert mapped == {"a": "Payments", "b": other.name, "c": "Payments"}


def test_a_source_opens_a_bounded_number_of_cases_in_an_hour(source: AlertSource) -> None:
    for number in range(services.MOST_CASES_AN_HOUR + 5):
        receive(source, message("firing", job_name=f"job-{number}"))
    assert Case.objects.count() == services.MOST_CASES_AN_HOUR
    assert Alert.objects.filter(case=None, reason__contains="within an hour").count() == 5


def test_a_case_is_not_opened_for_an_owner_who_left_the_team(source: AlertSource, people: People) -> None:
    people.alice.teams.clear()
    [outcome] = receive(source, message("firing"))
    assert (outcome.case, "no team" in outcome.reason) == (None, True)


def post(secret: str, body: bytes, header: str = "Bearer {}", name: str = "prod") -> Any:
    return Client().post(
        reverse("api:alerts", args=[name]),
        body,
        "application/json",
        headers={"Authorization": header.format(secret)},
    )


def test_a_system_sends_with_its_token_and_is_answered_with_the_case(people: People, cluster: Cluster) -> None:
    source, secret = connected(people)
    answer = post(secret, message("firing"))
    case = Case.objects.get()
    assert (answer.status_code, answer.json()["alerts"]) == (
        202,
        [
            {
                "name": "CheckpointsFail",
                "status": "firing",
                "case": case.pk,
                "url": f"http://testserver{case.get_absolute_url()}",
                "reason": "",
            }
        ],
    )
    password = base64.b64encode(f"any:{secret}".encode()).decode()
    assert post(password, message("firing"), "Basic {}").status_code == 202
    assert post(secret, message("firing"), "Token {}").status_code == 202
    assert post(secret, b"{}").json() == {"detail": "There is no list `alerts`."}
    source.refresh_from_db()
    assert source.refused == "There is no list `alerts`."


def test_no_other_token_sends_and_the_token_opens_nothing_else(people: People, cluster: Cluster) -> None:
    source, secret = connected(people)
    _, other = connected(people, "other")
    for wrong in ("", "x", other, source.digest):
        assert post(wrong, message("firing")).status_code == 401
    assert post(secret, message("firing"), name="unheard-of").status_code == 401
    assert Client(headers={"Authorization": f"Token {secret}"}).get(reverse("api:cases")).status_code == 401
    renewed = source_token_renew(user=people.ada, source=source)
    assert [post(each, message("firing")).status_code for each in (secret, renewed)] == [401, 202]
    source_remove(user=people.ada, source=source)
    assert post(renewed, message("firing")).status_code == 401


def test_a_message_of_ten_megabytes_is_refused(people: People, cluster: Cluster) -> None:
    _, secret = connected(people)
    assert post(secret, b"[" + b" " * 10_000_000 + b"]").status_code == 413
    assert not Alert.objects.exists()


def test_alerts_of_other_teams_are_not_seen(source: AlertSource, people: People) -> None:
    receive(source, message("firing"))
    seen = {
        name: "CheckpointsFail" in signed_in(getattr(people, name)).get(reverse("alerts:list")).content.decode()
        for name in ("vera", "ada", "charlie")
    }
    assert seen == {"vera": True, "ada": True, "charlie": False}


def test_an_administrator_connects_a_system_and_tries_a_message(people: People, cluster: Cluster) -> None:
    browser = signed_in(people.ada)
    form = {
        "name": "Prod Alertmanager",
        "kind": "alertmanager",
        "team": people.team.pk,
        "owner": people.alice.pk,
        "cluster_label": "cluster",
        "job_label": "job_name",
        "routes": "namespace=x",
    }
    refused = browser.post(reverse("alerts:sources"), form).content.decode()
    assert "Line 1 is not `label = value : cluster`." in refused
    shown = browser.post(reverse("alerts:sources"), form | {"routes": ""}).content.decode()
    source = AlertSource.objects.get()
    assert f"http://testserver/api/v1/alerts/{source.slug}/" in shown
    tried = browser.post(source.get_absolute_url(), {"sample": message("firing").decode()}).content.decode()
    assert "Payments" in tried
    assert not Alert.objects.exists()
    browser.post(source.get_absolute_url(), form | {"routes": "namespace = x : payments"})
    source.refresh_from_db()
    assert source.routes == [{"label": "namespace", "value": "x", "cluster": cluster.pk}]


def test_hundreds_of_alerts_are_kept_and_open_a_bounded_number_of_cases(source: AlertSource) -> None:
    for begin in (0, 100):
        alerts = [
            {"status": "firing", "fingerprint": str(key), "labels": {"cluster": "payments", "job_name": f"job-{key}"}}
            for key in range(begin, begin + 100)
        ]
        receive(source, json.dumps({"alerts": alerts}).encode())
    assert Alert.objects.count() == 200
    assert Case.objects.count() == services.MOST_CASES_AN_HOUR


def test_a_source_whose_cluster_is_gone_can_still_be_edited(source: AlertSource, people: People) -> None:
    source.routes = [{"label": "namespace", "value": "x", "cluster": 10_000}]
    source.save()
    page = signed_in(people.ada).get(source.get_absolute_url()).content.decode()
    assert "namespace = x : removed" in page
    [outcome] = receive(source, message("firing", namespace="x"))
    assert outcome.reason == "The route namespace = x leads to a cluster that is not listed any more."


@pytest.fixture
def resolved(source: AlertSource, people: People) -> Case:
    """The case of an alert that ended an hour ago: its incident is diagnosed, and evidence from after it is there."""
    published(SKEW_RULE, people.rita)
    receive(source, message("firing"))
    case = Case.objects.get()
    stored_file(case, case.owner)
    finish(analysis_request(case=case, user=case.owner), 4.0)
    finish_collections()
    receive(source, message("resolved"))
    stored_file(case, case.owner, "b.log", b"after", 2)
    Alert.objects.update(resolved_at=timezone.now() - timedelta(hours=1))
    finish_collections()
    return case


def test_evidence_is_added_until_it_shows_whether_the_fix_worked(
    resolved: Case, django_capture_on_commit_callbacks: Any
) -> None:
    for minutes in (2, 4):
        analysis = finish(analysis_request(case=resolved, user=resolved.owner), 1.0)
        Verification.objects.update(judgement="cannot tell")
        with django_capture_on_commit_callbacks(execute=True):
            services.verification_continue(analysis_id=analysis.pk)
        again_at = Alert.objects.get().again_at
        assert again_at is not None
        assert abs(again_at - timezone.now() - timedelta(minutes=minutes)) < timedelta(seconds=30)
        before = Collection.objects.count()
        Alert.objects.update(again_at=timezone.now())
        assert services.due_collections_request() == 1
        assert (Collection.objects.count(), resolved.snapshot_number) == (before + 1, 2), "it joins the snapshot"
        finish_collections()


def test_a_decided_fix_is_not_looked_at_again(resolved: Case, django_capture_on_commit_callbacks: Any) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        analysis = finish(analysis_request(case=resolved, user=resolved.owner), 9.0)
    assert analysis.verification.judgement != "cannot tell"
    assert Alert.objects.get().again_at is None
