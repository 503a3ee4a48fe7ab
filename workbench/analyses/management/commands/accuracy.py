"""`manage.py accuracy DIR`: diagnoses every folder below DIR that has a truth.json, and compares."""

from __future__ import annotations

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from diagnostics.notation.control_characters import show_controls
from diagnostics.spark import embedded
from workbench.analyses.scoring import TRUTH, Outcome, calibration_lines, outcome_of, truths_below


class Command(BaseCommand):
    """Verdict, confidence, rank of the truth, matched facts and time of every case; truth.json stays hidden."""

    help = __doc__
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the cases are."""
        parser.add_argument("folder", type=Path)
        parser.add_argument("--documents", type=Path, help="write each case's diagnosis document into this folder")

    def handle(self, *, folder: Path, documents: Path | None = None, **options: Any) -> None:
        """Diagnose each case and print the table."""
        truths = truths_below(folder)
        if not truths:
            raise CommandError(f"no {TRUTH} below {folder}")
        width = max(len(truth.name) for truth in truths)
        self.stdout.write(f"{'case':{width}}  {'verdict':22} sure   rank  facts    s  right")
        outcomes = []
        with embedded() as spark:
            for truth in truths:
                outcome = outcome_of(truth, truth.sources(), spark)
                outcomes.append(outcome)
                for warning in outcome.warnings:
                    self.stderr.write(show_controls(warning))
                self.stdout.write(_row(outcome, width))
                if documents and outcome.document:
                    documents.mkdir(parents=True, exist_ok=True)
                    target = documents / f"{truth.name.replace('/', '_')}.json"
                    target.write_text(json.dumps(outcome.document, ensure_ascii=False, indent=1), "utf-8")
        self.stdout.write(f"{sum(each.right for each in outcomes)} of {len(outcomes)} verdicts are right")
        self.stdout.write("\n".join(calibration_lines(outcomes)))


def _row(outcome: Outcome, width: int) -> str:
    rank = str(outcome.rank) if outcome.rank else "-"
    right = "yes" if outcome.right else f"NO, {' or '.join(outcome.truth.accepted)}"
    return (
        f"{outcome.truth.name:{width}}  {outcome.verdict:22} {outcome.confidence:4.2f}  {rank:>5}  "
        f"{outcome.stated:>2}/{outcome.findable:<2}  {outcome.seconds:5.1f}  {right}"
    )
