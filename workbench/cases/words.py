"""Words for severities, parts of the health score and its bands, as labels."""

from __future__ import annotations

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
