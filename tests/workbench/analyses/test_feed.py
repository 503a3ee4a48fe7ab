"""A page listens to a run: progress as the worker publishes it, and the verdict's sentence with the end."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import redis
from django.conf import LazySettings
from django.core.signals import request_finished
from django.db import close_old_connections
from django.test import Client

from diagnostics.analyze import Progress
from tests.workbench.diagnosed import diagnosed_case, stored_file
from tests.workbench.people import People, case_of, signed_in
from workbench.analyses import feed
from workbench.analyses.models import Analysis
from workbench.analyses.publishing import progress_publish
from workbench.analyses.services import analysis_cancel, analysis_request


@pytest.fixture
def queued(people: People, queue: redis.Redis) -> Analysis:
    case = case_of(people.alice)
    stored_file(case, people.alice)
    return analysis_request(case=case, user=people.alice)


def listened(client: Client, analysis: Analysis) -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and data of each event."""
    answer = client.get(f"/analyses/{analysis.pk}/events/")
    assert answer.headers["Content-Type"] == "text/event-stream"
    for event in answer.streaming_content:
        name, data = event.decode().strip().split("\n")
        yield name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_what_the_worker_publishes_reaches_the_page(people: People, queued: Analysis) -> None:
    events = listened(signed_in(people.bob), queued)
    name, said = next(events)
    assert (name, said["status"], said["active"]) == ("progress", "queued", True)
    progress_publish(queued.pk, Progress("Reading", 0.4, "2 of 5 files"))
    name, said = next(events)
    assert (name, said["headline"], said["progress"], said["detail"]) == ("progress", "Reading", 0.4, "2 of 5 files")


def test_the_last_event_is_the_end(people: People, queued: Analysis) -> None:
    events = listened(signed_in(people.bob), queued)
    next(events)
    analysis_cancel(analysis=queued)
    progress_publish(queued.pk, None)
    assert [(name, said["status"]) for name, said in events] == [("end", "cancelled")]


def test_the_verdict_comes_with_the_end(people: People, queue: redis.Redis) -> None:
    analysis = diagnosed_case(people.alice)
    ((name, said),) = listened(signed_in(people.bob), analysis)
    assert (name, said["headline"]) == ("end", analysis.case.verdict_summary)


def test_a_lost_end_is_found_in_the_database(people: People, queued: Analysis, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "LOOK_SECONDS", 0.05)
    events = listened(signed_in(people.bob), queued)
    next(events)
    analysis_cancel(analysis=queued)
    assert [name for name, _ in events] == ["end"]


def test_too_many_listeners_are_sent_to_the_other_way(
    people: People, queued: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "_feeds", feed.threading.BoundedSemaphore(1))
    client = signed_in(people.bob)
    first = listened(client, queued)
    next(first)
    assert client.get(f"/analyses/{queued.pk}/events/").status_code == 204
    analysis_cancel(analysis=queued)
    progress_publish(queued.pk, None)
    assert len(list(first)) == 1
    assert len(list(listened(client, queued))) == 1


def test_a_client_that_leaves_before_the_first_event_frees_its_place(
    people: People, queued: Analysis, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "_feeds", feed.threading.BoundedSemaphore(1))
    client = signed_in(people.bob)
    for _ in range(3):
        answer = client.get(f"/analyses/{queued.pk}/events/")
        assert answer.status_code == 200
        # Closing an answer of the test client would end the connection of the test's transaction too.
        request_finished.disconnect(close_old_connections)
        try:
            answer.close()
        finally:
            request_finished.connect(close_old_connections)


def test_a_stranger_listens_to_nothing(people: People, queued: Analysis) -> None:
    assert signed_in(people.charlie).get(f"/analyses/{queued.pk}/events/").status_code == 404


def test_a_broker_that_is_away_ends_the_feed(people: People, queued: Analysis, settings: LazySettings) -> None:
    from workbench.machine import broker

    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    broker._redis.cache_clear()
    try:
        assert list(listened(signed_in(people.bob), queued)) == []
        progress_publish(queued.pk, None)
    finally:
        broker._redis.cache_clear()
