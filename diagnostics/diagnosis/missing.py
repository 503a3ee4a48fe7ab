"""Evidence to add when the verdict is not certain, and the command that collects it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from diagnostics.diagnosis.ranking import RankedCause
from diagnostics.language import in_reader_language, say
from diagnostics.rules.condition import Check
from diagnostics.rules.rule import Rule
from diagnostics.signals.signal import NotMeasured
from diagnostics.symptoms import symptom
from diagnostics.wording import phrase
from diagnostics.yaml_document import read_yaml, with_translations

REST = "http://<jobmanager>:8081"
"""The address in commands when it is unknown: Flink's default REST port (`rest.port`)."""

MOST_NEEDS = 5
"""How many kinds of evidence a user is asked for at once. Our choice."""

LOGS_FIRST = 10.0
"""Extra weight of a log of Flink's processes after a failure: it holds the failure, and is usually still available. Our
choice, above every nearness.
"""


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
    text = (files("diagnostics.vocabulary") / "evidence_kinds.yaml").read_text("utf-8")
    entries = read_yaml(text, "evidence_kinds.yaml").content
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
    """How close an undecided rule is to being the cause: 1, plus 2 times the share of its checks that hold already,
    plus 3 when it would explain a consequence. Our choice: what explains the symptoms comes first.
    """
    holding = sum(check.holds is True for check in checks) / len(checks) if checks else 0.0
    return 1.0 + 2.0 * holding + (3.0 if suffered & set(rule.explains) else 0.0)


def missing_evidence(
    not_measured: Iterable[NotMeasured],
    hypotheses: Iterable[Hypothesis],
    job: str | None,
    *,
    failed: bool = False,
    rest: str | None = None,
    system: str | None = None,
) -> tuple[MissingEvidence, ...]:
    """The evidence that would decide the hypotheses, the file for the nearest ones first; classes are distinguished.

    failed  whether a process or the job failed for an unknown reason
    rest    address of the REST API, if known
    system  the outside system that the threads wait for, if known
    """
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
    first = {need for need in wanted if failed and needs()[need].reports_failures}
    ranked = sorted(
        wanted,
        key=lambda need: (
            -max(wanted[need].values()) - LOGS_FIRST * (need in first),
            -sum(wanted[need].values()),
            need,
        ),
    )
    return tuple(_entry(need, wanted[need], collect_command(job, rest)) for need in ranked[:MOST_NEEDS])


def splitting_evidence(
    not_measured: Iterable[NotMeasured], first: RankedCause, second: RankedCause, *, job: str | None, rest: str | None
) -> MissingEvidence | None:
    """The kind of evidence that distinguishes two causes: the one that decides most of their unknown facts.

    None when no known kind of evidence would.
    """
    needs_by_signal: dict[str, set[str]] = {}
    for each in not_measured:
        needs_by_signal.setdefault(each.key, set()).add(each.needs)
    decided: dict[str, dict[str, int]] = {}
    for cause in (first, second):
        for fact in cause.unknown:
            for need in needs_by_signal.get(fact.rpartition(".")[0], ()):
                of_need = decided.setdefault(need, {})
                of_need[str(cause.symptom_class)] = of_need.get(str(cause.symptom_class), 0) + 1
    if not decided:
        return None
    best = min(decided, key=lambda need: (-len(decided[need]), -sum(decided[need].values()), need))
    weights = {str(first.symptom_class): 2.0, str(second.symptom_class): 1.0}
    return _entry(best, weights, collect_command(job, rest))


def _entry(need: str, classes: Mapping[str, float], collect: str) -> MissingEvidence:
    entry = needs()[need]
    how = in_reader_language(entry.how).replace("{collect}", collect)
    nearest = sorted(classes, key=lambda name: (-classes[name], name))
    causes = [symptom(name).title_within_sentence for name in nearest if symptom(name).kind != "consequence"]
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
    return phrase.fill_code(template, {"rest": rest, "job": job}.get, {"rest": REST})
