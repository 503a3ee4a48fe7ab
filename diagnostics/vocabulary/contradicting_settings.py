"""Settings of one configuration that contradict each other, from `contradicting_settings.yaml`, and those whose effect
shows in no error, from `setting_traps.yaml`.

An entry has

stated      option -> beginnings of values; its value has one of them, or any value shows it where the list is empty;
            `~` before one takes it anywhere in the value
other       option -> beginnings of values; its stated value has none of them
missing     options; a complete configuration states none of them
missing_everywhere  true: a part of a configuration suffices for that
not_within  two options with directories: the first is none of those of the second
below       options of a size, a duration or a number -> a limit; the stated one is smaller
above       the same; the stated one is larger
parts       options of a size -> its default, nothing for one that has to be stated; together they do not suit `whole`
whole       option of a size that has to be stated
against     `above` when the parts together are larger than the whole, `below` when they are smaller
what        a clause that says what is wrong
act         what to set
source      where Flink reads them

`*` in the name of an option replaces any characters; the names are the present ones.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache
from typing import Any

from diagnostics.notation.flink_values import duration_ms, number, size_bytes
from diagnostics.vocabulary.catalogue_file import catalogue
from diagnostics.yaml_document import with_translations

Values = Mapping[str, tuple[str, ...]]
ANYWHERE = "~"
"""Begins a text that may stand anywhere in a value."""
KINDS: tuple[Callable[[str | None], float | None], ...] = (number, duration_ms, size_bytes)
"""How values are compared; both have to be of one kind."""


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
    above: Mapping[str, str]
    missing_everywhere: bool
    parts: Mapping[str, str | None]
    whole: str | None
    against: str | None

    def options_in(self, options: Mapping[str, str]) -> tuple[str, ...]:
        """The options of a configuration that it compares."""
        whole = (self.whole,) if self.whole else ()
        names = (*self.stated, *self.other, *self.missing, *self.below, *self.above, *self.parts, *whole)
        return tuple(dict.fromkeys(stated for name in names if (stated := _stated_name(name, options)) is not None))

    def holds(self, options: Mapping[str, str], *, is_complete: bool) -> bool:
        """Whether a configuration contradicts itself in this way.

        options      present name -> value
        is_complete  whether it states all that its process reads, but for defaults
        """
        if self.missing and not (is_complete or self.missing_everywhere):
            return False
        if any(name in options for name in self.missing):
            return False
        values = {
            name: options[stated] for name in self._compared if (stated := _stated_name(name, options)) is not None
        }
        if len(values) < len(self._compared):
            return False
        return (
            all(_begins(values[name], known) for name, known in self.stated.items())
            and not any(_begins(values[name], known) for name, known in self.other.items())
            and all(_is_below(values[name], limit) for name, limit in self.below.items())
            and all(_is_below(limit, values[name]) for name, limit in self.above.items())
            and (self.whole is None or self._does_not_add_up(options, self.whole))
            and (not self.not_within or not _is_within(*(options[name] for name in self.not_within)))
        )

    @property
    def _compared(self) -> frozenset[str]:
        """The options that have to be stated, by their names or patterns."""
        return frozenset((*self.stated, *self.other, *self.below, *self.above))

    def _does_not_add_up(self, options: Mapping[str, str], whole: str) -> bool:
        """Whether the parts together are larger, or smaller, than the whole; not where a size is not known."""
        total = size_bytes(options.get(whole))
        sizes = [size_bytes(options.get(name, default)) for name, default in self.parts.items()]
        known = [each for each in sizes if each is not None]
        if total is None or len(known) < len(sizes):
            return False
        return sum(known) > total if self.against == "above" else sum(known) < total


def _stated_name(name: str, options: Mapping[str, str]) -> str | None:
    """The option of a configuration that a name or a pattern means; None where it is not stated."""
    if "*" not in name:
        return name if name in options else None
    return next((each for each in options if fnmatchcase(each, name)), None)


def _begins(value: str, beginnings: tuple[str, ...]) -> bool:
    lowered = value.lower()
    return not beginnings or any(
        each[1:] in lowered if each.startswith(ANYWHERE) else lowered.startswith(each) for each in beginnings
    )


def _is_below(smaller: str, larger: str) -> bool:
    """Whether a number, a duration or a size is below another one of its kind; False for values that are none."""
    for read in KINDS:
        first, second = read(smaller), read(larger)
        if first is not None and second is not None:
            return first < second
    return False


def _is_within(directory: str, directories: str) -> bool:
    listed = {each.strip().rstrip("/") for each in directories.split(",")}
    return directory.strip().rstrip("/") in listed


@cache
def contradictions() -> Mapping[str, Contradiction]:
    """Settings that cannot be meant, by id. Raises InvalidRule naming the line when the file is invalid."""
    return _entries("contradicting_settings.yaml")


@cache
def setting_traps() -> Mapping[str, Contradiction]:
    """Settings whose effect shows in no error, by id, the largest effect first. Raises InvalidRule as above."""
    return _entries("setting_traps.yaml")


def _entries(name: str) -> Mapping[str, Contradiction]:
    content: Mapping[str, Mapping[str, Any]] = catalogue(name)
    return {
        name: Contradiction(
            with_translations(entry["what"], entry, "what"),
            with_translations(entry["act"], entry, "act"),
            _values(entry.get("stated", {})),
            _values(entry.get("other", {})),
            tuple(entry.get("missing", ())),
            tuple(entry.get("not_within", ())),
            dict(entry.get("below", {})),
            dict(entry.get("above", {})),
            entry.get("missing_everywhere") is True,
            dict(entry.get("parts", {})),
            entry.get("whole"),
            entry.get("against"),
        )
        for name, entry in content.items()
    }


def _values(entry: Mapping[str, list[str]]) -> Values:
    return {name: tuple(values) for name, values in entry.items()}
