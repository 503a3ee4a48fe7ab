"""Finds for a measured value the line or sample that it comes from, among the citations that a page shows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from diagnostics.wording.phrase import split_sentences
from workbench.analyses.models import Analysis, Citation

Place = tuple[str, int | None, str | None]
"""Path, line and JSON pointer."""


@dataclass(frozen=True, slots=True)
class ValueSource:
    """Where a value comes from.

    is_exact  whether that line holds the value itself; else it is the first place that it was measured from
    """

    citation: Citation
    is_exact: bool


@dataclass(frozen=True, slots=True)
class LinkedPiece:
    """A part of a sentence; `source` is that of a value, where a finding cites it."""

    text: str
    source: ValueSource | None = None


class Measurements:
    """The stored signals of an analysis by key, and the citations that a page has by place."""

    def __init__(self, analysis: Analysis, citations: Iterable[Citation]) -> None:
        self._files = [str(each["file"]) for each in analysis.document["inputs"]]
        self._signals: dict[str, list[Mapping[str, Any]]] = {}
        for signal in analysis.signals or ():
            if "facts" in signal:
                self._signals.setdefault(signal["key"], []).append(signal)
        self._citations = {_place_of(each): each for each in citations if each.is_kept}

    def source_of(self, fact: str, value: Any, subject: Mapping[str, Any], said: str = "") -> ValueSource | None:
        """The source of a fact's value, measured about the subject; None where the page has none of its citations.

        said  the value as the page has it
        """
        found = [self._citations[each] for each in self._places(fact, value, subject) if each in self._citations]
        exact = next((each for each in found if _says(each, value, said)), None)
        citation = exact or next(iter(found), None)
        return ValueSource(citation, exact is not None) if citation else None

    def linked(self, sentence: Sequence[Mapping[str, Any]], subject: Mapping[str, Any]) -> list[LinkedPiece]:
        """A sentence in pieces ({text}, of a value {text, fact, value}), its values with their sources."""
        return [
            LinkedPiece(
                piece["text"],
                self.source_of(piece["fact"], piece["value"], subject, piece["text"]) if "fact" in piece else None,
            )
            for piece in sentence
        ]

    def statement(self, entry: Mapping[str, Any]) -> list[list[LinkedPiece]]:
        """The sentences of a finding of a document; one of an earlier version has its statement as one text."""
        pieces = entry.get("sentences") or [[{"text": sentence}] for sentence in split_sentences(entry["statement"])]
        return [self.linked(sentence, entry["subject"]) for sentence in pieces]

    def _places(self, fact: str, value: Any, subject: Mapping[str, Any]) -> Iterator[Place]:
        """What the signals cite that have the value; those about the very subject first."""
        key, _, name = fact.rpartition(".")
        found = [each for each in self._signals.get(key, ()) if each["facts"].get(name) == value]
        for signal in sorted(found, key=lambda each: -_alike(each["subject"], subject)):
            for each in signal["citations"]:
                if each["file_id"] < len(self._files):
                    yield self._files[each["file_id"]], each.get("line"), each.get("pointer")


def _place_of(citation: Citation) -> Place:
    return citation.path, citation.line, citation.pointer


def _alike(one: Mapping[str, Any], other: Mapping[str, Any]) -> int:
    return sum(1 for name, value in one.items() if value is not None and other.get(name) == value)


def _says(citation: Citation, value: Any, said: str) -> bool:
    """Whether the cited value is the measured one, or the cited text has it with its unit."""
    if citation.value is not None and not isinstance(value, bool) and citation.value == value:
        return True
    with_unit = re.fullmatch(r"[\d.,]+ [A-Za-z%].*", said)
    return bool(with_unit and re.search(rf"(?<![\d.,]){re.escape(said)}(?!\w)", citation.text))
