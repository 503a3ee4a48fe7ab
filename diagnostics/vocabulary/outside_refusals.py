"""Ways in which outside systems are unreachable or refuse the job, by texts of an exception chain."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from diagnostics.notation.stack_frame import unshaded
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

STATUS = re.compile(
    r"(?i)(?:\bHTTP(?:/\d(?:\.\d)?)?|status(?:[ _-]?code)?|(?:response|http|reply)[ _-]?code|; error code)"
    r"\W{1,4}([45]\d\d)\b"
    r"|\", ([45]\d\d), (?:GET|PUT|POST|HEAD|PATCH|DELETE), http"
    r"|\b([45]\d\d) (?:Unauthorized|Forbidden|Not Found|Request Entity Too Large|Too Many Requests|Bad Gateway)\b"
)
"""A status of HTTP as clients print it: `Status Code: 503`, `HTTP/1.1 429`, `response code=502`, `", 403, HEAD, http…`,
`403 Forbidden`. RabbitMQ (`reply-code=404`) and a schema registry (`; error code: 409`) answer with the same numbers.
"""
THROWN = re.compile(r"(?<![\w.$])((?:[a-z_]\w{0,60}\.){2,12})([A-Z][\w$]{2,120})")
"""A class of Java with its package."""
FLINKS_OWN = "org.apache.flink.runtime.rest."
"""Flink's own REST client answers with statuses, too."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One entry of `vocabulary/outside_refusals.yaml`.

    how    the end of a sentence: the job failed because ...
    texts  identify it when the failure comes from the network or an outside system
    of     system -> texts that identify the failure of this system by themselves
    http   statuses of HTTP that identify it by themselves
    lasting   whether to try again does not help: it is so until somebody changes it
    away      whether it may be out of reach or down; the others are answers of a system that is reached
    by_class  whether these texts are only the classes of the system's client, which say nothing of the reason
    names     parts of names of exception classes that identify it where the class is one of a client's
    advice    what to do; its first sentence is what to do first
    likely    shows it by words of a lower-case message, where nothing but the system is known
    """

    how: str
    texts: tuple[str, ...]
    of: Mapping[str, tuple[str, ...]]
    http: tuple[int, ...] = ()
    by_class: bool = False
    lasting: bool = False
    away: bool = False
    names: tuple[str, ...] = ()
    advice: str = ""
    likely: re.Pattern[str] | None = None

    @property
    def answers(self) -> bool | None:
        """Whether the system is reached and answers; None where only its client is known."""
        return None if self.by_class else not self.away

    def is_thrown_in(self, text: str) -> bool:
        """Whether an exception chain contains a class of a client that is named like it."""
        return any(part in name for name in clients_thrown_in(text) for part in self.names)

    def says(self, text: str) -> bool:
        """Whether an exception chain contains one of its texts or statuses."""
        said = any(each in text for each in self.texts) or self.system_in(text) is not None
        return said or any(status in self.http for status in statuses_in(text))

    def system_in(self, text: str) -> str | None:
        """The system whose own text an exception chain contains; of several the one whose client it names, too."""
        shown = [system for system, texts in self.of.items() if any(each in text for each in texts)]
        if len(shown) > 1:
            named = set(clients_named_in(text))
            return next((each for each in shown if each in named), shown[0])
        return shown[0] if shown else None


@cache
def refusals() -> tuple[Refusal, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Any = catalogue("outside_refusals.yaml")
    return tuple(
        Refusal(
            with_translations(how, entry, "how"),
            tuple(entry.get("texts", ())),
            {system: tuple(texts) for system, texts in entry.get("of", {}).items()},
            tuple(entry.get("http", ())),
            bool(entry.get("by_class")),
            bool(entry.get("lasting")),
            bool(entry.get("away")),
            tuple(entry.get("names", ())),
            with_translations(entry["advice"].strip(), entry, "advice"),
            re.compile(entry["likely"]) if "likely" in entry else None,
        )
        for how, entry in content.items()
    )


def refusal_of(text: str) -> Refusal | None:
    """The entry that an exception chain shows: the first by its texts, else by the name of a client's exception, else
    by a client alone; None when none does.
    """
    said = next((each for each in refusals() if each.says(text)), None)
    if said and not said.by_class:
        return said
    return next((each for each in refusals() if each.is_thrown_in(text)), said)


def client_error() -> Refusal:
    """The entry of a client that reports an error without a reason."""
    return next(each for each in refusals() if each.by_class)


def likely_refusal(*texts: str) -> Refusal | None:
    """The entry that the words of a message suggest, of the first text with such words.

    Only for messages of an outside system's client: elsewhere the same words say something else.
    """
    for text in texts:
        lowered = text.lower()
        found = next((each for each in refusals() if each.likely and each.likely.search(lowered)), None)
        if found:
            return found
    return None


def statuses_in(text: str) -> list[int]:
    """The statuses of HTTP that an exception chain prints; none where Flink's own REST API answers."""
    return [] if FLINKS_OWN in text else [int(next(filter(None, each))) for each in STATUS.findall(text)]


def shows_status(text: str) -> bool:
    """Whether an outside system answered with a status of HTTP that shows why it refuses."""
    known = {status for each in refusals() for status in each.http}
    return not known.isdisjoint(statuses_in(text))


def clients_named_in(text: str) -> Iterator[str]:
    """The systems of whose clients a text names classes, in the order of the catalogue."""
    for each in refusals():
        if each.by_class:
            yield from (system for system, texts in each.of.items() if any(part in text for part in texts))


@lru_cache(maxsize=1_024)
def clients_thrown_in(text: str) -> tuple[str, ...]:
    """The names, without packages, of the exception classes of outside systems' clients that a chain holds."""
    packages = client_packages()
    return tuple(name for package, name in THROWN.findall(text) if unshaded(package).startswith(packages))


@cache
def client_packages() -> tuple[str, ...]:
    """The packages of outside systems' clients."""
    return tuple(each for each in client_classes() if each.endswith("."))


@cache
def telling_texts() -> tuple[str, ...]:
    """The texts that identify the failure of an outside system by themselves."""
    return _texts_of_systems(by_class=False)


@cache
def client_classes() -> tuple[str, ...]:
    """The beginnings of exception classes of outside systems' clients."""
    return _texts_of_systems(by_class=True)


def _texts_of_systems(by_class: bool) -> tuple[str, ...]:
    chosen = [each for each in refusals() if each.by_class is by_class]
    return tuple(text for each in chosen for texts in each.of.values() for text in texts)
