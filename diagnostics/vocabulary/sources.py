"""Sources of bounds and texts: documentation, source code, articles; and claims that are disproved."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal

from diagnostics.errors import InvalidRule
from diagnostics.language import CHINESE, Text, in_reader_language, say
from diagnostics.yaml_document import read_yaml, with_translations

CITED = re.compile(r"[\w.-]+(?:, [\w.-]+)*(?=:|$)")
"""Beginning of a citing text: comma-separated ids of sources, then, after a colon, what is taken from them."""

OWN_CHOICE = "our choice"
"""Beginning of a bound without a source; the reason follows."""

Basis = Literal["documented", "heuristic", "claim"]


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of the catalogue.

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


@dataclass(frozen=True, slots=True)
class CitedSources:
    """The parsed origin of a bound.

    sources  catalogued sources that it names
    detail   the rest, e.g. the relevant part of them, or the reason of our own choice, in the reader's language
    """

    sources: tuple[Source, ...]
    detail: str

    @property
    def text(self) -> str:
        """The text for a sentence: titles, then the detail."""
        titles = "; ".join(dict.fromkeys(source.title for source in self.sources))
        return ": ".join(part for part in (titles, self.detail) if part)


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
    for file in sorted(files("diagnostics.vocabulary").joinpath("sources").iterdir(), key=lambda each: each.name):
        for source_id, entry in read_yaml(file.read_text("utf-8"), file.name).content.items():
            if source_id in catalogue:
                raise InvalidRule([f"{file.name}: {source_id} is there twice"])
            try:
                catalogue[source_id] = Source(id=source_id, **entry)
            except TypeError:
                raise InvalidRule([f"{file.name}: {source_id} needs title, says and basis; url may be there"]) from None
    return catalogue


@cache
def disputed_claims() -> Sequence[DisputedClaim]:
    """The disputed claims, from `disputed_claims.yaml`."""
    name = "disputed_claims.yaml"
    content = read_yaml((files("diagnostics.vocabulary") / name).read_text("utf-8"), name).content
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


def _said(detail: str) -> str:
    """What a source is cited for, or the reason of our own choice, as its reader reads it."""
    reason = detail.removeprefix(f"{OWN_CHOICE}: ")
    said = in_reader_language(_reasons().get(reason, reason))
    return say("our choice: {reason}", reason=said) if reason != detail else said


@cache
def _reasons() -> Mapping[str, Text]:
    """The reasons that have a translation, by themselves."""
    name = "bound_reasons.yaml"
    content = read_yaml((files("diagnostics.vocabulary") / name).read_text("utf-8"), name).content
    return {english: Text(english, {CHINESE: chinese}) for english, chinese in content.items()}
