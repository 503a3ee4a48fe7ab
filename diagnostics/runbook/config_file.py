"""The cluster's configuration file as the case holds it: which options are in it, and in which form."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from diagnostics.evidence.subject import Lookup
from diagnostics.language import say
from diagnostics.notation.flink_values import duration_ms, size_bytes
from diagnostics.vocabulary.settings import setting_catalogue

OPTION = re.compile(r"^([A-Za-z][\w.-]*)\s*[:=]\s*(\S.*)$")
"""A line of a configuration: key and value."""

LINES, NESTED = "settings.file_lines", "settings.nested_options"
"""Facts: the lines of the configuration as `key: value`, and the keys that a nested file holds."""

INDENT = "  "


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """What a file of the case holds.

    lines   option -> its line as the file states it, flat
    nested  options that the file holds as nested keys
    """

    lines: Mapping[str, str]
    nested: frozenset[str]

    @classmethod
    def of(cls, lookup: Lookup) -> ConfigFile:
        """That of a case; without lines where no file states the configuration."""
        lines, nested = (value if isinstance(value := lookup(fact), list) else [] for fact in (LINES, NESTED))
        found = {match.group(1): str(line) for line in lines if (match := OPTION.match(str(line)))}
        return cls(found, frozenset(map(str, nested)))

    def held_option(self, option: str) -> str | None:
        """The name under which the file holds an option, which may be a former one; None where it does not."""
        if option in self.lines:
            return option
        known = setting_catalogue().find(option)
        names = (known.key, *(each.name for each in known.former)) if known else ()
        return next((name for name in names if name in self.lines), None)

    def split(self, before: str) -> tuple[str, list[str]]:
        """The lines that a file of the case holds, as it states them, and a sentence for each that none does."""
        held: dict[str, None] = {}
        unset = []
        for line in before.splitlines():
            option = OPTION.match(line)
            name = self.held_option(option.group(1)) if option else None
            if name:
                held[self.lines[name]] = None
            elif option:
                unset.append(_unset(option.group(1), option.group(2)))
            elif line.strip(" #"):
                unset.append(say("Not set in a file of this case: {line}.", line=line.strip(" #")))
        return "\n".join(held), unset

    def in_own_form(self, text: str) -> str:
        """Lines of options in the form of the file: nested keys where the file holds them so, else unchanged."""
        return "\n".join(self._formed(text.splitlines()))

    def _formed(self, lines: Iterable[str]) -> Iterator[str]:
        above: tuple[str, ...] = ()
        for line in lines:
            option = OPTION.match(line)
            name = self.held_option(option.group(1)) if option else None
            if option is None or name not in self.nested:
                above = ()
                yield line
                continue
            *path, leaf = option.group(1).split(".")
            shared = _shared(above, path)
            yield from (f"{INDENT * depth}{path[depth]}:" for depth in range(shared, len(path)))
            yield f"{INDENT * len(path)}{leaf}: {option.group(2)}"
            above = tuple(path)


def _unset(option: str, value: str) -> str:
    """The sentence about an option that no file of the case holds: its default, or the value that is in effect."""
    if value.startswith("("):
        return say("{option} is not set in a file of this case.", option=option)
    known = setting_catalogue().find(option)
    defaults = [each.partition(" since ")[0] for each in known.default.split("; ")] if known else []
    if _amount(value) in map(_amount, defaults):
        return say("{option} is not set in a file of this case (default {value}).", option=option, value=value)
    return say("{option} is not set in a file of this case; {value} is in effect.", option=option, value=value)


def _amount(text: str) -> float | str:
    """A value that compares equal however it is written, such as `10 min` and `600 s`."""
    return next((each for read in (duration_ms, size_bytes) if (each := read(text)) is not None), text.strip().lower())


def _shared(above: tuple[str, ...], path: list[str]) -> int:
    same = 0
    while same < min(len(above), len(path)) and above[same] == path[same]:
        same += 1
    return same


def shown_change(change: Mapping[str, Any], file: ConfigFile) -> dict[str, Any]:
    """A change as a page shows it: options in the form of the file."""
    if change["kind"] != "config":
        return dict(change)
    return {**change, "from": file.in_own_form(change["from"]), "to": file.in_own_form(change["to"])}
