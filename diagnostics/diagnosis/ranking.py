"""Possible causes of an inconclusive case, with probabilities and the arguments for and against each.

A cause's weight is a prior (its frequency among resolved incidents) times one factor per argument; probabilities are
the shares of the weights, including one for any other cause. Every factor is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.diagnosis.fact_view import FactView
from diagnostics.diagnosis.finding import Finding
from diagnostics.diagnosis.match import Matches, Silent, Undecided
from diagnostics.language import listed, say
from diagnostics.rules.condition import Check
from diagnostics.symptoms import symptom, symptoms
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.wording.bound import bound_words
from diagnostics.wording.fact import fact_value
from diagnostics.wording.phrase import within_sentence

MOST_RANKED = 5
"""Named causes; the rest counts as another cause. Our choice: more do not help to decide what to collect."""
LEAST_NAMED = 0.03
"""A cause with a lower probability counts as another cause. Our choice."""
MOST_ARGUMENTS = 3
"""Arguments shown per cause. Our choice: the strongest, one line each."""

FOUND, REMARKED, HINTED, EXPLAINING, RULED_OUT = 6.0, 5.0, 5.0, 1.5, 0.8
"""Factors: a rule holds with too little confidence; a rule holds as a remark; the text of an error supports it; it
would explain a symptom; most of its rules were judged and none holds. Fitted on the inconclusive cases among the open
half of the collected incidents and the public ones, and rounded.
"""
LOST, LOSS_LEFT = "task_manager_loss", 0.4
"""A TaskManager went before what followed from it: a cause none of whose rules would explain that counts less.
Our choice: a loss and another cause at once are rare.
"""
EXCLUDED = 0.05
"""Factor of a cause that a measured fact excludes. Our choice: what names the fact may be of another process or time.
"""
MOSTLY = 0.75
"""From this share of a cause's rules on, the cause counts as judged. Our choice."""
ELSE = 0.08
"""Prior of any other cause: the share of such incidents whose cause has no class here."""

ERROR_FACTS = (
    "alarming_records.fatal_text",
    "alarming_records.fatal_class",
    "alarming_records.error_text",
    "alarming_records.error_class",
    "alarming_records.outside_text",
    "alarming_records.outside_class",
    "alarming_records.warning_text",
    "alarming_records.warning_class",
    "exceptions.first_class",
    "exceptions.first_message",
    "exceptions.most_class",
    "exceptions.most_message",
    "kubernetes.nodes_lost_text",
    "kubernetes.preempted_text",
)
"""Facts with texts of errors and of events."""

JOB_CODE = "user_code"
CONTROL = tuple(
    f"org.apache.flink.runtime.{room}"
    for room in (
        "checkpoint.", "dispatcher.", "entrypoint.", "executiongraph.", "heartbeat.", "jobmaster.", "leader",
        "operators.coordination.", "resourcemanager.", "rest.", "rpc.", "scheduler.", "taskexecutor.", "webmonitor.",
    )
)  # fmt: skip
"""Where Flink coordinates its processes: no code of a job runs there, so an exception thrown there speaks for none."""


@dataclass(frozen=True, slots=True)
class Step:
    """One factor of a weight and its reason; the first is the prior."""

    factor: float
    because: str


@dataclass(frozen=True, slots=True)
class RankedCause:
    """A possible cause; symptom_class is None for any other cause."""

    symptom_class: str | None
    probability: float
    steps: tuple[Step, ...]
    speaks_for: tuple[str, ...] = ()
    speaks_against: tuple[str, ...] = ()


@cache
def priors() -> Mapping[str, Mapping[str, float]]:
    """Context -> class -> share of the resolved incidents of that context, with half an incident added per class."""
    shares = {}
    for context, counts in catalogue("cause_priors.yaml").items():
        smoothed = {name: counts.get(name, 0) + 0.5 for name in _causes()}
        total = sum(smoothed.values())
        shares[context] = {name: count / total for name, count in smoothed.items()}
    return shares


@cache
def hints() -> Mapping[str, tuple[str, ...]]:
    """Class -> words of errors that support it."""
    return {name: tuple(words) for name, words in catalogue("hints.yaml").items()}


def _causes() -> list[str]:
    return [each.id for each in symptoms().values() if each.kind == "cause"]


def ranked_causes(
    findings: Sequence[Finding], matches: Matches, job: str | None, view: FactView
) -> tuple[RankedCause, ...]:
    """The possible causes of a job's symptoms, most probable first, any other cause last; probabilities add up to
    one.
    """
    suffered = {
        each.symptom_class
        for each in findings
        if each.severity != "info" and symptom(each.symptom_class).kind == "consequence"
    }
    failed = any(symptom(name).dimension == "stability" for name in suffered)
    said = _texts(ERROR_FACTS, view)
    in_tasks = _texts((each for each in ERROR_FACTS if not _is_control(each, view)), view)
    judged = _Judged(findings, matches, job)
    weighed = [
        _weighed(name, share, judged, suffered, in_tasks if name == JOB_CODE else said, failed, view)
        for name, share in priors()["failed" if failed else "slow"].items()
    ]
    if all(step.factor <= 1 for _, steps, _ in weighed for step in steps):
        # Nothing is seen that a cause would explain: a number that reaches one bound of a rule speaks for none.
        weighed = [(name, steps, ((), against)) for name, steps, (_, against) in weighed]
    total = sum(_weight(steps) for _, steps, _ in weighed)
    whole = total + ELSE
    named = sorted(weighed, key=lambda each: (-_weight(each[1]), each[0]))[:MOST_RANKED]
    ranked = [
        RankedCause(name, round(_weight(steps) / whole, 3), steps, *arguments)
        for name, steps, arguments in named
        if _weight(steps) / whole >= LEAST_NAMED
    ]
    left = round(1 - sum(each.probability for each in ranked), 3)
    because = say(
        "{count} causes that are less probable, and those that have no rule", count=len(weighed) - len(ranked)
    )
    return (*ranked, RankedCause(None, left, (Step(left, because),)))


def _texts(facts: Iterable[str], view: FactView) -> str:
    return " ".join(str(view(fact)) for fact in facts if view(fact) is not None).lower()


def _is_control(fact: str, view: FactView) -> bool:
    """Whether the error that a text is of was thrown where Flink coordinates its processes."""
    return str(view(f"{fact.rpartition('_')[0]}_frame") or "").startswith(CONTROL)


Arguments = tuple[tuple[str, ...], tuple[str, ...]]


class _Judged:
    """Results of the rules for one job, by class."""

    def __init__(self, findings: Iterable[Finding], matches: Matches, job: str | None) -> None:
        self.findings = _by_class(findings)
        self.undecided: Mapping[str, list[Undecided]] = _by_class(
            each for each in matches.undecided if each.job in (job, None)
        )
        self.silent: Mapping[str, list[Silent]] = _by_class(each for each in matches.silent if each.job in (job, None))


def _by_class(entries: Iterable[Any]) -> dict[str, list[Any]]:
    grouped: dict[str, list[Any]] = {}
    for each in entries:
        grouped.setdefault(each.rule.symptom_class, []).append(each)
    return grouped


def _weight(steps: Iterable[Step]) -> float:
    weight = 1.0
    for step in steps:
        weight *= step.factor
    return weight


def _weighed(
    name: str,
    share: float,
    judged: _Judged,
    suffered: AbstractSet[str],
    said: str,
    failed: bool,
    view: FactView,
) -> tuple[str, tuple[Step, ...], Arguments]:
    findings = judged.findings.get(name, [])
    undecided = judged.undecided.get(name, [])
    silent = judged.silent.get(name, [])
    if failed:
        prior = say("of the resolved incidents whose job failed, {share} had this cause", share=f"{share:.0%}")
    else:
        prior = say("of the resolved incidents in which nothing failed, {share} had this cause", share=f"{share:.0%}")
    steps = [Step(round(share, 3), prior)]
    speaks_for: list[str] = []
    # A remark that explains nothing of what is seen does not count, as that a setting carries a risk.
    counting = (
        each for each in findings if each.severity != "info" or not suffered or suffered & {*each.rule.explains}
    )
    if found := next(counting, None):
        factor, sure = REMARKED if found.severity == "info" else FOUND, f"{found.confidence:.0%}"
        steps.append(Step(factor, say("a rule holds, {sure} sure: {title}", sure=sure, title=found.title)))
        speaks_for.append(found.claim)
    words = [word for word in hints().get(name, ()) if word in said]
    if words:
        hinting, quoted = words[:MOST_ARGUMENTS], listed(repr(word) for word in words[:MOST_ARGUMENTS])
        steps.append(Step(HINTED, say("the errors speak of it: {words}", words=listed(hinting))))
        speaks_for.append(say("The errors hold the words {words}.", words=quoted))
    explained = sorted(
        {title for each in undecided for title in suffered & set(each.rule.explains)}, key=lambda each: each
    )
    if explained:
        titles = listed(within_sentence(symptom(each).read_title) for each in explained)
        steps.append(Step(EXPLAINING, say("it would explain what is seen: {titles}", titles=titles)))
        speaks_for.append(say("It would explain: {titles}.", titles=titles))
    could = {title for each in [*undecided, *findings] for title in each.rule.explains}
    if LOST in suffered and LOST not in could:
        steps.append(
            Step(LOSS_LEFT, say("it would not explain: {title}", title=within_sentence(symptom(LOST).read_title)))
        )
    telling = [check for each in undecided for check in each.checks if is_telling(check)]
    speaks_for += [_said(check) for check in telling if check.fact not in _missed(silent)]
    rules = {each.rule.id for each in silent}
    open_rules = {each.rule.id for each in undecided} - rules
    if not findings and rules and len(rules) >= MOSTLY * (len(rules) + len(open_rules)):
        all_rules = len(rules) + len(open_rules)
        judged_rules = say("{count} of its {all} rules were judged, none holds", count=len(rules), all=all_rules)
        steps.append(Step(RULED_OUT, judged_rules))
    against = [_said(check) for check in _nearest(silent) if not _chooses_class(check)]
    for fact, values in symptom(name).excluded_by.items():
        if (value := view(fact)) in values:
            known = {"fact": fact_label(fact), "value": fact_value(value, fact)}
            steps.append(Step(EXCLUDED, say("it cannot be the cause with this {fact}: {value}", **known)))
            against.insert(0, say("It cannot be the cause with this {fact}: {value}.", **known))
    return name, tuple(steps), (_first(speaks_for), _first(against))


def _first(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(list(dict.fromkeys(lines))[:MOST_ARGUMENTS])


def _missed(silent: Sequence[Silent]) -> frozenset[str]:
    """The facts that keep a rule of the class from holding: a usual value is in the condition of another one only to
    separate the two.
    """
    return frozenset(check.fact for each in silent for check in each.checks if check.holds is False)


def _nearest(silent: Sequence[Silent]) -> Iterator[Check]:
    """The comparisons that keep rules from holding, of the nearest rules first."""
    missed = [(each.rule.id, [check for check in each.checks if check.holds is False]) for each in silent]
    for _, checks in sorted(missed, key=lambda each: (len(each[1]), _distance(each[1]), each[0])):
        yield from checks[:1]


def _distance(checks: Sequence[Check]) -> float:
    """Relative distance of measured values from their bounds; 1 when it is not defined."""
    shares = [
        abs(check.value - check.bound) / abs(check.bound)
        for check in checks
        if isinstance(check.value, (int, float)) and isinstance(check.bound, (int, float)) and check.bound
    ]
    return min(max(shares), 1.0) if shares else 1.0


def is_telling(check: Check) -> bool:
    """Whether a measured number reaches a bound above zero; a usual state or setting is weak evidence."""
    is_number = isinstance(check.value, (int, float)) and not isinstance(check.value, bool)
    return bool(check.holds) and check.op in (">", ">=") and is_number and bool(check.value)


def _chooses_class(check: Check) -> bool:
    """Whether it asks which class a catalogue gives a failure: that chooses among rules, and is no evidence."""
    return isinstance(check.bound, str) and check.bound in symptoms()


def _said(check: Check) -> str:
    """The comparison as a sentence: measured value and required value."""
    name = fact_label(check.fact)
    bound = bound_words(check.fact, check.op, check.bound, check.value).removeprefix("is ")
    fact, value = f"{name[0].upper()}{name[1:]}", fact_value(check.value, check.fact, beside=check.bound)
    return say("{fact}: {value}; a rule needs {bound}.", fact=fact, value=value, bound=bound)
