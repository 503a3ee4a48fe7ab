"""What a message asks its reader to do: programs often print the act beside the fault.

`Paimon sink currently does not support unaligned checkpoints. Please set execution.checkpointing.unaligned.enabled to
false.` names the repair. Where no catalogue knows the message, its own request is more than the advice for its kind.
"""

from __future__ import annotations

import re

from diagnostics.language import ENGLISH, SUFFIXES, Text, reading_in, say, to_say

ASKED = to_say("Do what the message asks: “{asked}”.")
LONGEST = 260
"""Characters of a request that is quoted. Our choice: longer ones are lists or documents, not one act."""
_ACTS = (
    "set|reset|configure|specify|increase|raise|decrease|reduce|lower|enable|disable|add|use|upgrade|downgrade|remove|drop|"
    "provide|define|declare|turn|switch|choose|change|adjust|rename|cast|put|install|unset|include|exclude|delete|create|"
    "clean|recreate|rebuild|alter|grant|allow|override|"
    "increasing|raising|setting|using|enabling|disabling|adding|reducing|decreasing|removing|switching|changing"
)
_REQUEST = re.compile(
    rf"(?:[Pp]lease|[Yy]ou(?: also)? (?:need to|must|have to|should|may want to)|[Yy]ou must also|[Cc]onsider)"
    rf"(?: either| also| explicitly| first| to| \w{{2,12}}ly){{0,2}} (?:{_ACTS})\b[^\n]{{3,400}}"
)
_END = re.compile(r"(?:[.!;](?= |$))|(?: {2,})|$")
_NO_ACT = re.compile(r"(?i)\b(?:issue|ticket|bug report|mailing list|jira|support team|administrator)\b|https?://")


def asked_act(chain: str) -> str | None:
    """The request of the innermost exception that makes one, as a step in every language; None where none does.

    chain  of exceptions, outermost first, a line `class: message` for each
    """
    for line in reversed(chain.split("\n")):
        found = _REQUEST.search(line)
        if found is None:
            continue
        asked = found[0][: end.start()] if (end := _END.search(found[0])) else found[0]
        if len(asked) <= LONGEST and _NO_ACT.search(asked) is None:
            return act_that_quotes(asked.strip())
    return None


def act_that_quotes(asked: str) -> Text:
    """The step that quotes a request, in every language."""
    said = {}
    for language in (ENGLISH, *SUFFIXES):
        with reading_in(language):
            said[language] = say(ASKED, asked=asked)
    return Text(said.pop(ENGLISH), said)
