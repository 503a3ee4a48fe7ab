"""How many gathered incidents are diagnosed as their threads resolved them, of each part of them.

A diagnosis is right when its class is the incident's or one that a careful reader may give it as well; inconclusive
when it names no class; else wrong. Issue 18 calls "I cannot tell; add this file" a good answer, so it is inconclusive
for a healthy log, too: nobody is alarmed. A cause that leads in a healthy log is wrong, and so is `healthy` for an ill
job. Up to 24 November 2026 this was counted the other way round; the shares by that count are printed, too.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from diagnostics.analyze import Report
from diagnostics.runbook import fill, runbooks
from diagnostics.symptoms import symptom
from tests.incidents.gathered_incidents import ASIDE, GatheredIncident, Half, gathered_incidents
from tests.incidents.public_background import analyzed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

OUTCOMES = ("right", "inconclusive", "wrong")
COLUMNS = ("class", *OUTCOMES, "fix stands", "of those led", "first guess", "first three")


def report(spark: SparkSession, parts: Sequence[Half], misses: bool) -> None:
    """Prints a table for each part: of each class how many are right first, inconclusive and wrong, how many fixes
    stand in the runbook of the finding that leads, and of the inconclusive ones how often the first possible cause is
    right, or one of the first three.

    misses  also names the incidents of ASIDE that are not right: whoever reads them writes no rules from them
    """
    for half in parts:
        began = time.monotonic()
        counts = _counted(spark, half, named=misses or half not in ASIDE)
        print(f"\n{half}, {time.monotonic() - began:.0f} s", flush=True)
        _print_table(counts)


def _counted(spark: SparkSession, half: Half, named: bool) -> Counter[tuple[str, str]]:
    """(class, outcome, `led`, `fix`, `guess` or `three`) -> incidents; without a class by the earlier count."""
    counts: Counter[tuple[str, str]] = Counter()
    for incident in gathered_incidents(half):
        with tempfile.TemporaryDirectory(prefix="gathered-") as place:
            analysis = analyzed(incident, spark, Path(place))
        verdict = analysis.document["verdict"]["symptom_class"]
        outcome = _outcome(incident, verdict)
        leading = leading_finding(analysis.document, verdict)
        has_fix = leading is not None and incident.names_fix(_runbook_text(leading, analysis))
        counts[incident.symptom_class, outcome] += 1
        counts["", _was_outcome(incident, verdict)] += 1
        counts[incident.symptom_class, "led"] += leading is not None
        counts[incident.symptom_class, "fix"] += has_fix
        guesses = [each["symptom_class"] for each in analysis.document["hypotheses"]]
        for name, most in (("guess", 1), ("three", 3)):
            is_named = not {incident.symptom_class, *incident.also_right}.isdisjoint(guesses[:most])
            counts[incident.symptom_class, name] += is_named and outcome == "inconclusive"
        if named and (outcome != "right" or (leading is not None and not has_fix)):
            missed = "" if has_fix or leading is None else f"  fix not named: {incident.fix}"
            print(f"{outcome:12} {incident.id} {incident.symptom_class} -> {verdict}{missed}", flush=True)
    return counts


def _outcome(incident: GatheredIncident, verdict: str) -> str:
    if verdict in (incident.symptom_class, *incident.also_right):
        return "right"
    return "inconclusive" if verdict == "inconclusive" else "wrong"


def _was_outcome(incident: GatheredIncident, verdict: str) -> str:
    """The outcome as it was counted up to 24 November 2026."""
    if _outcome(incident, verdict) == "right":
        return "right"
    return "inconclusive" if verdict in ("inconclusive", "healthy") and incident.symptom_class != "healthy" else "wrong"


def leading_finding(document: dict[str, Any], verdict: str) -> dict[str, Any] | None:
    """The first finding of the verdict's class that has a runbook; None where no cause leads."""
    found = (each for each in document["findings"] if each["symptom_class"] == verdict and each.get("runbook"))
    return next((each for each in found if symptom(verdict).kind == "cause"), None)


def _runbook_text(finding: dict[str, Any], analysis: Report) -> str:
    """The runbook as the case's page shows it, without the steps that the case leads past."""
    filled = fill(runbooks()[finding["runbook"]], finding, analysis.signals)
    shown = [each for each in filled["steps"] if not each["left_out"]]
    return json.dumps([filled["goal"], shown], ensure_ascii=False)


def _print_table(counts: Counter[tuple[str, str]]) -> None:
    classes = sorted({symptom_class for symptom_class, _ in counts} - {""})
    rows = [(name, [counts[name, each] for each in (*OUTCOMES, "fix", "led", "guess", "three")]) for name in classes]
    rows.append(("all", [sum(column) for column in zip(*(cells for _, cells in rows), strict=True)]))
    print(f"{COLUMNS[0]:22}" + "".join(f"{each:>14}" for each in COLUMNS[1:]))
    for name, cells in rows:
        print(f"{name:22}" + "".join(f"{each:14}" for each in cells))
    if total := sum(rows[-1][1][:3]):
        print(f"{total} incidents: {_shares(rows[-1][1][:3])}", flush=True)
        print(f"by the earlier count: {_shares([counts['', name] for name in OUTCOMES])}", flush=True)


def _shares(cells: Sequence[int]) -> str:
    return ", ".join(f"{name} {cell / sum(cells):.0%}" for name, cell in zip(OUTCOMES, cells, strict=True))
