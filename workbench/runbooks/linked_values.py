"""Links the measured values in a runbook's sentences to the lines and samples that the findings cite."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from workbench.analyses.measured import LinkedPiece, Measurements, ValueSource
from workbench.analyses.models import Analysis, Citation


@dataclass(frozen=True, slots=True)
class LinkedValues:
    """The values of a runbook with their sources.

    lead       the first sentence of the finding
    sentences  step id -> what was measured, sentence by sentence
    checks     fact of a condition -> the source of its value; facts without one are left out
    """

    lead: list[LinkedPiece]
    sentences: dict[str, list[list[LinkedPiece]]]
    checks: dict[str, ValueSource]


def linked_values(
    analysis: Analysis, finding: Mapping[str, Any], contents: Sequence[Mapping[str, Any]]
) -> LinkedValues:
    """The sources of what the steps state and of the values that their answers and their ends are judged by.

    contents  the filled steps of `diagnostics.runbook.fill`
    """
    citations = Citation.objects.filter(finding__analysis=analysis).select_related("file")
    measurements = Measurements(analysis, citations)
    subject = finding["subject"]
    sentences = {
        content["id"]: [measurements.linked(sentence, subject) for sentence in content["measured_pieces"]]
        for content in contents
    }
    compared = {check["fact"]: check["value"] for content in contents for check in _checks(content)}
    sources = {fact: measurements.source_of(fact, value, subject) for fact, value in compared.items()}
    lead = next(iter(measurements.statement(finding)), [])
    return LinkedValues(lead, sentences, {fact: source for fact, source in sources.items() if source})


def _checks(content: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The conditions of a step whose value is known."""
    conditions = chain(content["done"]["checks"], *(each["checks"] for each in content["answers"]))
    return (each for each in conditions if each["value"] is not None)
