"""Stored sentences in templates."""

from __future__ import annotations

from django import template

from workbench.languages.sentences import say_stored

register = template.Library()


@register.filter
def stored(sentence: str) -> str:
    """A sentence that is stored in English, in the language of the reader."""
    return say_stored(sentence)
