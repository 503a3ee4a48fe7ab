"""Ways in which outside systems are unreachable or refuse the job, by texts of an exception chain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations

STATUS = re.compile(
    r"(?i)(?:\bHTTP(?:/\d(?:\.\d)?)?|status(?:[ _-]?code)?|(?:response|http)[ _-]?code)\W{1,4}([45]\d\d)\b"
)
"""A status of HTTP as clients print it: `Status Code: 503`, `HTTP/1.1 429`, `response code=502`."""
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
    by_class  whether these texts are only the classes of the system's client, which say nothing of the reason
    """

    how: str
    texts: tuple[str, ...]
    of: Mapping[str, tuple[str, ...]]
    http: tuple[int, ...] = ()
    by_class: bool = False
    lasting: bool = False

    def stands_in(self, text: str) -> bool:
        """Whether an exception chain contains one of its texts."""
        said = any(each in text for each in self.texts) or self.system_in(text) is not None
        return said or any(status in self.http for status in statuses_in(text))

    def system_in(self, text: str) -> str | None:
        """The system whose own text an exception chain contains."""
        return next((system for system, texts in self.of.items() if any(each in text for each in texts)), None)


@cache
def refusals() -> tuple[Refusal, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    text = (files("diagnostics.vocabulary") / "outside_refusals.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "outside_refusals.yaml").content
    return tuple(
        Refusal(
            with_translations(how, entry, "how"),
            tuple(entry.get("texts", ())),
            {system: tuple(texts) for system, texts in entry.get("of", {}).items()},
            tuple(entry.get("http", ())),
            bool(entry.get("by_class")),
            bool(entry.get("lasting")),
        )
        for how, entry in content.items()
    )


def refusal_of(text: str) -> Refusal | None:
    """The first entry that matches; None when none does."""
    return next((each for each in refusals() if each.stands_in(text)), None)


def statuses_in(text: str) -> list[int]:
    """The statuses of HTTP that an exception chain prints; none where Flink's own REST API answers."""
    return [] if FLINKS_OWN in text else [int(each) for each in STATUS.findall(text)]


def shows_status(text: str) -> bool:
    """Whether an outside system answered with a status of HTTP that shows why it refuses."""
    known = {status for each in refusals() for status in each.http}
    return not known.isdisjoint(statuses_in(text))


def client_named_in(text: str) -> str | None:
    """The system of whose client a text names a class; None when it names none."""
    return next((system for each in refusals() if each.by_class and (system := each.system_in(text))), None)


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
