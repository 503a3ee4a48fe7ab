"""Mentions of people in notes, `@name`: resolving and marking them."""

from __future__ import annotations

import re
from collections.abc import Collection

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from workbench.accounts.models import User
from workbench.cases.models import Case
from workbench.cases.selectors import readers

MENTION = re.compile(r"(?<![\w.@])@([\w.+-]{1,150})")
"""As on GitHub: an `@` that does not follow a letter, as one in an e-mail address does."""

MOST_MENTIONS = 50


def names_mentioned(text: str) -> list[str]:
    """The names after an `@`, without a trailing full stop."""
    names = (found.group(1).rstrip(".-+") for found in MENTION.finditer(text))
    return list(dict.fromkeys(name for name in names if name))[:MOST_MENTIONS]


def people_mentioned(case: Case, text: str) -> list[User]:
    """Mentioned users who may read the case; other names stay plain text and reveal nothing."""
    names = names_mentioned(text)
    return list(readers(case).filter(username__in=names)) if names else []


def marked(text: str, names: Collection[str]) -> SafeString:
    """The escaped text with mentions of these names marked."""
    parts: list[str] = []
    end = 0
    for found in MENTION.finditer(text):
        name = found.group(1).rstrip(".-+")
        if name not in names:
            continue
        parts += [text[end : found.start()], format_html('<span class="mention">@{}</span>', name)]
        end = found.start() + 1 + len(name)
    return format_html_join("", "{}", ((part,) for part in (*parts, text[end:])))
