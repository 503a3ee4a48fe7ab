"""`@name` in a note: who is meant, and how it is shown."""

from __future__ import annotations

import re
from collections.abc import Collection

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.cases.selectors import readers

MENTION = re.compile(r"(?<![\w.@])@([\w.+-]{1,150})")
"""As GitHub and chat programs have it: an `@` that does not follow a letter, as one in an address does."""

MOST_MENTIONS = 50


def names_mentioned(text: str) -> list[str]:
    """The names after an `@`; a full stop at the end belongs to the sentence."""
    names = (found.group(1).rstrip(".-+") for found in MENTION.finditer(text))
    return list(dict.fromkeys(name for name in names if name))[:MOST_MENTIONS]


def people_mentioned(case: Case, text: str) -> list[User]:
    """Who of the case's readers is named; names of others stay mere text and tell nothing."""
    names = names_mentioned(text)
    return list(readers(case).filter(username__in=names)) if names else []


def marked(text: str, names: Collection[str]) -> SafeString:
    """The escaped text with these names marked where they are mentioned."""
    parts: list[str] = []
    end = 0
    for found in MENTION.finditer(text):
        name = found.group(1).rstrip(".-+")
        if name not in names:
            continue
        parts += [text[end : found.start()], format_html('<span class="mention">@{}</span>', name)]
        end = found.start() + 1 + len(name)
    return format_html_join("", "{}", ((part,) for part in (*parts, text[end:])))
