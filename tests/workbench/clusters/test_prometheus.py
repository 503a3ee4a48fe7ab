"""A listed Prometheus server is asked for one job's metrics; what it answers becomes evidence."""

from __future__ import annotations

import datetime as dt
import json
import threading
import zipfile
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from tests.collecting.recorded_cluster import RecordedCluster, recorded_answers, running
from tests.workbench.people import People, signed_in
from workbench.clusters.collecting import collection_run
from workbench.clusters.models import Cluster, Collection, CollectionStatus, Serves
from workbench.clusters.prometheus import SelectorRefused, selector_read
from workbench.clusters.services import cluster_add, collection_request, query_request

pytestmark = pytest.mark.usefixtures("queue")

BUSY, HEAP = "flink_taskmanager_job_task_busyTimeMsPerSecond", "flink_taskmanager_Status_JVM_Memory_Heap_Used"
NAMES = (BUSY, HEAP, "flink_taskmanager_job_task_operator_some_own_metric", "up")
QUICK: dict[str, Any] = {"seconds": 0.1, "every": 0.1, "rate": 5000.0}
END = dt.datetime(2026, 11, 21, 12, tzinfo=dt.UTC)


class RecordedPrometheus(RecordedCluster):
    """Answers the two calls for the names above."""

    def answer(self, asked: str) -> tuple[int, bytes]:
        parts = urlsplit(asked)
        query = parse_qs(parts.query)
        if parts.path == "/api/v1/label/__name__/values":
            return 200, json.dumps({"status": "success", "data": list(NAMES)}).encode()
        if parts.path != "/api/v1/query_range" or asked in self.answers:
            return 503, b'{"status":"error","errorType":"unavailable","error":"busy"}'
        [name] = [name for name in NAMES if f'"{name}"' in query["query"][0]]
        labels = {"__name__": name, "job_name": "Orders", "subtask_index": "0", "task_name": "sums", "tm_id": "tm-1"}
        values = [[float(query["end"][0]) - 15 * age, "998"] for age in range(9, -1, -1)]
        result = {"resultType": "matrix", "result": [{"metric": labels, "values": values}]}
        return 200, json.dumps({"status": "success", "data": result}).encode()

    def queries(self) -> list[dict[str, str]]:
        """What was asked of ranges."""
        asked = (parse_qs(urlsplit(path).query) for path in self.paths if "query_range" in path)
        return [{name: values[0] for name, values in each.items()} for each in asked]


@pytest.fixture
def prometheus() -> Iterator[RecordedPrometheus]:
    with running(RecordedPrometheus({})) as server:
        assert isinstance(server, RecordedPrometheus)
        yield server


def listed(people: People, url: str, **more: Any) -> Cluster:
    options: dict[str, Any] = {"name": "prometheus", "serves": Serves.PROMETHEUS, "special_allowed": True}
    return cluster_add(user=people.ada, url=url, **options | more)


def asked(people: People, server: Cluster, **more: Any) -> Collection:
    window: dict[str, Any] = {"begin": END - dt.timedelta(hours=6), "end": END}
    collection = query_request(user=people.alice, server=server, **window | more)
    collection_run(collection, **QUICK)
    collection.refresh_from_db()
    return collection


def test_the_followed_metrics_of_the_job_become_evidence(people: People, prometheus: RecordedPrometheus) -> None:
    collection = asked(people, listed(people, prometheus.url, tenant="ops"), job="Order totals", selector='env="prod"')
    assert (collection.status, collection.detail) == (CollectionStatus.DONE, "")
    file = collection.case.files.get()
    with zipfile.ZipFile(file.path) as bundle:
        assert set(bundle.namelist()) == {
            f"prometheus/{HEAP}.json",
            f"prometheus/{BUSY}.json",
            "prometheus/collected.json",
        }
    assert {member["format"] for member in file.members} >= {"prometheus-query"}
    assert all(member["format"] for member in file.members), "the report is read too"
    assert prometheus.queries() == [
        {
            "query": f'{{__name__="{HEAP}",env="prod"}}',
            "start": "1795240800.000",
            "end": "1795262400.000",
            "step": "54",
        },
        {
            "query": f'{{__name__="{BUSY}",job_name=~"Order.totals",env="prod"}}',
            "start": "1795240800.000",
            "end": "1795262400.000",
            "step": "54",
        },
    ]
    assert {headers.get("X-Scope-OrgID") for _, _, headers in prometheus.asked} == {"ops"}
    assert collection.case.analyses.count() == 1


def test_a_cluster_is_collected_from_together_with_its_metrics(people: People, prometheus: RecordedPrometheus) -> None:
    with running(RecordedCluster(recorded_answers())) as flink:
        server = listed(people, prometheus.url)
        cluster = cluster_add(
            user=people.ada,
            name="payments",
            url=flink.url,
            special_allowed=True,
            metrics_server=server,
            selector='{namespace="payments"}',
        )
        collection = collection_request(user=people.alice, cluster=cluster)
        collection_run(collection, **QUICK)
    names = sorted(collection.case.files.values_list("name", flat=True))
    assert [name.split("-")[0] for name in names] == ["collected/payments", "collected/prometheus"]
    assert {query["step"] for query in prometheus.queries()} == {"15"}
    assert all('namespace="payments"' in query["query"] for query in prometheus.queries())
    assert collection.case.analyses.count() == 1


def test_cluster_and_metrics_are_asked_at_the_same_time(
    people: People, prometheus: RecordedPrometheus, monkeypatch: pytest.MonkeyPatch
) -> None:
    both = threading.Barrier(2, timeout=60)

    def meeting(system: RecordedCluster) -> None:
        answer = system.answer

        def met(asked: str) -> tuple[int, bytes]:
            if len(system.asked) == 1:
                both.wait()
            return answer(asked)

        monkeypatch.setattr(system, "answer", met)

    with running(RecordedCluster(recorded_answers())) as flink:
        meeting(flink)
        meeting(prometheus)
        server = listed(people, prometheus.url)
        named = {"name": "payments", "url": flink.url, "special_allowed": True}
        cluster = cluster_add(user=people.ada, metrics_server=server, **named)
        collection = collection_request(user=people.alice, cluster=cluster)
        collection_run(collection, **QUICK)
    collection.refresh_from_db()
    assert (collection.status, collection.detail) == (CollectionStatus.DONE, "")


def test_a_cluster_that_is_down_leaves_its_metrics_and_is_named(people: People, prometheus: RecordedPrometheus) -> None:
    down = {"name": "payments", "url": "http://127.0.0.1:9", "special_allowed": True}
    cluster = cluster_add(user=people.ada, metrics_server=listed(people, prometheus.url), **down)
    collection = collection_request(user=people.alice, cluster=cluster)
    collection_run(collection, **QUICK)
    collection.refresh_from_db()
    assert collection.status == CollectionStatus.DONE
    assert collection.case.files.get().name.startswith("collected/prometheus-")
    assert collection.case.notes.get().text.startswith("payments was left out: no answer")


def test_a_metric_that_is_not_answered_is_left_out_and_listed(people: People, prometheus: RecordedPrometheus) -> None:
    server = listed(people, prometheus.url)
    asked(people, server)
    prometheus.answers = {path: b"" for path in prometheus.paths if HEAP in path}
    collection = asked(people, server)
    with zipfile.ZipFile(collection.case.files.get().path) as bundle:
        report = json.loads(bundle.read("prometheus/collected.json"))
    assert [skipped.partition(":")[0] for skipped in report["skipped"]] == [f"{HEAP} was not read"]


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b'{"status":"success","data":["up"]}', "it has no metric of Flink"),
        (b'{"taskmanagers": 1}', "what answers there is no Prometheus API"),
        (b"<html>", "the answer is no JSON"),
    ],
)
def test_a_server_without_flink_is_said_to_be_so(people: People, body: bytes, reason: str) -> None:
    with running(RecordedCluster({"/api/v1/label/__name__/values": body})) as server:
        collection = asked(people, listed(people, server.url))
    assert collection.status == CollectionStatus.FAILED
    assert reason in collection.detail


@pytest.mark.parametrize("written", ["x", 'a="b" or c', 'a="b"} or {b="c"', 'a="b"\n,c="d', "a='b'", 'a="\\"'])
def test_matchers_that_are_none_are_refused(written: str) -> None:
    with pytest.raises(SelectorRefused):
        selector_read(written)


def test_matchers_may_stand_in_braces() -> None:
    assert selector_read('{a="b", c=~"d.*",}') == 'a="b", c=~"d.*"'


def test_a_window_is_bounded(people: People, prometheus: RecordedPrometheus) -> None:
    server = listed(people, prometheus.url)
    for begin in (END, END - dt.timedelta(days=31)):
        with pytest.raises(ValidationError, match="at most 30 days"):
            asked(people, server, begin=begin)


def test_somebody_asks_from_the_page_of_a_new_case(people: People, prometheus: RecordedPrometheus) -> None:
    server = listed(people, prometheus.url)
    browser = signed_in(people.alice)
    assert "Ask a Prometheus server" in browser.get(reverse("cases:new")).content.decode()
    form = {"server": server.pk, "job": "Orders", "hours": "6", "until": "2026-11-21T12:00"}
    browser.post(reverse("clusters:metrics"), form)
    collection = Collection.objects.get()
    assert (collection.begins_at, collection.ends_at) == (END - dt.timedelta(hours=6), END)
    assert collection.case.title == "Orders, metrics until 2026-11-21 12:00 UTC"
    refused = browser.post(reverse("clusters:metrics"), form | {"hours": "nan"}, follow=True).content.decode()
    assert "Choose how many hours" in refused
    assert Collection.objects.count() == 1
    browser.post(reverse("clusters:metrics"), form | {"until": ""})
    newest = Collection.objects.latest("pk")
    assert newest.ends_at is not None
    assert timezone.now() - newest.ends_at < dt.timedelta(minutes=1)
