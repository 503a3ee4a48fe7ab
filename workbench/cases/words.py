"""Words for severities, parts of the health score and its bands, as labels."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.languages.sentences import say_later

SCORE_WORDS = {
    "good": say_later("good"),
    "watch": say_later("watch it"),
    "act": say_later("act now"),
    "unknown": say_later("at most: only what was found counts"),
}
SEVERITY_WORDS = {
    "critical": say_later("Critical"),
    "warning": say_later("Warning"),
    "info": say_later("Info"),
}
DIMENSION_WORDS = {
    "checkpointing": say_later("Checkpointing"),
    "back_pressure": say_later("Back pressure"),
    "resources": say_later("Resources"),
    "event_time": say_later("Event time"),
    "stability": say_later("Stability"),
}


def severity_word(severity: str) -> str:
    """`Critical` for `critical`."""
    return str(SEVERITY_WORDS.get(severity, severity))


def dimension_word(dimension: str) -> str:
    """`Back pressure` for `back_pressure`."""
    return str(DIMENSION_WORDS.get(dimension, dimension.replace("_", " ").capitalize()))


JUDGEMENTS: Mapping[str, str] = {
    "fixed": say_later("Fixed"),
    "better": say_later("Better"),
    "unchanged": say_later("Unchanged"),
    "changed": say_later("Changed"),
    "traded": say_later("Traded"),
    "worse": say_later("Worse"),
    "cannot tell": say_later("Cannot tell"),
}
"""A `diagnostics.proof.Judgement` of two snapshots in words."""


def judgement_word(judgement: str) -> str:
    """The judgement of a comparison in the reader's language."""
    return str(JUDGEMENTS[judgement])
