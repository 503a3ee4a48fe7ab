"""Reads analyses that a user may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db.models import Max
from django.shortcuts import get_object_or_404

from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.cases.models import Case
from workbench.languages.sentences import say


def analysis_visible(user: User, analysis_id: int) -> Analysis:
    """The analysis without its large columns. Raises Http404 for users who may not see its case."""
    found = Analysis.objects.visible_to(user).light().select_related("case", "ruleset")
    return get_object_or_404(found, pk=analysis_id)


def analysis_to_change(user: User, analysis_id: int) -> Analysis:
    """The analysis, for cancelling or retrying it. Raises Http404 for a stranger, PermissionDenied for a viewer."""
    analysis = analysis_visible(user, analysis_id)
    if not analysis.case.may_be_changed_by(user):
        raise PermissionDenied(say("Your role may read this case, not change it."))
    return analysis


def offset_min(inputs: Iterable[Mapping[str, Any]]) -> int | None:
    """Offset of the files' clock from UTC in minutes; None when unknown or contradictory."""
    told = {each["utc_offset_min"] for each in inputs if each.get("utc_offset_min") is not None}
    return told.pop() if len(told) == 1 else None


def latest_analyses(cases: Iterable[Case]) -> dict[int, Analysis]:
    """The newest analysis of each case, by the case's number, without the large columns."""
    newest = Analysis.objects.filter(case__in=[case.pk for case in cases]).order_by().values("case")
    numbers = newest.annotate(newest=Max("pk")).values_list("newest", flat=True)
    return {analysis.case_id: analysis for analysis in Analysis.objects.filter(pk__in=list(numbers)).light()}
