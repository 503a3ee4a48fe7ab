"""Collecting from listed clusters, against a real HTTP server: what comes becomes evidence, nothing else is reached."""

from __future__ import annotations

import json
import socket
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.conf import LazySettings
from django.core.exceptions import PermissionDenied, ValidationError
from django.urls import reverse
from django.utils import timezone

from diagnostics import collect_flink
from diagnostics.collect_flink import Unanswered
from tests.collecting.recorded_cluster import RecordedCluster, recorded_answers, running
from tests.workbench.people import People, case_of, signed_in
from workbench.clusters.address import ClusterUrl
from workbench.clusters.collecting import collection_run
from workbench.clusters.connection import PinnedCluster
from workbench.clusters.models import Cluster, Collection, CollectionStatus
from workbench.clusters.services import (
    OBSERVED_SECONDS,
    cluster_add,
    cluster_remove,
    collection_cancel,
    collection_request,
    lost_collections_recover,
)
from workbench.limits.services import limits_set

QUICK: dict[str, Any] = {"seconds": 0.1, "every": 0.1, "rate": 5000.0}
LIMITS = collect_flink.Limits(5000.0, 10_000_000, 10_000_000, 100, 5.0)


@pytest.fixture
def flink() -> Iterator[RecordedCluster]:
    with running(RecordedCluster(recorded_answers())) as cluster:
        yield cluster


def listed(people: People, url: str, **more: Any) -> Cluster:
    return cluster_add(user=people.ada, name=more.pop("name", "payments"), url=url, special_allowed=True, **more)


def collected(people: People, cluster: Cluster, **more: Any) -> Collection:
    collection = collection_request(user=people.alice, cluster=cluster)
    collection_run(collection, **QUICK, **more)
    collection.refresh_from_db()
    return collection


def test_answers_of_a_listed_cluster_become_evidence_and_are_analysed(
    people: People, flink: RecordedCluster, settings: LazySettings, queue: redis.Redis
) -> None:
    form = {"cluster": listed(people, flink.url).pk, "redact-on": "1", "redact": ["setting"]}
    signed_in(people.alice).post(reverse("clusters:collect"), form)
    collection = Collection.objects.get()

    collection_run(collection, **QUICK)

    collection.refresh_from_db()
    assert (collection.status, collection.detail) == (CollectionStatus.DONE, "")
    file = collection.case.files.get()
    assert file.redacted is not None, "the redaction that was chosen goes with it"
    assert file.name.startswith("collected/payments-")
    with zipfile.ZipFile(file.path) as bundle:
        report = json.loads(bundle.read("collected.json"))
    assert (report["rest"], report["snapshots"]) == (flink.url, 2)
    assert any(member["format"] for member in file.members)
    assert collection.case.analyses.get().requested_by == people.alice
    assert list(settings.INCOMING_DIR.iterdir()) == []
    assert {method for method, _, _ in flink.asked} == {"GET"}


def test_a_redirect_is_reported_and_not_followed(people: People, flink: RecordedCluster) -> None:
    with running(RecordedCluster({"/secret": b"{}"})) as other:
        flink.answer = lambda _asked: (302, f"{other.url}/secret".encode())  # type: ignore[method-assign]
        collection = collected(people, listed(people, flink.url))
        assert other.asked == []
    assert collection.status == CollectionStatus.FAILED
    assert "it redirects to" in collection.detail
    assert not collection.case.files.exists()


def test_the_connection_goes_to_the_judged_address_whatever_the_name_means(flink: RecordedCluster) -> None:
    """`.invalid` has no address at all (RFC 2606): a second look-up would fail."""
    port = int(flink.url.rpartition(":")[2])
    pinned = PinnedCluster(ClusterUrl.parse(f"http://jobmanager.invalid:{port}"), "127.0.0.1", LIMITS)
    pinned.json("/overview")
    assert flink.asked[0][2]["Host"] == f"jobmanager.invalid:{port}"


def test_a_name_that_begins_to_mean_this_machine_is_not_followed_there(people: People, flink: RecordedCluster) -> None:
    port = flink.url.rpartition(":")[2]
    cluster = cluster_add(
        user=people.ada, name="far", url=f"http://far.example:{port}", lookup=lambda _host, _port: ["10.1.2.3"]
    )
    collection = collected(people, cluster, lookup=lambda _host, _port: ["127.0.0.1"])
    assert collection.status == CollectionStatus.FAILED
    assert "far.example leads to 127.0.0.1, this machine itself" in collection.detail
    assert flink.asked == []


def test_an_endless_answer_ends_at_its_bound(flink: RecordedCluster, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collect_flink, "MOST_ANSWER_BYTES", 100_000)
    flink.answers["/overview"] = b'{"a": "' + b"x" * 5_000_000 + b'"}'
    pinned = PinnedCluster(ClusterUrl.parse(flink.url), "127.0.0.1", LIMITS)
    with pytest.raises(Unanswered, match="more than 100,000 bytes"):
        pinned.json("/overview")
    assert pinned.bytes < 300_000


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n", b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP"]
)
def test_an_answer_that_trickles_is_cut_off(head: bytes) -> None:
    """Each byte comes in time, the whole would take hours; also where only the end of the connection ends it."""
    ended = threading.Event()

    def trickle(listening: socket.socket) -> None:
        connection, _ = listening.accept()
        with connection:
            connection.sendall(head)
            while not ended.wait(0.02):
                try:
                    connection.sendall(b"1")
                except OSError:
                    return

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=trickle, args=[listening], daemon=True)
        thread.start()
        url = ClusterUrl.parse(f"http://127.0.0.1:{listening.getsockname()[1]}")
        begun = time.monotonic()
        with pytest.raises(Unanswered, match=r"longer than 0\.3 seconds"):
            PinnedCluster(url, "127.0.0.1", LIMITS, most_seconds=0.3).json("/overview")
        assert time.monotonic() - begun < 5
        ended.set()
        thread.join()


def test_a_collection_is_no_larger_than_a_file_may_be(
    people: People, flink: RecordedCluster, queue: redis.Redis
) -> None:
    limits_set(user=people.ada, values={"file_bytes": 100_000}, reason="Small disk")
    collection = collected(people, listed(people, flink.url))
    assert collection.status == CollectionStatus.DONE
    with zipfile.ZipFile(collection.case.files.get().path) as bundle:
        told = json.loads(bundle.read("collected.json"))
    assert told["bytes"] < 100_000 + collect_flink.PIECE_BYTES
    assert any("100,000 bytes" in each for each in told["skipped"])


def test_cancelling_ends_it_and_keeps_nothing(people: People, flink: RecordedCluster, settings: LazySettings) -> None:
    cluster = listed(people, flink.url)
    collection = collection_request(user=people.alice, cluster=cluster)
    real, pinned = PinnedCluster.json, []

    def json_then_cancel(self: PinnedCluster, path: str) -> Any:
        pinned.append(path)
        collection_cancel(collection=collection)
        return real(self, path)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(PinnedCluster, "json", json_then_cancel)
        collection_run(collection, **QUICK)
    collection.refresh_from_db()
    assert collection.status == CollectionStatus.CANCELLED
    assert pinned == ["/overview"]
    assert not collection.case.files.exists()
    assert list(settings.INCOMING_DIR.iterdir()) == []


def test_only_administrators_list_clusters_and_only_real_ones(people: People) -> None:
    for user in (people.alice, people.rita):
        with pytest.raises(PermissionDenied):
            cluster_add(user=user, name="x", url="http://10.1.2.3")
        assert signed_in(user).get(reverse("clusters:list")).status_code == 403
    for url, said in (("http://a@10.1.2.3", "user or password"), ("http://127.0.0.1:8081", "this machine itself")):
        with pytest.raises(ValidationError, match=said):
            cluster_add(user=people.ada, name="x", url=url)
    ada = signed_in(people.ada)
    page = ada.post(reverse("clusters:list"), {"name": "x", "url": "http://169.254.169.254/latest"})
    assert "where a provider keeps secrets of this machine" in page.content.decode()
    assert ada.post(reverse("clusters:list"), {"name": "<b>x", "url": "http://10.1.2.3:8081"}).status_code == 302
    assert "&lt;b&gt;x" in ada.get(reverse("clusters:list")).content.decode()
    with pytest.raises(ValidationError, match="has this name"):
        cluster_add(user=people.ada, name="<b>x", url="http://10.1.2.4")


def test_a_login_is_sent_to_its_cluster_and_shown_to_nobody(
    people: People, flink: RecordedCluster, settings: LazySettings, queue: redis.Redis
) -> None:
    form = {"name": "payments", "url": flink.url, "special": "1", "login": "basic", "login_user": "ann"}
    page = signed_in(people.ada).post(reverse("clusters:list"), {**form, "login_secret": ""})
    assert "A password or token is needed" in page.content.decode()
    assert not Cluster.objects.exists()
    signed_in(people.ada).post(reverse("clusters:list"), {**form, "login_secret": "hunter2"})
    cluster = Cluster.objects.get()

    collection = collected(people, cluster)

    assert collection.status == CollectionStatus.DONE
    assert {head["Authorization"] for _, _, head in flink.asked} == {"Basic YW5uOmh1bnRlcjI="}
    page = signed_in(people.ada).get(reverse("clusters:list"))
    assert "signs in: user and password" in page.content.decode()
    assert b"hunter2" not in page.content
    (kept,) = (settings.WORKBENCH_DATA / "cluster-logins").iterdir()
    assert kept.stat().st_mode & 0o077 == 0
    with zipfile.ZipFile(collection.case.files.get().path) as bundle:
        assert not any(b"YW5uOmh1bnRlcjI=" in bundle.read(name) for name in bundle.namelist())

    kept.unlink()
    assert "login cannot be read by the worker" in collected(people, cluster).detail
    cluster_remove(user=people.ada, cluster=cluster)
    token = listed(people, flink.url, login=("bearer", "", "abc.def"))
    flink.asked.clear()
    collected(people, token)
    assert {head["Authorization"] for _, _, head in flink.asked} == {"Bearer abc.def"}
    cluster_remove(user=people.ada, cluster=token)
    assert not any((settings.WORKBENCH_DATA / "cluster-logins").iterdir())


@pytest.mark.parametrize(
    ("kind", "user", "secret"),
    [
        ("", "ann", ""),
        ("digest", "ann", "x"),
        ("basic", "", "x"),
        ("basic", "a:b", "x"),
        ("bearer", "", "Bearer x"),
        ("bearer", "", "a\r\nX-Other: b"),
        ("bearer", "", "x" * 8_001),
    ],
)
def test_what_is_no_login_is_refused(people: People, kind: str, user: str, secret: str) -> None:
    with pytest.raises(ValidationError, match="login"):
        listed(people, "http://10.1.2.3", login=(kind, user, secret))


def test_people_collect_only_from_what_is_offered_to_them(people: People, queue: redis.Redis) -> None:
    ours = cluster_add(user=people.ada, name="ours", url="http://10.1.2.3", team=people.team)
    removed = cluster_add(user=people.ada, name="removed", url="http://10.1.2.5")
    cluster_remove(user=people.ada, cluster=removed)
    assert "ours (http://10.1.2.3:80)" in signed_in(people.alice).get(reverse("cases:new")).content.decode()
    assert "10.1.2.3" not in signed_in(people.charlie).get(reverse("cases:new")).content.decode()
    address = reverse("clusters:collect")
    for user, cluster, status in (
        (people.charlie, ours, 404),
        (people.alice, removed, 404),
        (people.vera, ours, 403),
        (people.alice, ours, 302),
    ):
        assert signed_in(user).post(address, {"cluster": cluster.pk}).status_code == status
    assert signed_in(people.alice).post(address, {"cluster": "http://10.9.9.9"}).status_code == 404
    strange = case_of(people.charlie)
    assert signed_in(people.alice).post(address, {"cluster": ours.pk, "case": strange.pk}).status_code == 404

    collection = Collection.objects.get()
    assert signed_in(people.bob).get(collection.get_absolute_url()).status_code == 200
    for name in ("collection", "progress"):
        assert signed_in(people.charlie).get(reverse(f"clusters:{name}", args=[collection.pk])).status_code == 404
    assert signed_in(people.vera).post(reverse("clusters:cancel", args=[collection.pk])).status_code == 403


def test_a_cluster_that_was_taken_off_the_list_meanwhile_is_not_asked(people: People, flink: RecordedCluster) -> None:
    cluster = listed(people, flink.url)
    collection = collection_request(user=people.alice, cluster=cluster)
    cluster_remove(user=people.ada, cluster=cluster)
    collection_run(Collection.objects.get(pk=collection.pk), **QUICK)
    collection.refresh_from_db()
    assert "not on the list any more" in collection.detail
    assert flink.asked == []


def test_a_collection_whose_worker_vanished_is_said_to_have_failed(
    people: People, settings: LazySettings, queue: redis.Redis, seconds_pass: Callable[[float], None]
) -> None:
    cluster = cluster_add(user=people.ada, name="a", url="http://10.1.2.3")
    lost = collection_request(user=people.alice, cluster=cluster)
    waiting = collection_request(user=people.alice, cluster=cluster)
    Collection.objects.filter(pk=lost.pk).update(
        status=CollectionStatus.RUNNING, attempt=uuid4(), heartbeat_at=timezone.now() - timedelta(minutes=4)
    )
    Collection.objects.filter(pk=waiting.pk).update(requested_at=timezone.now() - timedelta(minutes=1))
    (settings.INCOMING_DIR / f"collection-{lost.pk}-0.zip.part").write_bytes(b"left")
    queue.flushdb()

    for _ in range(round(OBSERVED_SECONDS / 10)):
        assert lost_collections_recover() == 1, "only what waits, which is sent again"
        seconds_pass(10.0)
    assert lost_collections_recover() == 2

    lost.refresh_from_db()
    assert (lost.status, lost.detail) == (CollectionStatus.FAILED, "The worker stopped without a word.")
    assert list(settings.INCOMING_DIR.iterdir()) == []
