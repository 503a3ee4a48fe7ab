"""What sources and sinks guarantee, and the guarantee from end to end that follows: that of the weakest part."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args

from diagnostics.language import CHINESE, Text
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import translated_names, with_translations

Replay = Literal["replays", "forgets", "depends"]
Writing = Literal["transactions", "idempotent", "write-ahead log", "at least once", "at most once"]
Guarantee = Literal["at most once", "at least once", "exactly once"]
GUARANTEES: Sequence[Guarantee] = get_args(Guarantee)
"""From the weakest to the strongest."""

OF_SOURCE: Mapping[Replay, Guarantee] = {
    "replays": "exactly once",
    "depends": "at least once",
    "forgets": "at most once",
}
"""What a source allows: without reading again, records in flight at a failure are lost."""
OF_SINK: Mapping[Writing, Guarantee] = {
    "transactions": "exactly once",
    "idempotent": "exactly once",
    "write-ahead log": "exactly once",
    "at least once": "at least once",
    "at most once": "at most once",
}
"""What a sink allows. An idempotent one repeats writes, but their effect is that of one; readers may see a repetition
while the job catches up.
"""
MODES: Mapping[str, Guarantee] = {"EXACTLY_ONCE": "exactly once", "AT_LEAST_ONCE": "at least once"}
"""Checkpointing mode -> what Flink's own state has; without checkpoints it is `at most once`."""


FULL_WIDTH_COLON = "\uff1a"
WORDS = ("title", "source_note", "sink_note")
"""Entries that are texts for a reader."""


@dataclass(frozen=True, slots=True)
class Connector:
    """One entry of connectors.yaml; its comments explain the fields."""

    id: str
    title: str
    names: tuple[str, ...]
    source: Replay | None = None
    source_note: str = ""
    sink: Writing | None = None
    sink_note: str = ""
    option: str = ""

    def noted(self, part: Literal["source", "sink"]) -> str:
        """`Kafka: from the offsets in the checkpoint`, with its translation; empty when nothing is noted."""
        note = self.source_note if part == "source" else self.sink_note
        english = f"{self.title}: {note}" if note else ""
        if not isinstance(note, Text):
            return english
        title = self.title.translations[CHINESE] if isinstance(self.title, Text) else self.title
        return Text(english, {CHINESE: f"{title}{FULL_WIDTH_COLON}{note.translations[CHINESE]}"})


@cache
def connectors() -> Mapping[str, Connector]:
    """Id -> connector, in the order of the file."""
    entries = catalogue("connectors.yaml")
    return {name: _connector(name, entry) for name, entry in entries.items()}


def _connector(name: str, entry: Mapping[str, Any]) -> Connector:
    words: dict[str, Any] = {each: with_translations(entry[each], entry, each) for each in WORDS if each in entry}
    other = {each: value for each, value in entry.items() if each not in {"names", *translated_names(WORDS)}}
    return Connector(name, names=tuple(entry["names"]), **words, **other)


@cache
def _by_name() -> Mapping[str, Connector]:
    return {name.lower(): each for each in connectors().values() for name in each.names}


def connector_named(name: str) -> Connector | None:
    """The connector that a table or a class of the DataStream API names; None when it is not listed."""
    return _by_name().get(name.strip().lower())


def weakest(**parts: Guarantee) -> tuple[str, Guarantee]:
    """The part with the weakest guarantee (the first of several) and that guarantee: it holds from end to end."""
    name = min(parts, key=lambda part: GUARANTEES.index(parts[part]))
    return name, parts[name]
