"""`manage.py ablation DIR`: diagnoses every case below DIR again and again with kinds of evidence taken away.

With less evidence a verdict may become inconclusive, but no other class. Exit status 1 when one did.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from diagnostics.spark import embedded
from workbench.analyses.ablation import subsets
from workbench.analyses.scoring import TRUTH, Outcome, calibration_lines, outcome_of, truths_below


class Command(BaseCommand):
    """The verdict of every case for each part of its evidence."""

    help = __doc__
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the cases are."""
        parser.add_argument("folder", type=Path)

    def handle(self, *, folder: Path, **options: Any) -> None:
        """Diagnose each part of each case and print the table."""
        truths = truths_below(folder)
        if not truths:
            raise CommandError(f"no {TRUTH} below {folder}")
        outcomes: list[Outcome] = []
        with embedded() as spark:
            for truth in truths:
                sources = truth.sources()
                whole = outcome_of(truth, sources, spark)
                self._tell(truth.name, "everything", whole)
                outcomes.append(whole)
                for subset in subsets(sources, whole.document["inputs"] if whole.document else ()):
                    outcomes.append(outcome_of(truth, subset.sources, spark))
                    self._tell(truth.name, subset.name, outcomes[-1])
        wrong = sum(each.wrong for each in outcomes)
        right = sum(each.right for each in outcomes)
        less = len(outcomes) - wrong - right
        self.stdout.write(f"{len(outcomes)} diagnoses: {right} right, {less} inconclusive, {wrong} wrong")
        self.stdout.write("\n".join(calibration_lines(outcomes)))
        if wrong:
            sys.exit(1)

    def _tell(self, case: str, part: str, outcome: Outcome) -> None:
        judged = "WRONG" if outcome.wrong else "right" if outcome.right else "less sure"
        asked = [each["what"] for each in (outcome.document or {}).get("missing_evidence", ())][:2]
        told = f"  asks for: {'; '.join(asked)}" if judged == "less sure" and asked else ""
        self.stdout.write(f"{case:38} {part:26} {outcome.verdict:22} {outcome.confidence:4.2f}  {judged}{told}")
        self.stdout.flush()
