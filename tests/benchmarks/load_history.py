"""The rows of a running workbench for the load: people of three teams, and a thousand cases made of a few real ones.

`python -m tests.benchmarks.load_history CASES` runs in the environment of a workbench that has diagnosed some cases.
Each copy is whole: document, findings, citations, charts, stacks, files and log book; and the owner of each case has
read its page once, as in a real history. It prints, as one line of JSON,
who can ask for what.
"""

from __future__ import annotations

import copy
import json
import os
import random
import shutil
import sys
import uuid
from collections.abc import Iterable
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

PEOPLE = 50
TEAMS = ("Payments", "Search", "Platform")
BATCH = 20
JOBS, WORDS = 60, 3_000
YEARS = 2


def main() -> int:
    """Fills the database; see the module."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    import django

    django.setup()
    from django.db import connection

    from workbench.analyses.models import Analysis

    count = int(sys.argv[1])
    people = _people()
    real = list(
        Analysis.objects.done().select_related("case", "stacks").prefetch_related("files", "charts").order_by("pk")
    )
    chance = random.Random(count)
    numbers = range(count)
    while batch := list(islice(numbers, BATCH)):
        numbers = numbers[BATCH:]
        _copy([(chance.choice(real), people[number % PEOPLE], number / count) for number in batch], chance)
    _read_once(people)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
    print(json.dumps({"people": [_account(person) for person in people], "cases": _cases()}))
    return 0


def _people() -> list[Any]:
    """Fifty people of three teams. They are signed in by rows: fifty passwords would be what is measured."""
    from workbench.accounts.models import Membership, Role, Team, User

    teams = [Team.objects.create(name=name) for name in TEAMS]
    people = []
    for number in range(PEOPLE):
        person = User(username=f"person-{number}", role=Role.RESPONDER)
        person.set_unusable_password()
        person.save()
        Membership.objects.create(user=person, team=teams[number % len(teams)])
        people.append(person)
    return people


def _account(person: Any) -> dict[str, Any]:
    from tests.workbench.people import signed_in
    from workbench.accounts.models import ApiToken

    _, token = ApiToken.objects.make(person, "load")
    session = signed_in(person).cookies["sessionid"].value
    return {"name": person.username, "team": person.teams.get().name, "session": session, "token": token}


def _copy(batch: list[tuple[Any, Any, float]], chance: random.Random) -> None:
    """Copies of analyses with their cases; each for a person, and opened so far back in time."""
    from django.db import transaction
    from django.utils import timezone

    from workbench.analyses.models import Analysis, ChartPoints, SampledStacks
    from workbench.cases.models import Case, CaseStatus, CaseTrait, Note, SearchText, Watch

    now = timezone.now()
    with transaction.atomic():
        cases = []
        for original, person, _ in batch:
            case = _row(original.case, team=person.teams.get(), owner=person, created_by=person)
            case.title = f"{' '.join(_words(chance, 3))} {original.case.title}"
            case.job_names = f"job-{chance.randrange(JOBS)}"
            case.fingerprint = f"{chance.randrange(JOBS * 4):064x}"
            case.status = chance.choice(CaseStatus.values)
            if case.status == CaseStatus.CLOSED:
                case.confirmed_class, case.closed_by = case.verdict_class, person
                case.closed_at, case.what_fixed_it = now, "Raised the parallelism"
            cases.append(case)
        Case.objects.bulk_create(cases)
        for case, (_, _, age) in zip(cases, batch, strict=True):
            case.created_at = now - timedelta(days=365 * YEARS * age)
            case.updated_at = case.created_at + timedelta(hours=1)
        Case.objects.bulk_update(cases, ["created_at", "updated_at"])
        copies = [
            _row(original, case=case, requested_by=person)
            for case, (original, person, _) in zip(cases, batch, strict=True)
        ]
        Analysis.objects.bulk_create(copies)
        searched = SearchText.objects.filter(case__in=[original.case_id for original, _, _ in batch])
        diagnoses = dict(searched.values_list("case_id", "diagnosis"))
        charts, stacks, texts, traits, notes, watches = [], [], [], [], [], []
        for analysis, (original, person, _) in zip(copies, batch, strict=True):
            case = analysis.case
            charts += [_row(chart, analysis=analysis) for chart in original.charts.all()]
            if hasattr(original, "stacks"):
                stacks.append(_row(original.stacks, analysis=analysis))
            note = " ".join(_words(chance, 20))
            words = f"{case.title}\n{case.job_names}\n{diagnoses[original.case_id]}\n{note}"
            texts.append(SearchText(case=case, diagnosis=diagnoses[original.case_id], text=words.casefold()))
            traits += [
                CaseTrait(case=case, kind=each.kind, value=_varied(each.kind, each.value, case.job_names))
                for each in original.case.traits.all()
            ]
            notes.append(Note(case=case, author=person, text=note))
            watches.append(Watch(case=case, user=person, seen_at=now))
        for model, rows in (
            (ChartPoints, charts),
            (SampledStacks, stacks),
            (SearchText, texts),
            (CaseTrait, traits),
            (Note, notes),
            (Watch, watches),
        ):
            model.objects.bulk_create(rows)
        for analysis, (original, person, _) in zip(copies, batch, strict=True):
            _copy_evidence(original, analysis, person)


def _copy_evidence(original: Any, analysis: Any, person: Any) -> None:
    """Files and log book, which share their bytes on the disk with the original's, and what cites the files."""
    from django.conf import settings

    from workbench.analyses.log_books import log_book_folder
    from workbench.analyses.models import Citation, Finding
    from workbench.uploads.models import UploadedFile

    files = {}
    for file in original.files.all():
        files[file.pk] = _row(
            file, case=analysis.case, uploaded_by=person, stored=f"{analysis.case_id}-{uuid.uuid4().hex}"
        )
        os.link(settings.UPLOADS_DIR / file.stored, settings.UPLOADS_DIR / files[file.pk].stored)
    UploadedFile.objects.bulk_create(files.values())
    analysis.files.set(files.values())
    before = list(original.findings.all())
    findings = {each.pk: _row(each, analysis=analysis, caused_by=None) for each in before}
    Finding.objects.bulk_create(findings.values())
    for each in before:
        if each.caused_by_id:
            findings[each.pk].caused_by = findings[each.caused_by_id]
    Finding.objects.bulk_update(findings.values(), ["caused_by"])
    Citation.objects.bulk_create(
        _row(each, finding=findings[each.finding_id], file=files.get(each.file_id))
        for each in Citation.objects.filter(finding__in=before)
    )
    book = log_book_folder(original.pk)
    if book.is_dir():
        shutil.copytree(book, log_book_folder(analysis.pk), copy_function=os.link)


def _row(row: Any, **changed: Any) -> Any:
    """A new row that differs from another in these columns."""
    made = type(row)(**{field.attname: copy.copy(getattr(row, field.attname)) for field in row._meta.concrete_fields})
    made.pk = None
    for name, value in changed.items():
        setattr(made, name, value)
    return made


def _read_once(people: Iterable[Any]) -> None:
    """Opens each case for its owner: who opened a case has read what came of it."""
    from tests.workbench.people import signed_in

    for person in people:
        client = signed_in(person)
        for number in person.owned_cases.order_by("pk").values_list("pk", flat=True):
            answer = client.get(f"/cases/{number}/", SERVER_NAME="localhost")
            assert answer.status_code == 200, answer


def _varied(kind: str, value: str, job: str) -> str:
    """Real histories hold many jobs: what is a name becomes one of that job's."""
    return f"{value[:180]} {job}" if kind in ("job", "operator", "detail") else value


def _words(chance: random.Random, count: int) -> list[str]:
    return [f"word{chance.randrange(WORDS)}x" for _ in range(count)]


def _cases() -> list[dict[str, Any]]:
    """What can be asked for: the newest analysis of each case, what it has of charts, logs and stacks."""
    from workbench.analyses.log_books import log_book_folder
    from workbench.analyses.models import Analysis

    found: Iterable[Any] = (
        Analysis.objects.done().light().filter(case__team__name__in=TEAMS).select_related("case__team", "stacks")
    )
    return [
        {
            "team": each.case.team.name,
            "case": each.case_id,
            "analysis": each.pk,
            "charts": list(each.charts.values_list("chart_id", flat=True)),
            "has_log": Path(log_book_folder(each.pk)).is_dir(),
            "has_stacks": hasattr(each, "stacks"),
        }
        for each in found
    ]


if __name__ == "__main__":
    sys.exit(main())
