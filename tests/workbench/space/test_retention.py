"""Retention and legal hold by team: a hold beats every deletion."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import LazySettings
from django.utils import timezone

from tests.workbench.diagnosed import diagnosed_case
from tests.workbench.people import People, case_of, signed_in
from workbench.accounts.models import User
from workbench.analyses.retention import CannotDelete, case_delete, evidence_delete, evidence_expire
from workbench.cases.holds import hold_lift, hold_place, retention_set
from workbench.cases.models import Case, CaseStatus, LegalHold, Retention
from workbench.uploads.arrivals import arrival_begin, arrivals_expire
from workbench.uploads.models import Arrival, UploadedFile
from workbench.uploads.refusals import UploadRefused
from workbench.uploads.services import file_remove, removed_files_purge, text_add


def closed(user: User, days: int) -> Case:
    case = diagnosed_case(user).case
    Case.objects.filter(pk=case.pk).update(status=CaseStatus.CLOSED, closed_at=timezone.now() - timedelta(days=days))
    case.refresh_from_db()
    return case


def files(case: Case) -> int:
    return UploadedFile.objects.filter(case=case, deleted_at=None).count()


def test_a_team_keeps_files_for_its_own_days(people: People, settings: LazySettings) -> None:
    settings.KEEP_EVIDENCE_DAYS = 100
    ours, theirs = closed(people.alice, 50), closed(people.charlie, 50)
    retention_set(team=people.team, user=people.ada, days=30)
    assert evidence_expire() == 1
    assert (files(ours), files(theirs)) == (0, 1)


def test_zero_days_are_for_ever_and_none_are_those_of_the_environment(people: People, settings: LazySettings) -> None:
    settings.KEEP_EVIDENCE_DAYS = 10
    case = closed(people.alice, 50)
    retention_set(team=people.team, user=people.ada, days=0)
    assert evidence_expire() == 0
    retention_set(team=people.team, user=people.ada, days=None)
    assert evidence_expire() == 1
    assert files(case) == 0


def test_under_hold_nothing_is_deleted_by_age_or_by_hand(people: People) -> None:
    case = closed(people.alice, 50)
    retention_set(team=people.team, user=people.ada, days=30)
    hold_place(team=people.team, user=people.ada, reason="Claim 7")
    assert evidence_expire() == 0
    for delete in (lambda: evidence_delete(case=case, user=people.ada), lambda: case_delete(case=case)):
        with pytest.raises(CannotDelete, match="is under legal hold since"):
            delete()
    browser = signed_in(people.ada)
    browser.post(f"/space/{case.pk}/", {"what": "delete"})
    browser.post(f"/cases/{case.pk}/delete/", {"what": "case", "number": str(case.pk)})
    assert files(case) == 1
    page = browser.get(f"/cases/{case.pk}/delete/").content.decode()
    assert "is under legal hold" in page
    assert "Delete the case" not in page


def test_under_hold_files_are_not_removed_and_removed_ones_and_uploads_stay(people: People) -> None:
    case = case_of(people.alice)
    kept, removed = (text_add(case=case, user=people.alice, text=name, name=name) for name in ("a.log", "b.log"))
    file_remove(file=removed)
    UploadedFile.objects.filter(pk=removed.pk).update(removed_at=timezone.now() - timedelta(days=30))
    arrival = arrival_begin(case=case, user=people.alice, name="c.log", size=5)
    old = timezone.now() - timedelta(days=30)
    Arrival.objects.filter(pk=arrival.pk).update(touched_at=old, began_at=old, offset=3)
    hold_place(team=people.team, user=people.ada, reason="Claim 7")
    with pytest.raises(UploadRefused, match="legal hold"):
        file_remove(file=kept)
    assert (removed_files_purge(), Arrival.objects.count()) == (0, 1)
    arrivals_expire()
    assert Arrival.objects.count() == 1
    hold_lift(team=people.team, user=people.ada)
    arrivals_expire()
    assert (removed_files_purge(), Arrival.objects.count()) == (1, 0)


def test_an_administrator_places_and_lifts_a_hold_and_both_are_kept(people: People) -> None:
    browser, address = signed_in(people.ada), f"/space/retention/{people.team.pk}/"
    browser.post(address, {"what": "hold", "reason": ""})
    assert not LegalHold.objects.exists()
    browser.post(address, {"what": "hold", "reason": "Claim <7>"})
    browser.post(address, {"what": "hold", "reason": "again"})
    page = browser.get("/space/retention/").content.decode()
    assert "on hold" in page
    assert "Claim &lt;7&gt;" in page
    browser.post(address, {"what": "lift"})
    [hold] = LegalHold.objects.all()
    assert (hold.by, hold.lifted_by, hold.lifted_at is None) == (people.ada, people.ada, False)


@pytest.mark.parametrize(("written", "days"), [("30", 30), ("0", 0), ("", None)])
def test_an_administrator_sets_days(people: People, written: str, days: int | None) -> None:
    signed_in(people.ada).post(f"/space/retention/{people.team.pk}/", {"what": "days", "days": written})
    assert Retention.objects.get().days == days


@pytest.mark.parametrize("written", ["-1", "36501", "a", "1.5", "9" * 40])
def test_other_days_are_refused(people: People, written: str) -> None:
    signed_in(people.ada).post(f"/space/retention/{people.team.pk}/", {"what": "days", "days": written})
    assert not Retention.objects.exists()
