"""What a job does by design and people take for a trouble, from `expected_behaviour.yaml`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations


@dataclass(frozen=True, slots=True)
class Expected:
    """One entry: the name of what shows it, and the sentences about it."""

    shape: str
    says: str


@cache
def expected_behaviour() -> Mapping[str, Expected]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("expected_behaviour.yaml")
    return {
        name: Expected(entry["shape"], with_translations(entry["says"].strip(), entry, "says"))
        for name, entry in content.items()
    }
