"""Periodic duties of a worker while the machine's clock is changed."""

from __future__ import annotations

import datetime as dt
from types import SimpleNamespace

import pytest
import redis
from django.utils import timezone

from tests.workbench.diagnosed import stored_file
from tests.workbench.people import People, case_of
from workbench.machine.steady_clock import SteadyClock
from workbench.uploads.arrivals import arrival_begin, redactions_resume
from workbench.uploads.models import Arrival, ArrivalState, UploadedFile
from workbench.uploads.reservations import reserved_bytes
from workbench.worker.caretaker import Caretaker

WORKER = SimpleNamespace(pool=SimpleNamespace(_pool=SimpleNamespace(_pool=[])))


@pytest.mark.django_db(transaction=True, serialized_rollback=True)
def test_a_clock_that_is_set_ahead_deletes_nothing(people: People, queue: redis.Redis) -> None:
    file = stored_file(case_of(people.alice), people.alice)
    UploadedFile.objects.update(removed_at=timezone.now() - dt.timedelta(days=1))
    caretaker, ahead = Caretaker(WORKER), [0.0]
    caretaker._clock = SteadyClock(lambda: 1.8e9 + ahead[0], lambda: 100.0)
    ahead[0] = 30 * 24 * 3600.0
    caretaker._care(WORKER)
    assert file.path.exists()
    ahead[0] = 0.0
    caretaker._care(WORKER)
    assert not file.path.exists()


def test_a_clock_set_back_keeps_no_reservation_of_an_abandoned_upload(people: People) -> None:
    arrival = arrival_begin(case=case_of(people.alice), user=people.alice, name="a.log", size=1000)
    assert reserved_bytes() == 1000
    Arrival.objects.filter(pk=arrival.pk).update(touched_at=timezone.now() + dt.timedelta(hours=3))
    assert reserved_bytes() == 0


def test_a_clock_that_is_set_back_leaves_no_file_with_its_secrets(people: People, queue: redis.Redis) -> None:
    arrival = arrival_begin(case=case_of(people.alice), user=people.alice, name="a.log", size=1000)
    waiting = Arrival.objects.filter(pk=arrival.pk)
    waiting.update(state=ArrivalState.REDACTING)
    assert redactions_resume() == 0
    waiting.update(touched_at=timezone.now() + dt.timedelta(hours=3))
    assert redactions_resume() == 1
