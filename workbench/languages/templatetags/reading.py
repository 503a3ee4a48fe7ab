"""What templates need of the reader's language; loaded in every template."""

from __future__ import annotations

import re

from django import template
from django.utils.safestring import SafeString
from django.utils.translation import to_locale

from diagnostics.language import reads_chinese
from diagnostics.wording import phrase
from workbench.languages.sentences import say_stored

register = template.Library()
CHINESE_LETTER = re.compile("[\u4e00-\u9fff]")


@register.filter
def stored(sentence: str) -> str:
    """A sentence that is stored in English, in the language of the reader."""
    return say_stored(sentence)


@register.filter
def language_tag(language: str) -> str:
    """The language for the attribute `lang`, as BCP 47 writes it: `zh-Hans`."""
    return to_locale(language).replace("_", "-")


@register.filter
def english_mark(text: str) -> SafeString:
    """The attribute `lang` of a title or log line that is English on a Chinese page, for screen readers."""
    return SafeString(' lang="en"' if reads_chinese() and not CHINESE_LETTER.search(text) else "")


@register.filter
def within_sentence(title: str) -> str:
    """A title as a part of a sentence: without its capital in English, unless it begins with a name."""
    return phrase.within_sentence(title)


@register.simple_tag
def gap() -> str:
    """The space between two sentences; none in Chinese, whose full stop has its own."""
    return "" if reads_chinese() else " "
