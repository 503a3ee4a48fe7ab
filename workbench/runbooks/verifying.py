"""Stores whether the change before each later snapshot of a case helped."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any

from django.db import transaction

from workbench.analyses.models import Analysis
from workbench.analyses.snapshots import newest_diagnoses
from workbench.cases.models import Case
from workbench.runbooks.models import Verification
from workbench.runbooks.proof import conclusion_of

logger = logging.getLogger(__name__)


def verifications_update(*, analysis_id: int, **signal: Any) -> None:
    """Compares what a finished analysis changes: its snapshot with the incident, or all later ones with a new incident.

    Errors here do not affect the stored diagnosis.
    """
    try:
        with transaction.atomic():
            _update(Analysis.objects.select_related("case").get(pk=analysis_id))
    except Exception:
        logger.exception("the snapshots of analysis %s were not compared", analysis_id)


def verification_of(analysis: Analysis) -> Verification | None:
    """The comparison of a snapshot's diagnosis with the incident; None for the incident itself.

    It is stored with the diagnosis. Who is notified of that diagnosis first may be asked before, and has it made.
    """
    if analysis.snapshot == 1:
        return None
    stored = Verification.objects.filter(after=analysis)
    if not stored.exists():
        verifications_update(analysis_id=analysis.pk)
    return stored.first()


def verifications_stored(case: Case) -> Mapping[int, Verification]:
    """Id of a later snapshot's diagnosis -> its comparison with the incident."""
    return {each.after_id: each for each in Verification.objects.filter(after__case=case)}


def _update(analysis: Analysis) -> None:
    if not analysis.case.snapshots.exists():
        return
    newest = newest_diagnoses(analysis.case)
    incident, *later = sorted(newest)
    for number in later:
        if analysis.snapshot in (incident, number):
            proof = conclusion_of(newest[incident], newest[number])
            Verification.objects.update_or_create(
                after=newest[number],
                defaults={
                    "before": newest[incident],
                    "judgement": proof.judgement,
                    "headline": proof.headline,
                },
            )
