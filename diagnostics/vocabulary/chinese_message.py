"""What servers, drivers and systems print in Chinese, in the English that the catalogues know.

`messages_in_chinese.yaml` has the texts; what is shown of an exception is unchanged.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue

CHINESE = re.compile("[\u4e00-\u9fff]")
PART = re.compile(r"\\\{(\d)\\\}")
"""A part that differs, in a text that was escaped for a pattern."""
REMEMBERED = 4_096
"""Texts whose English is kept. Our choice: as many as exception chains whose remedy is kept."""


@lru_cache(maxsize=REMEMBERED)
def in_english(text: str) -> str:
    """The text with the English of the messages that it holds in Chinese."""
    if not CHINESE.search(text):
        return text
    for pattern, english in _messages():
        text = pattern.sub(partial(_worded, english), text)
    return text


def _worded(english: str, hit: re.Match[str]) -> str:
    """The English text with the parts that differ, by their number: their place is another one in Chinese."""
    return english.format(*(part for _, part in sorted(hit.groupdict().items())))


@cache
def _messages() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Pattern and English text. Raises InvalidRule naming the line when the file is invalid."""
    content: Any = catalogue("messages_in_chinese.yaml")
    return tuple((_pattern(each), english) for english, chinese in content.items() for each in chinese)


def _pattern(chinese: str) -> re.Pattern[str]:
    return re.compile(PART.sub(r"(?P<part\1>.{1,200}?)", re.escape(chinese)))
