"""Lists every fact that a rule can compare, with its values in a case."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.evidence.subject import Level
from diagnostics.language import listed
from diagnostics.signals import DEFINITIONS
from diagnostics.wording.fact import fact_value
from diagnostics.wording.subject import subject_words
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say_later

MOST_VALUES = 4
"""Values of a fact that are listed, of as many subjects. Our choice: a line of the picker."""
LONGEST_VALUE = 120
LEVELS: Mapping[Level, str] = {
    "case": say_later("case"),
    "job": say_later("job"),
    "vertex": say_later("vertex"),
    "subtask": say_later("subtask"),
    "task_manager": say_later("TaskManager"),
}
"""What a signal is measured for -> its word."""


def fact_catalogue(analysis: Analysis | None) -> list[dict[str, Any]]:
    """Every fact by name: {fact, label, level, values: [{where, text}], more}, those that the case measures first.

    more  number of subjects whose values are not listed
    """
    measured = _values(analysis) if analysis else {}
    entries = []
    for key, definition in DEFINITIONS.items():
        for name in definition.facts:
            fact = f"{key}.{name}"
            values = measured.get(fact, [])
            entries.append(
                {
                    "fact": fact,
                    "label": fact_label(fact),
                    "level": str(LEVELS[definition.level]),
                    "values": values[:MOST_VALUES],
                    "more": max(len(values) - MOST_VALUES, 0),
                }
            )
    return sorted(entries, key=lambda entry: (not entry["values"], entry["fact"]))


def _values(analysis: Analysis) -> Mapping[str, list[dict[str, str]]]:
    values: dict[str, list[dict[str, str]]] = {}
    for signal in analysis.signals or ():
        if "facts" not in signal:
            continue
        where = listed(subject_words(signal["subject"]))
        for name, value in signal["facts"].items():
            fact = f"{signal['key']}.{name}"
            values.setdefault(fact, []).append({"where": where, "text": fact_value(value, fact)[:LONGEST_VALUE]})
    return values
