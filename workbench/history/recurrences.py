"""Detects whether a problem recurred after its fix, by the times in the evidence and not of the upload."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from diagnostics.symptoms import NO_CAUSE
from workbench.accounts.models import User
from workbench.cases.models import Case, CaseStatus
from workbench.uploads.models import FileKind, UploadedFile

MOST_OPEN = 3
"""Open cases with the same problem that a page names. Our choice: one line above the verdict."""


@dataclass(frozen=True, slots=True)
class Recurrence:
    """Cases with the same fingerprint. "Fixed" means closed with a confirmed cause.

    returned_from  the newest one fixed before this problem was observed: a regression
    came_back_as   the first one whose problem was observed after this one was fixed
    same_incident  those with the same files, or the same problem at the same moment
    before_fix     the newest one fixed only after this problem was observed: this is no regression of it
    undated        the newest fixed one, when the order of problem and fix is unknown
    others         the rest, newest first
    """

    returned_from: Case | None = None
    came_back_as: Case | None = None
    same_incident: Sequence[Case] = ()
    before_fix: Case | None = None
    undated: Case | None = None
    others: Sequence[Case] = ()

    @property
    def open_elsewhere(self) -> list[Case]:
        """The newest of the others that are still open."""
        return [other for other in self.others if not other.is_closed][:MOST_OPEN]

    def __bool__(self) -> bool:
        named = (self.returned_from, self.came_back_as, self.before_fix, self.undated)
        return any(named) or bool(self.same_incident or self.others)


def recurrence(user: User, case: Case) -> Recurrence:
    """The cases of the user's teams with the same fingerprint."""
    if not case.fingerprint:
        return Recurrence()
    same = Case.objects.visible_to(user).filter(fingerprint=case.fingerprint, merged_into=None).exclude(pk=case.pk)
    found = list(same.select_related("closed_by").order_by("-created_at"))
    twins = _same_incident(case, found)
    others = [other for other in found if other not in twins]
    fixed = sorted(
        (other for other in others if is_fixed(other) and other.closed_at),
        key=lambda other: (other.closed_at, other.pk),
        reverse=True,
    )
    returned_from = next((other for other in fixed if _is_seen_after(case, other)), None)
    later = [other for other in others if is_fixed(case) and _is_seen_after(other, case)]
    came_back_as = min(later, key=lambda other: (other.problem_seen_at, other.pk), default=None)
    newest = fixed[0] if fixed and returned_from is None and came_back_as is None else None
    named = Recurrence(
        returned_from=returned_from,
        came_back_as=came_back_as,
        same_incident=twins,
        before_fix=newest if case.problem_seen_at else None,
        undated=None if case.problem_seen_at else newest,
    )
    named_cases = {named.returned_from, named.came_back_as, named.before_fix, named.undated}
    return Recurrence(
        named.returned_from,
        named.came_back_as,
        named.same_incident,
        named.before_fix,
        named.undated,
        [other for other in others if other not in named_cases],
    )


def came_back(user: User, cases: Iterable[Case]) -> set[int]:
    """Numbers of the regressions among those cases, in one query."""
    shown = [case for case in cases if case.fingerprint and case.problem_seen_at]
    fixed = Case.objects.visible_to(user).filter(status=CaseStatus.CLOSED, merged_into=None, closed_at__isnull=False)
    fixed = fixed.filter(confirmed_class__isnull=False)
    fixed = fixed.filter(fingerprint__in={case.fingerprint for case in shown}).exclude(
        confirmed_class__in=("", *NO_CAUSE)
    )
    closed: dict[str | None, list[tuple[int, dt.datetime]]] = defaultdict(list)
    for number, fingerprint, closed_at in fixed.order_by().values_list("pk", "fingerprint", "closed_at"):
        if closed_at is not None:
            closed[fingerprint].append((number, closed_at))
    return {
        case.pk
        for case in shown
        if any(
            number != case.pk and case.problem_seen_at and closed_at < case.problem_seen_at
            for number, closed_at in closed[case.fingerprint]
        )
    }


def is_fixed(case: Case) -> bool:
    """Whether people closed it with a confirmed cause; a false alarm has none, and nothing was fixed."""
    return case.status == CaseStatus.CLOSED and case.confirmed_class not in (None, "", *NO_CAUSE)


def _is_seen_after(case: Case, fixed: Case) -> bool:
    """Whether the evidence shows the problem of a case after the other one was closed."""
    return bool(case.problem_seen_at and fixed.closed_at and fixed.closed_at < case.problem_seen_at)


def _same_incident(case: Case, others: Sequence[Case]) -> list[Case]:
    """Those with identical files; or with the problem last observed at the same millisecond, however packed."""
    contents = _contents([case, *others]) if others else {}
    return [
        other
        for other in others
        if (contents[case.pk] and contents[case.pk] == contents[other.pk])
        or (case.problem_seen_at and case.problem_seen_at == other.problem_seen_at)
    ]


def _contents(cases: Sequence[Case]) -> Mapping[int, set[str]]:
    """Case -> digests of the files of the incident."""
    found: dict[int, set[str]] = defaultdict(set)
    files = UploadedFile.objects.filter(case__in=cases, snapshot=1, kind=FileKind.EVIDENCE)
    for number, digest in files.values_list("case", "sha256"):
        found[number].add(digest)
    return found
