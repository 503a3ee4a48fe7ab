"""The verdict of each job and of the case: a root cause, healthy, or inconclusive."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from diagnostics.diagnosis.causes import LEAST_EXPLAINING, independent_causes, order_causes, weight
from diagnostics.diagnosis.fact_view import SignalIndex
from diagnostics.diagnosis.finding import Finding, Reason
from diagnostics.diagnosis.health import Health, Trouble, health, trouble_in
from diagnostics.diagnosis.lasting_trouble import stop_of, unsaved_work_of
from diagnostics.diagnosis.looked_at import LookedAt, describe_quiet, evidence_of_most, is_blind, looked_at
from diagnostics.diagnosis.match import Matches, match
from diagnostics.diagnosis.missing import (
    Hypothesis,
    MissingEvidence,
    evidence_of_health,
    missing_evidence,
    named_evidence,
    nearness,
    needs,
    splitting_evidence,
)
from diagnostics.diagnosis.ranking import RankedCause, ranked_causes
from diagnostics.evidence.subject import Level, Subject
from diagnostics.language import joined_sentences, say
from diagnostics.rules.rule import Rule, Ruleset
from diagnostics.signals.signal import NotMeasured, Signal
from diagnostics.symptoms import HEALTHY, INCONCLUSIVE, UNEXPLAINED, symptom
from diagnostics.wording import phrase

METRICS = "metric-scrapes"
"""Metrics over time, by their id in evidence_kinds.yaml."""
OVER_TIME = "throughput"
"""The signal that is measured where metrics over time are given."""
LEAST_HEALTHY = 0.5
"""A healthy rule with less confidence does not make a job healthy. Our choice: more likely right than wrong."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """Symptom class, confidence and a sentence. `lead` is the finding it is based on."""

    symptom_class: str
    confidence: float
    summary: str
    lead: Finding | None


@dataclass(frozen=True, slots=True)
class JobVerdict:
    """The verdict of one job; job is None when the evidence names no job.

    looked_at   the places where its trouble would show, and whether each was measured
    hypotheses  for an inconclusive verdict: the possible causes, most probable first
    split       the evidence that distinguishes the first two of them
    missing     the evidence that would make the verdict surer, the most helpful first
    """

    job: str | None
    name: str | None
    verdict: Verdict
    findings: tuple[Finding, ...]
    health: Health
    looked_at: tuple[LookedAt, ...] = ()
    hypotheses: tuple[RankedCause, ...] = ()
    split: MissingEvidence | None = None
    missing: tuple[MissingEvidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The complete diagnosis of one analysis.

    worst      the job that the verdict of the case is about
    jobs       those that the evidence names, worst first
    findings   every finding once, in the order of the jobs
    """

    worst: JobVerdict
    jobs: tuple[JobVerdict, ...]
    findings: tuple[Finding, ...]
    matches: Matches
    ruleset: Ruleset


def diagnose(
    signals: Sequence[Signal], not_measured: Sequence[NotMeasured], levels: Mapping[str, Level], ruleset: Ruleset
) -> Diagnosis:
    """The diagnosis of the signals by the rules. Deterministic: same signals and rules, same diagnosis."""
    index = SignalIndex(signals, levels)
    return conclude(index, match(index, ruleset), not_measured, ruleset)


def conclude(index: SignalIndex, matches: Matches, not_measured: Sequence[NotMeasured], ruleset: Ruleset) -> Diagnosis:
    """The diagnosis that follows from what the rules matched."""
    not_measured = _absent_evidence(index, not_measured)
    problems = _by_job(each for each in matches.findings if symptom(each.symptom_class).kind != "verdict")
    fitness = _by_job(each for each in matches.findings if symptom(each.symptom_class).kind == "verdict")
    known: list[str | None] = [*sorted(index.jobs)] or [None]
    jobs = [_job_verdict(job, index, matches, problems, fitness) for job in known]
    jobs.sort(key=lambda each: (_from_the_worst(each), each.job or ""))
    jobs = [_with_missing(each, index, matches, not_measured) for each in jobs]
    return Diagnosis(
        worst=jobs[0],
        jobs=tuple(job for job in jobs if job.job is not None),
        findings=tuple(_distinct_findings(jobs)),
        matches=matches,
        ruleset=ruleset,
    )


def _with_missing(
    judged: JobVerdict, index: SignalIndex, matches: Matches, not_measured: Sequence[NotMeasured]
) -> JobVerdict:
    """The verdict of a job with the evidence to add for it."""
    missing = missing_evidence(
        not_measured,
        _hypotheses(judged, matches),
        judged.job,
        first=_asked_first(judged, not_measured),
        rest=_rest_address(index),
        system=_outside_system(index, judged.verdict.lead),
    )
    split = _split(judged, matches, not_measured, _rest_address(index))
    return replace(judged, split=split, missing=missing)


def _absent_evidence(index: SignalIndex, not_measured: Sequence[NotMeasured]) -> Sequence[NotMeasured]:
    """What was not measured for want of a file. Nobody is asked for metrics over time who gave some: a metric that is
    missing there is mostly one that the job does not have.
    """
    if not index.subjects("job", [OVER_TIME]):
        return not_measured
    return [each for each in not_measured if each.needs != METRICS]


def _split(
    judged: JobVerdict, matches: Matches, not_measured: Sequence[NotMeasured], rest: str | None
) -> MissingEvidence | None:
    named = [each.symptom_class for each in judged.hypotheses if each.symptom_class is not None]
    if len(named) < 2:
        return None
    if not _alarming(judged.findings) and (needed := evidence_of_most(judged.looked_at)):
        return evidence_of_health(needed, judged.job, rest)
    if wanted := _asked_by_symptoms(judged, not_measured):
        return named_evidence(min(wanted), named[0], named[1], job=judged.job, rest=rest)
    return splitting_evidence(
        not_measured,
        _hypotheses(judged, matches),
        named[0],
        named[1],
        job=judged.job,
        first=_asked_first(judged, not_measured),
        rest=rest,
    )


def _rest_address(index: SignalIndex) -> str | None:
    address = index.view(Subject(), "case")("rest_api.address")
    return address if isinstance(address, str) else None


def _outside_system(index: SignalIndex, lead: Finding | None) -> str | None:
    """The system that the threads of the leading finding's task wait for."""
    system = index.view(lead.subject, lead.rule.level)("blocking_calls.system") if lead else None
    return system if isinstance(system, str) else None


def _distinct_findings(jobs: Iterable[JobVerdict]) -> Iterator[Finding]:
    """The findings of all jobs; one without a job is listed with the first job that has it."""
    shown: set[tuple[str, Subject]] = set()
    for job in jobs:
        for each in job.findings:
            place = (each.rule.id, each.subject)
            if each.job is not None or place not in shown:
                yield each
            if each.job is None:
                shown.add(place)


def _by_job(findings: Iterable[Finding]) -> Mapping[str | None, list[Finding]]:
    grouped: dict[str | None, list[Finding]] = defaultdict(list)
    for each in findings:
        grouped[each.job].append(each)
    return grouped


def _job_verdict(
    job: str | None,
    index: SignalIndex,
    matches: Matches,
    problems: Mapping[str | None, list[Finding]],
    fitness: Mapping[str | None, list[Finding]],
) -> JobVerdict:
    own = problems.get(job, [])
    suffered = {each.symptom_class for each in own if symptom(each.symptom_class).kind == "consequence"}
    shared = problems.get(None, []) if job is not None else []
    touched = [each for each in shared if suffered & set(each.rule.explains)]
    everything = [*own, *(touched or shared)]
    fit = max(fitness.get(job, []), key=weight, default=None)
    errors = [each for each in everything if each.symptom_class == UNEXPLAINED]
    findings = order_causes(each for each in everything if each.symptom_class != UNEXPLAINED)
    trouble = [Trouble(each.title) for each in trouble_in(each for each in errors if each.severity == "critical")]
    lead = _lead(findings)
    is_explained = lead is not None and lead.confidence >= LEAST_EXPLAINING
    if errors and not is_explained and (trouble or not _is_fit(findings, fit)):
        findings, trouble = order_causes(everything), []
    findings = _as_sure_as_shown(findings)
    name, looked = index.jobs.get(job or ""), looked_at(index, job)
    verdict = _verdict(name, findings, fit, looked)
    trouble = [*stop_of(index, job, lead), *trouble_in(findings), *trouble, *unsaved_work_of(index, job, lead)]
    if verdict.symptom_class == INCONCLUSIVE and verdict.lead:
        trouble.append(Trouble(say("the cause of what is seen could not be judged"), verdict.lead))
    elif verdict.symptom_class == INCONCLUSIVE and is_blind(looked):
        trouble.append(Trouble(say("these files do not show whether the job is well")))
    ranked: tuple[RankedCause, ...] = ()
    if verdict.symptom_class == INCONCLUSIVE:
        ranked = ranked_causes(findings, matches, job, index.view(Subject(job=job), "job", reach_down=True))
    return JobVerdict(job, name, verdict, findings, health(findings, trouble), looked, ranked)


def _alarming(findings: Sequence[Finding]) -> list[Finding]:
    return [each for each in findings if each.severity != "info"]


def _lead(findings: Sequence[Finding]) -> Finding | None:
    return next((each for each in _alarming(findings) if each.role == "root_cause"), None)


def _is_fit(findings: Sequence[Finding], fit: Finding | None) -> bool:
    """Whether the findings show that a job works as intended."""
    return not _alarming(findings) and fit is not None and fit.confidence >= LEAST_HEALTHY


def _verdict(name: str | None, findings: Sequence[Finding], fit: Finding | None, looked: Sequence[LookedAt]) -> Verdict:
    alarming, lead = _alarming(findings), _lead(findings)
    prefix = say("{job}: ", job=name) if name else ""
    if lead and lead.confidence >= LEAST_EXPLAINING:
        return Verdict(lead.symptom_class, lead.confidence, prefix + _summary_of_lead(lead, findings), lead)
    if lead:
        guess = phrase.within_sentence(symptom(lead.symptom_class).read_title)
        text = say("The evidence does not suffice for a verdict; the best guess is {guess}.", guess=guess)
        worst = next((each.claim for each in alarming if each.symptom_class == UNEXPLAINED), "")
        said = joined_sentences((text, lead.statement, worst))
        return Verdict(INCONCLUSIVE, round(1 - lead.confidence, 3), prefix + said, lead)
    if alarming:
        text = joined_sentences((alarming[0].statement, say("The evidence does not show why.")))
        return Verdict(INCONCLUSIVE, 0.5, prefix + text, alarming[0])
    if fit and _is_fit(findings, fit):
        return Verdict(HEALTHY, fit.confidence, prefix + fit.statement, fit)
    warned = next((each.claim for each in findings if each.symptom_class == UNEXPLAINED), "")
    remark = next((each.statement for each in findings if each.first_step and each.symptom_class != UNEXPLAINED), "")
    text = joined_sentences((describe_quiet(looked, remark), warned))
    return Verdict(INCONCLUSIVE, round(1 - fit.confidence, 3) if fit else 0.5, prefix + text, None)


def _consequences(lead: Finding, findings: Sequence[Finding]) -> Iterator[Finding]:
    """What the lead explains."""
    for each in findings:
        if each.cause is not None and each.cause.rule.id == lead.rule.id and each.severity != "info":
            yield each


def _consequences_within(lead: Finding, findings: Sequence[Finding]) -> list[Finding]:
    """What the lead explains within its own class: it shows that class as well as the lead does."""
    return [each for each in _consequences(lead, findings) if each.symptom_class == lead.symptom_class]


def _as_sure_as_shown(findings: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings, the root cause as sure as the surest of what follows from it within its class.

    That shows the class as well as the root cause does, and the page has one number for both.
    """
    lead = _lead(findings)
    if lead is None or lead.confidence < LEAST_EXPLAINING:
        return tuple(findings)
    surest = max((lead, *_consequences_within(lead, findings)), key=lambda each: each.confidence)
    added = round(surest.confidence - lead.confidence, 3)
    because = say("what follows from it is that sure: {title}", title=phrase.within_sentence(surest.title))
    reasons = (*lead.reasons, Reason(added, because)) if added else lead.reasons
    raised = replace(lead, confidence=surest.confidence, reasons=reasons)
    return tuple(raised if each is lead else each for each in findings)


def _summary_of_lead(lead: Finding, findings: Sequence[Finding]) -> str:
    """The lead's claim, what it leads to within its class, and the titles of its other consequences."""
    same = _consequences_within(lead, findings)
    follows = dict.fromkeys(
        phrase.within_sentence(each.title) for each in _consequences(lead, findings) if each not in same
    )
    consequences = say("Consequences: {titles}.", titles=say("; ").join(follows)) if follows else ""
    claims = (lead.claim, *(each.claim for each in same))
    return joined_sentences((*claims, lead.over, *_further_causes(lead, findings), consequences))


def _further_causes(lead: Finding, findings: Sequence[Finding]) -> Iterator[str]:
    """A sentence per cause beside the lead, with the gain of each repair."""
    causes = independent_causes(findings)
    if len(causes) < 2:
        return
    yield from (say("A cause of its own beside it: {claim}", claim=each.claim) for each in causes if each is not lead)
    gains = [
        say(
            "{title} up to {share} of {quantity}",
            title=symptom(each.symptom_class).read_title,
            share=phrase.percent(each.gain.share),
            quantity=each.gain.of,
        )
        for each in causes
        if each.gain
    ]
    if gains:
        yield say("What a repair gives back: {gains}.", gains=say("; ").join(gains))


def _from_the_worst(job: JobVerdict) -> tuple[float, ...]:
    """The order of jobs: a cause, a symptom without one, too few files, health; each by score and weight."""
    verdict = job.verdict
    if verdict.symptom_class == HEALTHY:
        certainty = 0
    elif verdict.symptom_class == INCONCLUSIVE:
        certainty = 2 if verdict.lead else 1
    else:
        certainty = 3
    return -certainty, job.health.score, -weight(verdict.lead) if verdict.lead else 0.0


def _hypotheses(judged: JobVerdict, matches: Matches) -> Iterable[Hypothesis]:
    """Rules that more evidence could decide.

    A verdict asks for what would raise its confidence, and for its rivals; without a verdict every undecided rule asks,
    those first that would explain the symptoms. A mere remark on a consequence asks for nothing.
    """
    lead = judged.verdict.lead
    rivals = [each for each in judged.findings if each.role == "contributing" and each.severity != "info"]
    for finding in [lead, *rivals] if lead else rivals:
        yield Hypothesis(finding.rule, tuple(finding.rule.asked_facts()), 1.0 + weight(finding))
    if judged.verdict.symptom_class != INCONCLUSIVE:
        return
    for finding in judged.findings:
        if finding.role == "consequence":
            yield Hypothesis(finding.rule, tuple(finding.rule.asked_facts()), 1.0 + weight(finding))
    suffered = {each.symptom_class for each in judged.findings if each.severity != "info"}
    for undecided in matches.undecided:
        if undecided.job in (judged.job, None) and not _is_remark_on_consequence(undecided.rule):
            near = nearness(undecided.rule, undecided.checks, suffered)
            yield Hypothesis(undecided.rule, undecided.unknown, near)


def _asked_first(judged: JobVerdict, not_measured: Sequence[NotMeasured]) -> frozenset[str]:
    """Evidence to ask for before all other: logs of Flink's processes where a failure has no known reason, since they
    hold it and are usually still there; where nothing stands out, what shows whether a job is well.
    """
    if judged.verdict.symptom_class != INCONCLUSIVE:
        return frozenset()
    suffered = {each.symptom_class for each in judged.findings}
    if any(_is_fall(name) for name in suffered):
        return frozenset(name for name, need in needs().items() if need.reports_failures)
    if asked := _asked_by_symptoms(judged, not_measured):
        return asked
    if judged.verdict.lead is None and (needed := evidence_of_most(judged.looked_at)):
        return frozenset({needed})
    return frozenset()


def _asked_by_symptoms(judged: JobVerdict, not_measured: Sequence[NotMeasured]) -> frozenset[str]:
    """What the symptoms of a job without a verdict ask for, where no failure has an unknown reason."""
    serious = [each for each in judged.findings if each.severity != "info"]
    suffered = {each.symptom_class for each in serious or judged.findings}
    if judged.verdict.symptom_class != INCONCLUSIVE or any(_is_fall(name) for name in suffered):
        return frozenset()
    signals = {key for name in suffered for key in symptom(name).asks_for}
    return frozenset(each.needs for each in not_measured if each.key in signals)


def _is_fall(name: str) -> bool:
    return symptom(name).kind == "consequence" and symptom(name).dimension == "stability"


def _is_remark_on_consequence(rule: Rule) -> bool:
    return rule.severity == "info" and symptom(rule.symptom_class).kind == "consequence"
