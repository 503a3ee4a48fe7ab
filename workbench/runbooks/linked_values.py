"""Links the measured values in a runbook's sentences to the lines and samples that the findings cite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workbench.analyses.measured import LinkedPiece, Measurements
from workbench.analyses.models import Analysis, Citation


def linked_sentences(
    analysis: Analysis, finding: Mapping[str, Any], contents: Sequence[Mapping[str, Any]]
) -> dict[str, list[list[LinkedPiece]]]:
    """Step id -> what was measured, sentence by sentence.

    contents  the filled steps of `diagnostics.runbook.fill`
    """
    citations = Citation.objects.filter(finding__analysis=analysis).select_related("file")
    measurements = Measurements(analysis, citations)
    return {
        content["id"]: [measurements.linked(sentence, finding["subject"]) for sentence in content["measured_pieces"]]
        for content in contents
    }
