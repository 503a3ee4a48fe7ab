"""The errors and warnings that are logged while a job is well, from `harmless_errors.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.notation.log_event import harmless_events
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

OTHERS = "healthy-too"
"""The entry of the harmless events that no other names."""


@dataclass(frozen=True, slots=True)
class HarmlessError:
    """One entry: what shows it, a clause that names it, and what somebody may do who wanted something by it.

    events, loggers, exceptions  events, parts of names of loggers, and classes of exceptions; one of them shows it
    texts                        parts of messages; one of them shows it, too
    begins                       beginnings of messages of a log; one of them shows it, too
    thrown                       innermost exceptions; where there are some, a beginning counts beside one of them only
    but_loggers                  parts of names of loggers whose records it never is
    goes_on                      whether Flink's own code catches an Error of the JVM there, records it and goes on
    """

    what: str
    events: tuple[str, ...]
    loggers: tuple[str, ...]
    exceptions: tuple[str, ...] = ()
    texts: tuple[str, ...] = ()
    advice: str | None = None
    is_daily: bool = False
    but_loggers: tuple[str, ...] = ()
    goes_on: bool = False
    begins: tuple[str, ...] = ()
    thrown: tuple[str, ...] = ()


@cache
def harmless_errors() -> Mapping[str, HarmlessError]:
    """The catalogue by id, in its order; the last entry has the harmless events that no other names.

    Raises  InvalidRule naming the line when the file is invalid.
    """
    content: Mapping[str, Mapping[str, Any]] = catalogue("harmless_errors.yaml")
    named = {event for entry in content.values() for event in entry.get("events", ())}
    others = tuple(sorted(harmless_events() - named))
    return {
        name: HarmlessError(
            with_translations(entry["what"], entry, "what"),
            tuple(entry.get("events", others if name == OTHERS else ())),
            tuple(entry.get("loggers", ())),
            tuple(entry.get("exceptions", ())),
            tuple(entry.get("texts", ())),
            with_translations(entry["advice"], entry, "advice") if "advice" in entry else None,
            entry.get("daily") is True,
            tuple(entry.get("but_loggers", ())),
            entry.get("goes_on") is True,
            tuple(entry.get("begins", ())),
            tuple(entry.get("thrown", ())),
        )
        for name, entry in content.items()
    }


def says_harmless(message: str) -> bool:
    """Whether a message holds a text of the catalogue, in whatever layout its line was copied."""
    return any(text in message for entry in harmless_errors().values() for text in entry.texts)
