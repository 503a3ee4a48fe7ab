"""Administrators see the disk usage and delete or keep evidence with one click; other users do not see the page."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.urls import reverse
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.analyses.retention import evidence_expire
from workbench.cases.models import Case, CaseStatus
from workbench.machine.disk import disk_room
from workbench.uploads.services import text_add

MORE_THAN_ANY_DISK = 2**62


@pytest.fixture
def large(people: People) -> Case:
    case = case_of(people.charlie, "The large one")
    text_add(case=case, user=people.charlie, text="x" * 70_000)
    return case


def test_cases_stand_by_what_they_take_and_lose_their_files_with_one_click(people: People, large: Case) -> None:
    small = diagnosed_case(people.alice, title="The small one").case
    ada = signed_in(people.ada)
    page = ada.get(reverse("space:overview")).content.decode()
    assert page.index("The large one") < page.index("The small one")
    assert "70 kB" in page
    assert ada.post(reverse("space:change", args=[large.pk]), {"what": "delete"}).status_code == 302
    page = ada.get(reverse("space:overview")).content.decode()
    assert "70 kB of case" in page
    assert "The large one" not in page
    assert not any(file.path.exists() for file in large.files.all())
    assert small.files.present().exists()


def test_kept_cases_are_last_and_do_not_expire(people: People, large: Case, settings: LazySettings) -> None:
    settings.KEEP_EVIDENCE_DAYS = 1
    small = diagnosed_case(people.alice, title="The small one").case
    Case.objects.update(status=CaseStatus.CLOSED, closed_at=timezone.now() - timedelta(days=2))
    ada = signed_in(people.ada)
    ada.post(reverse("space:change", args=[large.pk]), {"what": "keep"})
    page = ada.get(reverse("space:overview")).content.decode()
    assert page.index("The small one") < page.index("The large one")
    assert evidence_expire() == 1
    assert (large.files.present().count(), small.files.present().count()) == (1, 0)
    ada.post(reverse("space:change", args=[large.pk]), {"what": "let-go"})
    assert evidence_expire() == 1
    assert [note.text for note in large.notes.order_by("pk")] == [
        "The evidence is to be kept.",
        "The evidence is to be kept no longer.",
    ]


def test_a_case_that_is_read_keeps_its_files(people: People) -> None:
    from tests.workbench.diagnosed import stored_file
    from workbench.analyses.services import analysis_request

    case = case_of(people.alice)
    stored_file(case, people.alice)
    analysis_request(case=case, user=people.alice)
    answer = signed_in(people.ada).post(reverse("space:change", args=[case.pk]), {"what": "delete"}, follow=True)
    assert "An analysis of the case is under way" in answer.content.decode()
    assert case.files.present().exists()


@pytest.mark.parametrize("name", ["alice", "vera", "rita", "charlie"])
def test_nobody_else_sees_or_changes_it(people: People, large: Case, name: str) -> None:
    client = signed_in(getattr(people, name))
    assert client.get(reverse("space:overview")).status_code == 403
    assert client.post(reverse("space:change", args=[large.pk]), {"what": "delete"}).status_code == 403
    assert large.files.present().exists()


def test_administrators_and_monitors_are_warned_before_it_is_full(people: People, settings: LazySettings) -> None:
    def warned(user: object) -> str:
        return signed_in(user).get("/").content.decode()

    settings.RESERVE_BYTES = 0
    room = disk_room()
    settings.RESERVE_BYTES = room.free - room.total // 20
    assert "left for evidence" in warned(people.ada)
    assert "left for evidence" not in warned(people.alice)
    assert "left for evidence" in signed_in(people.alice).get("/readyz").json()["warnings"][0]
    settings.RESERVE_BYTES = MORE_THAN_ANY_DISK
    assert "The disk is full" in warned(people.ada)
    settings.RESERVE_BYTES = 0 - room.total
    assert "Make room" not in warned(people.ada)
    assert signed_in(people.alice).get("/readyz").json()["warnings"] == []
