"""The facets beside the list: their values, the number of cases per value, and the address that selects it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.db.models import Count
from django.http import QueryDict

from diagnostics.symptoms import symptom
from workbench.cases.job_verdicts import JobVerdict, causes_of
from workbench.cases.models import CaseQuerySet, CaseStatus
from workbench.cases.selectors import FILTERS, values_asked
from workbench.cases.words import severity_word
from workbench.languages.sentences import say_later

VALUES_SHOWN = 6
"""Values shown at first; the others are expanded. Our choice."""

SEVERITIES = ("critical", "warning", "info")


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value.

    count  cases that match it and the selection in the other facets
    query  the query string that selects or deselects it
    """

    value: str
    label: str
    count: int
    is_chosen: bool
    query: str


@dataclass(frozen=True, slots=True)
class Facet:
    """A column of the list with the values that occur."""

    name: str
    title: str
    values: Sequence[FacetValue]

    @property
    def first(self) -> Sequence[FacetValue]:
        """The selected values, and the most frequent others."""
        return [each for place, each in enumerate(self.values) if each.is_chosen or place < VALUES_SHOWN]

    @property
    def more(self) -> Sequence[FacetValue]:
        return [each for place, each in enumerate(self.values) if not each.is_chosen and place >= VALUES_SHOWN]


def _title_of_class(value: str) -> str:
    return symptom(value).read_title


FACETS: Mapping[str, tuple[str, Callable[[str], str]]] = {
    "status": (say_later("Status"), lambda value: CaseStatus(value).label if value in CaseStatus else value),
    "symptom_class": (say_later("Verdict"), _title_of_class),
    "severity": (say_later("Severity"), severity_word),
    "job_name": (say_later("Job"), str),
    "owner": (say_later("Owner"), str),
    "confirmed_class": (say_later("Confirmed cause"), _title_of_class),
    "flink_version": ("Flink", str),
}
"""Query parameter -> title, and how a value is printed."""

ORDERED: Mapping[str, Sequence[str]] = {"status": [*CaseStatus.values], "severity": SEVERITIES}
"""Facets whose values have an order of their own; the others are ordered by count."""

OTHER_COLUMNS = {"job_name": "job_names", "symptom_class": "verdict_class"}
"""Facets that are more than one column, and the column that they begin with."""

Row = tuple[Mapping[str, Sequence[str]], int]
"""The values of some cases by facet, and the number of cases with exactly these."""


def facets(considered: CaseQuerySet, asked: QueryDict) -> list[Facet]:
    """All facets of `cases_considered`, counted in one query.

    A facet's own selection does not lower its counts, because its values are alternatives.
    """
    given: Mapping[str, Sequence[str]] = dict(asked.lists())
    chosen = {name: set(values_asked(given, name)) for name in FACETS}
    counts = _counts(_counted(considered), chosen)
    return [_facet(name, counts[name], chosen[name], asked) for name in FACETS]


def _counts(rows: Iterable[Row], chosen: Mapping[str, set[str]]) -> Mapping[str, Counter[str]]:
    """The cases of each value of each facet, among those that fit the selection in all other facets."""
    counts: Mapping[str, Counter[str]] = {name: Counter() for name in FACETS}
    selections = [(name, values) for name, values in chosen.items() if values]
    for values, cases in rows:
        unfit = [name for name, selected in selections if selected.isdisjoint(values[name])]
        for name in FACETS if not unfit else unfit if len(unfit) == 1 else ():
            counted = counts[name]
            for value in values[name]:
                counted[value] += cases
    return counts


def _counted(considered: CaseQuerySet) -> list[Row]:
    columns = {name: FILTERS.get(name) or OTHER_COLUMNS[name] for name in FACETS}
    several = "several_verdicts"
    rows = considered.order_by().with_verdicts_of_several().values(*columns.values(), several)
    return [
        ({name: _values(name, row[column], row[several] or ()) for name, column in columns.items()}, row["cases"])
        for row in rows.annotate(cases=Count("pk"))
    ]


def _values(name: str, stored: Any, several: Sequence[JobVerdict]) -> Sequence[str]:
    """The values of a row: the names of its jobs, its verdict with the causes of its other jobs, or what is stored."""
    if not stored:
        return ()
    if name == "symptom_class":
        return tuple(dict.fromkeys([str(stored), *causes_of(several)]))
    return tuple(dict.fromkeys(str(stored).splitlines())) if name == "job_name" else (str(stored),)


def _facet(name: str, counts: Counter[str], chosen: set[str], asked: QueryDict) -> Facet:
    title, label = FACETS[name]
    for value in chosen:
        counts.setdefault(value, 0)
    order = ORDERED.get(name)
    kept = {key: values for key, values in asked.lists() if key != "page"}

    def place(value: str) -> tuple[int, int, str]:
        known = order.index(value) if order and value in order else len(order or ())
        return known, -counts[value], value

    return Facet(
        name,
        title,
        [
            FacetValue(value, label(value), counts[value], value in chosen, _toggled(kept, name, value))
            for value in sorted(counts, key=place)
        ],
    )


def _toggled(kept: Mapping[str, Sequence[str]], name: str, value: str) -> str:
    """The query string with the value selected or deselected, on the first page."""
    values = kept.get(name, ())
    chosen = [each for each in values if each != value] if value in values else [*values, value]
    return urlencode({**kept, name: chosen}, doseq=True)
