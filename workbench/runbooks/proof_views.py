"""The page that compares two snapshots to show whether a change helped."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from diagnostics.diagnosis.counterpart import SameJob
from diagnostics.diagnosis.job_names import lead_name, names_of_several
from workbench.accounts.models import User
from workbench.accounts.requests import SignedInRequest
from workbench.analyses.models import Analysis
from workbench.analyses.selectors import analysis_visible
from workbench.cases.selectors import snapshots_of
from workbench.languages.sentences import say
from workbench.runbooks.proof import effects_shown, folded, markdown, proof_of


@login_required
@require_GET
def proof(request: SignedInRequest, before_id: int, after_id: int) -> HttpResponse:
    """Two diagnoses side by side: two snapshots of a case, or two cases."""
    before, after = _diagnosed(request.user, before_id), _diagnosed(request.user, after_id)
    comparison = proof_of(before, after)
    names = [_name(each, other) for each, other in ((before, after), (after, before))]
    changed, unchanged = folded(effects_shown(comparison))
    return render(
        request,
        "runbooks/proof.html",
        {
            "case": after.case,
            "names": names,
            "sides": _sides(before, after, comparison.same, names),
            "proof": comparison,
            "changed": changed,
            "unchanged": unchanged,
            "unchanged_count": sum(len(rows) for _, rows in unchanged),
            "markdown": markdown(comparison, *names),
            "may_change": after.case.may_be_changed_by(request.user) and not after.case.is_closed,
        },
    )


@dataclass(frozen=True, slots=True)
class Side:
    """The verdict on the job that is compared, in one of the two; on the case where that is not known.

    name  of the snapshot or the case
    job   its name where there are several
    """

    name: str
    job: str
    symptom_class: str
    confidence: float
    score: int


def _sides(before: Analysis, after: Analysis, same: SameJob | None, names: Sequence[str]) -> list[Side]:
    ids = (same.before, same.after) if same else (None, None)
    sides = []
    for analysis, job_id, name in zip((before, after), ids, names, strict=True):
        document = analysis.document
        job = next((each for each in document["jobs"] if job_id and each["job_id"] == job_id), None)
        verdict, score = (job["verdict"], job["health"]) if job else (document["verdict"], document["health"]["score"])
        named = names_of_several(document).get(job_id, "") if job else lead_name(document)
        sides.append(Side(name, named, verdict["symptom_class"], verdict["confidence"], score))
    return sides


def _diagnosed(user: User, analysis_id: int) -> Analysis:
    analysis = analysis_visible(user, analysis_id)
    if analysis.document is None:
        raise Http404(say("This analysis has no diagnosis."))
    return analysis


def _name(analysis: Analysis, other: Analysis) -> str:
    """The label that distinguishes the two: the snapshot of one case, or the case."""
    if analysis.case_id != other.case_id:
        return say("Case {case_id}: {title}", case_id=analysis.case_id, title=analysis.case.read_title)
    change = next(each.read_change for each in snapshots_of(analysis.case) if each.number == analysis.snapshot)
    return say("Snapshot {snapshot}: {change}", snapshot=analysis.snapshot, change=change)
