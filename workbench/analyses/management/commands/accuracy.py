"""`manage.py accuracy DIR`: diagnoses every folder below DIR that has a truth.json, and compares."""

from __future__ import annotations

import json
import re
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.core.management.base import BaseCommand, CommandError

from diagnostics.analyze import analyze
from diagnostics.errors import DiagnosticsError
from diagnostics.intake import sources_in
from diagnostics.rule import Ruleset, shipped_rules
from diagnostics.spark import embedded
from diagnostics.terminal import printable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRUTH = "truth.json"
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one case came out.

    rank   position of the first true class among the findings' classes, from 1; 0 when it is not there
    found  statements of `must_find` whose numbers the document says, of those that have numbers
    """

    case: str
    expected: tuple[str, ...]
    verdict: str
    confidence: float
    rank: int
    found: int
    findable: int
    seconds: float
    document: dict[str, Any] | None

    @property
    def right(self) -> bool:
        """Whether the verdict is one of the accepted classes."""
        return self.verdict in self.expected


class Command(BaseCommand):
    """Verdict, confidence, rank of the truth, facts found and time of every case; truth.json stays hidden."""

    help = __doc__
    requires_system_checks: list[str] = []
    requires_migrations_checks = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Where the cases are."""
        parser.add_argument("folder", type=Path)
        parser.add_argument("--documents", type=Path, help="write each case's diagnosis document into this folder")

    def handle(self, *, folder: Path, documents: Path | None = None, **options: Any) -> None:
        """Diagnose each case and print the table."""
        cases = sorted(path.parent for path in folder.rglob(TRUTH))
        if not cases:
            raise CommandError(f"no {TRUTH} below {folder}")
        width = max(len(str(case.relative_to(folder))) for case in cases)
        self.stdout.write(f"{'case':{width}}  {'verdict':22} sure   rank  facts    s  right")
        outcomes = []
        with embedded() as spark:
            for case in cases:
                outcome = self._outcome(case, str(case.relative_to(folder)), spark)
                outcomes.append(outcome)
                self.stdout.write(_row(outcome, width))
                if documents and outcome.document:
                    documents.mkdir(parents=True, exist_ok=True)
                    target = documents / f"{outcome.case.replace('/', '_')}.json"
                    target.write_text(json.dumps(outcome.document, ensure_ascii=False, indent=1), "utf-8")
        self.stdout.write(f"{sum(each.right for each in outcomes)} of {len(outcomes)} verdicts are right")

    def _outcome(self, case: Path, name: str, spark: SparkSession) -> Outcome:
        truth = json.loads((case / TRUTH).read_text("utf-8"))
        sources, _ = sources_in([case])
        sources = [source for source in sources if source.path.name != TRUTH]
        began = time.monotonic()
        with tempfile.TemporaryDirectory(prefix="accuracy-") as workspace:
            try:
                report = analyze(sources, ruleset=Ruleset.of(shipped_rules()), spark=spark, workspace=Path(workspace))
            except DiagnosticsError as error:
                self.stderr.write(printable(str(error)))
                document: dict[str, Any] | None = None
            else:
                document = report.document
                for warning in report.warnings:
                    self.stderr.write(printable(warning))
        return compared(name, truth, document, time.monotonic() - began)


def compared(name: str, truth: dict[str, Any], document: dict[str, Any] | None, seconds: float) -> Outcome:
    """A case's truth held against its document."""
    expected = tuple(truth.get("accept") or [truth["symptom_class"]])
    if document is None:
        return Outcome(name, expected, "none", 0.0, 0, 0, 0, seconds, None)
    classes = list(dict.fromkeys(finding["symptom_class"] for finding in document["findings"]))
    ranks = [classes.index(each) + 1 for each in expected if each in classes]
    said = set(_numbers(" ".join(finding["statement"] for finding in document["findings"])))
    said |= set(_numbers(json.dumps([finding["facts"] for finding in document["findings"]])))
    findable = [numbers for each in truth.get("must_find", ()) if (numbers := set(_numbers(each)))]
    return Outcome(
        case=name,
        expected=expected,
        verdict=document["verdict"]["symptom_class"],
        confidence=document["verdict"]["confidence"],
        rank=min(ranks, default=1 if document["verdict"]["symptom_class"] in expected else 0),
        found=sum(2 * len(numbers & said) >= len(numbers) for numbers in findable),
        findable=len(findable),
        seconds=seconds,
        document=document,
    )


def _numbers(text: str) -> Iterator[str]:
    """Every number of a text to two significant digits, so that 98392 and 98,392 are the same."""
    for found in NUMBER.findall(text):
        yield f"{float(found.replace(',', '')):.2g}"


def _row(outcome: Outcome, width: int) -> str:
    rank = str(outcome.rank) if outcome.rank else "-"
    right = "yes" if outcome.right else f"NO, {' or '.join(outcome.expected)}"
    return (
        f"{outcome.case:{width}}  {outcome.verdict:22} {outcome.confidence:4.2f}  {rank:>5}  "
        f"{outcome.found:>2}/{outcome.findable:<2}  {outcome.seconds:5.1f}  {right}"
    )
