"""The first use of a term on a page, linked to its line of the glossary."""

from __future__ import annotations

import re
from functools import cache

from django import template
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from diagnostics.language import reads_chinese
from diagnostics.vocabulary.glossary import GlossaryEntry, glossary

register = template.Library()

LONG_NAME = re.compile(r"([^\s,;]{24,})")
"""Our choice: a line of a phone holds some forty letters, and a shorter name moves to the next one as a whole."""
WITHIN_NAME = re.compile(r"(?<=[\w)\]][./$])(?=\w)")

LINKED_PART = "flink"
"""The part whose terms are linked: the words of the workbench itself are on every line of a page."""


@register.filter
def glossary_links(text: str, linked: set[str] | str) -> SafeString:
    """The escaped text, in which each term that the page has not linked yet leads to its line of the glossary.

    linked  anchors of the terms that the page linked so far, to which those of this text are added; "" on a page
            without links to the glossary
    """
    if not isinstance(linked, set):
        return breakable(text)
    entries, names = _names("zh" if reads_chinese() else "en")
    written, done = SafeString(""), 0
    for found in names.finditer(text):
        entry = entries[found[0].lower()]
        if entry.anchor not in linked:
            linked.add(entry.anchor)
            written += breakable(text[done : found.start()]) + _link(entry, found[0])
            done = found.end()
    return written + breakable(text[done:])


@register.filter
def breakable(text: str) -> SafeString:
    """The escaped text, in which a long name may be broken after a dot, a slash or a dollar sign: on a phone a class
    name ends a line within a word else.
    """
    parts = enumerate(LONG_NAME.split(text))
    return format_html_join("", "{}", ((_in_parts(each) if place % 2 else each,) for place, each in parts))


def _in_parts(name: str) -> SafeString:
    return format_html_join(SafeString("<wbr>"), "{}", ((each,) for each in WITHIN_NAME.split(name)))


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
