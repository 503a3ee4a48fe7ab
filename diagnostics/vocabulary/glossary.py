"""The glossary: terms of Flink and of this workbench in English and Chinese, from `glossary.yaml`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from diagnostics.errors import InvalidRule
from diagnostics.vocabulary.catalogue_file import catalogue

NAME = "glossary.yaml"
LANGUAGES = ("en", "zh")


@dataclass(frozen=True, slots=True)
class GlossaryEntry:
    """A term and its meaning in one sentence, by language."""

    term: Mapping[str, str]
    meaning: Mapping[str, str]

    @property
    def anchor(self) -> str:
        """The fragment of its address: the English term with hyphens."""
        return self.term["en"].lower().replace(" ", "-")


@cache
def glossary() -> Mapping[str, Sequence[GlossaryEntry]]:
    """The entries of each part, sorted by the English term.

    Raises  InvalidRule for an entry that lacks a language, or a term that occurs twice.
    """
    content = catalogue(NAME)
    parts = {part: [_entry(entry) for entry in entries] for part, entries in content.items()}
    terms = [entry.anchor for entries in parts.values() for entry in entries]
    if repeated := sorted({term for term in terms if terms.count(term) > 1}):
        raise InvalidRule([f"{NAME}: {', '.join(repeated)} is there twice"])
    return {part: sorted(entries, key=lambda entry: entry.anchor) for part, entries in parts.items()}


def _entry(entry: Mapping[str, Mapping[str, str]]) -> GlossaryEntry:
    if set(entry) != {"term", "meaning"} or any(not entry[field].get(name) for field in entry for name in LANGUAGES):
        raise InvalidRule([f"{NAME}: {entry.get('term')} needs term and meaning in {' and '.join(LANGUAGES)}"])
    return GlossaryEntry(entry["term"], entry["meaning"])
