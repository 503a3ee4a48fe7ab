"""What repairs a failure that is known by its message, from `message_remedies.yaml`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations

REMEMBERED = 1_024
"""Exception chains whose answer is kept. Our choice: a job that restarts fails often with few of them."""


@dataclass(frozen=True, slots=True)
class MessageRemedy:
    """One entry: the parts of messages that show it, and what to do."""

    id: str
    texts: tuple[str, ...]
    remedy: str


@cache
def message_remedies() -> tuple[MessageRemedy, ...]:
    """The catalogue in its order. Raises InvalidRule naming the line when the file is invalid."""
    text = (files("diagnostics.vocabulary") / "message_remedies.yaml").read_text("utf-8")
    content: Any = read_yaml(text, "message_remedies.yaml").content
    return tuple(
        MessageRemedy(name, tuple(entry["texts"]), with_translations(entry["remedy"].strip(), entry, "remedy"))
        for name, entry in content.items()
    )


@lru_cache(maxsize=REMEMBERED)
def remedy_of(text: str) -> str | None:
    """The remedy of the first entry with a part of the text of an exception chain; None without one."""
    return next((each.remedy for each in message_remedies() if any(part in text for part in each.texts)), None)
