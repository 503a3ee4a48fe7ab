"""Health scores by the weights in force: of a new document, and of the whole history after a change."""

from __future__ import annotations

from typing import Any

from django.db import transaction
from django.utils import timezone

from diagnostics.diagnosis.reweighing import reweighed
from workbench.analyses.models import Analysis
from workbench.cases.job_verdicts import job_verdicts
from workbench.cases.models import Case
from workbench.cases.services import case_lock
from workbench.rules.health_weights import weights_now
from workbench.rules.models import HealthWeighting


def weighed(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the scores of the weights in force; unchanged while nobody set any."""
    return reweighed(document, weights_now()) if HealthWeighting.objects.exists() else document


def weights_apply() -> None:
    """Computes the scores of all stored diagnoses again, case by case, until the newest weights are applied.

    It may run twice at a time or end in between: what it did stays right, and the weights count as applied at the end.
    """
    while (newest := HealthWeighting.objects.first()) and newest.applied_at is None:
        diagnosed = Analysis.objects.done().order_by().values_list("case", flat=True).distinct()
        for case in Case.objects.filter(pk__in=list(diagnosed)).order_by("-pk").iterator(chunk_size=100):
            _case_apply(case)
        HealthWeighting.objects.filter(pk__lte=newest.pk, applied_at=None).update(applied_at=timezone.now())


@transaction.atomic
def _case_apply(case: Case) -> None:
    """The scores of all diagnoses of a case. Nobody is notified: no verdict changes."""
    case_lock(case)
    weights = weights_now()
    for place, analysis in enumerate(case.analyses.done().only("document")):
        analysis.document = reweighed(analysis.document, weights)
        analysis.save(update_fields=["document"])
        if place == 0:
            Case.objects.filter(pk=case.pk).update(
                health_score=analysis.document["health"]["score"], job_verdicts=job_verdicts(analysis.document)
            )
