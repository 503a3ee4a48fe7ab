"""What bounds and texts rest on: documentation, source code, articles; and claims that do not survive a check."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from diagnostics.errors import InvalidRule
from diagnostics.yaml_document import read_yaml

CITED = re.compile(r"[\w.-]+(?:, [\w.-]+)*(?=:|$)")
"""How a text that cites begins: ids of sources with commas, then, after a colon, what is taken from them."""

OWN_CHOICE = "our choice"
"""How a bound begins that no source states; the reason follows."""

Basis = Literal["documented", "heuristic", "claim"]


@dataclass(frozen=True, slots=True)
class Source:
    """One entry of the catalogue.

    url    None for the documents that this program was specified from, which have no public address
    says   what it states
    basis  `documented`: the number stands there; `heuristic`: the mechanism is described there and the number is our
           choice; `claim`: what a document says, true or not
    """

    id: str
    title: str
    says: str
    basis: Basis
    url: str | None = None


@dataclass(frozen=True, slots=True)
class CitedSources:
    """A text that states where a bound comes from, taken apart.

    sources  those of the catalogue that it names
    detail   what else it says, e.g. which part of them counts, or the reason of our own choice
    """

    sources: tuple[Source, ...]
    detail: str

    @property
    def text(self) -> str:
        """As a sentence prints it: titles, then the detail."""
        titles = "; ".join(dict.fromkeys(source.title for source in self.sources))
        return ": ".join(part for part in (titles, self.detail) if part)


@dataclass(frozen=True, slots=True)
class DisputedClaim:
    """A claim that does not survive a check, what holds instead, and which documents make it."""

    claim: str
    answer: str
    sources: tuple[str, ...]


@cache
def sources() -> Mapping[str, Source]:
    """The catalogue by id, from `sources/*.yaml`.

    Raises  InvalidRule naming the file of an entry that is not as expected, or there twice.
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
    return [DisputedClaim(each["claim"], each["answer"], tuple(each["sources"])) for each in content["claims"]]


def cited_sources(text: str) -> CitedSources:
    """The sources that a text names by id; of a text that names none it is all detail."""
    hit = CITED.match(text)
    ids = hit[0].split(", ") if hit else []
    if not ids or any(source_id not in sources() for source_id in ids):
        return CitedSources((), text)
    return CitedSources(tuple(sources()[source_id] for source_id in ids), text[len(", ".join(ids)) :].lstrip(": "))
