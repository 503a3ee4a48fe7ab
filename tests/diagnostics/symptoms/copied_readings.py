"""Readings as a person copies them, judged by all signals and rules without Spark."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import Any

from diagnostics.diagnosis.first_step import first_step_of
from diagnostics.diagnosis.judge import judge
from diagnostics.formats import FORMATS
from diagnostics.rules.rule import Ruleset
from diagnostics.rules.shipped import shipped_rules
from diagnostics.signals import DEFINITIONS
from diagnostics.signals.signal import Signal
from tests.diagnostics.formats.reading_aids import head_of, read
from tests.diagnostics.hand_made import hand_made


def judged_readings(folder: Path, *files: str) -> dict[str, Any]:
    """The document of files with these contents, whose names tell nothing."""
    tables: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for number, text in enumerate(files):
        head = head_of(text, f"upload-{number}.txt")
        chosen = max(FORMATS.values(), key=lambda each: each.recognise(head))
        assert chosen.recognise(head) > 0, text
        for table, rows in read(chosen, text, folder, head.name).rows.items():
            tables[table] += [{**row, "file_id": number} for row in rows]
    evidence = hand_made(**tables)
    measured = {each for definition in DEFINITIONS.values() for each in [definition.measure]}
    signals = [each for measure in measured for each in measure(evidence) if isinstance(each, Signal)]
    stored = [{**each.as_json(), "level": DEFINITIONS[each.key].level} for each in signals]
    inputs = [{"file": f"upload-{number}.txt", "format": "readings"} for number in range(len(files))]
    return judge(stored, inputs, Ruleset.of(shipped_rules()))


def leads(document: dict[str, Any]) -> tuple[str, str]:
    """The class of the verdict, and what to do first."""
    return document["verdict"]["symptom_class"], first_step_of(document) or ""
