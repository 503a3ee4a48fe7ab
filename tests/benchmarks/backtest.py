"""A rule's back-test over 1,000 cases: real signals, stored as analyses store them, judged piece by piece."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

CASES = 1_000
RULE = "skew.hot-subtask"
CHANGE = ("confidence.base", "0.2")


def report(diagnosed: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]) -> None:
    """Prints how long the back-test takes in all and for a case, and the longest piece, which is one request.

    diagnosed  signals and inputs of real analyses; they are repeated until there are CASES of them
    """
    with tempfile.TemporaryDirectory(prefix="backtest-") as place:
        os.environ |= {"WORKBENCH_DATA": place, "DATABASE_URL": f"sqlite:///{Path(place) / 'bench.sqlite3'}"}
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "workbench.settings")
        import django

        django.setup()
        print(f"{f'back-test of {CASES:,} cases':38} {1:>5} {_measured(diagnosed)}", flush=True)


def _measured(diagnosed: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]]) -> str:
    from django.core.management import call_command

    from tests.workbench.people import make_people
    from workbench.rule_pages.backtest import backtest_go_on, backtest_start
    from workbench.rule_pages.rewriting import with_value
    from workbench.rules.models import RuleVersion
    from workbench.rules.services import draft_save, rules_load

    call_command("migrate", verbosity=0)
    rules_load()
    people = make_people()
    store(people.alice, diagnosed, CASES)
    version = RuleVersion.objects.get(rule__rule_id=RULE)
    draft = draft_save(user=people.ada, text=with_value(version.text, *CHANGE), base=version)
    backtest = backtest_start(draft=draft, user=people.ada)
    pieces = []
    while not backtest.is_done:
        began = time.monotonic()
        backtest_go_on(backtest=backtest)
        pieces.append(time.monotonic() - began)
    size = sum(len(str(signals)) for signals, _ in diagnosed) / len(diagnosed) / 1000
    return (
        f"{sum(pieces):7.2f}          {sum(pieces) / CASES * 1000:.1f} ms a case of {size:.0f} kB, longest request "
        f"{max(pieces):.2f} s; {backtest.tally['verdicts_changed']} verdicts change"
    )


def store(user: Any, diagnosed: list[tuple[list[dict[str, Any]], list[dict[str, Any]]]], count: int) -> None:
    """So many cases of the user, each with one finished analysis."""
    from tests.workbench.people import case_of
    from workbench.analyses.models import Analysis, AnalysisStatus
    from workbench.rules.services import ruleset_published

    ruleset = ruleset_published()
    rows = []
    for number in range(count):
        signals, inputs = diagnosed[number % len(diagnosed)]
        rows.append(
            Analysis(
                case=case_of(user, f"Case {number}"),
                ruleset=ruleset,
                requested_by=user,
                status=AnalysisStatus.DONE,
                signals=signals,
                inputs=inputs,
            )
        )
    Analysis.objects.bulk_create(rows, batch_size=50)
