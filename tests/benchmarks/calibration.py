"""How far the confidence of a verdict can be relied on: its Brier score and ten bins, over everything that is known."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from tests.incidents.gathered_incidents import ASIDE, PARTS, GatheredIncident, Half, gathered_incidents
from tests.incidents.public_background import PublicIncident, diagnosed, public_incidents
from workbench.analyses.scoring import Outcome, Truth, brier_score, compared, outcome_of, truths_below

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

BINS = 10
GATHERED: dict[str, tuple[Half, ...]] = {
    "gathered incidents": tuple(each for each in PARTS if each not in ASIDE),
    "gathered incidents that are set aside": tuple(each for each in PARTS if each in ASIDE),
}
"""The parts that may be read for rules, and the test: of both the table alone is printed."""


def report(spark: SparkSession, cases: Sequence[Path]) -> None:
    """Prints the table of the corpus, of the public and of the gathered incidents, and of all of them together.

    cases  folders whose cases have a truth.json
    """
    parts = {
        "corpus": [outcome_of(truth, truth.sources(), spark) for folder in cases for truth in truths_below(folder)],
        "public incidents": [
            _outcome(each, (each.symptom_class,), spark) for each in public_incidents() if "missed" not in each.told
        ],
        **{
            name: [
                _outcome(each, (each.symptom_class, *each.also_right), spark)
                for part in parts
                for each in gathered_incidents(part)
            ]
            for name, parts in GATHERED.items()
        },
    }
    for name, outcomes in {**parts, "together": [each for part in parts.values() for each in part]}.items():
        print("\n".join([f"\n{name}", *calibration_rows(outcomes)]), flush=True)


def calibration_rows(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """The Brier score of the verdicts that conclude, and a row for each tenth of confidence that has verdicts."""
    concluding = [each for each in outcomes if each.concludes]
    score = brier_score(concluding)
    if score is None:
        yield f"none of {len(outcomes)} verdicts concludes"
        return
    yield f"Brier score {score:.3f} over {len(concluding)} of {len(outcomes)} verdicts, which conclude"
    yield f"{'confidence':>12}{'verdicts':>10}{'mean':>8}{'right':>8}"
    for number in range(BINS):
        inside = [each for each in concluding if min(int(each.confidence * BINS), BINS - 1) == number]
        if inside:
            mean = sum(each.confidence for each in inside) / len(inside)
            right = sum(each.right for each in inside) / len(inside)
            edges = f"{number / BINS:.1f} to {(number + 1) / BINS:.1f}"
            yield f"{edges:>12}{len(inside):>10}{mean:>8.2f}{right:>8.2f}"


def _outcome(incident: PublicIncident | GatheredIncident, accepted: tuple[str, ...], spark: SparkSession) -> Outcome:
    truth = Truth(incident.id, Path(), accepted, ())
    with tempfile.TemporaryDirectory(prefix="calibration-") as place:
        return compared(truth, diagnosed(incident, spark, Path(place)), 0.0)
