"""The preview of a draft: its errors, its form, its samples, and its result on a chosen case."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.judge import judge
from diagnostics.diagnosis.match import match
from diagnostics.diagnosis.sample import KINDS, Kind
from diagnostics.errors import InvalidRule
from diagnostics.evidence.subject import Subject
from diagnostics.language import listed
from diagnostics.rules import rule as diagnostics_rule
from diagnostics.rules.condition import Check
from diagnostics.runbook import Runbook, fill
from diagnostics.wording.bound import distance_to_bound
from diagnostics.wording.subject import subject_words
from diagnostics.yaml_document import Fault
from workbench.accounts.models import User
from workbench.analyses.models import Analysis
from workbench.languages.sentences import say
from workbench.rule_pages.history import latest_diagnoses
from workbench.rule_pages.rewriting import Form, form_of
from workbench.rules.models import RegressionSample
from workbench.rules.runbook_texts import checked_runbook
from workbench.rules.selectors import rules_of
from workbench.rules.services import ruleset_published
from workbench.rules.validation import SAMPLE_NAMES, Tested, checked_rule, checked_sample, kept_cases_failing, tested

MOST_SUBJECTS = 6
"""Subjects of a case shown, the nearest to the bounds first. Our choice: a draft is tuned on one or two."""
MOST_CASES_OFFERED = 60


@dataclass(frozen=True, slots=True)
class Problem:
    """One error: the text it is in, and its line (from 1, None when unknown)."""

    where: str
    line: int | None
    text: str


@dataclass(frozen=True, slots=True)
class Margin:
    """A comparison with the measured value, and its distance from the bound."""

    check: Mapping[str, Any]
    holds: bool | None
    margin: str


@dataclass(frozen=True, slots=True)
class OnSubject:
    """The draft's result for one subject of the case."""

    outcome: str
    where: str
    said: str
    margins: Sequence[Margin]


@dataclass(frozen=True, slots=True)
class OnCase:
    """The draft's results on a case: for each subject, and the verdict without and with it."""

    analysis: Analysis
    subjects: Sequence[OnSubject]
    left_out: int
    before: str
    after: str


@dataclass(slots=True)
class Preview:
    """Everything that the editor shows beside the text."""

    problems: list[Problem] = field(default_factory=list)
    form: Form | None = None
    tests: list[Tested] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    kept: int = 0
    kept_failing: list[str] = field(default_factory=list)
    on_case: OnCase | None = None
    rule: diagnostics_rule.Rule | None = None

    @property
    def is_ready(self) -> bool:
        """Whether it can be published."""
        failing = self.problems or self.missing or self.kept_failing
        return not failing and all(test.passes for test in self.tests)


def preview(user: User, texts: Mapping[str, str], analysis: Analysis | None) -> Preview:
    """The preview of the texts `rule`, `fires` and `silent`.

    analysis  a finished one that the user may see, on whose stored signals the draft is judged
    """
    shown = Preview()
    try:
        shown.form = form_of(texts["rule"])
        shown.rule = checked_rule(texts["rule"])
    except InvalidRule as error:
        shown.problems += problems(error.errors, "rule")
    for kind in KINDS:
        _preview_sample(shown, texts[kind], kind)
    if shown.rule:
        shown.kept = RegressionSample.objects.filter(rule__rule_id=shown.rule.id).count()
        shown.kept_failing = kept_cases_failing(shown.rule, user)
    if shown.rule and analysis:
        shown.on_case = _on_case(shown.rule, analysis)
    return shown


@dataclass(slots=True)
class RunbookPreview:
    """The preview of a runbook's draft: its errors, or its steps with the values of a case's finding of its class."""

    problems: list[Problem] = field(default_factory=list)
    runbook: Runbook | None = None
    filled: Mapping[str, Any] | None = None


def preview_runbook(text: str, analysis: Analysis | None) -> RunbookPreview:
    """The preview of a runbook's text; a case without a finding of its class provides its job's values."""
    shown = RunbookPreview()
    try:
        shown.runbook = checked_runbook(text)
    except InvalidRule as error:
        shown.problems += problems(error.errors, "rule")
    if shown.runbook and analysis:
        findings = analysis.document["findings"]
        own = next((each for each in findings if each["symptom_class"] == shown.runbook.symptom_class), None)
        job = next((each["job_id"] for each in analysis.document["jobs"]), None)
        shown.filled = fill(shown.runbook, own or {"subject": {"job": job} if job else {}}, analysis.signals)
    return shown


def problems(errors: Iterable[str], where: str) -> list[Problem]:
    """The errors with the text that they are in, and their lines."""
    return [
        Problem(where, each.line or None, each.text) if isinstance(each, Fault) else Problem(where, None, each)
        for each in errors
    ]


def _preview_sample(shown: Preview, text: str, kind: Kind) -> None:
    if not text.strip():
        shown.missing.append(SAMPLE_NAMES[kind])
        return
    try:
        if shown.rule:
            shown.tests.append(tested(shown.rule, text, kind))
        else:
            checked_sample(text, kind)
    except InvalidRule as error:
        shown.problems += problems(error.errors, kind)


def cases_offered(user: User, symptom_class: str | None = None) -> list[Analysis]:
    """The newest diagnosed cases for trying a draft, those of a class first."""
    found = list(latest_diagnoses(user).light().select_related("case")[:MOST_CASES_OFFERED])
    return sorted(found, key=lambda each: symptom_class is not None and each.case.verdict_class != symptom_class)


def _on_case(rule: diagnostics_rule.Rule, analysis: Analysis) -> OnCase:
    index = SignalIndex.from_stored(analysis.signals)
    matches = match(index, diagnostics_rule.Ruleset.of([rule]))
    subjects = [
        OnSubject(
            say("fires, {sure} % sure", sure=round(each.confidence * 100)),
            _where(each.subject),
            each.statement,
            _margins((*rule.when.checks(index.view(each.subject, rule.level)), *each.checks)),
        )
        for each in matches.findings
    ]
    silent = sorted(matches.silent, key=lambda each: sum(check.holds is not True for check in each.checks))
    subjects += [OnSubject("silent", _where(each.subject), "", _margins(each.checks)) for each in silent]
    subjects += [
        OnSubject(
            "undecided",
            _where(each.subject),
            say("Not measured: {facts}", facts=listed(map(fact_label, each.unknown))),
            _margins(each.checks),
        )
        for each in matches.undecided
    ]
    published, _ = rules_of(ruleset_published())
    others = [each for each in published.rules if each.id != rule.id]
    before = judge(analysis.signals, analysis.inputs, published)["verdict"]
    after = judge(analysis.signals, analysis.inputs, diagnostics_rule.Ruleset.of([*others, rule]))["verdict"]
    return OnCase(
        analysis,
        subjects[:MOST_SUBJECTS],
        max(len(subjects) - MOST_SUBJECTS, 0),
        before["symptom_class"],
        after["symptom_class"],
    )


def _where(subject: Subject) -> str:
    return listed(subject_words(subject.as_json())) or subject.job or say("the whole case")


def _margins(checks: Iterable[Check]) -> list[Margin]:
    """Distinct comparisons, which may occur in several groups of a rule."""
    once = {(check.fact, check.op, repr(check.bound)): check for check in checks}
    return [Margin(check.as_json(), check.holds, _margin(check)) for check in once.values()]


def _margin(check: Check) -> str:
    """`12 points above the bound`, `3.2 s below the bound`; empty without a distance."""
    distance = distance_to_bound(check.fact, check.value, check.bound)
    if distance is None:
        return ""
    if not distance:
        return say("exactly at the bound")
    if check.value > check.bound:
        return say("{distance} above the bound", distance=distance)
    return say("{distance} below the bound", distance=distance)
