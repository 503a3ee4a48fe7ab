"""Every way of uploading leaves the disk's reserve untouched, and a refused file leaves nothing behind."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.small_disk import fill
from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in, with_token
from tests.workbench.uploads.test_resumable import LOG, begun, sent
from workbench.cases.models import Case
from workbench.limits.services import limits_set
from workbench.machine.disk import NoRoom, disk_room
from workbench.reports.bundle import bundle_pieces
from workbench.uploads.arrivals import arrival_append, arrival_begin, arrivals_expire
from workbench.uploads.models import Arrival, UploadedFile
from workbench.uploads.refusals import TooLarge
from workbench.uploads.services import text_add, upload_add

MORE_THAN_ANY_DISK = 2**62
KIB, MIB = 1024, 1024**2


@pytest.fixture
def case(people: People) -> Case:
    return case_of(people.alice)


def log() -> SimpleUploadedFile:
    return SimpleUploadedFile("tm.log", LOG)


def dropped(people: People, case: Case) -> HttpResponse:
    return signed_in(people.alice).post(reverse("uploads:add", args=[case.pk]), {"file": log(), "name": "tm.log"})


def dropped_with_a_token_of_the_page(people: People, case: Case) -> HttpResponse:
    client = Client(enforce_csrf_checks=True)
    client.force_login(people.alice)
    client.get(reverse("cases:new"))
    sent = {"file": log(), "name": "tm.log", "csrfmiddlewaretoken": client.cookies["csrftoken"].value}
    return client.post(reverse("uploads:add", args=[case.pk]), sent, headers={"Accept": "application/json"})


def pasted(people: People, case: Case) -> HttpResponse:
    return signed_in(people.alice).post(reverse("cases:paste", args=[case.pk]), {"text": LOG.decode()})


def opened_by_form(people: People, case: Case) -> HttpResponse:
    return signed_in(people.alice).post(reverse("cases:new"), {"files": log()})


def opened_by_api(people: People, case: Case) -> HttpResponse:
    return with_token(people.alice).post("/api/v1/cases/", {"files": log()})


def added_by_api(people: People, case: Case) -> HttpResponse:
    return with_token(people.alice).post(f"/api/v1/cases/{case.pk}/files/", {"files": log()})


def announced(people: People, case: Case) -> HttpResponse:
    return begun(signed_in(people.alice), case)


DOORS = [
    dropped,
    dropped_with_a_token_of_the_page,
    pasted,
    opened_by_form,
    opened_by_api,
    added_by_api,
    announced,
]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_door_takes_what_the_reserve_needs(
    people: People, case: Case, settings: LazySettings, door: Callable[[People, Case], HttpResponse]
) -> None:
    settings.RESERVE_BYTES = MORE_THAN_ANY_DISK
    answer = door(people, case)
    assert answer.status_code == 507
    assert "are needed, 0 bytes are free" in answer.content.decode()
    assert not UploadedFile.objects.exists()
    assert Case.objects.count() == 1
    assert [path for path in settings.UPLOADS_DIR.rglob("*") if path.is_file()] == []
    assert list(settings.INCOMING_DIR.iterdir()) == []


def test_an_import_of_a_bundle_is_refused_before_it_is_unpacked(people: People, settings: LazySettings) -> None:
    bundle = b"".join(bundle_pieces(diagnosed_case(people.alice)))
    settings.RESERVE_BYTES = MORE_THAN_ANY_DISK
    sent = {"bundle": SimpleUploadedFile("case.zip", bundle)}
    assert signed_in(people.alice).post(reverse("reports:import"), sent).status_code == 507
    assert Case.objects.count() == 1


def test_a_body_that_does_not_fit_is_refused_before_it_is_read(
    people: People, case: Case, settings: LazySettings
) -> None:
    settings.MOST_FORM_BYTES = 1000
    settings.RESERVE_BYTES = MORE_THAN_ANY_DISK
    answer = dropped(people, case)
    assert (answer.status_code, answer.headers["Connection"]) == (507, "close")


def test_evidence_is_deleted_and_pages_are_read_without_any_room(people: People, settings: LazySettings) -> None:
    case = diagnosed_case(people.alice).case
    settings.RESERVE_BYTES = MORE_THAN_ANY_DISK
    alice = signed_in(people.alice)
    assert alice.get("/").status_code == alice.get(case.get_absolute_url()).status_code == 200
    assert alice.post(reverse("delete_case", args=[case.pk]), {"what": "evidence"}).status_code == 302
    assert not case.files.present().exists()


def test_a_piece_stops_at_the_reserve_and_goes_on_when_there_is_room(
    people: People, case: Case, settings: LazySettings
) -> None:
    alice = signed_in(people.alice)
    where = begun(alice, case).headers["Location"]
    room, settings.RESERVE_BYTES = settings.RESERVE_BYTES, MORE_THAN_ANY_DISK
    assert sent(alice, where, 0, LOG).status_code == 507
    assert (Arrival.objects.get().offset, Arrival.objects.get().path.stat().st_size) == (0, 0)
    settings.RESERVE_BYTES = room
    assert sent(alice, where, 0, LOG).status_code == 204
    assert case.files.get().bytes == len(LOG)


def test_files_stop_at_the_reserve_of_a_real_disk(
    people: People, case: Case, settings: LazySettings, small_disk: Path
) -> None:
    settings.INCOMING_DIR = settings.UPLOADS_DIR = settings.FILE_UPLOAD_TEMP_DIR = small_disk
    settings.RESERVE_BYTES = 10 * MIB
    fill(small_disk, leave=13 * MIB)
    content = bytes(2 * MIB)
    upload_add(case=case, user=people.alice, content=io.BytesIO(content), name="first")
    with pytest.raises(NoRoom, match="are needed"):
        upload_add(case=case, user=people.alice, content=io.BytesIO(content), name="second")
    assert disk_room().free >= 0
    assert [each.name for each in case.files.all()] == ["first"]


def test_a_disk_that_others_fill_refuses_in_the_same_way(
    people: People, case: Case, settings: LazySettings, small_disk: Path
) -> None:
    settings.INCOMING_DIR = settings.UPLOADS_DIR = settings.FILE_UPLOAD_TEMP_DIR = small_disk
    settings.RESERVE_BYTES = 0
    for path in (small_disk / str(case.pk), small_disk / "before"):
        path.mkdir()
    fill(small_disk, leave=4 * KIB)
    answer = signed_in(people.alice).post(
        reverse("uploads:add", args=[case.pk]), {"file": SimpleUploadedFile("a", bytes(60 * KIB)), "name": "a"}
    )
    assert answer.status_code == 507
    assert sorted(path.name for path in small_disk.rglob("*")) == sorted([str(case.pk), "ballast", "before"])


def free_for_files(settings: LazySettings, room: int) -> None:
    """Other programs write to the disk of the test, too; a few MiB do not matter."""
    settings.RESERVE_BYTES += disk_room().free - room


def test_empty_announcements_of_one_person_leave_room_for_others(
    people: People, case: Case, settings: LazySettings
) -> None:
    free_for_files(settings, 1000 * MIB)

    def announce(size: int, user: object = people.alice) -> Arrival:
        return arrival_begin(case=case, user=user, name="a", size=size)

    announce(200 * MIB)
    announce(200 * MIB)
    with pytest.raises(NoRoom, match="one person reserves at most half"):
        announce(200 * MIB)
    announce(400 * MIB, people.bob)
    with pytest.raises(NoRoom):
        announce(400 * MIB, people.bob)


def test_one_file_may_take_all_that_is_free(people: People, case: Case, settings: LazySettings) -> None:
    free_for_files(settings, 1000 * MIB)
    assert arrival_begin(case=case, user=people.alice, name="a", size=900 * MIB).bytes == 900 * MIB


def test_what_was_only_announced_is_gone_after_minutes_and_what_began_stays(people: People, case: Case) -> None:
    began, never = (arrival_begin(case=case, user=people.alice, name=name, size=len(LOG)) for name in "ab")
    arrival_append(arrival=began, offset=0, length=10, stream=io.BytesIO(LOG[:10]))
    assert arrivals_expire() == 0
    Arrival.objects.update(touched_at=timezone.now() - Arrival.RESERVED - timedelta(seconds=1))
    assert arrivals_expire() == 1
    assert list(Arrival.objects.all()) == [began]
    assert not never.path.exists()


def test_a_file_that_stands_still_keeps_its_bytes_but_no_room(
    people: People, case: Case, settings: LazySettings
) -> None:
    free_for_files(settings, 1000 * MIB)
    still = arrival_begin(case=case, user=people.alice, name="a", size=900 * MIB)
    arrival_append(arrival=still, offset=0, length=10, stream=io.BytesIO(LOG[:10]))
    with pytest.raises(NoRoom):
        arrival_begin(case=case, user=people.bob, name="b", size=800 * MIB)
    Arrival.objects.update(touched_at=timezone.now() - Arrival.RESERVED - timedelta(seconds=1))
    arrival_begin(case=case, user=people.bob, name="b", size=800 * MIB)


def test_a_team_has_its_share_whatever_the_door(people: People, case: Case) -> None:
    limits_set(user=people.ada, values={"team_bytes": 3000}, reason="Small disk")
    text_add(case=case, user=people.alice, text="x" * 1500)
    second = case_of(people.bob)
    with pytest.raises(TooLarge, match="All cases of the team Streaming hold at most 3,000 bytes"):
        text_add(case=second, user=people.bob, text="y" * 1501)
    with pytest.raises(TooLarge, match="team Streaming"):
        arrival_begin(case=second, user=people.bob, name="a", size=1501)
    arrival_begin(case=second, user=people.bob, name="a", size=1400)
    with pytest.raises(TooLarge, match="2,900 bytes are in them or on their way"):
        arrival_begin(case=case, user=people.alice, name="b", size=200)
    text_add(case=case_of(people.charlie), user=people.charlie, text="z" * 2900)
