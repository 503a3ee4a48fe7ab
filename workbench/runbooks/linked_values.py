"""Links the measured values in a runbook's sentences to the lines and samples that the findings cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.analyses.measured import Measurements, ValueSource
from workbench.analyses.models import Analysis, Citation


@dataclass(frozen=True, slots=True)
class LinkedPiece:
    """A part of a sentence; `source` is that of a value, where a finding cites it."""

    text: str
    source: ValueSource | None = None


def linked_sentences(
    analysis: Analysis, finding: Mapping[str, Any], contents: Sequence[Mapping[str, Any]]
) -> dict[str, list[list[LinkedPiece]]]:
    """Step id -> what was measured, sentence by sentence.

    contents  the filled steps of `diagnostics.runbook.fill`
    """
    citations = Citation.objects.filter(finding__analysis=analysis).select_related("file")
    measurements = Measurements(analysis, citations)

    def linked(piece: Mapping[str, Any]) -> LinkedPiece:
        if "fact" not in piece:
            return LinkedPiece(piece["text"])
        return LinkedPiece(
            piece["text"], measurements.source_of(piece["fact"], piece["value"], finding["subject"], piece["text"])
        )

    return {
        content["id"]: [[linked(piece) for piece in sentence] for sentence in content["measured_pieces"]]
        for content in contents
    }
