"""Changes a case. Callers have checked `selectors.case_to_change` first."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.db import InternalError, OperationalError, transaction
from django.utils import timezone

from workbench.accounts.models import Team, User
from workbench.cases.mentions import people_mentioned
from workbench.cases.models import (
    LONGEST_CHANGE,
    MOST_SEARCH_TEXT,
    Case,
    CaseChange,
    CaseStatus,
    Note,
    SearchText,
    Snapshot,
    Watch,
)
from workbench.cases.own_texts import AFTER_A_CHANGE, KEPT, KEPT_NO_LONGER, NOTES, TITLES, UNTITLED
from workbench.languages.sentences import say

SYMPTOM_CLASS_LENGTH = 50
CLOCKS_DIFFER = timedelta(minutes=1)
"""By which the clock of somebody who states a time may be ahead. Our choice."""


@transaction.atomic
def case_open(*, user: User, title: str, team: Team | None = None) -> Case:
    """A new case of the team, or of the user's first team. Raises ValidationError when the user has none."""
    team = team or user.teams.first()
    if team is None or not (user.is_administrator or user.teams.filter(pk=team.pk).exists()):
        raise ValidationError(
            {"team": say("You belong to no team that could own this case. An administrator can add you.")}
        )
    case = Case.objects.create(team=team, title=_title(title), owner=user, created_by=user)
    search_text_update(case)
    watch(case=case, user=user)
    return case


@transaction.atomic
def snapshot_start(*, case: Case, user: User, change: str, begins_at: datetime | None = None) -> Snapshot:
    """Starts a new snapshot: later files are diagnosed without the earlier ones.

    change     what was changed since the last snapshot. An empty newest snapshot is renamed instead.
    begins_at  when the change took effect, None for unknown. Raises ValidationError when that is in the future.
    """
    _check_past(begins_at)
    case_lock(case)
    number = case.snapshot_number
    holds_files = case.files.present().filter(snapshot=number).exists()
    snapshot, _ = Snapshot.objects.update_or_create(
        case=case,
        number=number + 1 if holds_files else number,
        defaults={
            "change": " ".join(change.split())[:LONGEST_CHANGE] or AFTER_A_CHANGE,
            "begins_at": begins_at,
            "started_by": user,
        },
    )
    return snapshot


@transaction.atomic
def snapshot_begin(*, case: Case, begins_at: datetime | None) -> None:
    """States when the change before the newest snapshot took effect, None for unknown.

    Raises ValidationError when that is in the future, or when the case holds the incident only.
    """
    _check_past(begins_at)
    case_lock(case)
    newest = case.snapshots.last()
    if newest is None:
        raise ValidationError({"begins_at": say("The case holds no snapshot from after a change.")})
    newest.begins_at = begins_at
    newest.save(update_fields=["begins_at"])


def _check_past(begins_at: datetime | None) -> None:
    if begins_at is not None and begins_at > timezone.now() + CLOCKS_DIFFER:
        raise ValidationError({"begins_at": say("The change took effect in the past: state that time, in UTC.")})


def case_lock(case: Case) -> None:
    """Reads the case again and locks it until the transaction ends.

    Every change of a case or its analyses takes this lock first, which prevents deadlocks.
    """
    case.refresh_from_db(from_queryset=Case.objects.select_for_update())


def case_rename(*, case: Case, user: User, title: str) -> None:
    """Gives the case another title."""
    case_change(case=case, user=user, title=_title(title))


@transaction.atomic
def case_assign(*, case: Case, user: User, owner: User, batch: UUID | None = None) -> None:
    """Assigns the case to a member of its team, who then watches it. Raises ValidationError for a stranger."""
    if not Case.objects.readable_by(owner).filter(pk=case.pk).exists():
        raise ValidationError(
            {"owner": say("{owner} does not belong to the team {team}.", owner=owner, team=case.team)}
        )
    case_change(case=case, user=user, batch=batch, owner_id=owner.pk)
    watch(case=case, user=owner, has_news=owner != user)


def case_status_set(*, case: Case, user: User, status: CaseStatus, batch: UUID | None = None) -> None:
    """Sets an open status; `case_close` closes a case with its cause. Raises ValidationError for closed."""
    if status == CaseStatus.CLOSED:
        raise ValidationError({"status": say("Closing asks for the confirmed cause.")})
    case_change(case=case, user=user, batch=batch, status=status, closed_by_id=None, closed_at=None)


def case_close(*, case: Case, user: User, confirmed_class: str, what_fixed_it: str, batch: UUID | None = None) -> None:
    """Closes the case with the confirmed cause and the fix. Raises ValidationError without a cause."""
    confirmed_class = confirmed_class.strip()
    if not confirmed_class or len(confirmed_class) > SYMPTOM_CLASS_LENGTH:
        raise ValidationError({"confirmed_class": say("Say what the cause was; `inconclusive` is an answer too.")})
    case_change(
        case=case,
        user=user,
        batch=batch,
        status=CaseStatus.CLOSED,
        confirmed_class=confirmed_class,
        what_fixed_it=what_fixed_it.strip(),
        closed_by_id=user.pk,
        closed_at=timezone.now(),
    )


def case_reopen(*, case: Case, user: User) -> None:
    """Reopens a closed case; the confirmed cause is kept until it is closed again."""
    case_status_set(case=case, user=user, status=CaseStatus.OPEN)


@transaction.atomic
def case_change(*, case: Case, user: User, batch: UUID | None = None, **values: Any) -> None:
    """Sets columns of the case and records the change; no record when nothing changes."""
    case_lock(case)
    before = columns_of(case, values)
    for column, value in values.items():
        setattr(case, column, value)
    after = columns_of(case, values)
    changed = [column for column in values if before[column] != after[column]]
    if not changed:
        return
    case.save()
    CaseChange.objects.create(
        case=case,
        by=user,
        before={column: before[column] for column in changed},
        after={column: after[column] for column in changed},
        batch=batch,
    )
    search_text_update(case)


def columns_of(case: Case, names: Iterable[str]) -> dict[str, Any]:
    """The columns' values in the form of the audit record."""
    stored: dict[str, Any] = json.loads(
        json.dumps({name: getattr(case, name) for name in names}, cls=DjangoJSONEncoder)
    )
    return stored


def watch(*, case: Case, user: User, has_news: bool = False) -> None:
    """The user watches the case; `has_news` marks it as unread for them."""
    seen_at = case.created_at if has_news else timezone.now()
    Watch.objects.get_or_create(case=case, user=user, defaults={"seen_at": seen_at})


def unwatch(*, case: Case, user: User) -> None:
    """The user no longer watches the case."""
    Watch.objects.filter(case=case, user=user).delete()


def case_seen(*, case: Case, user: User) -> None:
    """Marks the case as read by the user.

    Ignores a read-only database, so that pages stay readable; the case stays unread then.
    """
    with contextlib.suppress(OperationalError, InternalError):  # the errors of SQLite and PostgreSQL
        Watch.objects.filter(case=case, user=user, seen_at__lt=case.updated_at).update(seen_at=timezone.now())


@transaction.atomic
def note_add(*, case: Case, user: User, text: str, by_person: bool = True, unattended: bool = False) -> Note:
    """Adds a note; the author and the mentioned people watch the case. Raises ValidationError for an empty one.

    by_person   whether the user wrote the text; a program's text mentions nobody
    unattended  as on the row; such a note mentions nobody either
    """
    text = text.strip()
    if not text:
        raise ValidationError({"text": say("The note is empty.")})
    case_lock(case)
    note = Note.objects.create(case=case, author=user, text=text, unattended=unattended)
    mentioned = people_mentioned(case, text) if by_person and not unattended else []
    note.mentions.set(mentioned)
    search_text_update(case)
    watch(case=case, user=user)
    for person in mentioned:
        watch(case=case, user=person, has_news=True)
    return note


@transaction.atomic
def evidence_keep(*, case: Case, user: User, is_kept: bool) -> None:
    """Sets whether the files of a case are kept after it is closed."""
    changed = Case.objects.filter(pk=case.pk, keep_evidence=not is_kept).update(keep_evidence=is_kept)
    if changed:
        note_add(case=case, user=user, text=KEPT if is_kept else KEPT_NO_LONGER, by_person=False)


def search_text_update(case: Case, finding_text: str | None = None) -> None:
    """Collects the searchable text of a case: title, verdict, findings, notes, actions, fix; in lower case.

    finding_text  text of a new diagnosis. The case number counts as a word, `#42`. The text is limited;
                  the oldest notes are dropped first.
    """
    searched, _ = SearchText.objects.get_or_create(case=case)
    if finding_text is not None:
        searched.diagnosis = finding_text
    notes = case.notes.order_by("-created_at").values_list("text", flat=True)
    parts = [
        f"#{case.pk}",
        *TITLES.translations(case.title),
        case.owner.get_username(),
        case.verdict_class or "",
        case.verdict_summary,
        case.job_names,
        case.confirmed_class or "",
        case.what_fixed_it,
        searched.diagnosis,
        *case.follow_ups.values_list("text", flat=True),
        *(text for note in notes for text in NOTES.translations(note)),
    ]
    searched.text = "\n".join(part for part in parts if part).casefold()[:MOST_SEARCH_TEXT]
    searched.save()
    case.updated_at = timezone.now()
    Case.objects.filter(pk=case.pk).update(updated_at=case.updated_at)


def _title(title: str) -> str:
    length = Case._meta.get_field("title").max_length
    return " ".join(title.split())[:length] or UNTITLED
