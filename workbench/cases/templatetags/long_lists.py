"""Long lists of short rows, rendered in Python: a template takes ten times as long per row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from diagnostics.diagnosis.fact_label import fact_label
from diagnostics.wording.bound import bound_words
from diagnostics.wording.fact import fact_value

register = template.Library()

MOST_CHECKS = 2
"""Conditions shown of a rule that does not hold. Our choice."""

MOST_UNKNOWN = 3
"""Missing facts shown of a rule. Our choice."""

CHECK_ROW = (
    '<tr><td>{}</td><td><span class="muted">{}</span> <span class="value">{}</span></td>'
    '<td class="bound">{}</td></tr>\n'
)


class Week(Protocol):
    """A week, as in `workbench.history.similar`."""

    @property
    def first_day(self) -> object: ...
    @property
    def cases(self) -> int: ...
    @property
    def shade(self) -> float: ...


@register.simple_tag
def silent_rows(silent: Iterable[Mapping[str, Any]]) -> SafeString:
    """Table rows of rules that do not hold, with measured and required values."""
    return format_html_join("", CHECK_ROW, _silent_cells(silent))


def _silent_cells(silent: Iterable[Mapping[str, Any]]) -> Iterator[tuple[str, str, str, str]]:
    for rule in silent:
        title = rule["title"]
        if rule["subjects"] > 1:
            title = format_html('{} <span class="muted">({} subjects)</span>', title, rule["subjects"])
        for check in rule["checks"][:MOST_CHECKS]:
            fact, value = check["fact"], check["value"]
            words = bound_words(fact, str(check["op"]), check["bound"])
            yield title, fact_label(fact), fact_value(value, fact), words
            title = ""


@register.simple_tag
def undecided_rows(undecided: Iterable[Mapping[str, Any]]) -> SafeString:
    """List items of rules that could not be judged, with the facts that they need."""
    rows = ((rule["title"], ", ".join(map(fact_label, rule["unknown"][:MOST_UNKNOWN]))) for rule in undecided)
    return format_html_join("", '<li>{} <span class="muted">needs {}</span></li>\n', rows)


@register.simple_tag
def weeks_drawn(weeks: Sequence[Week]) -> SafeString:
    """A bar per week, darker for more opened cases."""
    return format_html_join(
        "",
        '<rect x="{}.06" width=".88" height="1"{}><title>Week from {}: {}</title></rect>',
        ((place, _shade(week), week.first_day, week.cases) for place, week in enumerate(weeks)),
    )


def _shade(week: Week) -> str:
    return format_html(' class="some" fill-opacity="{}"', f"{week.shade:.2f}") if week.cases else ""
