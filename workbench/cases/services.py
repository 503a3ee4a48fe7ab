"""Writes about a case. Whoever calls has asked `selectors.case_to_change` first."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from workbench.accounts.models import Team, User
from workbench.cases.models import MOST_SEARCH_TEXT, Case, CaseStatus, Note

SYMPTOM_CLASS_LENGTH = 50


@transaction.atomic
def case_open(*, user: User, title: str, team: Team | None = None) -> Case:
    """A new case of the team, or of the user's first team. Raises ValidationError when the user has none."""
    team = team or user.teams.first()
    if team is None or not (user.is_administrator or user.teams.filter(pk=team.pk).exists()):
        raise ValidationError({"team": "You belong to no team that could own this case. An administrator can add you."})
    case = Case.objects.create(team=team, title=_title(title), owner=user, created_by=user)
    search_text_update(case)
    return case


def case_lock(case: Case) -> None:
    """Reads the case again and keeps other writers out until the transaction ends.

    Whoever changes a case or its analyses takes this lock first, so that no two of them wait for one another.
    """
    case.refresh_from_db(from_queryset=Case.objects.select_for_update())


@transaction.atomic
def case_rename(*, case: Case, title: str) -> None:
    """Gives the case another title."""
    case_lock(case)
    case.title = _title(title)
    case.save(update_fields=["title", "updated_at"])
    search_text_update(case)


def case_assign(*, case: Case, owner: User) -> None:
    """Makes somebody of the team the owner. Raises ValidationError for a stranger."""
    if not Case.objects.visible_to(owner).filter(pk=case.pk).exists():
        raise ValidationError({"owner": f"{owner} does not belong to the team {case.team}."})
    case.owner = owner
    case.save(update_fields=["owner", "updated_at"])


@transaction.atomic
def case_status_set(*, case: Case, status: CaseStatus) -> None:
    """Moves an open case to another open state; `case_close` closes it with its cause."""
    if status == CaseStatus.CLOSED:
        raise ValidationError({"status": "Closing asks for the confirmed cause."})
    case.status = status
    case.closed_by = None
    case.closed_at = None
    case.save(update_fields=["status", "closed_by", "closed_at", "updated_at"])


@transaction.atomic
def case_close(*, case: Case, user: User, confirmed_class: str, what_fixed_it: str) -> None:
    """Closes the case with the cause that people confirmed and what fixed it. Raises ValidationError without one."""
    confirmed_class = confirmed_class.strip()
    if not confirmed_class or len(confirmed_class) > SYMPTOM_CLASS_LENGTH:
        raise ValidationError({"confirmed_class": "Say what the cause was; `inconclusive` is an answer too."})
    case_lock(case)
    case.status = CaseStatus.CLOSED
    case.confirmed_class = confirmed_class
    case.what_fixed_it = what_fixed_it.strip()
    case.closed_by = user
    case.closed_at = timezone.now()
    case.save()
    search_text_update(case)


def case_reopen(*, case: Case) -> None:
    """Opens a closed case again; what was confirmed stays readable until it is closed again."""
    case_status_set(case=case, status=CaseStatus.OPEN)


@transaction.atomic
def note_add(*, case: Case, user: User, text: str) -> Note:
    """Writes a note down. Raises ValidationError for an empty one."""
    text = text.strip()
    if not text:
        raise ValidationError({"text": "The note is empty."})
    case_lock(case)
    note = Note.objects.create(case=case, author=user, text=text)
    search_text_update(case)
    return note


def search_text_update(case: Case) -> None:
    """Gathers what a case is searched by: its title, verdict, findings, notes and what fixed it, folded to lower case.

    The number counts as a word, `#42`. The text is bounded; the oldest notes are the first to be left out.
    """
    notes = case.notes.order_by("-created_at").values_list("text", flat=True)
    parts = [
        f"#{case.pk}",
        case.title,
        case.owner.get_username(),
        case.verdict_class or "",
        case.verdict_summary,
        case.job_names,
        case.confirmed_class or "",
        case.what_fixed_it,
        case.found_text,
        *notes,
    ]
    case.search_text = "\n".join(part for part in parts if part).casefold()[:MOST_SEARCH_TEXT]
    case.updated_at = timezone.now()
    Case.objects.filter(pk=case.pk).update(search_text=case.search_text, updated_at=case.updated_at)


def _title(title: str) -> str:
    length = Case._meta.get_field("title").max_length
    return " ".join(title.split())[:length] or "Untitled case"
