"""Reads in which cases rules fired, and the causes that people confirmed there."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass

from django.db.models import Count, F, Max, OuterRef, Q, QuerySet, Subquery, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast

from diagnostics.symptoms import INCONCLUSIVE
from workbench.accounts.models import User
from workbench.analyses.models import Analysis, AnalysisQuerySet, Finding
from workbench.cases.models import Case, CaseStatus

CLAIMS = ("root_cause", "contributing")
"""Roles of findings that claim a cause."""


@dataclass(frozen=True, slots=True)
class Record:
    """The record of one rule.

    fired      cases whose latest diagnosis has a finding of it
    confirmed  those of them closed with its class as the cause of the job that it is about
    refuted    those closed with another cause of that job although it had claimed one
    """

    fired: int = 0
    confirmed: int = 0
    refuted: int = 0
    last_fired: dt.datetime | None = None


MOST_REFUTED = 10
"""Cases of a rule's page, the newest. Our choice: more show nothing new."""


@dataclass(frozen=True, slots=True)
class RefutedClaim:
    """A closed case in which a rule claimed a cause that people did not confirm.

    confirmed  the class that they did
    """

    case: Case
    statement: str
    confidence: float
    confirmed: str


def refuted_claims(user: User, rule_id: str) -> list[RefutedClaim]:
    """The newest false alarms of a rule, one for each case: the claim that was surest."""
    findings = (
        closed_with_a_cause(Finding.objects.filter(analysis__in=latest_diagnoses(user), rule_id=rule_id))
        .filter(role__in=CLAIMS)
        .exclude(analysis__case__confirmed_class=F("symptom_class"))
        .select_related("analysis__case")
        .defer("analysis__document", "analysis__signals", "analysis__inputs")
        .order_by("-analysis__case", "-confidence")
    )
    surest: dict[int, Finding] = {}
    for finding in findings:
        surest.setdefault(finding.analysis.case_id, finding)
    return [
        RefutedClaim(each.analysis.case, each.statement, each.confidence, each.analysis.case.confirmed_class or "")
        for each in list(surest.values())[:MOST_REFUTED]
    ]


_ABOUT_THE_CONFIRMED = Q(job=None) | Q(first_job=None) | Q(job=F("first_job"))
"""Of findings `_with_jobs`: about the job of the verdict, whose cause people confirm, or about none."""


def _with_jobs(findings: QuerySet[Finding]) -> QuerySet[Finding]:
    """The findings with `job`, and `first_job`, that of the first one of the same diagnosis: the job of the verdict."""
    job = Cast(KT("subject__job"), TextField())
    first = Finding.objects.filter(analysis=OuterRef("analysis"), position=0).values_list(job)
    return findings.annotate(job=job, first_job=Subquery(first))


def closed_with_a_cause(findings: QuerySet[Finding]) -> QuerySet[Finding]:
    """Those of closed cases whose cause people know, about the job that it is the cause of."""
    closed = _with_jobs(findings).filter(_ABOUT_THE_CONFIRMED, analysis__case__status=CaseStatus.CLOSED)
    return closed.exclude(analysis__case__confirmed_class__in=("", INCONCLUSIVE))


def latest_diagnoses(user: User) -> AnalysisQuerySet:
    """The newest finished analysis of each visible case, of the incident and not of later snapshots."""
    newest = (
        Analysis.objects.visible_to(user)
        .exclude_later_snapshots()
        .done()
        .order_by()
        .values("case")
        .annotate(newest=Max("pk"))
    )
    return Analysis.objects.filter(pk__in=newest.values("newest"))


def records_of_rules(user: User) -> dict[str, Record]:
    """The record of each rule by id. A case without a confirmed cause neither confirms nor refutes."""
    findings = _with_jobs(Finding.objects.filter(analysis__in=latest_diagnoses(user))).order_by()
    closed = _ABOUT_THE_CONFIRMED & Q(analysis__case__status=CaseStatus.CLOSED)
    right = Q(analysis__case__confirmed_class=F("symptom_class"))
    known = ~Q(analysis__case__confirmed_class=INCONCLUSIVE)
    counted = findings.values("rule_id").annotate(
        fired=Count("analysis__case", distinct=True),
        confirmed=Count("analysis__case", distinct=True, filter=closed & right),
        refuted=Count("analysis__case", distinct=True, filter=closed & known & ~right & Q(role__in=CLAIMS)),
        last_fired=Max("analysis__finished_at"),
    )
    return {
        each["rule_id"]: Record(each["fired"], each["confirmed"], each["refuted"], each["last_fired"])
        for each in counted
    }
