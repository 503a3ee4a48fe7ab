"""What to add when the evidence does not suffice, and the command that gets it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from diagnostics.rule import Rule
from diagnostics.signal import NotMeasured
from diagnostics.symptoms import symptom
from diagnostics.yaml_document import read_yaml

MOST_NEEDS = 5
"""How many things a user is asked for at once. Our choice."""


@dataclass(frozen=True, slots=True)
class Need:
    """A kind of evidence: what it is, what it would show, and how to get it. `{job}` is the job id."""

    what: str
    shows: str
    how: str


@cache
def needs() -> Mapping[str, Need]:
    """Every kind of evidence by id, from `vocabulary/evidence_kinds.yaml`."""
    text = (files("diagnostics.vocabulary") / "evidence_kinds.yaml").read_text("utf-8")
    return {name: Need(**entry) for name, entry in read_yaml(text, "evidence_kinds.yaml").content.items()}


@dataclass(frozen=True, slots=True)
class MissingEvidence:
    """One thing to add, in the contract's words."""

    what: str
    why: str
    how: str


def missing_evidence(
    not_measured: Iterable[NotMeasured], asking: Iterable[tuple[Rule, Iterable[str]]], job: str | None
) -> tuple[MissingEvidence, ...]:
    """What would settle the rules in `asking`, each with the facts that were unknown; the most wanted first."""
    needs_by_signal: dict[str, list[str]] = {}
    for each in not_measured:
        needs_by_signal.setdefault(each.key, []).append(each.needs)
    wanted: Counter[str] = Counter()
    titles: dict[str, list[str]] = {}
    for rule, facts in asking:
        keys = {fact.rpartition(".")[0] for fact in facts}
        for need in sorted({need for key in keys for need in needs_by_signal.get(key, ())}):
            wanted[need] += 1
            title = symptom(rule.symptom_class).title
            if title not in titles.setdefault(need, []):
                titles[need].append(title)
    ranked = sorted(wanted, key=lambda need: (-wanted[need], need))
    return tuple(_entry(need, titles[need], job) for need in ranked)[:MOST_NEEDS]


def _entry(need: str, titles: list[str], job: str | None) -> MissingEvidence:
    entry = needs()[need]
    decided = ", ".join(title.lower() for title in titles[:3])
    how = entry.how.replace("{job}", job or "<job>")
    return MissingEvidence(entry.what, f"Shows {entry.shows}; it would decide on {decided}.", how)
