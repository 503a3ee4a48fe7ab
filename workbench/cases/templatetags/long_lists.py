"""Long lists of short rows, rendered in Python: a template takes ten times as long per row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from django import template
from django.contrib.humanize.templatetags.humanize import intcomma
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.wording.bound import bound_words
from diagnostics.wording.fact import fact_value
from workbench.cases.templatetags.diagnosis import icon
from workbench.languages.sentences import say, say_counted
from workbench.languages.templatetags.reading import gap

register = template.Library()

MOST_CHECKS = 2
"""Conditions shown of a rule that does not hold. Our choice."""

MOST_UNKNOWN = 3
"""Missing facts shown of a rule. Our choice."""

CHECK_ROW = (
    '<tr><td>{}</td><td><span class="muted">{}</span> <span class="value">{}</span></td>'
    '<td class="bound">{}</td></tr>\n'
)

COVERED_ROW = '<li>{} <span class="muted">{}</span>{}<a href="#finding-{}">{}</a></li>\n'

FACET_VALUE = (
    '<li><a class="facet{}" href="{}"{}><span class="box">{}</span><span class="name">{}</span>'
    '<span class="count">{}</span></a></li>\n'
)
CHOSEN = (" chosen", SafeString(' aria-current="true"'), "check")
"""Class, attribute and icon of a value that is chosen."""


class FacetValue(Protocol):
    """A value of a facet beside the list, as in `workbench.case_pages.facets`."""

    @property
    def label(self) -> str: ...
    @property
    def count(self) -> int: ...
    @property
    def is_chosen(self) -> bool: ...
    @property
    def query(self) -> str: ...


class Week(Protocol):
    """A week, as in `workbench.history.similar`."""

    @property
    def first_day(self) -> object: ...
    @property
    def cases(self) -> int: ...
    @property
    def shade(self) -> float: ...


@register.simple_tag
def facet_values(values: Iterable[FacetValue], address: str) -> SafeString:
    """List items of the values, each a link that selects or deselects it."""
    return format_html_join("", FACET_VALUE, (_facet_cells(each, address) for each in values))


def _facet_cells(value: FacetValue, address: str) -> tuple[str, str, str, str, str, str]:
    chosen, current, tick = CHOSEN if value.is_chosen else ("", "", "")
    href = f"{address}?{value.query}" if value.query else address
    return chosen, href, current, icon(tick) if tick else "", value.label, intcomma(value.count)


@register.simple_tag
def silent_rows(silent: Iterable[Mapping[str, Any]]) -> SafeString:
    """Table rows of rules that do not hold, with measured and required values."""
    return format_html_join("", CHECK_ROW, _silent_cells(silent))


def _silent_cells(silent: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, str, str]]:
    for rule in silent:
        title = _title_with_subject(rule)
        for check in _distinct_checks(rule["checks"])[:MOST_CHECKS]:
            fact, value = check["fact"], check["value"]
            words = bound_words(fact, str(check["op"]), check["bound"], value)
            yield title, fact_label(fact), fact_value(value, fact, beside=check["bound"]), words
            title = ""


def _title_with_subject(rule: Mapping[str, Any]) -> str:
    """The title of a rule with its subject where that is to be named, else with how many it has."""
    others, where = rule["subjects"] - 1, rule["where"]
    if where and others:
        words = say_counted("({where} and {count} other)", "({where} and {count} others)", others, where=where)
    elif where:
        words = say("({where})", where=where)
    elif others:
        words = say("({count} subjects)", count=rule["subjects"])
    else:
        return str(rule["title"])
    return format_html('{}{}<span class="muted">{}</span>', rule["title"], gap(), words)


def _distinct_checks(checks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """A rule may compare the same fact with the same bound in two of its parts."""
    shown = [(each["fact"], each["op"], each["bound"]) for each in checks]
    return [each for place, each in enumerate(checks) if shown[place] not in shown[:place]]


@register.simple_tag
def covered_rows(covered: Iterable[Mapping[str, Any]]) -> SafeString:
    """List items of rules that yield to a finding, with a link to it."""
    rows = (
        (_title_with_subject(rule), say("covered by"), gap(), rule["by"]["position"], rule["by"]["title"])
        for rule in covered
    )
    return format_html_join("", COVERED_ROW, rows)


@register.simple_tag
def undecided_rows(undecided: Iterable[Mapping[str, Any]]) -> SafeString:
    """List items of rules that could not be judged, with the facts that they need."""
    rows = ((_title_with_subject(rule), say("needs {facts}", facts=_labels(rule["unknown"]))) for rule in undecided)
    return format_html_join("", '<li>{} <span class="muted">{}</span></li>\n', rows)


def _labels(facts: Sequence[str]) -> str:
    return say("; ").join(map(fact_label, facts[:MOST_UNKNOWN]))


@register.simple_tag
def weeks_drawn(weeks: Sequence[Week]) -> SafeString:
    """A bar per week, darker for more opened cases."""
    return format_html_join(
        "",
        '<rect x="{}.06" width=".88" height="1"{}><title>{}</title></rect>',
        (
            (place, _shade(week), say("Week from {day}: {cases}", day=week.first_day, cases=week.cases))
            for place, week in enumerate(weeks)
        ),
    )


def _shade(week: Week) -> str:
    return format_html(' class="some" fill-opacity="{}"', f"{week.shade:.2f}") if week.cases else ""
