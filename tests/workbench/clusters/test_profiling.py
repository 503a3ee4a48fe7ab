"""Flink's profiler started from a page, against a real HTTP server that answers as Flink 1.20.1 did."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse

from diagnostics.formats.async_profiler_html import FORMAT
from tests.collecting.recorded_cluster import RecordedCluster, recorded_answers, running
from tests.workbench.people import People, signed_in
from workbench.clusters.collecting import collection_run
from workbench.clusters.models import Collection, CollectionStatus
from workbench.clusters.services import cluster_add, profile_request

PAGE = FORMAT.samples[0].content
IDLE, BUSY = "10.0.0.7:40001-aaaaaa", "10.0.0.8:40001-bbbbbb"
STARTED: dict[str, Any] = {"status": "RUNNING", "mode": "ITIMER", "triggerTime": 1_795_000_000_000, "duration": 30}
FINISHED = STARTED | {"status": "FINISHED", "outputFile": f"{BUSY}_ITIMER_2026-11-24_13_27_37.html"}


@pytest.fixture
def flink() -> Iterator[RecordedCluster]:
    """Two TaskManagers of which one is busy, and whose profiler is done as soon as it is started."""
    cluster = RecordedCluster(recorded_answers())
    cluster.answers["/taskmanagers"] = json.dumps({"taskmanagers": [{"id": IDLE}, {"id": BUSY}]}).encode()
    for process, load in ((IDLE, "0.1"), (BUSY, "0.9")):
        profiler = f"/taskmanagers/{process}/profiler"
        metrics = [{"id": "Status.JVM.CPU.Load", "value": load}]
        cluster.answers[f"/taskmanagers/{process}/metrics"] = json.dumps(metrics).encode()
        cluster.answers[profiler] = json.dumps({"profilingList": [FINISHED]}).encode()
        cluster.answers[f"{profiler}/{FINISHED['outputFile']}"] = PAGE
        cluster.takes[profiler] = 200, json.dumps(STARTED).encode()
    with running(cluster) as served:
        yield served


def profiled(people: People, flink: RecordedCluster, **form: str) -> Collection:
    cluster = cluster_add(user=people.ada, name="payments", url=flink.url, special_allowed=True)
    sent = {"profiled": str(cluster.pk), "mode": "ITIMER", "profile-seconds": "30", **form}
    signed_in(people.alice).post(reverse("clusters:profile"), sent)
    collection = Collection.objects.get()
    collection_run(collection, rate=5000.0)
    collection.refresh_from_db()
    return collection


@pytest.mark.usefixtures("queue")
def test_the_profiler_runs_on_the_busiest_process_and_its_flame_graph_is_evidence_f148(
    people: People, flink: RecordedCluster
) -> None:
    collection = profiled(people, flink)

    assert (collection.status, collection.detail) == (CollectionStatus.DONE, "")
    assert flink.sent == [{"mode": "ITIMER", "duration": 30}]
    file = collection.case.files.get()
    assert file.name.startswith("collected/payments-10.0.0.8-40001-bbbbbb-itimer-")
    assert [member["format"] for member in file.members] == ["async-profiler-html"]
    assert collection.case.analyses.count() == 1


@pytest.mark.usefixtures("queue")
def test_a_process_that_is_named_is_profiled_as_it_is_asked_for(people: People, flink: RecordedCluster) -> None:
    collection = profiled(people, flink, process=IDLE, mode="ALLOC")

    assert collection.status == CollectionStatus.DONE
    assert flink.sent == [{"mode": "ALLOC", "duration": 30}]
    assert collection.case.files.get().name.startswith("collected/payments-10.0.0.7-40001-aaaaaa-alloc-")


@pytest.mark.usefixtures("queue")
def test_a_cluster_without_a_profiler_is_told_from_one_whose_profiler_refuses(
    people: People, flink: RecordedCluster
) -> None:
    del flink.answers[f"/taskmanagers/{BUSY}/profiler"]

    collection = profiled(people, flink)

    assert collection.status == CollectionStatus.FAILED
    assert "rest.profiling.enabled" in collection.detail
    assert flink.sent == []


@pytest.mark.usefixtures("queue")
def test_the_reason_of_a_profiler_that_does_not_start_or_fails_is_shown(people: People, flink: RecordedCluster) -> None:
    profiler = f"/taskmanagers/{BUSY}/profiler"
    flink.takes[profiler] = 500, json.dumps({"errors": ["another profiling is under way"]}).encode()
    assert "HTTP 500: another profiling is under way" in profiled(people, flink).detail

    Collection.objects.all().delete()
    flink.takes[profiler] = 200, json.dumps(STARTED).encode()
    failed = STARTED | {"status": "FAILED", "message": "perf_event_open failed"}
    flink.answers[profiler] = json.dumps({"profilingList": [failed]}).encode()
    cluster = cluster_add(user=people.ada, name="payments 2", url=flink.url, special_allowed=True)
    collection = profile_request(user=people.alice, cluster=cluster, mode="CPU", seconds=30)
    collection_run(collection, rate=5000.0)
    collection.refresh_from_db()
    assert collection.detail == "the profiler failed: perf_event_open failed"


@pytest.mark.parametrize(
    "wrong", [{"mode": "STACK"}, {"seconds": 0}, {"seconds": 100_000}, {"process": "../../jars"}, {"process": "a b"}]
)
def test_what_cannot_be_profiled_is_refused_with_its_field(people: People, wrong: dict[str, Any]) -> None:
    cluster = cluster_add(user=people.ada, name="payments", url="http://127.0.0.1:1", special_allowed=True)
    asked = {"mode": "ITIMER", "seconds": 30, "process": ""} | wrong

    with pytest.raises(ValidationError) as refused:
        profile_request(user=people.alice, cluster=cluster, **asked)
    assert list(refused.value.message_dict) == list(wrong)


def test_the_page_of_a_new_case_offers_it_where_a_cluster_is_listed(people: People) -> None:
    alice = signed_in(people.alice)
    assert "Profile and diagnose" not in alice.get(reverse("cases:new")).content.decode()
    cluster_add(user=people.ada, name="payments", url="http://127.0.0.1:1", special_allowed=True)
    assert "Profile and diagnose" in alice.get(reverse("cases:new")).content.decode()
