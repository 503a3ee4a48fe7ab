"""Share of the resolved public incidents that are diagnosed, of the written ones and of all with a stated class."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from tests.incidents.public_background import diagnosed, not_written, public_incidents

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def report(spark: SparkSession) -> None:
    """Prints a line for each that is not served, each known miss with its reason, and the hit rate."""
    counts: Counter[str] = Counter()
    for incident in public_incidents():
        with tempfile.TemporaryDirectory(prefix="incident-") as place:
            document = diagnosed(incident, spark, Path(place))
        missed = incident.told.get("missed")
        outcome = "wrong" if not incident.is_served_by(document) else "missed" if missed else "found"
        counts[outcome] += 1
        if outcome != "found":
            verdict = document["verdict"]["symptom_class"]
            print(f"{outcome:6} {incident.id} {incident.symptom_class} -> {verdict}  {missed or ''}", flush=True)
    written = sum(counts.values())
    print(
        f"public incidents: {counts['found']} found, {counts['missed']} missed, {counts['wrong']} wrong of {written} "
        f"written; {len(not_written())} more name nothing that could be written",
        flush=True,
    )
