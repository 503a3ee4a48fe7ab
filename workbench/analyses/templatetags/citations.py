"""Cited lines and their addresses, rendered in Python: a page has a hundred of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import quote

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from diagnostics.rules.condition import Check
from diagnostics.wording.cited_text import read_cited_text
from diagnostics.wording.fact import fact_value
from workbench.analyses.measured import ValueSource
from workbench.analyses.models import Citation
from workbench.cases.templatetags.diagnosis import first_lines, short_path, stamp
from workbench.languages.sentences import say, say_later
from workbench.languages.templatetags.reading import english_mark

register = template.Library()

KINDS = {
    "log": say_later("log"),
    "metric": say_later("metric"),
    "rest": say_later("REST"),
    "frame": say_later("frame"),
    "config": say_later("configuration"),
    "event": say_later("event"),
    "gc": say_later("GC"),
    "thread": say_later("thread"),
}
"""Kind of a cited line -> its word."""

LONGEST_WHOLE = 25
"""From this many characters on a value may be broken: a number stays beside its unit, a long name finds its room."""

Sources = Mapping[str, ValueSource]
UNKNOWN: Sources = {}

ROW = (
    '<li>{}<span class="place"><span class="path" title="{}">{}{}</span>{}{}<span>{}</span></span>\n'
    '<span class="text" translate="no"{}>{}</span>{}</li>\n'
)


@register.simple_tag(takes_context=True)
def citation_address(context: template.Context, citation: Citation) -> str:
    """The record on the page `log_page` of the diagnosis `diagnosed`, both of the context, or the place in the file."""
    if citation.kind == "log" and citation.line:
        at = f"{quote(citation.path, safe='/!')}:{citation.line}"
        return f"{context['log_page']}?snapshot={context['diagnosed'].snapshot}&at={at}"
    if citation.pointer:  # an answer of REST is one line: its value is shown apart
        return f"{citation.get_absolute_url()}#value"
    return f"{citation.get_absolute_url()}#L{1 if citation.line is None else citation.line}"


@register.simple_tag(takes_context=True)
def linked_value(context: template.Context, check: Check | Mapping[str, Any], sources: Sources = UNKNOWN) -> str:
    """The measured value of a condition, linked to its line or sample where `sources`, by fact, has it."""
    stated = check.as_json() if isinstance(check, Check) else check
    value = fact_value(stated["value"], stated["fact"], beside=stated["bound"])
    source = sources.get(stated["fact"])
    if source is None:
        return value
    title = say("The line of this value") if source.is_exact else say("The first line that this was measured from")
    address = citation_address(context, source.citation)
    whole = SafeString(" data-whole") if len(value) < LONGEST_WHOLE else ""
    return format_html('<a class="value" href="{}" title="{}"{}>{}</a>', address, title, whole, value)


@register.simple_tag(takes_context=True)
def evidence_rows(context: template.Context, citations: Iterable[Citation]) -> SafeString:
    """List items of cited lines, linked while their files are stored."""
    return format_html_join("", ROW, (_row(context, each) for each in citations))


def _row(context: template.Context, citation: Citation) -> tuple[str, ...]:
    begin, end = '<div class="no-link">', "</div>"
    if citation.is_kept:
        begin, end = format_html('<a href="{}">', citation_address(context, citation)), "</a>"
    text = first_lines(read_cited_text(citation.text, citation.kind))
    return (
        SafeString(begin),
        citation.path,
        short_path(citation.path),
        f":{citation.line}" if citation.line and not (citation.pointer and citation.line == 1) else "",
        format_html('<span class="mono">{}</span>', citation.pointer) if citation.pointer else "",
        format_html("<span>{}</span>", stamp(citation.ts)) if citation.ts else "",
        KINDS.get(citation.kind, citation.kind),
        english_mark(text),
        text,
        SafeString(end),
    )
