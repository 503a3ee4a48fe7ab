"""Fetching files from listed stores, against a real HTTP server: only files below their address."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.conf import LazySettings
from django.urls import reverse

from tests.collecting.recorded_cluster import LOG, RecordedCluster, running
from tests.workbench.people import People, case_of, signed_in
from workbench.clusters.address import AddressRefused, ClusterUrl
from workbench.clusters.collecting import collection_run
from workbench.clusters.models import Cluster, Collection, CollectionStatus, Serves
from workbench.clusters.services import cluster_add, fetch_request
from workbench.limits.services import limits_set

SIGNED = "/logs/2026-11-22/tm%201.log?X-Amz-Expires=3600&X-Amz-Signature=abc%2Fdef"


@pytest.fixture
def bucket() -> Iterator[RecordedCluster]:
    with running(RecordedCluster({"/logs/2026-11-22/tm 1.log": LOG, "/secret": b"{}"})) as server:
        yield server


def store(people: People, url: str, **more: Any) -> Cluster:
    return cluster_add(user=people.ada, name="bucket", url=url, serves=Serves.FILES, special_allowed=True, **more)


def fetched(people: People, url: str) -> Collection:
    collection = fetch_request(user=people.alice, url=url)
    collection_run(collection)
    collection.refresh_from_db()
    return collection


def test_a_file_of_a_listed_store_becomes_evidence_and_is_analysed(
    people: People, bucket: RecordedCluster, settings: LazySettings, queue: redis.Redis
) -> None:
    store(people, f"{bucket.url}/logs")
    form = {"url": f"{bucket.url}{SIGNED}", "redact-on": "1", "redact": ["setting"]}
    page = signed_in(people.alice).post(reverse("clusters:fetch"), form, follow=True)
    collection = Collection.objects.get()
    assert "abc%2Fdef" not in page.content.decode(), "while it is fetched, its signature is not shown"

    collection_run(collection)

    collection.refresh_from_db()
    assert (collection.status, collection.detail) == (CollectionStatus.DONE, "")
    assert bucket.paths == [SIGNED]
    file = collection.case.files.get()
    assert (file.name, file.path.read_bytes()) == ("tm 1.log", LOG)
    assert file.redacted is not None, "the redaction that was chosen goes with it"
    assert collection.case.analyses.get().requested_by == people.alice
    assert list(settings.INCOMING_DIR.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://logs.example:8080/logs/a.log",
        "https://logs.example/logs/a.log",
        "http://other.example/logs/a.log",
        "http://logs.example/secret",
        "http://logs.example/logs-of-others/a.log",
        "http://logs.example/logs/",
        "http://logs.example.evil.example/logs/a.log",
    ],
)
def test_a_url_outside_of_a_store_is_refused(url: str) -> None:
    assert ClusterUrl.parse("http://logs.example/logs").file_path(url) is None


@pytest.mark.parametrize(
    "url",
    [
        "http://logs.example/logs/../secret",
        "http://logs.example/logs/%2e%2e/secret",
        "http://logs.example/logs/..;/secret",
        "http://logs.example/logs/..;x=1/secret",
        "http://logs.example/logs/..%3b/secret",
        "http://logs.example/logs/%252e%252e%253b/secret",
        "http://logs.example/logs/..%00/secret",
        "http://logs.example/logs/..%20/secret",
        "http://logs.example/logs/%252e%252e%252fsecret",
        "http://logs.example/logs/..%5csecret",
        "http://ann@logs.example/logs/a.log",
        "http://logs.example/logs/a.log#secret",
        "http://logs.example/logs/a\r\nHost: other",
        "http://[logs.example/logs/a.log",
        "file:///etc/passwd",
        "http://logs.example/logs/" + "x" * 4_000,
    ],
)
def test_an_address_that_could_lead_elsewhere_is_refused(url: str) -> None:
    with pytest.raises(AddressRefused):
        ClusterUrl.parse("http://logs.example/logs").file_path(url)


def test_only_stores_that_are_offered_to_a_person_are_fetched_from(
    people: People, bucket: RecordedCluster, queue: redis.Redis
) -> None:
    store(people, f"{bucket.url}/logs", team=people.team)
    cluster_add(user=people.ada, name="flink", url=f"{bucket.url}/rest", special_allowed=True)
    address = reverse("clusters:fetch")
    refused = signed_in(people.charlie).post(address, {"url": f"{bucket.url}{SIGNED}"}, follow=True)
    assert "No listed store holds this address" in refused.content.decode()
    refused = signed_in(people.alice).post(address, {"url": f"{bucket.url}/rest/overview"}, follow=True)
    assert "No listed store holds this address" in refused.content.decode()
    assert signed_in(people.vera).post(address, {"url": f"{bucket.url}{SIGNED}"}).status_code == 403
    strange = case_of(people.charlie)
    form = {"url": f"{bucket.url}{SIGNED}", "case": strange.pk}
    assert signed_in(people.alice).post(address, form).status_code == 404
    assert not Collection.objects.exists()


def test_a_store_is_not_offered_as_a_cluster(people: People, bucket: RecordedCluster, queue: redis.Redis) -> None:
    listed = store(people, f"{bucket.url}/logs")
    alice = signed_in(people.alice)
    page = alice.get(reverse("cases:new")).content.decode()
    assert 'id="fetch-url"' in page
    assert 'id="cluster"' not in page
    assert alice.post(reverse("clusters:collect"), {"cluster": listed.pk}).status_code == 404


def test_a_redirect_leads_nowhere(people: People, bucket: RecordedCluster, queue: redis.Redis) -> None:
    store(people, f"{bucket.url}/logs")
    bucket.answer = lambda _asked: (302, f"{bucket.url}/secret".encode())  # type: ignore[method-assign]
    collection = fetched(people, f"{bucket.url}{SIGNED}")
    assert collection.status == CollectionStatus.FAILED
    assert "it redirects to" in collection.detail
    assert bucket.paths == [SIGNED]


def test_a_file_larger_than_one_may_be_is_left_where_it_is(
    people: People, bucket: RecordedCluster, settings: LazySettings, queue: redis.Redis
) -> None:
    limits_set(user=people.ada, values={"file_bytes": 10}, reason="Small disk")
    store(people, f"{bucket.url}/logs")
    collection = fetched(people, f"{bucket.url}{SIGNED}")
    assert collection.status == CollectionStatus.FAILED
    assert "more than 10 bytes" in collection.detail
    assert not collection.case.files.exists()
    assert list(settings.INCOMING_DIR.iterdir()) == []


def test_an_incomplete_file_is_not_taken_for_the_whole(people: People, queue: redis.Redis) -> None:
    def half(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.recv(65_536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n" + LOG)

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=half, args=[listening], daemon=True)
        thread.start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}"
        store(people, url)
        collection = fetched(people, f"{url}/tm.log")
        thread.join()
    assert collection.status == CollectionStatus.FAILED
    assert "bytes too early" in collection.detail
