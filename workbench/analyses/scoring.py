"""Compares diagnoses with known truths: correctness and calibration (Brier score, reliability)."""

from __future__ import annotations

import itertools
import json
import os
import re
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from diagnostics.analyze import analyze
from diagnostics.errors import NoUsableInput
from diagnostics.intake import SourceFile, sources_in
from diagnostics.reading.case import Case
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.storage.shared_folder import STORAGE_VARIABLE, run_folder
from diagnostics.symptoms import INCONCLUSIVE

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

TRUTH = "truth.json"
NUMBER = re.compile(r"(?<![\w.])\d[\d,]*(?:\.\d+)?")
NOTHING_USABLE = "none"

BIN_EDGES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0)
"""Confidences are grouped by these for the reliability table. Our choice: finer where most verdicts are."""


@dataclass(frozen=True, slots=True)
class Truth:
    """The known truth of a case, from a file that the analysis never reads."""

    name: str
    folder: Path
    accepted: tuple[str, ...]
    must_find: tuple[str, ...]

    def sources(self) -> list[SourceFile]:
        """The case's evidence."""
        found, _ = sources_in([self.folder])
        return [source for source in found if source.path.name != TRUTH]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of one case.

    verdict  the class, or NOTHING_USABLE when no file was usable
    rank     position of the first true class among the findings' classes, from 1; 0 when it is not there
    stated   statements of `must_find` whose numbers are in the document, of those with numbers
    """

    truth: Truth
    verdict: str
    confidence: float
    rank: int
    stated: int
    findable: int
    seconds: float
    document: Mapping[str, Any] | None
    warnings: Sequence[str]

    @property
    def right(self) -> bool:
        """Whether the verdict is one of the accepted classes."""
        return self.verdict in self.truth.accepted

    @property
    def concludes(self) -> bool:
        """Whether it names a class or calls the job healthy."""
        return self.verdict not in (INCONCLUSIVE, NOTHING_USABLE)

    @property
    def wrong(self) -> bool:
        """Whether it states something false; less confidence than the truth allows is not wrong."""
        return self.concludes and not self.right


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Verdicts of similar confidence: mean confidence, and number of correct ones."""

    low: float
    high: float
    verdicts: int
    mean_confidence: float
    share_right: float


def truths_below(folder: Path) -> list[Truth]:
    """Every case below the folder that has a truth.json, by name."""
    truths = []
    for path in sorted(folder.rglob(TRUTH)):
        told = json.loads(path.read_text("utf-8"))
        accepted = tuple(told.get("accept") or [told["symptom_class"]])
        name = str(path.parent.relative_to(folder)) if path.parent != folder else folder.name
        truths.append(Truth(name, path.parent, accepted, tuple(told.get("must_find", ()))))
    return truths


def outcome_of(truth: Truth, sources: Sequence[SourceFile], spark: SparkSession) -> Outcome:
    """Diagnoses these files with the shipped rules and compares the document with the truth."""
    began = time.monotonic()
    rules = Ruleset.of(shipped_rules())
    with (
        tempfile.TemporaryDirectory(prefix="scoring-") as workspace,
        run_folder(os.environ.get(STORAGE_VARIABLE, ""), f"scoring-{uuid4()}") as shared,
    ):
        try:
            report = analyze(Case(sources), ruleset=rules, spark=spark, workspace=Path(workspace), shared=shared)
        except NoUsableInput as error:
            return Outcome(truth, NOTHING_USABLE, 0.0, 0, 0, 0, time.monotonic() - began, None, [str(error)])
    return compared(truth, report.document, time.monotonic() - began, report.warnings)


def compared(truth: Truth, document: Mapping[str, Any], seconds: float, warnings: Sequence[str] = ()) -> Outcome:
    """A case's truth compared with its document."""
    classes = list(dict.fromkeys(finding["symptom_class"] for finding in document["findings"]))
    ranks = [classes.index(each) + 1 for each in truth.accepted if each in classes]
    said = set(_numbers(" ".join(finding["statement"] for finding in document["findings"])))
    said |= set(_numbers(json.dumps([finding["facts"] for finding in document["findings"]])))
    findable = [numbers for each in truth.must_find if (numbers := set(_numbers(each)))]
    verdict = document["verdict"]
    return Outcome(
        truth=truth,
        verdict=verdict["symptom_class"],
        confidence=verdict["confidence"],
        rank=min(ranks, default=1 if verdict["symptom_class"] in truth.accepted else 0),
        stated=sum(2 * len(numbers & said) >= len(numbers) for numbers in findable),
        findable=len(findable),
        seconds=seconds,
        document=document,
        warnings=warnings,
    )


def brier_score(outcomes: Iterable[Outcome]) -> float | None:
    """Mean squared distance of confidence and truth over the verdicts that conclude; 0 is perfect, None without any.

    Source: G. W. Brier, Verification of forecasts expressed in terms of probability, 1950.
    """
    distances = [(each.confidence - each.right) ** 2 for each in outcomes if each.concludes]
    return sum(distances) / len(distances) if distances else None


def reliability(outcomes: Iterable[Outcome]) -> list[ReliabilityBin]:
    """The concluding verdicts grouped by confidence, without empty groups."""
    concluding = [each for each in outcomes if each.concludes]
    bins = []
    for low, high in itertools.pairwise(BIN_EDGES):
        inside = [each for each in concluding if low <= each.confidence < high or each.confidence == high == 1.0]
        if inside:
            mean = sum(each.confidence for each in inside) / len(inside)
            bins.append(ReliabilityBin(low, high, len(inside), mean, sum(each.right for each in inside) / len(inside)))
    return bins


def tally_lines(outcomes: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """How many verdicts were right, less sure than the truth allows, or wrong, as a table for a terminal.

    outcomes  the outcomes of each part of the evidence, e.g. of `only metrics`, in the order of the rows
    """
    every = {**outcomes, "together": [each for of_part in outcomes.values() for each in of_part]}
    width = max(map(len, every))
    lines = [f"{'evidence':{width}}  cases  right  less sure  wrong"]
    for part, of_part in every.items():
        right, wrong = sum(each.right for each in of_part), sum(each.wrong for each in of_part)
        less = len(of_part) - right - wrong
        lines.append(f"{part:{width}}  {len(of_part):>5}  {right:>5}  {less:>9}  {wrong:>5}")
    return lines


def calibration_lines(outcomes: Sequence[Outcome]) -> list[str]:
    """The calibration as a table for a terminal."""
    score = brier_score(outcomes)
    if score is None:
        return ["No verdict concludes: nothing to calibrate."]
    lines = [f"Brier score {score:.3f} over {sum(each.concludes for each in outcomes)} verdicts that conclude"]
    lines += [
        f"  sure {each.low:.2f} to {each.high:.2f}: {each.verdicts:>3} verdicts, on average {each.mean_confidence:.2f} "
        f"sure, {each.share_right:.2f} right"
        for each in reliability(outcomes)
    ]
    return lines


def _numbers(text: str) -> Iterator[str]:
    """Every number of a text to two significant digits, so that 98392 and 98,392 are the same."""
    for found in NUMBER.findall(text):
        yield f"{float(found.replace(',', '')):.2g}"
