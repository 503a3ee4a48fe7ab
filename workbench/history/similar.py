"""Finds cases with similar traits."""

from __future__ import annotations

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import Any

from django.db.models import Q
from django.utils import timezone

from diagnostics.diagnosis.fingerprint import fingerprint_parts
from diagnostics.language import in_reader_language
from diagnostics.rules.shipped import shipped_rules
from diagnostics.symptoms import HEALTHY, NO_CAUSE, symptom
from diagnostics.vocabulary.stored_words import in_reader_words
from workbench.accounts.models import User
from workbench.cases.models import Case, CaseTrait
from workbench.languages.sentences import say, say_later

MOST_SIMILAR = 5
LEAST_SIMILAR = 0.3
"""Below this, two cases share little more than a consequence or a version. Our choice."""
MOST_COMPARED = 2_000
"""The newest so many that share a class, job, operator, detail or finding are compared."""

WEIGHTS: Mapping[str, float] = {
    "class": 3,
    "detail": 3,
    "finding": 2,
    "job": 2,
    "operator": 2,
    "follows": 0.5,
    "flink": 0.25,
}
"""Weight of a shared trait: causes most, then their location; consequences and versions little. Our choice."""

NO_LIKENESS = {("class", each) for each in NO_CAUSE}
"""Traits that make no two cases alike: jobs without trouble, or without a known cause, share nothing by that."""

LEADING = [kind for kind, weight in WEIGHTS.items() if weight >= 2]

SETS: Mapping[str, float] = {"template": 2, "phase": 1}
"""Weight of a kind of evidence as a whole: templates of warnings and errors in the logs, and the longest phase of
checkpoints. The share of equal values counts, and only where both cases have any: a log that was not uploaded is no
difference. Our choice: as much as an operator, and half of it.
"""

WORDS = {
    "template": say_later("log message"),
    "phase": say_later("longest phase of checkpoints"),
    "class": say_later("verdict"),
    "detail": say_later("detail"),
    "finding": say_later("finding"),
    "job": say_later("job"),
    "operator": say_later("operator"),
    "follows": say_later("consequence"),
    "flink": "Flink",
    "rule": say_later("rule"),
    "resource": say_later("resource"),
    "exception class": say_later("class of the exception"),
    "frame": say_later("frame"),
}
"""Kind of a trait, or of a part of the fingerprint -> its word."""

RESOURCE = "out_of_memory.resource"
FACTS = {"phase": "checkpoint_phases.longest_phase", "resource": RESOURCE, "detail": RESOURCE}
"""Kind of a trait, or of a part of the fingerprint -> the fact whose words its values are."""

WEEKS = 52
DARKEST = 4
"""Weeks in which similar cases are counted, and the number of cases with the darkest shade. Our choice."""

Traits = frozenset[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class SimilarCase:
    """Another case and its comparison.

    share        0 to 1: the weights of shared traits over those of all traits, with those of SETS
    same         shared traits, as (kind in words, value), the highest weight first
    only_here    traits of the shown case only
    only_there   traits of the other one only
    is_incident  whether both have trouble, so that they may be one incident
    """

    case: Case
    share: float
    same: Sequence[tuple[str, str]]
    only_here: Sequence[tuple[str, str]]
    only_there: Sequence[tuple[str, str]]
    is_incident: bool


@dataclass(frozen=True, slots=True)
class Week:
    """The number of similar cases opened in seven days.

    shade  0 to 1, for drawing; a single case is clearly visible
    """

    first_day: dt.date
    cases: int

    @property
    def shade(self) -> float:
        return (min(self.cases, DARKEST) + 2) / (DARKEST + 2)


@dataclass(frozen=True, slots=True)
class SimilarCases:
    """The most similar cases, at most MOST_SIMILAR, and when all similar ones were opened.

    weeks  the last WEEKS ones, oldest first
    """

    cases: Sequence[SimilarCase]
    weeks: Sequence[Week]

    def __bool__(self) -> bool:
        return bool(self.cases)

    @property
    def counted(self) -> int:
        """Number of cases opened in these weeks."""
        return sum(week.cases for week in self.weeks)


def similar_cases(user: User, case: Case) -> SimilarCases:
    """The user's cases that are similar to this one; none while it has no diagnosis."""
    own: Traits = frozenset(case.traits.values_list("kind", "value")) - NO_LIKENESS
    leading = [(kind, [value for known, value in own if known == kind]) for kind in LEADING]
    alike = reduce(or_, (Q(kind=kind, value__in=values) for kind, values in leading if values), Q(pk__in=[]))
    visible = Case.objects.visible_to(user).filter(merged_into=None).exclude(pk=case.pk)
    sharing = CaseTrait.objects.filter(alike, case__in=visible).order_by("-case").values_list("case", flat=True)
    compared: dict[int, set[tuple[str, str]]] = defaultdict(set)
    opened: dict[int, dt.date] = {}
    traits = CaseTrait.objects.filter(case__in=sharing.distinct()[:MOST_COMPARED])
    for number, moment, kind, value in traits.values_list("case", "case__created_at", "kind", "value"):
        compared[number].update({(kind, value)} - NO_LIKENESS)
        opened[number] = moment.date()
    shares = {number: _share(own, frozenset(others)) for number, others in compared.items()}
    similar = [number for number in shares if shares[number] >= LEAST_SIMILAR]
    best = sorted(similar, key=lambda number: (-shares[number], -number))[:MOST_SIMILAR]
    rows = Case.objects.select_related("owner", "closed_by").in_bulk(best)
    is_ill = case.verdict_class != HEALTHY
    told = [_compared(rows[number], shares[number], own, frozenset(compared[number]), is_ill) for number in best]
    return SimilarCases(told, _weeks(opened[number] for number in similar) if told else ())


def _weeks(opened: Iterable[dt.date]) -> list[Week]:
    today = timezone.now().date()
    first = today - dt.timedelta(days=7 * WEEKS - 1)
    counts = Counter((day - first).days // 7 for day in opened if day >= first)
    return [Week(first + dt.timedelta(days=7 * place), counts[place]) for place in range(WEEKS)]


def _share(own: Traits, others: Traits) -> float:
    weight = sum(WEIGHTS.get(kind, 0) for kind, _ in own | others)
    same = sum(WEIGHTS.get(kind, 0) for kind, _ in own & others)
    for kind, whole in SETS.items():
        here, there = ({value for known, value in each if known == kind} for each in (own, others))
        if here and there:
            weight += whole
            same += whole * len(here & there) / len(here | there)
    return same / weight if weight else 0.0


def _compared(case: Case, share: float, own: Traits, others: Traits, is_ill: bool) -> SimilarCase:
    return SimilarCase(
        case,
        share,
        list(_trait_words(own & others, is_shared=True)),
        list(_trait_words(own - others)),
        list(_trait_words(others - own)),
        is_ill and case.verdict_class != HEALTHY,
    )


def fingerprint_words(document: Mapping[str, Any]) -> list[str]:
    """What the fingerprint of a diagnosis is made of, in the reader's language."""
    parts = fingerprint_parts(document)
    return [say("{what}: {value}", what=WORDS[what], value=_value_words(what, value)) for what, value in parts]


def _trait_words(traits: Traits, *, is_shared: bool = False) -> Iterator[tuple[str, str]]:
    """The traits in words, the weightiest kind first; templates only where both have them."""
    for kind, value in sorted(traits, key=lambda trait: (-WEIGHTS.get(trait[0], 0), trait)):
        if kind != "template" or is_shared:
            yield WORDS.get(kind, kind), _value_words(kind, value)


def _value_words(kind: str, value: str) -> str:
    if kind == "class":
        return symptom(value).read_title
    if kind in ("finding", "follows", "rule"):
        return next((in_reader_language(rule.title) for rule in shipped_rules() if rule.id == value), value)
    return str(in_reader_words(FACTS.get(kind, ""), value))
