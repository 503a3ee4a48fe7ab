"""Evidence to add when the verdict is not certain, and the command that collects it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache

from diagnostics.diagnosis.ranking import is_telling
from diagnostics.language import in_reader_language, say
from diagnostics.rules.condition import Check
from diagnostics.rules.rule import Rule
from diagnostics.signals.signal import NotMeasured
from diagnostics.symptoms import symptom
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.wording.code import fill_code
from diagnostics.wording.phrase import within_sentence
from diagnostics.yaml_document import with_translations

REST = "http://<jobmanager>:8081"
"""The address in commands when it is unknown: Flink's default REST port (`rest.port`)."""

MOST_NEEDS = 5
"""How many kinds of evidence a user is asked for at once. Our choice."""


@dataclass(frozen=True, slots=True)
class Need:
    """A kind of evidence: what it is, what it would show, and how to get it.

    `{collect}` in `how` becomes the collector's command for the job.

    reports_failures  whether it shows why a process or a task failed
    systems           the outside systems that have it, empty where it is not about one
    """

    what: str
    shows: str
    how: str
    reports_failures: bool = False
    systems: tuple[str, ...] = ()


@cache
def needs() -> Mapping[str, Need]:
    """Every kind of evidence by id, from `vocabulary/evidence_kinds.yaml`."""
    entries = catalogue("evidence_kinds.yaml")
    return {
        name: Need(
            with_translations(entry["what"], entry, "what"),
            with_translations(entry["shows"], entry, "shows"),
            with_translations(entry["how"], entry, "how"),
            entry.get("reports_failures", False),
            tuple(entry.get("systems", ())),
        )
        for name, entry in entries.items()
    }


@dataclass(frozen=True, slots=True)
class MissingEvidence:
    """One kind of evidence to add, in the contract's words."""

    what: str
    why: str
    how: str


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A rule that more evidence could decide.

    facts   the unknown facts
    weight  how close it is to being the cause; see `nearness`
    """

    rule: Rule
    facts: tuple[str, ...]
    weight: float


def nearness(rule: Rule, checks: Sequence[Check], suffered: AbstractSet[str]) -> float:
    """How close an undecided rule is to being the cause: 1, plus 2 times the share of its checks that hold already and
    show something, plus 3 when it would explain a consequence. Our choice: what explains the symptoms comes first, and
    what every job shows, as that it restarted rarely, brings no rule nearer.
    """
    holding = sum(map(is_telling, checks)) / len(checks) if checks else 0.0
    return 1.0 + 2.0 * holding + (3.0 if suffered & set(rule.explains) else 0.0)


def missing_evidence(
    not_measured: Iterable[NotMeasured],
    hypotheses: Iterable[Hypothesis],
    job: str | None,
    *,
    first: AbstractSet[str] = frozenset(),
    rest: str | None = None,
    system: str | None = None,
) -> tuple[MissingEvidence, ...]:
    """The evidence that would decide the hypotheses, the file for the nearest ones first; classes are distinguished.

    first   the kinds of evidence to ask for before all others
    rest    address of the REST API, if known
    system  the outside system that the threads wait for, if known
    """
    wanted = _wanted(not_measured, hypotheses, system)
    ranked = sorted(
        wanted,
        key=lambda need: (
            need not in first,
            -max(wanted[need].values()),
            -sum(wanted[need].values()),
            need,
        ),
    )
    return tuple(_entry(need, wanted[need], collect_command(job, rest)) for need in ranked[:MOST_NEEDS])


def splitting_evidence(
    not_measured: Iterable[NotMeasured],
    hypotheses: Iterable[Hypothesis],
    one: str,
    other: str,
    *,
    job: str | None,
    first: AbstractSet[str] = frozenset(),
    rest: str | None = None,
) -> MissingEvidence | None:
    """The kind of evidence that distinguishes two causes; None when no known kind would.

    It is one of `first`, the kinds of evidence to ask for before all others, whatever it decides on. Else it is what
    would decide on both, and of these what their nearest rules need; logs of processes and jobs in which nothing failed
    come last.
    """
    hypotheses = tuple(hypotheses)
    decisive = first & _wanted(not_measured, hypotheses).keys()
    wanted = _wanted(not_measured, [each for each in hypotheses if each.rule.symptom_class in (one, other)])
    if decisive and not first & wanted.keys():
        return named_evidence(min(decisive), one, other, job=job, rest=rest)
    if not wanted:
        return None
    best = min(
        wanted,
        key=lambda need: (
            need not in first,
            needs()[need].reports_failures,
            -len(wanted[need]),
            -sum(wanted[need].values()),
            need,
        ),
    )
    return _entry(best, {one: 2.0, other: 1.0}, collect_command(job, rest))


def named_evidence(need: str, one: str, other: str, *, job: str | None, rest: str | None = None) -> MissingEvidence:
    """A kind of evidence that the symptoms themselves ask for, and the two causes that it separates."""
    return _entry(need, {one: 2.0, other: 1.0}, collect_command(job, rest))


def evidence_of_health(need: str, job: str | None, rest: str | None) -> MissingEvidence:
    """The kind of evidence without which nobody can say that a job in which nothing stands out is well."""
    entry = needs()[need]
    how = in_reader_language(entry.how).replace("{collect}", collect_command(job, rest))
    why = say("Shows {what}; without it nobody can say whether the job is well.", what=in_reader_language(entry.shows))
    return MissingEvidence(in_reader_language(entry.what), why, how)


def _wanted(
    not_measured: Iterable[NotMeasured], hypotheses: Iterable[Hypothesis], system: str | None = None
) -> dict[str, dict[str, float]]:
    """Kind of evidence -> the classes that it would decide on, each with the weight of its nearest rule."""
    needs_by_signal: dict[str, list[str]] = {}
    for each in not_measured:
        needs_by_signal.setdefault(each.key, []).append(each.needs)
    wanted: dict[str, dict[str, float]] = {}
    for hypothesis in hypotheses:
        keys = {fact.rpartition(".")[0] for fact in hypothesis.facts}
        for need in {need for key in keys for need in needs_by_signal.get(key, ())}:
            if system is not None and needs()[need].systems and system not in needs()[need].systems:
                continue
            classes = wanted.setdefault(need, {})
            name = hypothesis.rule.symptom_class
            classes[name] = max(classes.get(name, 0.0), hypothesis.weight)
    return wanted


def _entry(need: str, classes: Mapping[str, float], collect: str) -> MissingEvidence:
    entry = needs()[need]
    how = in_reader_language(entry.how).replace("{collect}", collect)
    nearest = sorted(classes, key=lambda name: (-classes[name], name))
    causes = [within_sentence(symptom(name).read_title) for name in nearest if symptom(name).kind != "consequence"]
    what, shows = in_reader_language(entry.what), in_reader_language(entry.shows)
    if not causes:
        return MissingEvidence(what, say("Shows {what}.", what=shows), how)
    if causes[1:]:
        why = say("Shows {what}; it would tell {one} from {other}.", what=shows, one=causes[0], other=causes[1])
    else:
        why = say("Shows {what}; it would decide on {cause}.", what=shows, cause=causes[0])
    return MissingEvidence(what, why, how)


def collect_command(job: str | None, rest: str | None = None) -> str:
    """The command line of `diagnostics/collect_flink.py` for one job, or for all."""
    template = "python3 collect_flink.py --rest {rest}" + (" --job {job}" if job else "")
    return fill_code(template, {"rest": rest, "job": job}.get, {"rest": REST})
