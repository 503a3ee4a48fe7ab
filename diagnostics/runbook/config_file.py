"""The cluster's configuration file as the case holds it: which options are in it, and in which form."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass
from itertools import chain
from typing import Any

from diagnostics.evidence.subject import Lookup
from diagnostics.language import listed, say, to_say
from diagnostics.notation.flink_values import duration_ms, size_bytes
from diagnostics.vocabulary.settings import Version, setting_catalogue

OPTION = re.compile(r"^([A-Za-z][\w.-]*)\s*[:=]\s*(\S.*)$")
"""A line of a configuration: key and value."""

LINES, NESTED = "settings.file_lines", "settings.nested_options"
"""Facts: the lines of the configuration as `key: value`, and the keys that a nested file holds."""

INDENT = "  "

WITHIN_BLOCK = to_say(
    "Change only these lines, inside the blocks that the file has: its other lines stay, and Flink refuses a key that "
    "is there twice."
)
"""Source: Flink's YamlParserUtils, which does not allow duplicate keys."""

REMOVED = to_say("Delete from the file what the new lines replace: {options}.")

_Tree = dict[str, Any]
"""Key -> the tree below it, or the lines of an option: its comments and itself."""


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

    def split(
        self, before: str, set_before: Set[str] = frozenset(), *, is_of_flink: bool = True
    ) -> tuple[str, list[str]]:
        """The lines that a file of the case holds, as it states them, and a sentence for each that none does.

        set_before   lines that an earlier change has put into the file when this one is made
        is_of_flink  whether the lines are of Flink's configuration; of another program only the default is known
        """
        held: dict[str, None] = {}
        unset = []
        for line in before.splitlines():
            option = OPTION.match(line)
            name = self.held_option(option.group(1)) if option else None
            if line in set_before:
                held[line] = None
            elif name:
                held[self.lines[name]] = None
            elif option:
                unset.append(_unset(option.group(1), option.group(2), is_of_flink=is_of_flink))
            elif line.strip(" #"):
                unset.append(say("Not set in a file of this case: {line}.", line=line.strip(" #")))
        return "\n".join(held), unset

    def without_defaults(self, after: str, before: str, version: Version | None) -> str:
        """New lines without those that only state the default of an option which nothing sets: they change nothing.

        before  the lines that they replace
        Where no file of the case holds the configuration, all lines stay: the option may be set.
        """
        if not self.lines:
            return after
        replaced = {option.group(1) for line in before.splitlines() if (option := OPTION.match(line))}
        return "\n".join(
            line
            for line in after.split("\n")
            if not (option := OPTION.match(line))
            or option.group(1) in replaced
            or self.held_option(option.group(1))
            or not _is_default(option.group(1), option.group(2), version)
        )

    def in_own_form(self, text: str) -> str:
        """Lines of options in the form of the file: where it holds one of them as nested keys, all of that family are
        written so, each key once, because Flink refuses a repeated one; else unchanged. A family stays where its first
        option is.
        """
        options, rest = _with_comments(text)
        families = {_family(name) for name, _ in options if self.held_option(name) in self.nested}
        formed: list[list[str] | _Tree] = []
        trees: dict[str, _Tree] = {}
        for name, lines in options:
            family = _family(name)
            if family in families and family not in trees:
                trees[family] = {}
                formed.append(trees[family])
            if family not in trees or not _is_nested_in(trees[family], name.split("."), lines):
                formed.append(lines)
        written = (part if isinstance(part, list) else _lines_of(part) for part in formed)
        return "\n".join([*chain.from_iterable(written), *rest])


def _with_comments(text: str) -> tuple[list[tuple[str, list[str]]], list[str]]:
    """Each option with its line and the comments above it; and what stands below the last one."""
    options: list[tuple[str, list[str]]] = []
    above: list[str] = []
    for line in text.splitlines():
        option = OPTION.match(line)
        above.append(line)
        if option:
            options.append((option.group(1), above))
            above = []
    return options, above


def _is_nested_in(tree: _Tree, keys: list[str], lines: list[str]) -> bool:
    """Puts an option into the tree; False where one of its keys is an option itself."""
    *path, leaf = keys
    for key in path:
        inner = tree.setdefault(key, {})
        if not isinstance(inner, dict):
            return False
        tree = inner
    if leaf in tree:
        return False
    *comments, line = lines
    tree[leaf] = [*comments, f"{leaf}{line[len('.'.join(keys)) :]}"]
    return True


def _family(option: str) -> str:
    return option.partition(".")[0]


def _lines_of(tree: _Tree, depth: int = 0) -> Iterator[str]:
    for key, inner in tree.items():
        if isinstance(inner, dict):
            yield f"{INDENT * depth}{key}:"
            yield from _lines_of(inner, depth + 1)
        else:
            yield from (f"{INDENT * depth}{line}" for line in inner)


def _unset(option: str, value: str, *, is_of_flink: bool) -> str:
    """The sentence about an option that no file of the case holds: its default, or the value that is in effect."""
    if value.startswith("("):
        return say("{option} is not set in a file of this case.", option=option)
    known = setting_catalogue().find(option)
    defaults = [each.partition(" since ")[0] for each in known.default.split("; ")] if known else []
    if not is_of_flink or _amount(value) in map(_amount, defaults):
        return say("{option} is not set in a file of this case (default {value}).", option=option, value=value)
    return say("{option} is not set in a file of this case; {value} is in effect.", option=option, value=value)


def _is_default(option: str, value: str, version: Version | None) -> bool:
    default = setting_catalogue().default_in(option, version)
    return default is not None and _amount(default) == _amount(value)


def _amount(text: str) -> float | str:
    """A value that compares equal however it is written, such as `10 min` and `600 s`."""
    return next((each for read in (duration_ms, size_bytes) if (each := read(text)) is not None), text.strip().lower())


def shown_change(change: Mapping[str, Any], file: ConfigFile) -> dict[str, Any]:
    """A change as a page shows it: options in the form of the file, and where that is nested, how to make it."""
    if change["kind"] != "config":
        return dict(change)
    formed = file.in_own_form(change["to"])
    is_nested = formed != change["to"]
    removed = [each for each in _options_of(change["from"]) if each not in _options_of(change["to"])]
    deleting = [say(REMOVED, options=listed(removed))] if removed else []
    within = [say(WITHIN_BLOCK)] if is_nested else []
    unset = [*change["unset"], *deleting, *within]
    return {**change, "from": file.in_own_form(change["from"]), "to": formed, "unset": unset}


def _options_of(text: str) -> list[str]:
    """The options that lines of a configuration state."""
    return [option.group(1) for line in text.splitlines() if (option := OPTION.match(line))]
