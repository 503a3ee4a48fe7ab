"""Applies rules to signals: which hold, which do not, and which cannot be judged for lack of evidence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass

from diagnostics.citation import Citation
from diagnostics.diagnosis.confidence import confidence
from diagnostics.diagnosis.fact_view import FactView, SignalIndex
from diagnostics.diagnosis.finding import Began, Finding, Gain
from diagnostics.diagnosis.flink_version import within
from diagnostics.evidence.subject import FactValue, Subject
from diagnostics.language import in_reader_language, say
from diagnostics.reconstruction.configuration.stated_settings import SETTINGS as STATED
from diagnostics.rules.condition import ORDERED, Check, needed_facts
from diagnostics.rules.rule import Remark, Rule, Ruleset, Severity
from diagnostics.signals.signal import MOST_CITATIONS
from diagnostics.symptoms import symptom
from diagnostics.vocabulary.newest_releases import with_newest_release
from diagnostics.vocabulary.settings import Version, version_of
from diagnostics.wording import phrase
from diagnostics.wording.option_names import in_version

JUST_BELOW = 1e-9
"""By what a value is below a bound that it must not reach. Our choice: no bound of a rule is as small."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A rule that could not be judged for a subject, with the unknown facts."""

    rule: Rule
    subject: Subject
    job: str | None
    unknown: tuple[str, ...]
    checks: tuple[Check, ...]


@dataclass(frozen=True, slots=True)
class Silent:
    """A rule that was judged and does not hold.

    checks    all of its comparisons, with the margin to their bounds
    refuting  those of them that make it not hold
    is_near   whether it would hold without these: all else that it asks for is measured and there
    """

    rule: Rule
    subject: Subject
    job: str | None
    checks: tuple[Check, ...]
    refuting: tuple[Check, ...]
    is_near: bool


@dataclass(frozen=True, slots=True)
class Matches:
    """The outcome of all rules."""

    findings: tuple[Finding, ...]
    silent: tuple[Silent, ...]
    undecided: tuple[Undecided, ...]


def match(index: SignalIndex, ruleset: Ruleset) -> Matches:
    """Evaluates every rule for every subject of its level."""
    findings: list[Finding] = []
    silent: list[Silent] = []
    undecided: list[Undecided] = []
    for rule, keys in zip(ruleset.rules, ruleset.keys, strict=True):
        subjects = index.subjects(rule.level, keys)
        for view, holds in _judged(index, rule, subjects):
            job = index.job_of(view.subject)
            checks = tuple(rule.when.checks(view)) if not holds else ()
            if holds:
                findings.append(_finding(rule, view, job))
            elif holds is None:
                undecided.append(Undecided(rule, view.subject, job, _unknown(rule, view), checks))
            else:
                refuting = tuple(rule.when.refuting(view))
                silent.append(Silent(rule, view.subject, job, checks, refuting, _would_hold(rule, view, refuting)))
        if not subjects:
            undecided.append(Undecided(rule, Subject(), None, tuple(sorted(set(rule.when.facts()))), ()))
    return Matches(tuple(findings), tuple(silent), tuple(undecided))


def findings_of(index: SignalIndex, ruleset: Ruleset) -> tuple[Finding, ...]:
    """Only the findings, without sentences and evidence, in half the time: for judging many old cases."""
    return tuple(
        _bare(rule, view, index.job_of(view.subject))
        for rule, keys in zip(ruleset.rules, ruleset.keys, strict=True)
        for view, holds in _judged(index, rule, index.subjects(rule.level, keys))
        if holds
    )


def _judged(index: SignalIndex, rule: Rule, subjects: Sequence[Subject]) -> Iterator[tuple[FactView, bool | None]]:
    """Whether the rule holds, for each subject in a Flink version that the rule applies to."""
    for subject in subjects:
        view = index.view(subject, rule.level)
        if within(rule.flink, view("job_overview.flink_version")):
            yield view, rule.when.holds(view)


def _unknown(rule: Rule, view: FactView) -> tuple[str, ...]:
    return tuple(sorted({fact for fact in rule.when.facts() if view(fact) is None}))


def _would_hold(rule: Rule, view: FactView, refuting: Sequence[Check]) -> bool:
    """Whether the rule holds once the values that refute it are those of their bounds, or just below."""
    spared = {check.fact: check.bound - JUST_BELOW if check.op == "<" else check.bound for check in refuting}
    return rule.when.holds(lambda fact: spared[fact] if fact in spared else view(fact)) is True


def _finding(rule: Rule, view: FactView, job: str | None) -> Finding:
    share, reasons = confidence(rule, view)
    began, over = _course(rule, view)
    deciding, excluding = _deciding(rule, view)
    claim, *remarks = _sentences(rule, view)
    first_step, step_eases = _first_step(rule, view)
    return Finding(
        rule=rule,
        subject=view.subject,
        job=job,
        confidence=share,
        reasons=reasons,
        severity=_severity(rule, view),
        sentences=(claim, *over, *remarks),
        first_step=first_step,
        step_eases=step_eases,
        facts=_facts(rule, view),
        checks=(*deciding, *_supporting(rule, view, {each.fact for each in (*deciding, *excluding)}), *excluding),
        deciding=len(deciding),
        citations=_citations(rule, view, deciding),
        gain=_gain(rule, view),
        began=began,
    )


def _deciding(rule: Rule, view: FactView) -> tuple[Sequence[Check], Sequence[Check]]:
    """The comparisons that make the rule hold, each value once: with the bound of the first branch that holds; and
    those that only exclude another explanation.
    """
    found: dict[tuple[str, str], Check] = {}
    for each in rule.when.deciding(view):
        found.setdefault((each.fact, each.op.rstrip("=") if each.op in ORDERED else each.op), each)
    needed = set(needed_facts(rule.when))
    claims = [each for each in found.values() if each.fact in needed]
    return claims, [each for each in found.values() if each.fact not in needed]


def _supporting(rule: Rule, view: FactView, compared: Set[str]) -> Iterator[Check]:
    """What further speaks for the finding: the comparisons that decide its supports, each further fact once."""
    seen = set(compared)
    for support in rule.adjustments:
        if support.delta > 0 and support.when.holds(view):
            further = [each for each in support.when.deciding(view) if each.fact not in seen]
            seen.update(each.fact for each in further)
            yield from further


FIRST_LOOK_MS = 60_000
"""A job that is looked at within this time of its start was looked at from its start on: its tasks take a while to run,
and metrics are scraped now and then. Our choice."""
CHECKPOINTS = "checkpoint_"
"""Beginning of signals that begin with the first checkpoint, which is later than the start of the job."""
ONSETS = ("onset_ms", "first_ms", "lost_ms")
"""Facts of a signal that say when what it measures began: a change point, or the first of single events."""


def _course(rule: Rule, view: FactView) -> tuple[Began, Sequence[phrase.Sentence]]:
    """The onset that the rule names, else that of the first signal that it needs and that knows one; and, where the
    same signal shows that it is over, the sentence that says so.
    """
    keys = dict.fromkeys(fact.rpartition(".")[0] for fact in needed_facts(rule.when))
    for fact in [rule.onset] if rule.onset else [f"{key}.{name}" for key in keys for name in ONSETS]:
        ts_ms = view(fact)
        # Samples without a time stand at 0.
        if isinstance(ts_ms, (int, float)) and not isinstance(ts_ms, bool) and ts_ms > 0:
            signal = fact.rpartition(".")[0]
            at_start = view(f"{fact.removesuffix('_ms')}_at_start") is True
            started_ms = _job_started_ms(view, ts_ms) if at_start else None
            if started_ms is not None and signal.startswith(CHECKPOINTS):
                at_start, started_ms = False, None
            ended_ms = view(f"{signal}.ended_ms") if _can_be_over(rule, view) else None
            if not isinstance(ended_ms, (int, float)):
                return Began(round(ts_ms), at_start, job_started_ms=started_ms), ()
            over = phrase.fill_in_pieces(_over(None if at_start else fact, f"{signal}.ended_ms"), view)
            return Began(round(ts_ms), at_start, round(ended_ms), started_ms), (over,) if over else ()
    return Began(), ()


def _job_started_ms(view: FactView, first_look_ms: float) -> int | None:
    """When the job was started, if the first look at it came soon after."""
    started_ms = view("job_overview.started_ms")
    if isinstance(started_ms, bool) or not isinstance(started_ms, (int, float)):
        return None
    return round(started_ms) if 0 <= first_look_ms - started_ms <= FIRST_LOOK_MS else None


def _can_be_over(rule: Rule, view: FactView) -> bool:
    """Not where the cause remains without its effect, and not where the job ran no longer: nothing fails in that."""
    running = view("restarts.final_state") in (None, "RUNNING")
    return running and not rule.advice and not symptom(rule.symptom_class).stays


def _over(began: str | None, ended: str) -> str:
    """The template of the sentence that trouble is over; facts of its onset, where that is known, and of its end."""
    if began is None:
        return say("This lasted until {end} and has been over since.", end=f"{{{ended}|time}}")
    return say(
        "This lasted from {onset} to {end} and has been over since.", onset=f"{{{began}|time}}", end=f"{{{ended}|time}}"
    )


def _gain(rule: Rule, view: FactView) -> Gain | None:
    share = view(rule.repair.share) if rule.repair else None
    if rule.repair is None or isinstance(share, bool) or not isinstance(share, (int, float)):
        return None
    return Gain(round(min(max(float(share), 0.0), 1.0), 3), in_reader_language(rule.repair.of))


def _bare(rule: Rule, view: FactView, job: str | None) -> Finding:
    """A finding without sentences, values and evidence."""
    share, reasons = confidence(rule, view)
    severity = _severity(rule, view)
    return Finding(rule, view.subject, job, share, reasons, severity, ((phrase.Piece(rule.title),),), {}, (), ())


def _severity(rule: Rule, view: FactView) -> Severity:
    for condition, severity in rule.severity_when:
        if condition.holds(view):
            return severity
    return rule.severity


def _sentences(rule: Rule, view: FactView) -> tuple[phrase.Sentence, ...]:
    """What the rule claims, without the sentences after the first where the facts of one are not known, and remarks."""
    statement = in_version(in_reader_language(rule.statement), _version(view))
    first, *_ = phrase.split_sentences(statement)
    claim = phrase.fill_in_pieces(statement, view) or phrase.fill_in_pieces(first, view)
    title = phrase.Piece(say("{title}.", title=in_reader_language(rule.title)))
    return (claim or (title,), *_remarks(rule.also, view))


def _first_step(rule: Rule, view: FactView) -> tuple[str | None, bool]:
    """The first remark that holds, with the newest release of what it says to upgrade, where it names none; and whether
    it eases a consequence.
    """
    chosen = next(((said, each) for each in rule.first for said in _remarks([each], view)), None)
    if chosen is None:
        return None, False
    said, remark = chosen
    version = _version(view)
    flink = f"{version[0]}.{version[1]}" if version else None
    return with_newest_release(phrase.sentence_text(said), flink, _program(rule, view)), remark.eases


def _program(rule: Rule, view: FactView) -> str | None:
    """The program in whose code it failed: as the signals of the rule state, else that of the only kind of failure."""
    signals = dict.fromkeys(fact.rpartition(".")[0] for fact in rule.when.facts())
    stated = [view(f"{each}.program") for each in signals] + [view("exceptions.first_program")]
    return next((each for each in stated if isinstance(each, str)), None)


def _remarks(remarks: Sequence[Remark], view: FactView) -> Iterator[phrase.Sentence]:
    version = _version(view)
    for remark in remarks:
        if remark.when is None or remark.when.holds(view):
            said = phrase.fill_in_pieces(in_version(in_reader_language(remark.say), version), view)
            if said:
                yield said


def _version(view: FactView) -> Version | None:
    seen = view("job_overview.flink_version")
    return version_of(seen if isinstance(seen, str) else None)


def _facts(rule: Rule, view: FactView) -> dict[str, FactValue]:
    """The known values by the names of their facts. Of two signals with a fact of one name the one that the rule names
    first counts.
    """
    facts: dict[str, FactValue] = {}
    for reference in (*rule.facts, *rule.when.facts()):
        value = view(reference)
        if value is not None:
            facts.setdefault(reference.rpartition(".")[2], value)
    return facts


def _spoken(rule: Rule, view: FactView) -> Sequence[str]:
    """The signals of a rule, those of its condition first; not those of remarks that are not made, nor those that only
    a counter-indication asks for: they show nothing of what holds.
    """
    references = list(needed_facts(rule.when))
    made = [remark.say for remark in rule.also if remark.when is None or remark.when.holds(view)]
    for template in (rule.statement, *made):
        references += [reference for reference, _ in phrase.placeholders(template)]
    references += list(rule.facts)
    return list(dict.fromkeys(reference.rpartition(".")[0] for reference in references))


SETTINGS = ("settings", "settings_check")
"""Signals that state what is configured; the last evidence of whatever else decided."""
OPTIONS_OF_FACT = {f"settings.{each.fact}": each.keys for each in STATED}
"""A fact -> the options that state it."""


def _citations(rule: Rule, view: FactView, deciding: Sequence[Check]) -> tuple[Citation, ...]:
    """The citations of the rule's signals in rotation, so that the most important of each signal are among them.

    Those of the signals that made the rule hold come first; of what is configured those of the options that did, and
    the other options last.
    """
    needed = set(needed_facts(rule.when))
    decided = {check.fact.rpartition(".")[0] for check in deciding if check.fact in needed}
    options = {option for check in deciding for option in OPTIONS_OF_FACT.get(check.fact, ())}
    keys = [key for key in _spoken(rule, view) if key in view.signals]
    piles = {key: list(view.signals[key].citations) for key in keys}
    mixed: dict[Citation, int] = {}
    depth = max(map(len, piles.values()), default=0)
    for rank in range(depth):
        for key, pile in piles.items():
            if rank < len(pile):
                told = pile[rank]
                if key == "settings":
                    place = 0 if told.name in options else 2
                else:
                    place = 0 if key in decided else 2 if key in SETTINGS else 1
                mixed[told] = min(place, mixed.get(told, place))
    chosen = list(mixed)[: 2 * MOST_CITATIONS]
    return tuple(sorted(chosen, key=lambda each: mixed[each]))
