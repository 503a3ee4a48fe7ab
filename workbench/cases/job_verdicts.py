"""The verdict and the health of each job of a diagnosis, as stored on a case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from diagnostics.symptoms import NO_CAUSE


class JobVerdict(TypedDict):
    """One job. `health` is 0..100, None when the document does not state it."""

    name: str
    symptom_class: str
    health: int | None


def causes_of(verdicts: Iterable[JobVerdict]) -> list[str]:
    """The distinct causes among the verdicts, in their order."""
    return list(dict.fromkeys(each["symptom_class"] for each in verdicts if each["symptom_class"] not in NO_CAUSE))


def job_verdicts(document: Mapping[str, Any]) -> list[JobVerdict]:
    """The named jobs of a diagnosis document, in its order; of two jobs with one name the less healthy."""
    verdicts: dict[str, JobVerdict] = {}
    for job in document.get("jobs", ()):
        verdict = JobVerdict(
            name=job["name"] or "", symptom_class=job["verdict"]["symptom_class"], health=job.get("health")
        )
        known = verdicts.get(verdict["name"])
        if verdict["name"] and (known is None or _score(verdict) < _score(known)):
            verdicts[verdict["name"]] = verdict
    return list(verdicts.values())


def _score(verdict: JobVerdict) -> int:
    return 101 if verdict["health"] is None else verdict["health"]
