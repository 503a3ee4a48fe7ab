"""What repairs a failure that is known by its message, beside the general steps of its cause.

One YAML file for each part of the world in `diagnostics/vocabulary/message_remedies`; an entry has

texts   parts of messages of the chain of exceptions
remedy  what to do, in sentences that need no further context

The files in the order of their names, the first entry that fits counts. Settings with a remedy of their own are in
`setting_faults.yaml`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from diagnostics.yaml_document import read_yaml, with_translations

FOLDER = Path(__file__).parent / "message_remedies"
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
    """The catalogue in its order. Raises InvalidRule naming the line when a file is invalid."""
    return tuple(
        MessageRemedy(name, tuple(entry["texts"]), with_translations(entry["remedy"].strip(), entry, "remedy"))
        for path in sorted(FOLDER.glob("*.yaml"))
        for name, entry in _entries(path).items()
    )


def _entries(path: Path) -> dict[str, Any]:
    content: Any = read_yaml(path.read_text("utf-8"), path.name).content
    return dict(content)


@lru_cache(maxsize=REMEMBERED)
def remedy_of(text: str) -> str | None:
    """The remedy of the first entry with a part of the text of an exception chain; None without one."""
    return next((each.remedy for each in message_remedies() if any(part in text for part in each.texts)), None)
