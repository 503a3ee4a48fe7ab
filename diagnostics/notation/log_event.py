"""The catalogue of log events: known messages of Flink and its libraries, as data.

One YAML file for each part of Flink in `diagnostics/vocabulary/log_events`. An entry has

id        stable; signals refer to it
title     its meaning, for people
pattern   RE2, searched in the message; its named groups are columns of `log_record`, or `task` (a task's whole name,
          split into vertex, subtask and attempt), or `location` (`resource id @ host`)
where     `message` (the default) or `trace`: also in the lines of the stack trace
loggers   simple names of the classes that log it; when two entries match, the one with a matching logger is used
levels    levels at which it is logged
versions  of Flink, or of the library
harmless  true for messages that healthy clusters log too
example   a message that it matches, checked by the tests
samples   further messages, one per wording: the format string of the source with plausible values. `version` is
          that of Flink, `source` the file of Flink or of the library. The tests read them as whole records.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

import yaml

FOLDER = Path(__file__).resolve().parents[1] / "vocabulary" / "log_events"

LEAST_CONSTANT = 4
"""Minimum length of an entry's constant: shorter ones occur everywhere and slow the scan down."""

COLUMNS = (
    "checkpoint_id",
    "job_id",
    "vertex",
    "subtask",
    "attempt",
    "execution",
    "duration_ms",
    "size_bytes",
    "count",
    "state_from",
    "state_to",
    "task_manager",
    "host",
    "reason",
)
"""Columns of `log_record` that a named group may fill."""

GROUPS = (*COLUMNS, "task", "location")

_QUANTIFIER = re.compile(r"[*?+]|\{(\d*)(?:,\d*)?\}")


@dataclass(frozen=True, slots=True)
class EventSample:
    """One message in the wording of a version of Flink or of a library.

    source  source file with the format string; its name is the logger's
    """

    version: str
    source: str
    text: str

    @property
    def logger(self) -> str:
        """Simple name of the class that logs it."""
        return self.source.rpartition("/")[2].partition(".")[0]


@dataclass(frozen=True, slots=True)
class LogEvent:
    """One entry of the catalogue.

    constants  one of these is in every text that the pattern matches
    """

    id: str
    title: str
    pattern: str
    example: str
    constants: tuple[str, ...]
    where: Literal["message", "trace"] = "message"
    levels: tuple[str, ...] = ()
    loggers: tuple[str, ...] = ()
    versions: str = ""
    harmless: bool = False
    samples: tuple[EventSample, ...] = ()


@cache
def catalogue() -> tuple[LogEvent, ...]:
    """Every event, in the order of files and entries.

    Raises  ValueError naming file and entry when an entry is invalid.
    """
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    events: dict[str, LogEvent] = {}
    for file in sorted(FOLDER.glob("*.yaml")):
        for entry in yaml.load(file.read_text("utf-8"), loader):  # noqa: S506 - a safe loader
            event = _event(entry, file.name)
            if event.id in events:
                raise ValueError(f"{file.name}: {event.id} is there twice")
            events[event.id] = event
    return tuple(events.values())


@cache
def harmless_events() -> frozenset[str]:
    """The ids of events that healthy clusters log too."""
    return frozenset(event.id for event in catalogue() if event.harmless)


@cache
def alarming_events() -> frozenset[str]:
    """The ids of events that alone say that something is wrong: neither harmless nor logged below WARN only."""
    quiet = {"INFO", "DEBUG", "TRACE"}
    return frozenset(
        event.id
        for event in catalogue()
        if not event.harmless and not (event.levels and quiet.issuperset(event.levels))
    )


def _event(entry: dict[str, Any], file: str) -> LogEvent:
    place = f"{file}: {entry.get('id', 'an entry without id')}"
    unknown = set(entry) - set(LogEvent.__slots__)
    if unknown or "constants" in entry:
        raise ValueError(f"{place}: unknown field {', '.join(sorted(unknown)) or 'constants'}")
    groups = set(re.findall(r"\(\?P<(\w+)>", entry["pattern"])) - set(GROUPS)
    if groups:
        raise ValueError(f"{place}: {', '.join(sorted(groups))} is no column of log_record")
    constants = constants_of(entry["pattern"])
    if not constants:
        raise ValueError(f"{place}: the pattern has no constant of {LEAST_CONSTANT} or more characters")
    return LogEvent(
        id=entry["id"],
        title=entry["title"],
        pattern=entry["pattern"],
        example=entry["example"],
        constants=constants,
        where=entry.get("where", "message"),
        levels=tuple(entry.get("levels", ())),
        loggers=tuple(entry.get("loggers", ())),
        versions=str(entry.get("versions", "")),
        harmless=bool(entry.get("harmless", False)),
        samples=tuple(EventSample(**sample) for sample in entry.get("samples", ())),
    )


def constants_of(pattern: str) -> tuple[str, ...]:
    """Texts such that every match of the pattern contains at least one; empty when none is long enough."""
    found, _ = _alternatives(pattern, 0)
    return tuple(dict.fromkeys(found)) if found and min(map(len, found)) >= LEAST_CONSTANT else ()


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    """Constants of `a|b|c` from `at` to the closing bracket or the end, and the end's position."""
    branches: list[list[str]] = []
    while True:
        best, at = _sequence(pattern, at)
        branches.append(best)
        if at >= len(pattern) or pattern[at] == ")":
            break
        at += 1
    if any(not branch for branch in branches):
        return [], at
    return [constant for branch in branches for constant in branch], at


def _sequence(pattern: str, at: int) -> tuple[list[str], int]:
    """The best constants of one branch, and its end."""
    best: list[str] = []
    run = ""

    def better(candidate: list[str]) -> list[str]:
        shortest = min(map(len, candidate), default=0)
        return candidate if shortest > min(map(len, best), default=0) else best

    while at < len(pattern) and pattern[at] not in "|)":
        literal, group, at = _atom(pattern, at)
        quantifier = _QUANTIFIER.match(pattern, at)
        optional = quantifier is not None and (quantifier[0][0] in "*?" or quantifier[1] == "0")
        if quantifier:
            at = quantifier.end()
            if at < len(pattern) and pattern[at] == "?":
                at += 1
        if literal is not None and not optional:
            run += literal
        if literal is None or quantifier:
            best, run = better([run]), ""
        if group and not optional:
            best = better(group)
    return [each for each in better([run]) if each], at


def _atom(pattern: str, at: int) -> tuple[str | None, list[str], int]:
    """The next atom: its literal character or None, a group's constants, and its end."""
    character = pattern[at]
    if character == "\\":
        escaped = pattern[at + 1]
        return (None if escaped.isalnum() else escaped), [], at + 2
    if character == "[":
        end = at + 1
        if pattern[end] == "^":
            end += 1
        if pattern[end] == "]":
            end += 1
        while pattern[end] != "]":
            end += 2 if pattern[end] == "\\" else 1
        return None, [], end + 1
    if character == "(":
        start = at + 1
        if pattern.startswith("?:", start):
            start += 2
        elif pattern.startswith("?P<", start):
            start = pattern.index(">", start) + 1
        constants, end = _alternatives(pattern, start)
        return None, constants, end + 1
    if character in ".^$":
        return None, [], at + 1
    return character, [], at + 1
