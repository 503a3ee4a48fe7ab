"""The message of an exception as one line in a sentence."""

from __future__ import annotations

import re
import textwrap

MOST_CHARACTERS = 400
"""Characters of a message in a sentence. Our choice: four lines; the line that is cited holds all of it."""
CUT = " …"
FRAME = re.compile(r"\n[ \t]*(?:at [\w.$/<>@-]{3,300}\(|\.\.\. \d{1,5} more\b)")
"""A line of a stack trace that was printed into a message."""


def one_line(message: str) -> str:
    """The message without line breaks, frames and the full stop at its end, cut after a word where it is long."""
    frame = FRAME.search(message)
    text = " ".join((message[: frame.start()] if frame else message).split())
    if len(text) > MOST_CHARACTERS:
        shortened = textwrap.shorten(text, MOST_CHARACTERS, placeholder=CUT)
        return shortened if len(shortened) > len(CUT) else f"{text[:MOST_CHARACTERS]}{CUT}"
    return text.removesuffix(".") if not text.endswith("..") else text
