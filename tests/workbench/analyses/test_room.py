"""A run begins when the disk has room for it; one that meets a full disk waits, and its attempt does not count."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import LazySettings, settings
from django.urls import reverse

from diagnostics.spark import KeptSession
from tests.small_disk import fill
from tests.workbench.diagnosed import stored_file
from tests.workbench.people import People, case_of, signed_in, with_token
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.room import LEAST_ROOM, OutOfRoom, out_of_room_raised, room_awaited, room_needed
from workbench.analyses.services import (
    MOST_ATTEMPTS,
    OBSERVED_SECONDS,
    SILENT,
    analysis_claim,
    analysis_give_back,
    analysis_request,
    lost_analysis_recover,
)
from workbench.analyses.tasks import run_next_analysis
from workbench.analyses.watch import BEAT_SECONDS, Watch
from workbench.analyses.writing import write_patiently
from workbench.machine.disk import disk_room

MORE_THAN_ANY_DISK = 2**62
MIB = 1024**2


@pytest.fixture
def queued(people: People) -> Analysis:
    case = case_of(people.alice)
    stored_file(case, people.alice)
    return analysis_request(case=case, user=people.alice)


def claimed(analysis: Analysis) -> Watch:
    claim = analysis_claim(analysis)
    assert claim is not None
    analysis.refresh_from_db()
    return Watch(analysis, claim, KeptSession(settings.SPARK_REMOTE))


def test_a_small_case_begins_and_says_nothing(queued: Analysis) -> None:
    assert room_awaited(queued) == ""
    assert room_needed(queued) == LEAST_ROOM


def test_without_room_a_case_stays_queued_and_says_what_it_needs(
    queued: Analysis, people: People, settings: LazySettings
) -> None:
    settings.RESERVE_BYTES = MORE_THAN_ANY_DISK
    run_next_analysis()
    case = with_token(people.alice).get(f"/api/v1/cases/{queued.case_id}/").json()
    assert case["status"] == "queued"
    assert case["detail"].startswith("The disk has too little room: 67.1 MB are needed, 0 bytes are free.")


def test_what_runs_already_has_its_room(queued: Analysis, people: People, settings: LazySettings) -> None:
    claimed(queued)
    other = case_of(people.bob)
    stored_file(other, people.bob)
    second = analysis_request(case=other, user=people.bob)
    settings.RESERVE_BYTES += disk_room().free - LEAST_ROOM * 3 // 2
    assert "67.1 MB are needed beside 67.1 MB for what runs now" in room_awaited(second)
    settings.RESERVE_BYTES -= LEAST_ROOM
    assert room_awaited(second) == ""


def test_an_archive_is_measured_by_what_is_in_it(queued: Analysis) -> None:
    member = {"name": "a", "format": None, "title": "", "confidence": 0, "refused": None}
    file = queued.files.get()
    file.members = [member | {"bytes": 200 * MIB}, member | {"bytes": 100 * MIB}]
    file.save()
    assert room_needed(queued) == 300 * MIB
    file.bytes, file.members = 30 * MIB, [member | {"bytes": None}]
    file.save()
    assert room_needed(queued) == 240 * MIB


def interrupted() -> None:
    time.sleep(BEAT_SECONDS * 1.5)
    raise ConnectionError("the Spark work was interrupted")


def test_a_run_that_the_reserve_stops_waits_for_more_and_its_attempt_does_not_count(
    queued: Analysis, settings: LazySettings, tmp_path: Path
) -> None:
    for _ in range(MOST_ATTEMPTS + 1):
        watch, before = claimed(queued), room_needed(queued)
        room, settings.RESERVE_BYTES = settings.RESERVE_BYTES, MORE_THAN_ANY_DISK
        with pytest.raises(OutOfRoom) as stopped, watch, out_of_room_raised(queued, watch, tmp_path):
            interrupted()
        settings.RESERVE_BYTES = room
        analysis_give_back(analysis=queued, claim=queued.claim, reason=str(stopped.value), counted=False)
        queued.refresh_from_db()
        assert (queued.status, queued.attempts) == (AnalysisStatus.QUEUED, 0)
        assert queued.detail == "The disk was full while it ran. Waiting to be tried again."
        assert room_needed(queued) > before


def test_a_disk_that_others_fill_stops_a_run_in_the_same_way(
    queued: Analysis, settings: LazySettings, small_disk: Path
) -> None:
    workspace = small_disk / "work"
    workspace.mkdir()
    (workspace / "unpacked").write_bytes(bytes(2 * MIB))
    watch = claimed(queued)
    fill(small_disk)
    with pytest.raises(OutOfRoom), out_of_room_raised(queued, watch, workspace):
        (workspace / "more").write_bytes(bytes(MIB))


def test_an_error_that_has_nothing_to_do_with_the_disk_stays_what_it_is(queued: Analysis, tmp_path: Path) -> None:
    watch = claimed(queued)
    with pytest.raises(ZeroDivisionError), out_of_room_raised(queued, watch, tmp_path):
        raise ZeroDivisionError


def test_a_run_that_a_full_disk_silences_is_not_taken_for_lost(
    queued: Analysis, settings: LazySettings, seconds_pass: Callable[[float], None]
) -> None:
    claimed(queued)
    Analysis.objects.update(heartbeat_at=queued.heartbeat_at - 2 * SILENT)
    queued.refresh_from_db()
    room, settings.RESERVE_BYTES = settings.RESERVE_BYTES, MORE_THAN_ANY_DISK
    for _ in range(3):
        assert not lost_analysis_recover(queued)
        seconds_pass(OBSERVED_SECONDS)
    assert queued.status == AnalysisStatus.RUNNING
    settings.RESERVE_BYTES = room
    assert not lost_analysis_recover(queued), "its worker has a moment to store what became of it"
    seconds_pass(OBSERVED_SECONDS)
    assert lost_analysis_recover(queued)
    assert queued.status == AnalysisStatus.QUEUED


def test_a_running_case_says_that_it_waits_for_room(queued: Analysis, people: People, settings: LazySettings) -> None:
    """Nothing can be stored then, so it is said from what is known."""
    claimed(queued)
    Analysis.objects.update(detail="12 of 40 ranges")
    alice, program = signed_in(people.alice), with_token(people.alice)
    progress = reverse("analyses:progress", args=[queued.pk])
    room, settings.RESERVE_BYTES = settings.RESERVE_BYTES, MORE_THAN_ANY_DISK
    said = "The disk is full: the run waits for room, 67.1 MB are needed. It continues by itself when there is some."
    assert program.get(f"/api/v1/cases/{queued.case_id}/").json()["detail"] == said
    shown = alice.get(progress).json()
    assert (shown["headline"], shown["detail"]) == ("Waits for room on the disk", said)
    page = alice.get(queued.case.get_absolute_url()).content.decode()
    assert said in page
    settings.RESERVE_BYTES = room
    assert alice.get(progress).json()["detail"] == "12 of 40 ranges"


def test_an_outcome_waits_for_room_and_is_stored_then(queued: Analysis, small_disk: Path) -> None:
    """As each write of it does, this one meets a disk without a byte."""
    ballast = fill(small_disk)
    tries = []

    def store() -> None:
        tries.append(len(tries))
        if len(tries) == 2:
            ballast.unlink()
        (small_disk / "outcome").write_bytes(b"done")

    write_patiently(store, 30.0)
    assert tries == [0, 1]
    assert (small_disk / "outcome").read_bytes() == b"done"


def test_an_outcome_that_cannot_be_stored_for_another_reason_is_not_tried_again() -> None:
    with pytest.raises(ZeroDivisionError):
        write_patiently(lambda: 1 / 0, 30.0)
