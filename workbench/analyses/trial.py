"""A draft rule tried on old cases: stored signals are judged again in milliseconds, without Spark."""

from __future__ import annotations

from dataclasses import dataclass

from diagnostics.judge import judge
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.rules.models import RuleVersion
from workbench.rules.selectors import rules_from
from workbench.rules.services import ruleset_published
from workbench.rules.validation import checked_rule

MOST_CASES = 200
"""How many of the newest diagnosed cases a draft is tried on. Our choice: about ten seconds at 50 ms each."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What the draft does to one case."""

    analysis: Analysis
    fires: bool
    confidence: float | None
    before: str
    after: str

    @property
    def changes_verdict(self) -> bool:
        return self.before != self.after


@dataclass(frozen=True, slots=True)
class Trial:
    """What the draft does to old cases, those where it does something first."""

    cases: list[Tried]

    @property
    def fires_on(self) -> int:
        return sum(case.fires for case in self.cases)

    @property
    def silent_on(self) -> int:
        return len(self.cases) - self.fires_on

    @property
    def changed(self) -> int:
        return sum(case.changes_verdict for case in self.cases)

    @property
    def sentence(self) -> str:
        return f"fires on {self.fires_on}, stays silent on {self.silent_on}, changes the verdict of {self.changed}"


def rule_try(*, version: RuleVersion, user: User) -> Trial:
    """Judges the latest diagnosis of each of the user's newest cases with the published rules, and with this version.

    Both sides use the rules published now, so that a change is the version's own doing. Raises InvalidRule.
    """
    published = list(ruleset_published().versions.select_related("rule"))
    before, _ = rules_from(published)
    checked_rule(version.text, version)
    after, _ = rules_from([*(each for each in published if each.rule_id != version.rule_id), version])
    tried = []
    for analysis in _latest_diagnoses(user):
        old = judge(analysis.signals, analysis.inputs, before)
        new = judge(analysis.signals, analysis.inputs, after)
        found = [each for each in new["findings"] if each["rule"]["id"] == version.rule.rule_id]
        tried.append(
            Tried(
                analysis=analysis,
                fires=bool(found),
                confidence=max((each["confidence"] for each in found), default=None),
                before=old["verdict"]["symptom_class"],
                after=new["verdict"]["symptom_class"],
            )
        )
    return Trial(sorted(tried, key=lambda each: (not each.changes_verdict, not each.fires, -each.analysis.pk)))


def _latest_diagnoses(user: User) -> list[Analysis]:
    newest: dict[int, int] = {}
    done = Analysis.objects.visible_to(user).done().order_by("-pk").values_list("case_id", "pk")
    for case_id, analysis_id in done.iterator():
        newest.setdefault(case_id, analysis_id)
        if len(newest) == MOST_CASES:
            break
    return list(Analysis.objects.filter(pk__in=newest.values()).defer("document").select_related("case"))
