"""What is an English sentence, to find texts that nobody marked."""

from __future__ import annotations

import re

WORD = re.compile(r"[A-Za-z][a-z']*")
SMALL = frozenset(
    [
        "a",
        "an",
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "can",
        "for",
        "from",
        "has",
        "have",
        "in",
        "is",
        "it",
        "no",
        "not",
        "of",
        "on",
        "or",
        "than",
        "that",
        "the",
        "their",
        "there",
        "this",
        "to",
        "was",
        "were",
        "what",
        "when",
        "which",
        "while",
        "who",
        "with",
        "without",
    ]
)
"""Words that a sentence has and a name, an option or a command has not."""
FEWEST_WORDS = 4


def is_prose(text: str) -> bool:
    """Whether it reads as a sentence or a part of one: four words, one of them small, and no Chinese."""
    if re.search(r"[\u4e00-\u9fff]", text):
        return False
    words = [word for word in re.split(r"[\s,;:.!?()]+", text) if WORD.fullmatch(word)]
    return len(words) >= FEWEST_WORDS and any(word in SMALL for word in words)
