"""Stores whether the change before each later snapshot of a case helped."""

from __future__ import annotations

import logging
from typing import Any

from django.core.cache import cache
from django.db import transaction

from diagnostics.language import ENGLISH, reader_language, reading_in
from workbench.analyses.models import Analysis
from workbench.analyses.reading import KEPT_SECONDS
from workbench.analyses.snapshots import newest_diagnoses
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


def verification_read(analysis: Analysis) -> tuple[Verification, str] | None:
    """The stored comparison of a snapshot's diagnosis with the incident, and its conclusion as the reader reads it."""
    stored = Verification.objects.filter(after=analysis).first()
    return (stored, read_headline(stored)) if stored else None


def read_headline(verification: Verification) -> str:
    """The conclusion in the language of the reader.

    What is stored is English. For other languages the diagnoses are compared again; where this program judges otherwise
    than the one that stored the conclusion, the stored sentence is returned.
    """
    language = reader_language()
    if language == ENGLISH:
        return verification.headline
    key = f"verification-{verification.before_id}-{verification.after_id}-{verification.judgement}-{language}"
    return str(cache.get_or_set(key.replace(" ", "-"), lambda: _compared_again(verification), KEPT_SECONDS))


def _compared_again(verification: Verification) -> str:
    proof = conclusion_of(verification.before, verification.after)
    return proof.headline if proof.judgement == verification.judgement else verification.headline


def _update(analysis: Analysis) -> None:
    if not analysis.case.snapshots.exists():
        return
    newest = newest_diagnoses(analysis.case)
    incident, *later = sorted(newest)
    for number in later:
        if analysis.snapshot in (incident, number):
            with reading_in(ENGLISH):  # what is stored
                proof = conclusion_of(newest[incident], newest[number])
            Verification.objects.update_or_create(
                after=newest[number],
                defaults={
                    "before": newest[incident],
                    "judgement": proof.judgement,
                    "headline": proof.headline,
                },
            )
