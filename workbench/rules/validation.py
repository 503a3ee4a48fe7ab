"""Checks whether a rule and its samples can be published."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.diagnosis.sample import Kind, Sample
from diagnostics.errors import InvalidRule
from diagnostics.language import listed
from diagnostics.rules import rule as diagnostics_rule
from diagnostics.yaml_document import Fault
from workbench.accounts.models import User
from workbench.languages.sentences import say, say_later, to_say
from workbench.rules.models import Draft, RegressionSample, Rule
from workbench.rules.runbook_texts import is_runbook, runbook_blockers

RESERVED_IDS = frozenset(
    {
        "new",
        "drafts",
        "preview",
        "facts",
        "back-tests",
        "samples",
        "runbooks",
        "sources",
        "log",
        "export",
        "import",
        "approval",
        "health",
    }
)
"""Path segments of the rules' pages that would collide with a rule's id."""

SAMPLE_NAMES: dict[Kind, str] = {"fires": say_later("firing sample"), "silent": say_later("silent sample")}


def checked_rule(text: str) -> diagnostics_rule.Rule:
    """The rule in the text. Raises InvalidRule with every error and its line."""
    # Imports PySpark, which takes a second and which other pages do not need.
    from diagnostics.signals import DEFINITIONS

    source = say("rule")
    rule = diagnostics_rule.Rule.from_yaml(text, source, DEFINITIONS)
    if rule.id in RESERVED_IDS:
        fault = say("{rule_id!r} is an address of the workbench; choose another `id`", rule_id=rule.id)
        raise InvalidRule([Fault(source, 1, fault)])
    return rule


def checked_sample(text: str, kind: Kind) -> Sample:
    """The sample in the text. Raises InvalidRule with every error and its line."""
    from diagnostics.signals import DEFINITIONS

    return Sample.from_yaml(text, str(SAMPLE_NAMES[kind]), DEFINITIONS)


@dataclass(frozen=True, slots=True)
class Tested:
    """The result of a rule on one sample; `outcome` is a sentence."""

    kind: Kind
    passes: bool
    outcome: str


def tested(rule: diagnostics_rule.Rule, text: str, kind: Kind) -> Tested:
    """The rule applied to a sample. Raises InvalidRule for an invalid sample."""
    sample = checked_sample(text, kind)
    matches = sample.judged_by(rule)
    passes = bool(matches.findings) == (kind == "fires")
    if matches.findings:
        sure = max(finding.confidence for finding in matches.findings)
        outcome = say("It fires, {sure} % sure.", sure=round(sure * 100))
    elif matches.silent:
        checks = [check for each in matches.silent for check in each.checks if check.holds is False]
        failing = listed(dict.fromkeys(fact_label(check.fact) for check in checks))
        outcome = (
            say("It stays silent. Not met: {failing}.", failing=failing)
            if failing
            else say("It stays silent: a counter-indication holds.")
        )
    else:
        unknown = dict.fromkeys(fact_label(fact) for each in matches.undecided for fact in each.unknown)
        outcome = say("It cannot be judged. Not measured: {unknown}.", unknown=listed(unknown))
    return Tested(kind, passes, outcome)


def blockers(draft: Draft, user: User) -> Iterator[str]:
    """The reasons against publishing a draft, in sentences for the user."""
    if draft.rule and is_runbook(draft.rule.rule_id):
        yield from runbook_blockers(draft)
        return
    try:
        rule = checked_rule(draft.text)
    except InvalidRule as error:
        yield from error.errors
        return
    if draft.rule and draft.rule.rule_id != rule.id:
        yield say(
            "The `id` is {id!r}; a rule keeps its id, and this is a draft of {rule_id!r}.",
            id=rule.id,
            rule_id=draft.rule.rule_id,
        )
    elif draft.rule is None and Rule.objects.filter(rule_id=rule.id, versions__isnull=False).exists():
        yield say("There is a rule {id!r} already. Edit that one, or choose another `id`.", id=rule.id)
    samples: tuple[tuple[Kind, str], ...] = (("fires", draft.fires_sample), ("silent", draft.silent_sample))
    for kind, text in samples:
        yield from _sample_blockers(rule, text, kind)
    for kept in kept_cases_failing(rule, user):
        yield say("It no longer fires on {kept}, which was closed with this cause.", kept=kept)


def kept_cases_failing(rule: diagnostics_rule.Rule, user: User) -> list[str]:
    """The cases on whose regression samples the rule does not fire, described as the user may see them.

    A sample that is no longer readable counts as failing.
    """
    samples = RegressionSample.objects.filter(rule__rule_id=rule.id)
    readable = {sample.pk for sample in samples.visible_to(user)}
    return [
        str(sample) if sample.pk in readable else say("a case that you may not read")
        for sample in samples
        if not _fires(rule, sample.text)
    ]


def _fires(rule: diagnostics_rule.Rule, text: str) -> bool:
    try:
        return tested(rule, text, "fires").passes
    except InvalidRule:
        return False


def _sample_blockers(rule: diagnostics_rule.Rule, text: str, kind: Kind) -> Iterator[str]:
    if not text.strip():
        yield say(MISSING[kind])
        return
    try:
        outcome = tested(rule, text, kind)
    except InvalidRule as error:
        yield from error.errors
        return
    if not outcome.passes:
        yield say(FAILING[kind], outcome=outcome.outcome)


MISSING: dict[Kind, str] = {
    "fires": to_say("The firing sample is missing: signals on which the rule must fire."),
    "silent": to_say("The silent sample is missing: signals on which the rule must stay silent."),
}
FAILING: dict[Kind, str] = {
    "fires": to_say("The firing sample fails: the rule must fire. {outcome}"),
    "silent": to_say("The silent sample fails: the rule must stay silent. {outcome}"),
}
