"""Resumable uploads by the tus protocol: resumed after a break, verified, bounded, private to their sender."""

from __future__ import annotations

import base64
import fcntl
import hashlib
import io
import zlib
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.conf import LazySettings
from django.http import HttpResponse, UnreadablePostError
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.analyses.retention import case_delete
from workbench.cases.models import Case
from workbench.uploads.arrivals import (
    ChecksumMismatch,
    arrival_append,
    arrival_begin,
    arrival_complete,
    arrivals_expire,
)
from workbench.uploads.models import Arrival, ArrivalState
from workbench.uploads.refusals import TooLarge

LOG = b"2024-05-14 09:12:01,123 INFO  org.apache.flink.runtime.taskexecutor.TaskExecutor [] - Starting\n" * 40
HALF = len(LOG) // 2


@pytest.fixture
def case(people: People) -> Case:
    return case_of(people.alice)


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def sha256(piece: bytes) -> str:
    return f"sha256 {base64.b64encode(hashlib.sha256(piece).digest()).decode()}"


def begun(client: Client, case: Case, size: int = len(LOG), name: str = "logs/tm.log", **more: str) -> HttpResponse:
    metadata = ",".join(f"{key} {encoded(value)}" for key, value in {"filename": name, **more}.items())
    headers = {"Tus-Resumable": "1.0.0", "Upload-Length": str(size), "Upload-Metadata": metadata}
    return client.post(reverse("uploads:begin", args=[case.pk]), headers=headers)


def sent(client: Client, where: str, offset: int, piece: bytes, checksum: str | None = None) -> HttpResponse:
    headers = {"Tus-Resumable": "1.0.0", "Upload-Offset": str(offset), "Upload-Checksum": checksum or sha256(piece)}
    return client.patch(where, piece, content_type="application/offset+octet-stream", headers=headers)


def asked(client: Client, method: str, where: str) -> HttpResponse:
    return client.generic(method, where, headers={"Tus-Resumable": "1.0.0"})


def test_a_file_goes_on_where_it_broke_off_and_becomes_a_file_of_the_case(case: Case, people: People) -> None:
    first, later = signed_in(people.alice), signed_in(people.alice)
    where = begun(first, case).headers["Location"]
    assert sent(first, where, 0, LOG[:HALF]).headers["Upload-Offset"] == str(HALF)

    known = asked(later, "HEAD", where)
    assert (known.headers["Upload-Offset"], known.headers["Upload-Length"]) == (str(HALF), str(len(LOG)))
    assert "Upload-Expires" in known.headers
    assert sent(later, where, HALF, LOG[HALF:]).status_code == 204

    outcome = asked(later, "POST", where).json()
    file = case.files.get()
    assert (outcome["taken"], outcome["id"]) == (True, file.pk)
    assert asked(later, "POST", where).json()["id"] == file.pk, "asked again, it is not stored again"
    assert (file.path.read_bytes(), file.sha256) == (LOG, hashlib.sha256(LOG).hexdigest())
    assert file.members[0]["format"] == "flink-log"


def test_the_page_offers_what_is_not_all_here_only_to_its_sender(case: Case, people: People) -> None:
    alice = signed_in(people.alice)
    where = begun(alice, case, modified="1731000000123").headers["Location"]
    sent(alice, where, 0, LOG[:HALF])
    page = reverse("cases:files", args=[case.pk])

    shown = alice.get(page).content.decode()

    assert f'data-arrival="{where}" data-name="logs/tm.log" data-bytes="{len(LOG)}" data-offset="{HALF}"' in shown
    assert 'data-modified="1731000000123"' in shown
    assert where not in signed_in(people.bob).get(page).content.decode()


def test_a_piece_that_was_changed_on_its_way_does_not_count(case: Case, people: People) -> None:
    alice = signed_in(people.alice)
    where = begun(alice, case).headers["Location"]
    assert sent(alice, where, 0, LOG[:HALF], sha256(b"another piece")).status_code == 460
    assert asked(alice, "HEAD", where).headers["Upload-Offset"] == "0"
    plain = f"crc32 {base64.b64encode(zlib.crc32(LOG[:HALF]).to_bytes(4, 'big')).decode()}"
    assert sent(alice, where, 0, LOG[:HALF], plain).status_code == 204


class Breaking(io.BytesIO):
    """A connection that breaks after its bytes."""

    def read(self, size: int | None = -1, /) -> bytes:
        if piece := super().read(size):
            return piece
        raise UnreadablePostError


def test_what_came_of_a_broken_piece_is_kept_only_where_no_checksum_was_promised(case: Case, people: People) -> None:
    arrival = arrival_begin(case=case, user=people.alice, name="tm.log", size=len(LOG))
    arrival_append(arrival=arrival, offset=0, length=HALF, stream=Breaking(LOG[:100]))
    assert (arrival.offset, arrival.path.read_bytes()) == (100, LOG[:100])

    promised = ("sha256", hashlib.sha256(LOG[100:HALF]).digest())
    with pytest.raises(ChecksumMismatch):
        arrival_append(arrival=arrival, offset=100, length=HALF - 100, stream=Breaking(LOG[100:200]), checksum=promised)
    arrival.refresh_from_db()
    assert (arrival.offset, arrival.path.stat().st_size) == (100, 100)


def test_strangers_colleagues_and_viewers_reach_no_arrival(case: Case, people: People) -> None:
    where = begun(signed_in(people.alice), case).headers["Location"]
    for user in (people.charlie, people.bob, people.vera):
        client = signed_in(user)
        answers = [asked(client, method, where) for method in ("HEAD", "POST", "DELETE")]
        assert [each.status_code for each in [*answers, sent(client, where, 0, LOG)]] == [404] * 4
    assert begun(signed_in(people.charlie), case).status_code == 404
    assert begun(signed_in(people.vera), case).status_code == 403
    assert begun(Client(), case).status_code == 401
    assert Arrival.objects.get().offset == 0


def test_permission_is_asked_again_for_every_piece(case: Case, people: People) -> None:
    alice = signed_in(people.alice)
    where = begun(alice, case).headers["Location"]
    sent(alice, where, 0, LOG[:HALF])
    User.objects.filter(pk=people.alice.pk).update(role="viewer")
    assert sent(alice, where, HALF, LOG[HALF:]).status_code == 403
    people.team.members.clear()
    assert sent(alice, where, HALF, LOG[HALF:]).status_code == 404
    assert not case.files.exists()


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Tus-Resumable": "0.2.2"}, 412),
        ({"Upload-Offset": "minus one"}, 400),
        ({"Upload-Offset": "7"}, 409),
        ({"Upload-Checksum": "md5 AAAA"}, 400),
        ({"Upload-Checksum": "sha256 ???"}, 400),
        ({"Content-Type": "text/plain"}, 415),
    ],
)
def test_a_senseless_piece_is_refused(case: Case, people: People, headers: dict[str, str], status: int) -> None:
    alice = signed_in(people.alice)
    where = begun(alice, case).headers["Location"]
    usual = {"Tus-Resumable": "1.0.0", "Upload-Offset": "0", "Content-Type": "application/offset+octet-stream"}
    given = usual | headers
    answer = alice.patch(where, LOG[:HALF], content_type=given.pop("Content-Type"), headers=given)
    assert answer.status_code == status
    assert answer.json()["detail"]
    assert Arrival.objects.get().offset == 0


def test_no_more_comes_than_was_announced(case: Case, people: People) -> None:
    alice = signed_in(people.alice)
    where = begun(alice, case, size=10).headers["Location"]
    assert sent(alice, where, 0, LOG).status_code == 413
    assert Arrival.objects.get().path.stat().st_size == 0


def test_what_is_too_much_is_refused_before_a_byte_comes(case: Case, people: People, settings: LazySettings) -> None:
    def begin(size: int) -> Any:
        return arrival_begin(case=case, user=people.alice, name="a", size=size)

    settings.MOST_FILE_BYTES = 1000
    with pytest.raises(TooLarge, match="larger than 1000 bytes"):
        begin(1001)
    settings.MOST_CASE_BYTES = 1500
    begin(1000)
    with pytest.raises(TooLarge, match="1000 are in it or on their way"):
        begin(501)
    settings.MOST_CASE_FILES = 1
    with pytest.raises(TooLarge, match="at most 1 files"):
        begin(1)


def test_two_requests_do_not_write_the_same_file(case: Case, people: People) -> None:
    alice = signed_in(people.alice)
    where = begun(alice, case).headers["Location"]
    with open(Arrival.objects.get().path, "rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        assert sent(alice, where, 0, LOG).status_code == 423
    assert sent(alice, where, 0, LOG).status_code == 204


def test_a_file_that_the_case_has_is_said_to_repeat(case: Case, people: People) -> None:
    alice = signed_in(people.alice)
    for repeats in (False, True):
        where = begun(alice, case).headers["Location"]
        sent(alice, where, 0, LOG)
        assert asked(alice, "POST", where).json().get("repeats", False) is repeats
    assert case.files.count() == 1


def test_a_request_that_died_before_the_file_was_taken_is_made_good(case: Case, people: People) -> None:
    arrival = arrival_begin(case=case, user=people.alice, name="tm.log", size=len(LOG))
    arrival_append(arrival=arrival, offset=0, length=len(LOG), stream=io.BytesIO(LOG))
    assert asked(signed_in(people.alice), "POST", arrival.get_absolute_url()).json()["taken"] is True


def test_giving_up_and_waiting_too_long_leave_no_bytes(case: Case, people: People, settings: LazySettings) -> None:
    alice = signed_in(people.alice)
    given_up, old, fresh = (begun(alice, case, name=name).headers["Location"] for name in "abc")
    for where in (given_up, old, fresh):
        sent(alice, where, 0, LOG[:HALF])
    assert asked(alice, "DELETE", given_up).status_code == 204
    assert asked(alice, "HEAD", given_up).status_code == 404
    Arrival.objects.filter(name="b").update(touched_at=timezone.now() - Arrival.KEPT - timedelta(seconds=1))
    (settings.INCOMING_DIR / f"arrival-{uuid4().hex}").write_bytes(b"of a row that is gone")

    assert arrivals_expire() == 2

    assert [each.name for each in settings.INCOMING_DIR.iterdir()] == [Arrival.objects.get().path.name]
    case_delete(case=case)
    assert list(settings.INCOMING_DIR.iterdir()) == []


def test_a_file_refused_at_the_end_is_reported_and_deleted(case: Case, people: People, settings: LazySettings) -> None:
    arrival = arrival_begin(case=case, user=people.alice, name="tm.log", size=len(LOG))
    settings.MOST_CASE_BYTES = 10
    arrival_append(arrival=arrival, offset=0, length=len(LOG), stream=io.BytesIO(LOG))
    arrival_complete(arrival=arrival)
    assert (arrival.state, arrival.path.exists()) == (ArrivalState.REFUSED, False)
    assert "at most 10 bytes" in arrival.detail


def test_the_protocol_extensions_are_announced(case: Case, people: People, settings: LazySettings) -> None:
    answer = signed_in(people.alice).options(reverse("uploads:begin", args=[case.pk]))
    assert answer.headers["Tus-Version"] == "1.0.0"
    assert answer.headers["Tus-Extension"] == "creation,checksum,expiration,termination"
    assert answer.headers["Tus-Max-Size"] == str(settings.MOST_FILE_BYTES)
