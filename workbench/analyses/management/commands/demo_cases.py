"""`manage.py demo_cases`: opens a case for each incident that ships with the project."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError
from django.db.models import F

from diagnostics.symptoms import symptom
from workbench.accounts.models import Role, User
from workbench.analyses.models import Analysis, AnalysisStatus
from workbench.analyses.submission import demo_cases_load
from workbench.languages.sentences import say, say_stored, to_say
from workbench.languages.terminal import TerminalCommand
from workbench.machine.environment import ENVIRONMENT_CHECKS

WAIT_SECONDS = 300


class Command(TerminalCommand):
    help = to_say("Opens a case for each real incident that ships with the project; those that are there already stay.")
    requires_system_checks = [ENVIRONMENT_CHECKS]

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--wait", action="store_true", help=say("return once they are analysed"))

    def handle(self, *args: Any, wait: bool, **options: Any) -> None:
        user = User.objects.filter(role=Role.ADMINISTRATOR, is_active=True, teams__isnull=False).order_by("pk").first()
        if user is None:
            raise CommandError(say("There is no administrator with a team; manage.py create_admin makes one."))
        opened = demo_cases_load(user=user)
        for case in opened:
            self.stdout.write(say("Opened {case}.", case=case))
        if not opened:
            self.stdout.write(say("The demo cases are there already."))
        if wait:
            self._wait([case.pk for case in opened])

    def _wait(self, cases: list[int]) -> None:
        deadline = time.monotonic() + WAIT_SECONDS
        waiting = Analysis.objects.active().filter(case__in=cases)
        while waiting.exists():
            if time.monotonic() > deadline:
                raise CommandError(
                    say("Not analysed after {seconds} seconds; is a worker running?", seconds=WAIT_SECONDS)
                )
            time.sleep(0.5)
        outcomes = Analysis.objects.filter(case__in=cases).values_list(
            "case_id", "status", "error", F("case__verdict_class")
        )
        for case_id, status, error, verdict in outcomes.order_by("case_id"):
            label = str(AnalysisStatus(status).label).lower()
            outcome = say_stored(error) or (symptom(verdict).read_title if verdict else "")
            self.stdout.write(say("Case {case}, {status}: {outcome}", case=case_id, status=label, outcome=outcome))
