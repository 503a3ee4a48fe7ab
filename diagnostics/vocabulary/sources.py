"""Sources of bounds and texts: documentation, source code, articles; and claims that are disproved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, Text, in_reader_language, say, to_say
from diagnostics.vocabulary.catalogue_file import FOLDER, catalogue
from diagnostics.yaml_document import read_yaml, with_translations

CITED = re.compile(r"[\w.-]+(?:, [\w.-]+)*(?=:|$)")
"""Beginning of a citing text: comma-separated ids of sources, then, after a colon, what is taken from them."""

OWN_CHOICE = "our choice"
"""Beginning of a bound without a source; the reason follows."""

Basis = Literal["documented", "heuristic", "claim"]


PUBLISHERS = (
    to_say("Flink documentation"),
    to_say("Flink Kubernetes operator documentation"),
    to_say("Flink blog"),
    to_say("Flink source code"),
    to_say("Kafka documentation"),
    to_say("RocksDB wiki"),
    to_say("Checkpoint failures and back pressure in practice"),
    to_say("State consistency and exactly-once"),
    to_say("Unaligned checkpoints"),
)
"""Beginnings of titles that are translated; the title of an article or a page is its own, in every language. The last
three are the documents that this program was specified from, which have no English title of their own.
"""
OWN_TITLES = (to_say("its log statements"),)
"""Places that have no title, in our words."""
LINES = re.compile(r"lines? (\d+(?:-\d+)?)")


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of the catalogue.

    title  who published it, and the title of the page or its lines, in English
    url    None for the documents that this program was specified from, which have no public address
    says   what it states
    basis  `documented`: the number is stated there; `heuristic`: the mechanism is described there and the number is our
           choice; `claim`: what a document says, true or not
    """

    id: str
    title: str
    says: str
    basis: Basis
    url: str | None = None

    @property
    def document(self) -> str:
        """The document whose lines it is; the title of any other source."""
        publisher, _, place = self.title.partition(", ")
        return publisher if LINES.fullmatch(place) else self.title

    @property
    def read_lines(self) -> str:
        """The lines of its document in the language of the reader; empty for any other source."""
        lines = LINES.fullmatch(self.title.partition(", ")[2])
        return _said_lines(lines[1]) if lines else ""

    @property
    def read_title(self) -> str:
        """The title in the language of the reader."""
        publisher, _, place = self.title.partition(", ")
        if publisher not in PUBLISHERS:
            return self.title
        if lines := LINES.fullmatch(place):
            return _said_place(say(publisher), _said_lines(lines[1]))
        return _said_place(say(publisher), say(place) if place in OWN_TITLES else place)

    @property
    def read_says(self) -> str:
        """What it states, in the language of the reader."""
        return in_reader_language(self.says)


def _said_lines(lines: str) -> str:
    return say("lines {lines}", lines=lines) if "-" in lines else say("line {line}", line=lines)


def _said_place(publisher: str, place: str) -> str:
    return say("{publisher}, {place}", publisher=publisher, place=place) if place else publisher


@dataclass(frozen=True, slots=True)
class CitedSources:
    """The parsed origin of a bound.

    sources  catalogued sources that it names
    detail   the rest, e.g. the relevant part of them, or the reason of our own choice, in the reader's language
    """

    sources: tuple[Source, ...]
    detail: str

    @property
    def places(self) -> tuple[Source, ...]:
        """The first source of each title: several claims of one line are one place to a reader. Those of one document
        follow one another; the document as a whole is left out beside its lines.
        """
        first = {(each.title, each.url): each for each in reversed(self.sources)}
        by_document: dict[tuple[str, str | None], list[Source]] = {}
        for each in reversed(first.values()):
            by_document.setdefault((each.document, each.url), []).append(each)
        return tuple(
            each
            for of_one in by_document.values()
            for each in of_one
            if each.read_lines or not any(other.read_lines for other in of_one)
        )

    @property
    def listed(self) -> tuple[tuple[Source, str], ...]:
        """Each place with its words in a list: only the first of several lines of a document has its title."""
        before = [None, *(each.document for each in self.places)]
        return tuple(
            (each, each.read_lines if document == each.document and each.read_lines else each.read_title)
            for document, each in zip(before, self.places, strict=False)
        )

    @property
    def text(self) -> str:
        """The text for a sentence: titles, then the detail."""
        titles = say("; ").join(words for _, words in self.listed)
        if not titles or not self.detail:
            return titles or self.detail
        return say("{titles}: {detail}", titles=titles, detail=self.detail)


@dataclass(frozen=True, slots=True)
class DisputedClaim:
    """A claim that is disproved, what holds instead, and the documents that make it."""

    claim: str
    answer: str
    sources: tuple[str, ...]

    def read(self) -> DisputedClaim:
        """The claim and its answer in the reader's language."""
        return replace(self, claim=in_reader_language(self.claim), answer=in_reader_language(self.answer))


@cache
def sources() -> Mapping[str, Source]:
    """The catalogue by id, from `sources/*.yaml`.

    Raises  InvalidRule naming the file of an invalid or duplicate entry.
    """
    catalogue: dict[str, Source] = {}
    for file in sorted((FOLDER / "sources").iterdir(), key=lambda each: each.name):
        for source_id, entry in read_yaml(file.read_text("utf-8"), file.name).content.items():
            if source_id in catalogue:
                raise InvalidRule([f"{file.name}: {source_id} is there twice"])
            try:
                says = with_translations(entry.pop("says"), entry, "says")
                entry.pop("says_zh", None)
                catalogue[source_id] = Source(id=source_id, says=says, **entry)
            except (KeyError, TypeError):
                raise InvalidRule([f"{file.name}: {source_id} needs title, says and basis; url may be there"]) from None
    return catalogue


@cache
def disputed_claims() -> Sequence[DisputedClaim]:
    """The disputed claims, from `disputed_claims.yaml`."""
    name = "disputed_claims.yaml"
    content = catalogue(name)
    return [
        DisputedClaim(
            claim=with_translations(each["claim"], each, "claim"),
            answer=with_translations(each["answer"], each, "answer"),
            sources=tuple(each["sources"]),
        )
        for each in content["claims"]
    ]


def cited_sources(text: str) -> CitedSources:
    """The sources that a text names by id; without any, the whole text is detail."""
    hit = CITED.match(text)
    ids = hit[0].split(", ") if hit else []
    if not ids or any(source_id not in sources() for source_id in ids):
        return CitedSources((), _said(text))
    cited = tuple(sources()[source_id] for source_id in ids)
    return CitedSources(cited, _said(text[len(", ".join(ids)) :].lstrip(": ")))


def said_source(text: str) -> str:
    """The text in the language of the reader. Ids of sources stay before their colon, so that it is read as before."""
    cited = cited_sources(text)
    ids = ", ".join(source.id for source in cited.sources)
    return ": ".join(part for part in (ids, cited.detail) if part)


def _said(detail: str) -> str:
    """What a source is cited for, or the reason of our own choice, as its reader reads it."""
    reason = detail.removeprefix(f"{OWN_CHOICE}: ")
    said = in_reader_language(bound_reasons().get(reason, reason))
    return say("our choice: {reason}", reason=said) if reason != detail else said


@cache
def bound_reasons() -> Mapping[str, Text]:
    """The reasons that have a translation, by themselves."""
    name = "bound_reasons.yaml"
    content = catalogue(name)
    return {english: Text(english, {CHINESE: chinese}) for english, chinese in content.items()}
