"""`manage.py ablation DIR`: diagnoses every case below DIR again and again with kinds of evidence taken away.

With less evidence a verdict may become inconclusive, but no other class. The table at the end counts right, less
sure and wrong verdicts for each kind of evidence, then right ones of the cases that logs or metrics alone can show,
and the cases that they cannot, with the reason. Exit status 1 when one was wrong.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from diagnostics.spark import embedded
from workbench.analyses.ablation import WHOLE, shown_lines, subsets
from workbench.analyses.scoring import TRUTH, Outcome, calibration_lines, outcome_of, tally_lines, truths_below


class Command(BaseCommand):
    """The verdict of every case for each part of its evidence."""

    help = __doc__
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declares the folder of the cases."""
        parser.add_argument("folder", type=Path)
        parser.add_argument(
            "--part", action="append", metavar="NAME", help="only this part, e.g. `only metrics`; may be repeated"
        )

    def handle(self, *, folder: Path, part: Sequence[str] | None, **options: Any) -> None:
        """Diagnose each part of each case and print the table."""
        truths = truths_below(folder)
        if not truths:
            raise CommandError(f"no {TRUTH} below {folder}")
        outcomes: dict[str, list[Outcome]] = defaultdict(list)
        with embedded() as spark:
            for truth in truths:
                sources = truth.sources()
                whole = outcome_of(truth, sources, spark)
                self._tell(truth.name, WHOLE, whole)
                outcomes[WHOLE].append(whole)
                for subset in subsets(sources, whole.document["inputs"] if whole.document else ()):
                    if part and subset.name not in part:
                        continue
                    outcomes[subset.name].append(outcome_of(truth, subset.sources, spark))
                    self._tell(truth.name, subset.name, outcomes[subset.name][-1])
        every = [each for of_part in outcomes.values() for each in of_part]
        self.stdout.write("\n".join([*tally_lines(outcomes), *shown_lines(outcomes), *calibration_lines(every)]))
        if any(each.wrong for each in every):
            sys.exit(1)

    def _tell(self, case: str, part: str, outcome: Outcome) -> None:
        judged = "WRONG" if outcome.wrong else "right" if outcome.right else "less sure"
        asked = [each["what"] for each in (outcome.document or {}).get("missing_evidence", ())][:2]
        told = f"  asks for: {'; '.join(asked)}" if judged == "less sure" and asked else ""
        self.stdout.write(f"{case:38} {part:26} {outcome.verdict:22} {outcome.confidence:4.2f}  {judged}{told}")
        self.stdout.flush()
