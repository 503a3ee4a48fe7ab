"""Large files: a worker redacts them before they become evidence, and nothing of the original remains."""

from __future__ import annotations

import io
import os
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import redis
from django.conf import LazySettings
from django.utils import timezone

from diagnostics.analyze import Progress
from tests.workbench.people import People, case_of, signed_in
from workbench.analyses.models import Analysis
from workbench.analyses.run import _wait_for_redacted
from workbench.analyses.submission import files_submit
from workbench.cases.models import Case
from workbench.uploads import arrivals
from workbench.uploads.arrivals import (
    Gone,
    arrival_append,
    arrival_begin,
    arrival_complete,
    arrival_discard,
    arrival_redact,
    arrivals_expire,
    redactions_resume,
)
from workbench.uploads.models import Arrival, ArrivalState
from workbench.uploads.tasks import redact_arrival

pytestmark = pytest.mark.database

Committed = Callable[..., AbstractContextManager[list[Callable[[], object]]]]

LINE = b"2026-11-21 02:00:00,000 INFO  com.acme.Job [] - url jdbc:postgresql://ann:hunter2@db:5432/orders\n"
LOG = LINE * 3000


@pytest.fixture(autouse=True)
def small_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arrivals, "MOST_REDACTED_AT_ONCE", 1000)
    monkeypatch.setattr(arrivals, "SHOWN_EVERY_SECONDS", 0.0)


@pytest.fixture
def case(people: People) -> Case:
    return case_of(people.alice)


def arrived(case: Case, people: People, *rules: str) -> Arrival:
    """All of a log, as the page sends it."""
    arrival = arrival_begin(case=case, user=people.alice, name="tm.log", size=len(LOG), redact=rules)
    arrival_append(arrival=arrival, offset=0, length=len(LOG), stream=io.BytesIO(LOG))
    arrival_complete(arrival=arrival)
    return arrival


def secrets_below(settings: LazySettings) -> list[Path]:
    """The files of the workbench in which the password stands."""
    folders = (settings.UPLOADS_DIR, settings.INCOMING_DIR, settings.WORKSPACES_DIR)
    paths = [path for folder in folders for path in folder.rglob("*") if path.is_file()]
    return [path for path in paths if b"hunter2" in path.read_bytes()]


def outcome(people: People, arrival: Arrival) -> dict[str, Any]:
    headers = {"Tus-Resumable": "1.0.0"}
    return signed_in(people.alice).post(arrival.get_absolute_url(), headers=headers).json()


def test_it_is_no_file_of_the_case_before_the_worker_took_its_secrets_out(
    case: Case,
    people: People,
    settings: LazySettings,
    queue: redis.Redis,
    django_capture_on_commit_callbacks: Committed,
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        arrival = arrived(case, people, "url-password")

    assert (arrival.state, case.files.exists()) == (ArrivalState.REDACTING, False)
    assert queue.llen(settings.CELERY_TASK_DEFAULT_QUEUE) == 1
    assert outcome(people, arrival)["state"] == "redacting"

    redact_arrival(str(arrival.pk))

    file = case.files.get()
    assert (file.redacted["found"], b"hunter2" in file.path.read_bytes()) == ({"url-password": 3000}, False)
    assert secrets_below(settings) == []
    assert list(settings.INCOMING_DIR.iterdir()) == []
    told = outcome(people, arrival)
    assert (told["taken"], told["id"]) == (True, file.pk)
    redact_arrival(str(arrival.pk))
    assert case.files.count() == 1, "a message that comes twice does nothing"


def test_without_a_rule_a_large_file_is_taken_at_once(case: Case, people: People, queue: redis.Redis) -> None:
    assert arrived(case, people).state == ArrivalState.TAKEN


def test_a_rule_that_is_gone_meanwhile_lets_nothing_pass(
    case: Case, people: People, settings: LazySettings, queue: redis.Redis, monkeypatch: pytest.MonkeyPatch
) -> None:
    arrival = arrived(case, people, "url-password")
    monkeypatch.setattr("workbench.redaction.selectors.redaction_rules", list)
    redact_arrival(str(arrival.pk))
    assert outcome(people, arrival)["state"] == "refused"
    assert not case.files.exists()
    assert secrets_below(settings) == []


def test_the_progress_of_the_worker_is_shown(case: Case, people: People, queue: redis.Redis) -> None:
    arrival = arrived(case, people, "url-password")
    seen: list[int] = []
    arrival_redact(arrival=arrival, on_progress=seen.append)
    assert seen == sorted(seen)
    assert abs(seen[-1] - len(LOG)) < len(LOG)
    assert outcome(people, arrival)["taken"] is True
    assert Arrival.objects.get().redacted_bytes == seen[-1]


def test_one_that_is_given_up_meanwhile_is_not_taken(
    case: Case, people: People, settings: LazySettings, queue: redis.Redis
) -> None:
    arrival = arrived(case, people, "url-password")
    with pytest.raises(Gone):
        arrival_redact(arrival=arrival, on_progress=lambda _seen: arrival_discard(arrival=arrival))
    assert not case.files.exists()
    assert secrets_below(settings) == []


def test_a_worker_that_dies_leaves_it_to_the_next_one(case: Case, people: People, queue: redis.Redis) -> None:
    class Killed(BaseException):
        pass

    def dying(_seen: int) -> None:
        raise Killed

    arrival = arrived(case, people, "url-password")
    with pytest.raises(Killed):
        arrival_redact(arrival=arrival, on_progress=dying)
    assert not case.files.exists()
    queue.flushdb()
    Arrival.objects.update(touched_at=timezone.now() - timedelta(minutes=1))
    assert redactions_resume() == 1
    redact_arrival(str(arrival.pk))
    assert case.files.count() == 1


def test_an_analysis_takes_the_secrets_out_first(
    case: Case, people: People, settings: LazySettings, queue: redis.Redis
) -> None:
    """As the API asks for it, where whoever sends does not wait for the worker."""
    settings.REDACT_ALWAYS = True
    analysis = files_submit(case=case, user=people.alice, files=[("tm.log", io.BytesIO(LOG))])
    assert (analysis.files.exists(), case.arrivals.get().state) == (False, ArrivalState.REDACTING)

    class Watched:
        said: list[Progress] = []

        def progress(self, progress: Progress) -> None:
            self.said.append(progress)

    _wait_for_redacted(Analysis.objects.get(), Watched())  # type: ignore[arg-type]

    file = analysis.files.get()
    assert (file.name, file.analysed_at is not None) == ("tm.log", True)
    assert "taking secrets out of tm.log" in Watched.said[0].detail
    assert secrets_below(settings) == []


def test_what_a_killed_process_left_is_deleted_after_an_hour(people: People, settings: LazySettings) -> None:
    for name, hours in (("tmpold", 2), ("tmpnew", 0)):
        folder = settings.INCOMING_DIR / name
        folder.mkdir()
        (folder / "original").write_bytes(LOG)
        changed = time.time() - hours * 3600
        for path in (folder / "original", folder):
            os.utime(path, (changed, changed))
    assert arrivals_expire() == 1
    assert [path.name for path in settings.INCOMING_DIR.iterdir()] == ["tmpnew"]


def test_the_page_goes_on_showing_it(case: Case, people: People, queue: redis.Redis) -> None:
    arrival = arrived(case, people, "url-password")
    page = signed_in(people.alice).get(f"/cases/{case.pk}/files/").content.decode()
    assert f'data-redacting="{arrival.get_absolute_url()}"' in page
    assert "taking secrets out" in page
