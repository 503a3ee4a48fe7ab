"""Settings of one configuration that contradict each other, from `contradicting_settings.yaml`.

An entry has

stated      option -> beginnings of values; its value has one of them, or any value shows it where the list is empty
other       option -> beginnings of values; its stated value has none of them
missing     options; a complete configuration states none of them
not_within  two options with directories: the first is none of those of the second
below       options of a size -> a size; the stated one is smaller
what        a clause that says what is wrong
act         what to set
source      where Flink reads them
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from diagnostics.notation.flink_values import size_bytes
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

Values = Mapping[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Contradiction:
    """One entry; options by their present names."""

    what: str
    act: str
    stated: Values
    other: Values
    missing: tuple[str, ...]
    not_within: tuple[str, ...]
    below: Mapping[str, str]

    @property
    def options(self) -> tuple[str, ...]:
        """Every option that it compares."""
        return tuple(dict.fromkeys((*self.stated, *self.other, *self.missing, *self.below)))

    def holds(self, options: Mapping[str, str], *, is_complete: bool) -> bool:
        """Whether a configuration contradicts itself in this way.

        options      present name -> value
        is_complete  whether it states all that its process reads, but for defaults
        """
        if self.missing and (not is_complete or any(name in options for name in self.missing)):
            return False
        if not all(name in options and _begins(options[name], known) for name, known in self.stated.items()):
            return False
        if not all(name in options and not _begins(options[name], known) for name, known in self.other.items()):
            return False
        if not all(name in options and _is_smaller(options[name], least) for name, least in self.below.items()):
            return False
        return not self.not_within or not _is_within(*(options[name] for name in self.not_within))


def _begins(value: str, beginnings: tuple[str, ...]) -> bool:
    return not beginnings or value.lower().startswith(beginnings)


def _is_smaller(value: str, least: str) -> bool:
    size, limit = size_bytes(value), size_bytes(least)
    return size is not None and limit is not None and size < limit


def _is_within(directory: str, directories: str) -> bool:
    listed = {each.strip().rstrip("/") for each in directories.split(",")}
    return directory.strip().rstrip("/") in listed


@cache
def contradictions() -> Mapping[str, Contradiction]:
    """The catalogue by id, in its order. Raises InvalidRule naming the line when the file is invalid."""
    content: Mapping[str, Mapping[str, Any]] = catalogue("contradicting_settings.yaml")
    return {
        name: Contradiction(
            with_translations(entry["what"], entry, "what"),
            with_translations(entry["act"], entry, "act"),
            _values(entry.get("stated", {})),
            _values(entry.get("other", {})),
            tuple(entry.get("missing", ())),
            tuple(entry.get("not_within", ())),
            dict(entry.get("below", {})),
        )
        for name, entry in content.items()
    }


def _values(entry: Mapping[str, list[str]]) -> Values:
    return {name: tuple(values) for name, values in entry.items()}
