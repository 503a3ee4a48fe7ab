"""The first use of a term on a page, linked to its line of the glossary."""

from __future__ import annotations

import re
from functools import cache

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape, format_html
from django.utils.safestring import SafeString

from diagnostics.language import reads_chinese
from diagnostics.vocabulary.glossary import GlossaryEntry, glossary

register = template.Library()

LINKED_PART = "flink"
"""The part whose terms are linked: the words of the workbench itself are on every line of a page."""


@register.filter
def glossary_links(text: str, linked: set[str] | str) -> SafeString:
    """The escaped text, in which each term that the page has not linked yet leads to its line of the glossary.

    linked  anchors of the terms that the page linked so far, to which those of this text are added; "" on a page
            without links to the glossary
    """
    if not isinstance(linked, set):
        return conditional_escape(text)
    entries, names = _names("zh" if reads_chinese() else "en")
    written, done = SafeString(""), 0
    for found in names.finditer(text):
        entry = entries[found[0].lower()]
        if entry.anchor not in linked:
            linked.add(entry.anchor)
            written += conditional_escape(text[done : found.start()]) + _link(entry, found[0])
            done = found.end()
    return written + conditional_escape(text[done:])


def _link(entry: GlossaryEntry, name: str) -> SafeString:
    meaning = entry.meaning["zh" if reads_chinese() else "en"]
    address = f"{reverse('rules:glossary')}#{entry.anchor}"
    return format_html('<a class="term" href="{}" title="{}">{}</a>', address, meaning, name)


@cache
def _names(language: str) -> tuple[dict[str, GlossaryEntry], re.Pattern[str]]:
    """The entry of each name in small letters, and an expression that finds them, the longest first.

    A Chinese term has its English name in parentheses. A name within a setting, a path or another word is none.
    """
    entries = {
        name.lower(): entry
        for entry in glossary()[LINKED_PART]
        for name in re.split("[\uff08\uff09]", entry.term[language])
        if name
    }
    plurals = {f"{name}s": entry for name, entry in entries.items()} if language == "en" else {}
    entries = plurals | entries
    words = "|".join(map(re.escape, sorted(entries, key=len, reverse=True)))
    return entries, re.compile(rf"(?<![\w./:=-])(?:{words})(?![\w/:=-]|\.\w)", re.IGNORECASE | re.ASCII)
