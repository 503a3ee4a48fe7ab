"""The health of a stored document by other weights: its findings, verdict and everything else stay the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from diagnostics.diagnosis.health import (
    BOUND,
    MOST_STOPPED,
    HealthWeights,
    bound_title,
    dimension_scores,
    most_of,
    points_above,
    points_left,
)
from diagnostics.symptoms import INCONCLUSIVE, symptoms
from diagnostics.wording.phrase import within_sentence

Deductions = list[dict[str, Any]]


def reweighed(document: Mapping[str, Any], weights: HealthWeights) -> dict[str, Any]:
    """The document with the scores that these weights give.

    Documents before 2026-11-24 state the deductions of their worst job only: the other jobs keep their scores.
    """
    findings = document["findings"]
    health = document["health"]
    trouble = health["trouble"] if "trouble" in health else _trouble_of(document)
    deductions = _deducted(health["deductions"], trouble, findings, weights)
    score = points_left(each["points"] for each in deductions)
    jobs = [_job(job, findings, weights, score if len(document["jobs"]) == 1 else None) for job in document["jobs"]]
    dimensions = dimension_scores((each["dimension"], each["points"]) for each in deductions)
    if trouble and trouble.get("is_stop"):
        dimensions["stability"] = MOST_STOPPED
    return {
        **document,
        "jobs": jobs,
        "health": {**health, "score": score, "dimensions": dimensions, "deductions": deductions, "trouble": trouble},
    }


def _job(
    job: Mapping[str, Any], findings: Sequence[Mapping[str, Any]], weights: HealthWeights, only: int | None
) -> dict[str, Any]:
    if "deductions" not in job:
        return {**job, "health": only} if only is not None else dict(job)
    deductions = _deducted(job["deductions"], job["trouble"], findings, weights)
    return {**job, "health": points_left(each["points"] for each in deductions), "deductions": deductions}


def _deducted(
    deductions: Sequence[Mapping[str, Any]],
    trouble: Mapping[str, Any] | None,
    findings: Sequence[Mapping[str, Any]],
    weights: HealthWeights,
) -> Deductions:
    again: Deductions = []
    for each in deductions:
        if each["dimension"] is not None:
            finding = findings[each["finding"]]
            points = weights.points(finding["severity"], finding["role"], finding["confidence"])
            again.append({**each, "points": points})
    most = most_of(weights, is_stop=bool(trouble and trouble.get("is_stop")))
    excess = points_above(most, (each["points"] for each in again))
    if trouble and excess:
        place = trouble["finding"]
        again.append(
            {
                "points": excess,
                "dimension": None,
                "symptom_class": findings[place]["symptom_class"] if place is not None else None,
                "title": bound_title(most, trouble["title"]),
                "finding": place,
            }
        )
    return again


def _trouble_of(document: Mapping[str, Any]) -> dict[str, Any] | None:
    """The trouble of a document that does not state it: of its bound, else of its findings."""
    for each in document["health"]["deductions"]:
        if each["dimension"] is None:
            return {"title": each["title"].removeprefix(BOUND).partition(": ")[2], "finding": each["finding"]}
    alarming = [(place, each) for place, each in enumerate(document["findings"]) if each["severity"] != "info"]
    for place, finding in alarming:
        kind = symptoms().get(finding["symptom_class"])
        failed = kind is not None and kind.kind == "consequence" and kind.dimension == "stability"
        if failed or finding["severity"] == "critical":
            return {"title": within_sentence(finding["title"]), "finding": place}
    if alarming and document["verdict"]["symptom_class"] == INCONCLUSIVE:
        return {"title": "the cause of what is seen could not be judged", "finding": alarming[0][0]}
    return None
