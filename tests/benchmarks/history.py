"""The history with 1,000 cases: list, search, similar cases and numbers, on SQLite and on PostgreSQL.

`python -m tests.benchmarks.history` measures on the database that DATABASE_URL names and fills it; it has to be empty.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

from tests.benchmarks.throwaway_postgres import postgres

CASES = 1_000
ROUNDS = 7
BOUND_MS = 300
SEARCHED_BYTES, DOCUMENT_BYTES = 30_000, 150_000
"""What real incidents leave behind: the text that a case is searched by, and the document of its diagnosis."""
JOBS, OPERATORS, WORDS = 60, 12, 3_000


def report() -> None:
    """Prints one line for each question and database, in processes of their own: settings are read once."""
    with tempfile.TemporaryDirectory(prefix="history-") as place, postgres() as server:
        for name, url in (("SQLite", f"sqlite:///{place}/bench.sqlite3"), ("PostgreSQL", server)):
            if url is None:
                print(f"{f'{CASES:,} cases on {name}':38}       not measured: no server is installed", flush=True)
                continue
            environment = os.environ | {"WORKBENCH_DATA": f"{place}/{name}", "DATABASE_URL": url}
            subprocess.run([sys.executable, "-m", "tests.benchmarks.history"], env=environment, check=False)


def main() -> int:
    """Fills the database and measures. 1 when something takes longer than BOUND_MS."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    from tests.workbench.people import make_people

    call_command("migrate", verbosity=0)
    people = make_people()
    _fill(people.alice)
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")
    worst = 0.0
    for name, ask in _questions(people.alice):
        ask()
        taken = [_milliseconds(ask) for _ in range(ROUNDS)]
        worst = max(worst, statistics.median(taken))
        slow = "" if statistics.median(taken) <= BOUND_MS else f"  MORE THAN {BOUND_MS} ms"
        title = f"{CASES:,} cases, {connection.vendor}: {name}"
        print(f"{title:58} median {statistics.median(taken):6.0f} ms, worst {max(taken):6.0f} ms{slow}", flush=True)
    return int(worst > BOUND_MS)


def _milliseconds(ask: Callable[[], object]) -> float:
    began = time.perf_counter()
    ask()
    return (time.perf_counter() - began) * 1000


def _questions(user: Any) -> Iterator[tuple[str, Callable[[], object]]]:
    """Whole pages, as a browser asks for them, and the similar cases on their own."""
    from tests.workbench.people import signed_in
    from workbench.cases.models import Case
    from workbench.history.recurrences import recurrence
    from workbench.history.similar import similar_cases

    browser = signed_in(user)
    case = Case.objects.order_by("pk").last()
    assert case is not None

    def page(address: str) -> Callable[[], object]:
        def ask() -> None:
            assert browser.get(address, HTTP_HOST="localhost").status_code == 200

        return ask

    yield "list", page("/")
    yield "list, two facets", page("/?symptom_class=data_skew&status=open&order=health")
    yield "list, last page", page("/?page=40")
    yield "search of one word", page("/?text=word123x")
    yield "search of three words, two facets", page("/?text=word1+word2+job-7&severity=critical&status=open")
    yield "search that finds nothing", page("/?text=no-such-word")
    yield "similar cases", lambda: (similar_cases(user, case), recurrence(user, case))
    yield "numbers", page("/history/")


def _fill(user: Any) -> None:
    """Cases of two years, a third of them closed, each with a diagnosis of the usual size."""
    from django.utils import timezone

    from diagnostics.symptoms import symptoms
    from tests.workbench.people import case_of
    from workbench.analyses.models import Analysis, AnalysisStatus, Finding
    from workbench.analyses.outcome import case_outcome_update
    from workbench.cases.models import Case
    from workbench.cases.services import case_close, note_add
    from workbench.rules.models import Ruleset

    chance = random.Random(7)
    causes = [each.id for each in symptoms().values() if each.kind == "cause"]
    ruleset = Ruleset.objects.create(reason="benchmark")
    now = timezone.now()
    for number in range(CASES):
        case = case_of(user, f"Incident {number}")
        document = _document(chance, chance.choice(causes))
        opened = now - timedelta(hours=number * 17)
        analysis = Analysis.objects.create(
            case=case,
            ruleset=ruleset,
            requested_by=user,
            status=AnalysisStatus.DONE,
            finished_at=opened + timedelta(minutes=chance.randint(1, 90)),
            document=document,
        )
        Finding.objects.bulk_create(
            Finding(
                analysis=analysis,
                position=position,
                symptom_class=each["symptom_class"],
                confidence=0.9,
                severity=each["severity"],
                role=each["role"],
                title=each["title"],
                statement=each["statement"],
                rule_id=each["rule"]["id"],
                rule_version=1,
            )
            for position, each in enumerate(document["findings"])
        )
        case_outcome_update(case)
        note_add(case=case, user=user, text=" ".join(_words(chance, 20)))
        if number % 3 == 0:
            cause = document["verdict"]["symptom_class"]
            case_close(case=case, user=user, confirmed_class=cause, what_fixed_it="Raised the parallelism")
        Case.objects.filter(pk=case.pk).update(created_at=opened)


def _words(chance: random.Random, count: int) -> list[str]:
    return [f"word{chance.randrange(WORDS)}x" for _ in range(count)]


def _document(chance: random.Random, cause: str) -> dict[str, Any]:
    job = f"job-{chance.randrange(JOBS)}"
    operator = f"operator-{chance.randrange(OPERATORS)}"
    verdict = {"symptom_class": cause, "confidence": 0.9, "summary": f"{job}: {operator} is the cause."}
    text = " ".join(_words(chance, SEARCHED_BYTES // 10))
    evidence = [{"file": "logs/tm.log", "line": 1, "kind": "log", "text": text}]
    findings = [
        _finding(cause, "root_cause", job, operator, evidence),
        _finding("misconfiguration", "contributing", job, operator, []),
        _finding("checkpoint_timeout", "consequence", job, operator, []),
        _finding("back_pressure", "consequence", job, operator, []),
    ]
    return {
        "verdict": verdict,
        "jobs": [{"job_id": job, "name": job, "verdict": verdict, "health": 30}],
        "health": {"score": chance.randrange(100), "dimensions": {}, "deductions": []},
        "findings": findings,
        "missing_evidence": [],
        "checks": {"silent": [{"title": "x" * (DOCUMENT_BYTES - SEARCHED_BYTES)}], "undecided": []},
        "inputs": [{"file": "logs/tm.log", "flink_version": f"1.{chance.randrange(15, 21)}.1"}],
    }


def _finding(symptom_class: str, role: str, job: str, operator: str, evidence: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "symptom_class": symptom_class,
        "role": role,
        "severity": "critical" if role == "root_cause" else "warning",
        "title": f"{symptom_class} it is",
        "statement": f"{operator} of {job} has {symptom_class}.",
        "subject": {"job": job, "vertex": operator},
        "facts": {},
        "rule": {"id": f"{symptom_class}.some", "version": 1},
        "evidence": evidence,
    }


if __name__ == "__main__":
    sys.exit(main())
